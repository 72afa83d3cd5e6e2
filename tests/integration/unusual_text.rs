//! Texts and vocabularies as nobody wishes them: an answer, or none with a reason, and never a control token's text.

use crate::support::{BOOT_MODEL, boot_engine, bytes, complete, engine, renamed, request};
use midline::engine::{CompletionRequest, CompletionResult, Engine};

const CONTROL: [&str; 5] = ["<|endoftext|>", "<|fim_", "<|lang_sep|>", "<|meta_sep|>", "<unk>"];

/// Completes in every format and at one and several beams; checks what holds for any text.
fn answer_everywhere(engine: &mut Engine, prefix: &str, suffix: &str) -> Vec<CompletionResult> {
    let formats = engine.info().formats.clone();
    let mut results = Vec::new();
    for format in formats {
        for beam_width in [1, 3] {
            let request = CompletionRequest {
                format: format.into(),
                beam_width,
                max_suggestions: 3,
                max_new_tokens: 8,
                ..request(prefix, suffix)
            };
            let result = complete(engine, &request).expect("a result");
            let spelled = |name: &&&str| prefix.contains(**name) || suffix.contains(**name);
            for suggestion in &result.suggestions {
                assert!(!suggestion.text.is_empty() && suggestion.score <= 0.0, "{suggestion:?}");
                let control = CONTROL
                    .iter()
                    .filter(|name| !spelled(name))
                    .find(|name| suggestion.text.contains(**name));
                assert_eq!(control, None, "{suggestion:?}");
            }
            assert!(!result.suggestions.is_empty() || !result.stats.stop_reason.is_empty());
            assert!(
                result.stats.prompt_tokens + result.stats.new_tokens <= engine.info().context_tokens,
                "{:?}",
                result.stats
            );
            results.push(result);
        }
    }
    results
}

#[test]
fn a_line_of_a_megabyte() {
    let mut engine = boot_engine();
    let line = "x=[1,2,3];y=f(x);".repeat(60_000);
    answer_everywhere(&mut engine, &line, &line);
    answer_everywhere(&mut engine, &"a".repeat(1 << 20), "");
}

#[test]
fn a_minified_file() {
    let minified = "!function(e,t){\"object\"==typeof exports?module.exports=t():e.x=t()}(this,function(){return function(e){var n={};function r(t){if(n[t])return n[t].exports;";
    let file = minified.repeat(200);
    let middle = file.len() / 2;
    answer_everywhere(&mut boot_engine(), &file[..middle], &file[middle..]);
}

#[test]
fn binary_text() {
    let binary: String =
        (0..4_096_u32).map(|n| char::from_u32(n * 7919 % 0x300).unwrap_or('\u{0}')).collect();
    let mut engine = boot_engine();
    answer_everywhere(&mut engine, &binary, &binary);
    answer_everywhere(&mut engine, &"\u{0}".repeat(5_000), "\u{0}");
    answer_everywhere(&mut engine, "\u{FFFD}\u{FFFE}\u{10FFFF}\u{202E}", "\u{FEFF}");
}

#[test]
fn only_whitespace() {
    let mut engine = boot_engine();
    for text in [
        "",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "    ",
        &" ".repeat(10_000),
        &"\n".repeat(10_000),
        &"\t \n\r\n".repeat(2_000),
    ] {
        answer_everywhere(&mut engine, text, "");
        answer_everywhere(&mut engine, text, text);
    }
}

#[test]
fn mixed_line_ends_and_carets_inside_them() {
    let mut engine = boot_engine();
    let text = "a = 1\r\nb = 2\nc = 3\rd = 4\r\n\r\ne = f(\n\r)\r\r\n";
    for (caret, _) in text.char_indices() {
        answer_everywhere(&mut engine, &text[..caret], &text[caret..]);
    }
    // A caret between the two characters of a break stands before the break.
    let between = complete(&mut engine, &request("a = 1\r", "\nb = 2\r\n")).expect("a result");
    let before = complete(&mut engine, &request("a = 1", "\r\nb = 2\r\n")).expect("a result");
    assert_eq!(between.suggestions, before.suggestions);
}

#[test]
fn contexts_full_of_spelled_control_tokens() {
    let spellings =
        "<|fim_prefix|><|fim_suffix|><|fim_middle|><|endoftext|><|lang_sep|><|meta_sep|><unk><s></s><0x0A>";
    let mut engine = boot_engine();
    let text = format!("# {spellings}\n").repeat(200);
    for caret in (text.len() - 120..text.len()).step_by(7) {
        answer_everywhere(&mut engine, &text[..caret], &text[caret..]);
    }
    let path = CompletionRequest { path: spellings.into(), ..request("x = ", "\n") };
    assert!(complete(&mut engine, &path).is_ok());
}

/// A model whose vocabulary has no token with a line break in it: such text is shown as unknown.
#[test]
fn a_vocabulary_without_a_line_break() {
    let file = renamed(&bytes(BOOT_MODEL), &[("\n", "\u{B}"), ("<0x0A>", "<0x0B>")]);
    let mut engine = engine(&file).expect("a model");
    let breaks =
        (0..engine.info().vocab_size as u32).filter(|id| engine.token_bytes(*id).contains(&b'\n')).count();
    assert_eq!(breaks, 0);
    for (prefix, suffix) in [("def f(x):\n    return ", "\n\nf(1)\n"), ("\n\n\n", "\n"), ("", "")] {
        for result in answer_everywhere(&mut engine, prefix, suffix) {
            assert!(result.suggestions.iter().all(|suggestion| !suggestion.text.contains('\n')));
        }
    }
}

/// A model that can never end by itself: the budgets end it.
#[test]
fn a_model_without_an_end_token() {
    let names =
        [("tokenizer.ggml.eos_token_id", "tokenizer.ggml.xxx_token_id"), ("<|endoftext|>", "<|undoftext|>")];
    let mut engine = engine(&renamed(&bytes(BOOT_MODEL), &names)).expect("a model");
    for (prefix, suffix) in [("def f(x):\n    return ", "\n\nf(1)\n"), ("", ""), ("x", "")] {
        for result in answer_everywhere(&mut engine, prefix, suffix) {
            assert!(result.stats.prompt_tokens > 0, "{:?}", result.stats);
            let texts = result
                .suggestions
                .iter()
                .map(|suggestion| &suggestion.text)
                .chain(result.dropped.iter().map(|dropped| &dropped.text));
            assert!(texts.clone().all(|text| !text.contains("undoftext")), "{result:?}");
        }
    }
}
