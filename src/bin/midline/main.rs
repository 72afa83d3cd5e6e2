//! The native command line: the engine of the browser, without a browser.

mod args;
mod commands;
mod complete;
mod eval;
mod file;

use args::{Command, USAGE};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match args::parse() {
        Ok(command) => command,
        Err(error) => {
            eprintln!("midline: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let output = match command {
        Command::Help => Ok(USAGE.to_owned()),
        Command::Complete(options) => complete::complete(&options),
        Command::Tokenize(options) => commands::tokenize(&options),
        Command::LogProbs(options) => commands::log_probs(&options),
        Command::Inspect(model) => commands::inspect(&model),
        Command::Eval(options) => eval::run(&options),
    };
    match output {
        Ok(text) => match writeln!(std::io::stdout(), "{text}") {
            // A closed pipe is the reader's choice, not a failure.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                eprintln!("midline: standard output: {error} [io]");
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        },
        Err(error) => {
            eprintln!("midline: {} [{}]", error, error.code());
            ExitCode::FAILURE
        }
    }
}
