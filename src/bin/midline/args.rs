//! Command-line arguments.

use crate::eval;
use lexopt::prelude::*;
use midline::engine::CompletionRequest;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage:
  midline complete --model M --prefix-file P [--suffix-file S] [--path NAME] [--format auto|prefix|psm|spm]
                   [--beam N] [--suggestions N] [--max-new-tokens N] [--no-heal] [--variant V]
                   [--threads N] [--json]
  midline tokenize --model M --file F [--json]
  midline logprobs --model M --file F [--json] [--chunk N] [--variant V]
  midline inspect M
  midline eval --model M --data FOLDER [more: midline eval --help]

Texts are read as UTF-8. --variant: scalar, another instruction set of this machine, or plain
(32-bit floats throughout, slow).";

pub enum Command {
    Help,
    Complete(Box<Complete>),
    Tokenize(TextFile),
    LogProbs(TextFile),
    Inspect(PathBuf),
    Eval(eval::Options),
}

pub struct Complete {
    pub model: PathBuf,
    pub prefix_file: PathBuf,
    pub suffix_file: Option<PathBuf>,
    pub request: CompletionRequest,
    pub variant: Option<String>,
    pub threads: usize,
    pub json: bool,
}

pub struct TextFile {
    pub model: PathBuf,
    pub file: PathBuf,
    pub chunk_tokens: usize,
    pub variant: Option<String>,
    pub json: bool,
}

/// Everything that any command takes; each command then asks for what it needs.
#[derive(Default)]
struct Given {
    model: Option<PathBuf>,
    file: Option<PathBuf>,
    prefix_file: Option<PathBuf>,
    suffix_file: Option<PathBuf>,
    chunk_tokens: Option<usize>,
    variant: Option<String>,
    threads: Option<usize>,
    json: bool,
    request: CompletionRequest,
}

pub fn parse() -> Result<Command, lexopt::Error> {
    if std::env::args_os().nth(1).is_some_and(|word| word == "eval") {
        return eval::Options::parse(std::env::args_os().skip(2)).map(Command::Eval);
    }
    let mut parser = lexopt::Parser::from_env();
    let mut words: Vec<PathBuf> = Vec::new();
    let mut given = Given::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("model") => given.model = Some(parser.value()?.into()),
            Long("file") => given.file = Some(parser.value()?.into()),
            Long("prefix-file") => given.prefix_file = Some(parser.value()?.into()),
            Long("suffix-file") => given.suffix_file = Some(parser.value()?.into()),
            Long("format") => given.request.format = parser.value()?.string()?,
            Long("path") => given.request.path = parser.value()?.string()?,
            Long("no-heal") => given.request.healing = false,
            Long("beam") => given.request.beam_width = parser.value()?.parse()?,
            Long("suggestions") => given.request.max_suggestions = parser.value()?.parse()?,
            Long("max-new-tokens") => given.request.max_new_tokens = parser.value()?.parse()?,
            Long("chunk") => given.chunk_tokens = Some(parser.value()?.parse()?),
            Long("variant") => given.variant = Some(parser.value()?.string()?),
            Long("threads") => given.threads = Some(parser.value()?.parse()?),
            Long("json") => given.json = true,
            Value(word) => words.push(word.into()),
            other => return Err(other.unexpected()),
        }
    }
    let mut words = words.into_iter();
    let command = words.next().ok_or("a command is needed")?;
    let command = command.to_string_lossy().into_owned();
    let command = match command.as_str() {
        "complete" => Command::Complete(Box::new(Complete {
            model: needed(given.model, "--model")?,
            prefix_file: needed(given.prefix_file, "--prefix-file")?,
            suffix_file: given.suffix_file,
            request: given.request,
            variant: given.variant,
            threads: given.threads.unwrap_or(1),
            json: given.json,
        })),
        "tokenize" => Command::Tokenize(text_file(given)?),
        "logprobs" => Command::LogProbs(text_file(given)?),
        "inspect" => Command::Inspect(needed(words.next(), "a model file")?),
        other => return Err(format!("unknown command {other}").into()),
    };
    match words.next() {
        Some(word) => Err(format!("unexpected argument {}", word.display()).into()),
        None => Ok(command),
    }
}

fn text_file(given: Given) -> Result<TextFile, lexopt::Error> {
    Ok(TextFile {
        model: needed(given.model, "--model")?,
        file: needed(given.file, "--file")?,
        chunk_tokens: match given.chunk_tokens {
            Some(0) => return Err("--chunk is at least 1".into()),
            chunk_tokens => chunk_tokens.unwrap_or(64),
        },
        variant: given.variant,
        json: given.json,
    })
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, lexopt::Error> {
    value.ok_or_else(|| format!("{name} is needed").into())
}
