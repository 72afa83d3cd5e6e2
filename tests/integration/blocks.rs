//! Several lines: only after an opener, with one beam and several, with either line break.

use crate::support::{boot_engine, complete, request};
use midline::engine::{CompletionRequest, CompletionResult, Engine};

const ENDS: [&str; 8] =
    ["blank-line", "suffix-line", "block-end", "dedent", "max-lines", "end-token", "token-budget", "line"];

fn block(
    engine: &mut Engine,
    prefix: &str,
    suffix: &str,
    width: usize,
    max_lines: usize,
) -> CompletionResult {
    let request = CompletionRequest {
        format: "prefix".into(),
        beam_width: width,
        max_suggestions: width,
        max_new_tokens: 64,
        max_lines,
        ..request(prefix, suffix)
    };
    complete(engine, &request).expect("a result")
}

#[test]
fn a_block_has_several_lines_and_no_more_than_asked_for() {
    let mut engine = boot_engine();
    let mut several = 0;
    for prefix in [
        "class Stack:\n    def __init__(self):",
        "class Stack:\n    def __init__(self, items, size, name):\n        ",
        "function add(a, b) {",
        "function Point(x, y) {\n  this.x = x;\n}\n\nfunction Line(a, b) {\n",
        "fn main() {\n\t",
        "fn new(a: u8, b: u8) -> Self {\n    Self {\n        ",
    ] {
        for width in [1, 3] {
            for max_lines in [1, 2, 6] {
                let result = block(&mut engine, prefix, "\n", width, max_lines);
                assert!(ENDS.contains(&result.stats.stop_reason), "{result:?}");
                for item in &result.suggestions {
                    let lines = item.text.lines().filter(|line| !line.trim().is_empty()).count();
                    assert!((1..=max_lines).contains(&lines), "{prefix:?}: {item:?}");
                    assert!(
                        !item.text.trim_start_matches('\n').contains("\n\n"),
                        "an empty line ends it: {item:?}"
                    );
                    several += usize::from(lines > 1);
                }
            }
            let lines = |prefix: &str, suffix: &str| {
                let texts = block(&mut boot_engine(), prefix, suffix, width, 6).suggestions;
                texts.into_iter().map(|item| item.text).collect::<Vec<_>>()
            };
            let windows = lines(&prefix.replace('\n', "\r\n"), "\r\n");
            let unix: Vec<_> = lines(prefix, "\n").iter().map(|text| text.replace('\n', "\r\n")).collect();
            assert_eq!(windows, unix, "line breaks follow the document");
        }
    }
    assert!(several >= 6, "{several} of several lines");
}

#[test]
fn one_line_comes_where_no_block_was_opened() {
    let mut engine = boot_engine();
    for (prefix, suffix) in [("x = 1\ny =", "\n"), ("foo(", ")"), ("def f():\n\n", ""), ("import os\n", "")] {
        for width in [1, 3] {
            let one = block(&mut engine, prefix, suffix, width, 1);
            let many = block(&mut engine, prefix, suffix, width, 64);
            assert_eq!(one.suggestions, many.suggestions, "{prefix:?}");
        }
    }
}

#[test]
fn one_beam_is_greedy_decoding_also_in_a_block() {
    let mut engine = boot_engine();
    let prefix = "class Stack:\n    def __init__(self):";
    let greedy = block(&mut engine, prefix, "", 1, 8);
    let again = block(&mut engine, prefix, "", 1, 8);
    assert_eq!(greedy.suggestions, again.suggestions);
    assert!(greedy.stats.new_tokens > 20 || greedy.stats.stop_reason != "token-budget", "{greedy:?}");
}
