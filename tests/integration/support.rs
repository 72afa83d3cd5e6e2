//! What several subjects need: places of files, a GGUF writer, a clock that ticks by itself.

use midline::engine::{Clock, CompletionRequest, CompletionResult, Engine, EngineOptions, Progress};
use midline::error::Result;
use std::cell::Cell;
use std::path::PathBuf;

/// A path from the root of the repository.
pub fn path(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The bytes of a file of the repository.
pub fn bytes(relative: &str) -> Vec<u8> {
    let path = path(relative);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}; run: make setup", path.display()))
}

/// A JSON file of the repository.
pub fn json(relative: &str) -> serde_json::Value {
    serde_json::from_slice(&bytes(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

pub const BOOT_MODEL: &str = "models/midline-boot-q4_0.gguf";
pub const SMOLLM2_MODEL: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

/// An engine from bytes in memory.
pub fn engine(file: &[u8]) -> Result<Engine> {
    Engine::load(&file.to_vec(), &EngineOptions::default(), &mut |_| {})
}

/// The default model.
pub fn boot_engine() -> Engine {
    engine(&bytes(BOOT_MODEL)).expect("the default model loads")
}

/// Advances by one millisecond at every look.
#[derive(Default)]
pub struct TickingClock(Cell<f64>);

impl Clock for TickingClock {
    fn now_ms(&self) -> f64 {
        self.0.set(self.0.get() + 1.0);
        self.0.get()
    }
}

/// Steps a completion to its end.
pub fn complete(engine: &mut Engine, request: &CompletionRequest) -> Result<CompletionResult> {
    let clock = TickingClock::default();
    let mut completion = engine.start(request, &clock)?;
    loop {
        if let Progress::Done(result) = completion.step(engine, &clock)? {
            return Ok(*result);
        }
    }
}

/// A result without its times and without what depends on the cache.
pub fn comparable(mut result: CompletionResult) -> CompletionResult {
    (result.stats.prompt_ms, result.stats.prefill_ms, result.stats.decode_ms) = (0.0, 0.0, 0.0);
    result.stats.postprocess_ms = 0.0;
    result.stats.reused_tokens = 0;
    result
}

/// A request with the default options.
pub fn request(prefix: &str, suffix: &str) -> CompletionRequest {
    CompletionRequest { prefix: prefix.into(), suffix: suffix.into(), ..CompletionRequest::default() }
}

/// A model file with more texts in its metadata.
pub fn with_strings(file: &[u8], entries: &[(&str, &str)]) -> Vec<u8> {
    let start = GgufBytes(Vec::new());
    let added = entries.iter().fold(start, |bytes, (key, value)| bytes.string_entry(key, value));
    with_entries(file, added, entries.len())
}

/// A model file with one number more in its metadata.
pub fn with_float(file: &[u8], key: &str, value: f32) -> Vec<u8> {
    with_entries(file, GgufBytes(Vec::new()).entry(key, 6, &value.to_le_bytes()), 1)
}

/// Tensor data stays aligned: a last entry fills up to a multiple of 32 bytes.
fn with_entries(file: &[u8], added: GgufBytes, count: usize) -> Vec<u8> {
    let empty = GgufBytes(Vec::new()).string_entry("filler", "").0;
    let filler = "-".repeat(32 - (added.0.len() + empty.len()) % 32);
    let added = added.string_entry("filler", &filler).0;
    let (header, rest) = file.split_at(24);
    let count = u64::from_le_bytes(header[16..].try_into().expect("eight bytes")) + count as u64 + 1;
    [&header[..16], &count.to_le_bytes(), &added, rest].concat()
}

/// A model file in which every GGUF string `from` is the string `to` of the same length.
pub fn renamed(file: &[u8], names: &[(&str, &str)]) -> Vec<u8> {
    let mut file = file.to_vec();
    for (from, to) in names {
        assert_eq!(from.len(), to.len(), "{from} and {to}");
        let pattern = [&(from.len() as u64).to_le_bytes(), from.as_bytes()].concat();
        let found: Vec<_> =
            file.windows(pattern.len()).enumerate().filter(|(_, at)| *at == pattern).collect();
        let places: Vec<_> = found.iter().map(|(at, _)| at + 8).collect();
        assert!(!places.is_empty(), "no string {from:?}");
        places.iter().for_each(|at| file[*at..at + to.len()].copy_from_slice(to.as_bytes()));
    }
    file
}

/// Bytes of a GGUF file, put together by hand.
pub struct GgufBytes(pub Vec<u8>);

impl GgufBytes {
    /// Magic, version and counts.
    pub fn new(version: u32, tensors: u64, entries: u64) -> Self {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(tensors.to_le_bytes());
        bytes.extend(entries.to_le_bytes());
        Self(bytes)
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn string(self, text: &str) -> Self {
        self.raw(&(text.len() as u64).to_le_bytes()).raw(text.as_bytes())
    }

    /// A metadata entry with an already encoded value.
    pub fn entry(self, key: &str, value_type: u32, value: &[u8]) -> Self {
        self.string(key).raw(&value_type.to_le_bytes()).raw(value)
    }

    pub fn string_entry(self, key: &str, value: &str) -> Self {
        self.string(key).raw(&8_u32.to_le_bytes()).string(value)
    }

    /// An entry of the tensor table.
    pub fn tensor(self, name: &str, dims: &[u64], ggml_type: u32, offset: u64) -> Self {
        let mut this = self.string(name).raw(&(dims.len() as u32).to_le_bytes());
        for dim in dims {
            this = this.raw(&dim.to_le_bytes());
        }
        this.raw(&ggml_type.to_le_bytes()).raw(&offset.to_le_bytes())
    }

    /// Zeros up to a multiple of 32, then `count` more.
    pub fn data(mut self, count: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(32) + count, 0);
        self
    }
}
