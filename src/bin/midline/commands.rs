//! The smaller commands; each gives the text for standard output.

use crate::args::TextFile;
use crate::file::{ModelFile, text};
use midline::engine::{Arithmetic, Clock, Engine, EngineOptions, Threads, TokenLogProb};
use midline::error::{Error, Result};
use midline::gguf::{Array, Gguf, Value};
use midline::kernels::Kernels;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// Alternatives listed a position.
const TOP: usize = 5;

/// Milliseconds since it was made.
pub struct Elapsed(Instant);

impl Elapsed {
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Elapsed {
    fn now_ms(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
}

pub fn load(model: &Path, variant: Option<&str>, threads: usize) -> Result<Engine> {
    let arithmetic = variant.map(arithmetic).transpose()?;
    let threads = Threads::Fixed(threads);
    let options = EngineOptions { arithmetic, threads, ..EngineOptions::default() };
    Engine::load(&ModelFile::open(model)?, &options, &mut |_| {})
}

fn arithmetic(name: &str) -> Result<Arithmetic> {
    let kernels = || Kernels::available().map(Arithmetic::Kernels);
    let all = || kernels().chain([Arithmetic::Plain]);
    all().find(|arithmetic| arithmetic.name() == name).ok_or_else(|| Error::RequestInvalid {
        field: "variant".into(),
        expected: all().map(Arithmetic::name).collect::<Vec<_>>().join(", "),
        found: name.to_owned(),
    })
}

pub fn tokenize(options: &TextFile) -> Result<String> {
    let engine = load(&options.model, options.variant.as_deref(), 1)?;
    let ids = engine.tokenize(&text(&options.file)?);
    if options.json {
        return to_json(&ids);
    }
    let line = |id: &u32| format!("{id}\t{:?}", String::from_utf8_lossy(engine.token_bytes(*id)));
    Ok(ids.iter().map(line).collect::<Vec<_>>().join("\n"))
}

pub fn log_probs(options: &TextFile) -> Result<String> {
    let mut engine = load(&options.model, options.variant.as_deref(), 1)?;
    let ids = engine.tokenize(&text(&options.file)?);
    let positions = engine.log_probs(&ids, TOP, options.chunk_tokens)?;
    if options.json {
        let position = |position: &TokenLogProb| {
            let top: Vec<_> =
                position.top.iter().map(|(id, value)| json!({ "token": id, "logProb": value })).collect();
            json!({ "token": position.token, "logProb": position.log_prob, "top": top })
        };
        return to_json(&positions.iter().map(position).collect::<Vec<_>>());
    }
    let mut lines = String::new();
    for position in positions {
        let spelling = String::from_utf8_lossy(engine.token_bytes(position.token)).into_owned();
        let value = position.log_prob.map_or_else(|| "-".into(), |value| format!("{value:.4}"));
        let _ = writeln!(lines, "{}\t{spelling:?}\t{value}", position.token);
    }
    Ok(lines)
}

pub fn inspect(model: &Path) -> Result<String> {
    let gguf = Gguf::parse(&ModelFile::open(model)?)?;
    let mut lines = format!("GGUF version {}, {} bytes\n", gguf.version, gguf.file_bytes);
    let mut entries: Vec<_> = gguf.metadata.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    for (key, value) in entries {
        let _ = writeln!(lines, "{key:?} = {}", describe(value));
    }
    for tensor in &gguf.tensors {
        let _ = writeln!(
            lines,
            "{:?} {} {:?} at {}",
            tensor.name,
            tensor.format.name(),
            tensor.dims,
            tensor.offset
        );
    }
    Ok(lines)
}

fn describe(value: &Value) -> String {
    match value {
        Value::Unsigned(number) => number.to_string(),
        Value::Signed(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => format!("{:?}", text.chars().take(80).collect::<String>()),
        Value::Array(Array::Unsigned(items)) => format!("{} integers", items.len()),
        Value::Array(Array::Signed(items)) => format!("{} integers", items.len()),
        Value::Array(Array::Float(items)) => format!("{} floats", items.len()),
        Value::Array(Array::Bool(items)) => format!("{} booleans", items.len()),
        Value::Array(Array::String(items)) => format!("{} strings", items.len()),
    }
}

pub fn to_json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Internal { message: format!("JSON: {error}") })
}
