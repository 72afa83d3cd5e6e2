//! The rules at work, as tables: the document with `|` at the caret, what was generated, what is shown.

mod brackets;
mod indentation;
mod languages;
mod overlap;
mod real_files;
mod refusals;
mod symptoms;

use super::{Context, Filters, Language, finish};

/// A document with `|` at the caret, the generated text, and the text shown or `dropped: <reason>`.
type Case = (&'static str, &'static str, &'static str);

/// Runs a table, and reports all cases that fail.
fn check(cases: &[Case]) {
    check_in(None, cases);
}

/// The same in a language.
fn check_in(language: Option<Language>, cases: &[Case]) {
    check_all(language, false, cases);
}

/// The same for texts that a budget cut off, or not.
fn check_all(language: Option<Language>, is_cut_off: bool, cases: &[Case]) {
    let mut wrong = Vec::new();
    for (document, generated, expected) in cases {
        let (prefix, suffix) = document.split_once('|').expect("a caret");
        let context = Context { prefix, suffix, language, is_cut_off, filters: Filters::default() };
        let shown =
            finish(&context, generated).unwrap_or_else(|rejection| format!("dropped: {}", rejection.name()));
        if shown != *expected {
            wrong.push(format!("{document:?} + {generated:?} -> {shown:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
