//! The command `complete`: one completion, and on request everything that led to it.

use crate::args::Complete;
use crate::commands::{Elapsed, load, to_json};
use crate::file::text;
use midline::engine::{Completion, CompletionRequest, CompletionResult, Engine, Progress};
use midline::error::Result;
use midline::wire::ResultWire;
use serde_json::{Value, json};
use std::fmt::Write;

pub fn complete(options: &Complete) -> Result<String> {
    let mut engine = load(&options.model, options.variant.as_deref(), options.threads)?;
    let suffix = options.suffix_file.as_deref().map(text).transpose()?.unwrap_or_default();
    let request =
        CompletionRequest { prefix: text(&options.prefix_file)?, suffix, ..options.request.clone() };
    let clock = Elapsed::new();
    let mut completion = engine.start(&request, &clock)?;
    let result = loop {
        if let Progress::Done(result) = completion.step(&mut engine, &clock)? {
            break *result;
        }
    };
    match (options.json, options.explain) {
        (true, false) => to_json(&ResultWire::from(result)),
        (true, true) => to_json(&explained(&engine, &completion, result)),
        (false, true) => Ok(explanation(&engine, &completion, &result)),
        (false, false) => Ok(texts(result)),
    }
}

fn texts(result: CompletionResult) -> String {
    if result.suggestions.is_empty() {
        let reason = result.dropped.first().map_or(result.stats.stop_reason, |dropped| dropped.reason);
        eprintln!("midline: no suggestion: {reason}");
    }
    result.suggestions.into_iter().map(|suggestion| suggestion.text).collect::<Vec<_>>().join("\n")
}

/// The prompt as the model sees it, control tokens by their names.
fn prompt(engine: &Engine, completion: &Completion) -> String {
    let mut bytes = Vec::new();
    for token in completion.prompt_tokens() {
        match engine.token_bytes(*token) {
            [] => bytes.extend(engine.token_name(*token).into_bytes()),
            text => bytes.extend(text),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The fields of the API, and one more.
fn explained(engine: &Engine, completion: &Completion, result: CompletionResult) -> Value {
    let candidates: Vec<_> = completion
        .candidates()
        .into_iter()
        .map(|item| {
            json!({
                "text": item.text,
                "score": item.score,
                "logProb": item.log_prob,
                "tokens": item.tokens,
                "stop": item.stop,
            })
        })
        .collect();
    let mut value = json!(ResultWire::from(result));
    value["explain"] = json!({ "prompt": prompt(engine, completion), "candidates": candidates });
    value
}

fn explanation(engine: &Engine, completion: &Completion, result: &CompletionResult) -> String {
    let stats = &result.stats;
    let mut lines = String::from("prompt:\n");
    for line in prompt(engine, completion).lines() {
        let _ = writeln!(lines, "  | {line}");
    }
    let _ = writeln!(
        lines,
        "format {} ({}); {} prompt tokens: {} before the caret, {} after it\nhealed {:?}",
        stats.format,
        stats.format_reason,
        stats.prompt_tokens,
        stats.prefix_tokens,
        stats.suffix_tokens,
        stats.healed_text
    );
    lines.push_str("candidates: score, log-probability, tokens, end\n");
    for item in completion.candidates() {
        let figures = format!("{:8.3} {:8.3} {:4} {}", item.score, item.log_prob, item.tokens, item.stop);
        let _ = writeln!(lines, "  {figures} {:?}", item.text);
    }
    lines.push_str("shown:\n");
    for item in &result.suggestions {
        let _ = writeln!(lines, "  {:8.3} {:?}", item.score, item.text);
    }
    lines.push_str("dropped:\n");
    for item in &result.dropped {
        let _ = writeln!(lines, "  {} {:?}", item.reason, item.text);
    }
    let _ = write!(
        lines,
        "ms: prompt {:.2}, prefill {:.2}, decode {:.2}, postprocess {:.2}; {} iterations, ended by {}",
        stats.prompt_ms,
        stats.prefill_ms,
        stats.decode_ms,
        stats.postprocess_ms,
        stats.new_tokens,
        stats.stop_reason
    );
    lines
}
