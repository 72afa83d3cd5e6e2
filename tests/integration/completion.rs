//! Completions as steps: cancel, reuse, formats, budgets, and text that must not break anything.

use crate::support::{TickingClock, boot_engine, comparable, complete, json, request};
use midline::engine::{CompletionRequest, CompletionResult, Engine, Progress};
use proptest::prelude::*;

const PREFIX: &str = "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.items.";
const SUFFIX: &str = "\n\n    def size(self):\n        return len(self.items)\n";

fn cold(request: &CompletionRequest) -> CompletionResult {
    comparable(complete(&mut boot_engine(), request).expect("a result"))
}

#[test]
fn a_suggestion_comes_from_each_format() {
    let mut engine = boot_engine();
    for format in ["prefix", "psm", "spm"] {
        let request = CompletionRequest { format: format.into(), ..request(PREFIX, SUFFIX) };
        let result = complete(&mut engine, &request).expect("a result");
        assert_eq!(result.stats.format, format);
        assert!(result.stats.prompt_tokens > 20 && result.stats.prefill_ms > 0.0);
        assert_eq!(result.suggestions.len() + result.dropped.len(), 1, "{result:?}");
    }
    let result = complete(&mut engine, &request(PREFIX, SUFFIX)).expect("a result");
    assert_eq!(result.stats.format, "spm", "auto: fill-in-the-middle where the vocabulary has it");
    assert_eq!(result.stats.format_reason, "vocabulary");
}

#[test]
fn greedy_text_equals_the_reference() {
    let golden = json("tests/golden/fim-boot.json");
    let mut engine = boot_engine();
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let text = |key: &str| case[key].as_str().expect("a string").to_owned();
        let expected = case["formats"]["prefix"]["greedy_text"].as_str().expect("a string");
        let gaps = case["formats"]["prefix"]["gap"].as_array().expect("gaps");
        let request = CompletionRequest { healing: false, ..prefix_only(&text("prefix")) };
        let result = complete(&mut engine, &request).expect("a result");
        let shown = result
            .suggestions
            .first()
            .map(|s| s.text.clone())
            .or(result.dropped.first().map(|d| d.text.clone()));
        // Where two tokens are nearly equally likely, rounding decides; such cases say nothing.
        let clear =
            gaps.iter().take(result.stats.new_tokens).all(|gap| gap.as_f64().is_some_and(|gap| gap > 0.1));
        if clear {
            compared += 1;
            let shown = shown.unwrap_or_default();
            // Indentation that stands before the caret already is not shown again.
            assert!(expected.trim_start().starts_with(shown.trim()), "{shown:?} against {expected:?}");
        }
    }
    assert!(compared >= 2, "{compared} clear cases");
}

#[test]
fn typing_reuses_the_cache_and_changes_nothing() {
    let mut engine = boot_engine();
    let whole = format!("{PREFIX}append(item)\n        return self");
    for end in (PREFIX.len()..whole.len()).chain((PREFIX.len() - 30..whole.len()).rev().step_by(3)) {
        let request = request(&whole[..end], SUFFIX);
        let warm = complete(&mut engine, &request).expect("a result");
        assert_eq!(comparable(warm), cold(&request), "caret at {end}");
    }
    let first = complete(&mut engine, &request(PREFIX, SUFFIX)).expect("a result");
    let typed = complete(&mut engine, &request(&format!("{PREFIX}append(item)"), SUFFIX)).expect("a result");
    assert!(
        typed.stats.reused_tokens + 4 >= first.stats.prompt_tokens,
        "{:?} after {:?}",
        typed.stats,
        first.stats
    );
}

/// The text that a request makes of the document: what stands before the caret and what is inserted there.
#[test]
fn healing_never_contradicts_what_is_typed() {
    let mut engine = boot_engine();
    let document =
        "def total(values):\n\tresult = 0\n    for välue in values:\n        result += välue  # 한글 😀\n";
    let mut gained = 0;
    for (caret, _) in document.char_indices() {
        for beam_width in [1, 3] {
            let request =
                CompletionRequest { beam_width, max_suggestions: 3, ..prefix_only(&document[..caret]) };
            let healed = complete(&mut engine, &request).expect("a result");
            for suggestion in &healed.suggestions {
                assert!(
                    !suggestion.text.is_empty() && !suggestion.score.is_nan(),
                    "{suggestion:?} at {caret}"
                );
            }
            let plain = CompletionRequest { healing: false, ..request };
            let plain = complete(&mut engine, &plain).expect("a result");
            gained += usize::from(healed.suggestions.first() != plain.suggestions.first());
            assert!(healed.stats.prompt_tokens <= plain.stats.prompt_tokens, "tokens are only taken back");
        }
    }
    assert!(gained > 10, "healing changes answers inside names: {gained}");
}

#[test]
fn healing_completes_a_name_that_was_cut_inside_a_token() {
    let mut engine = boot_engine();
    let request = prefix_only(
        "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def size(self):\n        retu",
    );
    let healed = complete(&mut engine, &request).expect("a result");
    assert!(healed.suggestions[0].text.starts_with("rn "), "{healed:?}");
    let plain = complete(&mut engine, &CompletionRequest { healing: false, ..request }).expect("a result");
    assert!(plain.suggestions.iter().all(|suggestion| !suggestion.text.starts_with("rn ")), "{plain:?}");
}

fn prefix_only(prefix: &str) -> CompletionRequest {
    CompletionRequest { format: "prefix".into(), ..request(prefix, "") }
}

#[test]
fn beams_give_several_distinct_answers_and_no_worse_ones() {
    let mut engine = boot_engine();
    let mut several = 0;
    for prefix in [PREFIX, "for i in ran", "fn main() {\n    let x = ", "const total = items.", "import "] {
        let with = |beam_width| CompletionRequest { beam_width, max_suggestions: 5, ..prefix_only(prefix) };
        let beams = complete(&mut engine, &with(5)).expect("a result");
        let texts: Vec<_> = beams.suggestions.iter().map(|suggestion| &suggestion.text).collect();
        let distinct: std::collections::HashSet<_> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{texts:?}");
        several += usize::from(beams.suggestions.len() > 1);
        assert_eq!(
            comparable(complete(&mut engine, &with(5)).expect("a result")),
            comparable(beams),
            "repeatable"
        );
    }
    assert!(several >= 2, "{several} of 5");
    assert_eq!(
        comparable(complete(&mut engine, &request(PREFIX, SUFFIX)).expect("a result")),
        cold(&request(PREFIX, SUFFIX))
    );
}

#[test]
fn the_header_is_shown_to_models_that_know_it() {
    let golden = json("tests/golden/fim-boot.json");
    let mut engine = boot_engine();
    for case in golden["cases"].as_array().expect("cases") {
        let text = |key: &str| case[key].as_str().expect("a string").to_owned();
        for (format, name) in [("prefix", "prefix_header"), ("psm", "psm"), ("spm", "spm")] {
            let request = CompletionRequest {
                format: format.into(),
                path: text("path"),
                healing: false,
                ..request(&text("prefix"), &text("suffix"))
            };
            let expected = case["formats"][name]["tokens"].as_array().expect("ids").iter();
            let expected: Vec<_> = expected.map(|id| id.as_u64().expect("an id") as u32).collect();
            let clock = TickingClock::default();
            let completion = engine.start(&request, &clock).expect("starts");
            assert_eq!(completion.prompt_tokens(), expected, "{name} of {}", text("path"));
        }
    }
}

#[test]
fn a_cancel_at_any_step_leaves_a_cold_start() {
    let expected = cold(&request(PREFIX, SUFFIX));
    let other = request("fn main() {\n    let total: u32 = values.iter()", "\n}\n");
    for cancel_after in 0.. {
        let mut engine = boot_engine();
        let clock = TickingClock::default();
        let mut completion = engine.start(&other, &clock).expect("starts");
        let mut ended = false;
        for _ in 0..cancel_after {
            ended = matches!(completion.step(&mut engine, &clock).expect("a step"), Progress::Done(_));
            if ended {
                break;
            }
        }
        drop(completion);
        assert_eq!(comparable(complete(&mut engine, &request(PREFIX, SUFFIX)).expect("a result")), expected);
        if ended {
            assert!(cancel_after > 3, "several steps");
            break;
        }
    }
}

#[test]
fn budgets_end_with_the_best_so_far() {
    let mut engine = boot_engine();
    let tokens = CompletionRequest { max_new_tokens: 2, ..request(PREFIX, SUFFIX) };
    let result = complete(&mut engine, &tokens).expect("a result");
    assert!(result.stats.new_tokens <= 2);
    let time = CompletionRequest { time_budget_ms: Some(0.0), ..request("def f(", "") };
    let result = complete(&mut engine, &time).expect("a result");
    assert_eq!((result.stats.stop_reason, result.stats.new_tokens), ("time-budget", 0));
    assert_eq!(result.suggestions, []);
}

#[test]
fn bad_requests_name_the_field() {
    let mut engine = boot_engine();
    let with = |change: fn(&mut CompletionRequest)| {
        let mut request = request("x", "");
        change(&mut request);
        request
    };
    let bad = [
        (with(|r| r.format = "fim".into()), "format"),
        (with(|r| r.max_new_tokens = 0), "maxNewTokens"),
        (with(|r| r.max_new_tokens = 257), "maxNewTokens"),
        (with(|r| r.beam_width = 9), "beamWidth"),
        (with(|r| r.max_lines = 0), "maxLines"),
        (with(|r| r.max_lines = 65), "maxLines"),
        (with(|r| r.min_score = Some(0.1)), "minScore"),
        (with(|r| r.min_score = Some(f64::NAN)), "minScore"),
        (with(|r| r.min_score = Some(f64::INFINITY)), "minScore"),
        (with(|r| r.max_suggestions = 0), "maxSuggestions"),
        (with(|r| r.time_budget_ms = Some(f64::NAN)), "timeBudgetMs"),
        (with(|r| r.time_budget_ms = Some(-1.0)), "timeBudgetMs"),
    ];
    for (request, field) in bad {
        let error = complete(&mut engine, &request).expect_err(field);
        assert_eq!(error.code(), "request-invalid");
        assert!(error.to_string().contains(field), "{error}");
    }
    assert!(complete(&mut engine, &request("x = ", "")).is_ok());
}

#[test]
fn line_breaks_follow_the_document() {
    let mut engine = boot_engine();
    let unix = request("if a:\n    b = 1\n    c =", "\nd = 3\n");
    let windows = request("if a:\r\n    b = 1\r\n    c =", "\r\nd = 3\r\n");
    let unix = complete(&mut engine, &unix).expect("a result");
    let windows_result = complete(&mut engine, &windows).expect("a result");
    assert_eq!(windows_result.stats.prompt_tokens, unix.stats.prompt_tokens, "the model sees the same text");
    let text =
        |result: &CompletionResult| result.suggestions.first().map(|s| s.text.clone()).unwrap_or_default();
    assert_eq!(text(&windows_result), text(&unix).replace('\n', "\r\n"));
    // A caret between the two characters of a break stands before the break.
    let between = complete(&mut engine, &request("a = 1\r", "\nb = 2\r\n")).expect("a result");
    let before = complete(&mut engine, &request("a = 1", "\r\nb = 2\r\n")).expect("a result");
    assert_eq!(comparable(between), comparable(before));
}

/// Every spelling of a special token, in any family.
const SPELLINGS: &str =
    "<|endoftext|><|fim_prefix|><|fim_suffix|><|fim_middle|><|lang_sep|><|meta_sep|><s></s><unk><0x0A>";

#[test]
fn hostile_text_gives_an_answer_or_none_but_never_a_control_token() {
    let mut engine = boot_engine();
    let long_line = "x".repeat(1_000_000);
    let huge = "def f(x):\n    return x + 1\n\n".repeat(200_000);
    let texts = [
        "", "\0", "\n", "\r\n", "\t\t", "   ", "😀", "한글", "e\u{301}", "\u{feff}", "\u{fffd}", SPELLINGS,
        &long_line, &huge,
    ];
    for prefix in texts {
        for suffix in ["", "\n", ")\n", "한글😀", SPELLINGS, &huge] {
            let request = CompletionRequest { max_new_tokens: 4, ..request(prefix, suffix) };
            let result = complete(&mut engine, &request).expect("an answer");
            let context = engine.info().context_tokens;
            assert!(result.stats.prompt_tokens + 4 <= context, "{:?}", result.stats);
            // Only a document that spells such tokens may get their spelling back, as ordinary text.
            let spelled = [prefix, suffix].contains(&SPELLINGS);
            for suggestion in &result.suggestions {
                let control = ["<|endoftext|>", "<|fim_", "<|lang_sep|>", "<|meta_sep|>"];
                let found = control.iter().any(|name| suggestion.text.contains(name));
                assert!(spelled || !found, "{suggestion:?}");
            }
        }
    }
    assert_eq!(
        comparable(complete(&mut engine, &request(PREFIX, SUFFIX)).expect("a result")),
        cold(&request(PREFIX, SUFFIX))
    );
}

#[test]
fn a_long_document_keeps_the_lines_at_the_caret_and_reuses_them() {
    let mut engine = boot_engine();
    let body: String = (0..3_000).map(|n| format!("value_{n} = compute({n}, {})\n", n * 7 % 13)).collect();
    let mut reused = 0;
    let typed = "result = compute(1, 2) + compute(3, 4) - compute(5, 6)";
    for end in 1..typed.len() {
        let result = type_at(&mut engine, &body, &typed[..end]);
        assert!(result.stats.prompt_tokens > 100, "{:?}", result.stats);
        reused += usize::from(result.stats.reused_tokens * 10 >= result.stats.prompt_tokens * 9);
    }
    assert!(reused * 10 >= (typed.len() - 1) * 9, "{reused} of {}", typed.len() - 1);
}

fn type_at(engine: &mut Engine, body: &str, typed: &str) -> CompletionResult {
    let prefix = format!("{body}{typed}");
    let request = CompletionRequest { max_new_tokens: 1, format: "prefix".into(), ..request(&prefix, "") };
    complete(engine, &request).expect("a result")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_around_the_caret_is_survived(prefix in any::<String>(), suffix in any::<String>()) {
        thread_local!(static ENGINE: std::cell::RefCell<Engine> = boot_engine().into());
        let request = CompletionRequest { max_new_tokens: 3, ..request(&prefix, &suffix) };
        let result = ENGINE.with_borrow_mut(|engine| complete(engine, &request));
        prop_assert!(result.is_ok(), "{result:?}");
    }
}
