//! `midline eval`: how good the completions of a model are, with the engine of the browser.
//!
//! Parts, metrics and their sources: `tests/README.md`.

mod asker;
mod carets;
mod functional;
mod infilling;
mod intervals;
mod options;
mod packages;
mod random;
mod records;
mod report;
mod sandbox;
mod setting;
mod tasks;
mod text;
mod typing;
mod walk;

pub use options::Options;

use crate::file::ModelFile;
use asker::Asker;
use midline::engine::{Engine, EngineOptions};
use midline::error::{Error, Result};
use midline::gguf::Gguf;
use options::{DEFAULT_LINES, USAGE};
use records::{Records, io_error};
use report::{BOOTSTRAP_SEED, Report};
use serde_json::json;
use setting::Setting;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Seed of the choice of lines and tasks.
const SEED: u64 = 2026;

/// Measures, and gives the table (or JSON).
///
/// # Errors
/// Those of loading a model; `io` for data that is missing.
pub fn run(options: &Options) -> Result<String> {
    if options.help {
        return Ok(USAGE.to_owned());
    }
    let started = Instant::now();
    let file = ModelFile::open(&options.model)?;
    let engine_options = EngineOptions { context_tokens: options.context_tokens, ..EngineOptions::default() };
    let engine = Engine::load(&file, &engine_options, &mut |_| {})?;
    let (model_hash, program) = (sha256(&options.model)?, sha256(&program()?)?);
    let context = engine.info().context_tokens;
    let name = format!("{}-{}-{context}", &model_hash[..12], &program[..8]);
    let records = options.records.clone().unwrap_or_else(|| options.results.join(format!("{name}.jsonl")));
    let mut asker = Asker { engine, records: Records::open(&records)?, known: 0, asked: 0 };
    let mut report = Report::default();
    if let Some(path) = &options.prompts {
        let lines =
            packages::choose(&options.data.join("packages"), options.limit.unwrap_or(DEFAULT_LINES), SEED)?;
        let settings = options.settings.clone().unwrap_or_else(|| Setting::list(&["prefix:noheal"]));
        let text = settings.first().map(|setting| walk::prompts(&mut asker, setting, &lines)).transpose()?;
        std::fs::write(path, text.unwrap_or_default()).map_err(|error| io_error(path, &error))?;
        return Ok(format!("{}", path.display()));
    }
    for part in &options.parts {
        match *part {
            "E1" => missing_lines(options, &mut asker, &mut report)?,
            "E2" => tested_lines(options, &mut asker, &mut report)?,
            _ => carets_in_packages(options, &mut asker, &mut report)?,
        }
    }
    let info = asker.engine.info();
    let summary = json!({
        "model": { "name": info.name, "sha256": model_hash, "parameters": info.parameters, "quantisation": quantisation(&file)? },
        "program": program,
        "contextTokens": context,
        "variant": info.variant,
        "seeds": { "choice": SEED, "bootstrap": BOOTSTRAP_SEED },
        "wallSeconds": started.elapsed().as_secs_f64(),
        "asked": asker.asked,
        "fromRecords": asker.known,
        "figures": report.to_json(),
    });
    let path = options.results.join(format!("{name}.json"));
    std::fs::create_dir_all(&options.results).map_err(|error| io_error(&options.results, &error))?;
    std::fs::write(&path, format!("{summary:#}\n")).map_err(|error| io_error(&path, &error))?;
    if options.json {
        return Ok(summary.to_string());
    }
    Ok(format!(
        "{} ({}), sha256 {model_hash}, context {context}, {:.0} s, {} asked, {} from records\n\n{}",
        info.name,
        quantisation(&file)?,
        started.elapsed().as_secs_f64(),
        asker.asked,
        asker.known,
        report.table()
    ))
}

fn missing_lines(options: &Options, asker: &mut Asker, report: &mut Report) -> Result<()> {
    let tasks = infilling::load(&options.data.join("tasks"), options.limit, SEED)?;
    let settings = options.settings.clone().unwrap_or_else(|| formats(asker, &["", ":noheal"]));
    infilling::ask(asker, &settings, &tasks)?;
    infilling::measure(asker, &settings, &tasks, report);
    Ok(())
}

fn tested_lines(options: &Options, asker: &mut Asker, report: &mut Report) -> Result<()> {
    let tasks = functional::load(&options.data.join("tasks"), options.limit, SEED)?;
    let settings = options.settings.clone().unwrap_or_else(|| formats(asker, &[""]));
    functional::ask(asker, &settings, &tasks)?;
    functional::measure(asker, &settings, &tasks, report);
    Ok(())
}

/// Every format of the model, with each of the endings.
fn formats(asker: &Asker, endings: &[&str]) -> Vec<Setting> {
    let formats = &asker.engine.info().formats;
    let names: Vec<_> =
        formats.iter().flat_map(|format| endings.iter().map(move |end| format!("{format}{end}"))).collect();
    Setting::list(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn carets_in_packages(options: &Options, asker: &mut Asker, report: &mut Report) -> Result<()> {
    let limit = options.limit.unwrap_or(DEFAULT_LINES);
    let lines = packages::choose(&options.data.join("packages"), limit, SEED)?;
    let default = || Setting::list(&["prefix:noheal", "prefix", "prefix:beam5"]);
    let settings = options.settings.clone().unwrap_or_else(default);
    let typed = typing::lines(&lines, typing::LINES.min(limit));
    let typing_settings: Vec<_> =
        settings.iter().filter(|setting| setting.unhealed().is_some()).cloned().collect();
    walk::ask(asker, &settings, &lines)?;
    walk::read_files(asker, &lines)?;
    typing::ask(asker, &typing_settings, &typed)?;
    walk::measure(asker, &settings, &lines, report);
    walk::measure_files(asker, &lines, report);
    typing::measure(asker, &typing_settings, &typed, report);
    Ok(())
}

fn program() -> Result<std::path::PathBuf> {
    std::env::current_exe().map_err(|error| Error::Io { message: format!("the program's own file: {error}") })
}

fn sha256(path: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    let mut file = std::fs::File::open(path).map_err(|error| io_error(path, &error))?;
    std::io::copy(&mut file, &mut digest).map_err(|error| io_error(path, &error))?;
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The formats of the tensors with more than one dimension, such as `Q4_0 56, Q8_0 1`.
fn quantisation(file: &ModelFile) -> Result<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tensor in Gguf::parse(file)?.tensors.iter().filter(|tensor| tensor.dims.len() > 1) {
        *counts.entry(tensor.format.name()).or_default() += 1;
    }
    Ok(counts.iter().map(|(format, count)| format!("{format} {count}")).collect::<Vec<_>>().join(", "))
}
