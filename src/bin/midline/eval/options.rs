//! What `midline eval` is asked for.

use super::setting::Setting;
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage:
  midline eval --model M --data FOLDER [--only PARTS] [--limit N] [--settings LIST] [--context N]
               [--results FOLDER] [--records FILE] [--prompts FILE] [--json]

Measures completion quality and prints a table; the same goes into RESULTS/NAME.json. FOLDER holds packages/ and
tasks/, as tests/eval/fetch.py makes them.
  --only       E1 (fill-in-the-middle tasks), E2 (tasks with tests), E3 (carets in held-out packages); a list such as
               E1,E3; all by default
  --limit      tasks of E1 and E2 a language, and lines of E3 a language (default: all, and 400); a larger one
               continues the records of a smaller one
  --settings   ways to ask, separated by commas: a format (prefix, psm, spm, auto), then what differs, such as
               prefix:beam5 or prefix:noheal; minS drops what scores below S, linesN allows blocks; noheader
               keeps language and path from the model, afterN shows it N lines after the caret; nN, kK and lenX are the
               search's iterations, give-up ratio and length exponent, running lets ended lines go on
  --context    positions of the cache (default: the model's, at most 2,048)
  --results    folder of records and summaries (default: target/eval)
  --records    the file of records; given, it is continued even if another program wrote it
  --prompts    writes the prompts of E3 as token ids, for another engine, instead of measuring";

/// The parts of the yardstick that this command measures.
pub const PARTS: [&str; 3] = ["E1", "E2", "E3"];

/// Lines a language of the caret walk.
pub const DEFAULT_LINES: usize = 400;

#[derive(Debug)]
pub struct Options {
    pub help: bool,
    pub model: PathBuf,
    pub data: PathBuf,
    pub parts: Vec<&'static str>,
    pub limit: Option<usize>,
    pub settings: Option<Vec<Setting>>,
    pub context_tokens: Option<usize>,
    pub results: PathBuf,
    pub records: Option<PathBuf>,
    pub prompts: Option<PathBuf>,
    pub json: bool,
}

impl Options {
    /// From the words after `eval`.
    pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            help: false,
            model: PathBuf::new(),
            data: PathBuf::new(),
            parts: PARTS.to_vec(),
            limit: None,
            settings: None,
            context_tokens: None,
            results: "target/eval".into(),
            records: None,
            prompts: None,
            json: false,
        };
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(argument) = parser.next()? {
            match argument {
                Short('h') | Long("help") => options.help = true,
                Long("model") => options.model = parser.value()?.into(),
                Long("data") => options.data = parser.value()?.into(),
                Long("only") => options.parts = parts(&parser.value()?.string()?)?,
                Long("limit") => options.limit = Some(at_least_one("--limit", parser.value()?.parse()?)?),
                Long("settings") => options.settings = Some(settings(&parser.value()?.string()?)?),
                Long("context") => options.context_tokens = Some(parser.value()?.parse()?),
                Long("results") => options.results = parser.value()?.into(),
                Long("records") => options.records = Some(parser.value()?.into()),
                Long("prompts") => options.prompts = Some(parser.value()?.into()),
                Long("json") => options.json = true,
                other => return Err(other.unexpected()),
            }
        }
        for (path, name) in [(&options.model, "--model"), (&options.data, "--data")] {
            if path.as_os_str().is_empty() && !options.help {
                return Err(format!("{name} is needed").into());
            }
        }
        Ok(options)
    }
}

fn at_least_one(name: &str, value: usize) -> Result<usize, lexopt::Error> {
    if value == 0 { Err(format!("{name} is at least 1").into()) } else { Ok(value) }
}

fn parts(list: &str) -> Result<Vec<&'static str>, lexopt::Error> {
    let known = |name: &str| PARTS.into_iter().find(|part| *part == name);
    let part = |name: &str| {
        known(name).ok_or_else(|| format!("--only {name}: expected {}", PARTS.join(", ")).into())
    };
    list.split(',').map(part).collect()
}

fn settings(list: &str) -> Result<Vec<Setting>, lexopt::Error> {
    list.split(',').map(|name| Setting::parse(name).map_err(Into::into)).collect()
}
