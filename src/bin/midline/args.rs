//! Command-line arguments.

use crate::eval;
use lexopt::prelude::*;
use midline::engine::{CompletionRequest, Filters};
use std::path::PathBuf;

pub const USAGE: &str = "\
usage:
  midline complete --model M --prefix-file P [--suffix-file S] [--path NAME] [--language ID]
                   [--format auto|prefix|psm|spm] [--beam N] [--suggestions N] [--max-new-tokens N]
                   [--max-lines N] [--no-heal] [--min-score X] [--filters LIST] [--time-budget-ms N]
                   [--variant V] [--threads N] [--json] [--explain]
  midline tokenize --model M --file F [--json]
  midline logprobs --model M --file F [--json] [--chunk N] [--variant V]
  midline inspect M
  midline eval --model M --data FOLDER [more: midline eval --help]

Texts are read as UTF-8. --filters: all (the default), none, or a list of secrets, emails, destructive, profanity.
--explain: also the prompt, what was taken back, the candidates with their scores, what was dropped and the times.
--variant: scalar, another instruction set of this machine, or plain
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
    pub explain: bool,
}

pub struct TextFile {
    pub model: PathBuf,
    pub file: PathBuf,
    pub chunk_tokens: usize,
    pub variant: Option<String>,
    pub json: bool,
}

/// The options that a command takes.
const COMMANDS: [(&str, &[&str]); 4] = [
    (
        "complete",
        &[
            "model",
            "prefix-file",
            "suffix-file",
            "path",
            "language",
            "format",
            "beam",
            "suggestions",
            "max-new-tokens",
            "max-lines",
            "no-heal",
            "min-score",
            "filters",
            "time-budget-ms",
            "variant",
            "threads",
            "json",
            "explain",
        ],
    ),
    ("tokenize", &["model", "file", "json"]),
    ("logprobs", &["model", "file", "json", "chunk", "variant"]),
    ("inspect", &[]),
];

/// Everything that any command takes; each command then asks for what it needs.
#[derive(Default)]
struct Given {
    /// The options, in their order, without values.
    names: Vec<String>,
    words: Vec<PathBuf>,
    model: Option<PathBuf>,
    file: Option<PathBuf>,
    prefix_file: Option<PathBuf>,
    suffix_file: Option<PathBuf>,
    chunk_tokens: Option<usize>,
    variant: Option<String>,
    threads: Option<usize>,
    json: bool,
    explain: bool,
    request: CompletionRequest,
}

pub fn parse() -> Result<Command, lexopt::Error> {
    if std::env::args_os().nth(1).is_some_and(|word| word == "eval") {
        return eval::Options::parse(std::env::args_os().skip(2)).map(Command::Eval);
    }
    let Some(given) = read(lexopt::Parser::from_env())? else { return Ok(Command::Help) };
    command(given)
}

/// Reads all arguments; `None` when help is asked for.
fn read(mut parser: lexopt::Parser) -> Result<Option<Given>, lexopt::Error> {
    let mut given = Given::default();
    while let Some(argument) = parser.next()? {
        if let Long(name) = argument {
            given.names.push(name.to_owned());
        }
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("model") => given.model = Some(parser.value()?.into()),
            Long("file") => given.file = Some(parser.value()?.into()),
            Long("prefix-file") => given.prefix_file = Some(parser.value()?.into()),
            Long("suffix-file") => given.suffix_file = Some(parser.value()?.into()),
            Long("format") => given.request.format = parser.value()?.string()?,
            Long("path") => given.request.path = parser.value()?.string()?,
            Long("language") => given.request.language_id = parser.value()?.string()?,
            Long("no-heal") => given.request.healing = false,
            Long("beam") => given.request.beam_width = parser.value()?.parse()?,
            Long("suggestions") => given.request.max_suggestions = parser.value()?.parse()?,
            Long("max-new-tokens") => given.request.max_new_tokens = parser.value()?.parse()?,
            Long("max-lines") => given.request.max_lines = parser.value()?.parse()?,
            Long("min-score") => given.request.min_score = Some(parser.value()?.parse()?),
            Long("filters") => given.request.filters = filters(&parser.value()?.string()?)?,
            Long("time-budget-ms") => given.request.time_budget_ms = Some(parser.value()?.parse()?),
            Long("chunk") => given.chunk_tokens = Some(parser.value()?.parse()?),
            Long("variant") => given.variant = Some(parser.value()?.string()?),
            Long("threads") => given.threads = Some(parser.value()?.parse()?),
            Long("json") => given.json = true,
            Long("explain") => given.explain = true,
            Value(word) => given.words.push(word.into()),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(given))
}

fn command(mut given: Given) -> Result<Command, lexopt::Error> {
    let mut words = std::mem::take(&mut given.words).into_iter();
    let name = words.next().ok_or("a command is needed")?.to_string_lossy().into_owned();
    let known = COMMANDS.iter().find(|(command, _)| *command == name);
    let (_, options) = known.ok_or_else(|| format!("unknown command {name}"))?;
    if let Some(foreign) = given.names.iter().find(|given| !options.contains(&given.as_str())) {
        return Err(format!("{name} has no option --{foreign}").into());
    }
    let command = match name.as_str() {
        "complete" => Command::Complete(Box::new(Complete {
            model: needed(given.model, "--model")?,
            prefix_file: needed(given.prefix_file, "--prefix-file")?,
            suffix_file: given.suffix_file,
            request: given.request,
            variant: given.variant,
            threads: given.threads.unwrap_or(1),
            json: given.json,
            explain: given.explain,
        })),
        "tokenize" => Command::Tokenize(text_file(given)?),
        "logprobs" => Command::LogProbs(text_file(given)?),
        _ => Command::Inspect(needed(words.next(), "a model file")?),
    };
    match words.next() {
        Some(word) => Err(format!("unexpected argument {}", word.display()).into()),
        None => Ok(command),
    }
}

/// The switches that a list names.
fn filters(list: &str) -> Result<Filters, lexopt::Error> {
    let none = Filters { secrets: false, emails: false, destructive: false, profanity: false };
    let mut filters = none;
    for name in list.split(',') {
        match name {
            "all" => filters = Filters::default(),
            "none" => filters = none,
            "secrets" => filters.secrets = true,
            "emails" => filters.emails = true,
            "destructive" => filters.destructive = true,
            "profanity" => filters.profanity = true,
            other => return Err(format!("--filters: unknown filter {other:?}").into()),
        }
    }
    Ok(filters)
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
