//! Suggestions that a model is too unsure of: a bound of the request, else of the model's file.

use crate::support::{BOOT_MODEL, bytes, complete, engine, request, with_float};
use midline::engine::{CompletionRequest, CompletionResult, Engine};

const KEY: &str = "midline.min_score";

fn ask(engine: &mut Engine, min_score: Option<f64>) -> CompletionResult {
    let request = CompletionRequest {
        format: "prefix".into(),
        beam_width: 5,
        max_suggestions: 5,
        min_score,
        ..request("class Stack:\n    def __init__(self):\n        self.", "\n")
    };
    complete(engine, &request).expect("a result")
}

#[test]
fn the_bound_of_the_file_holds_unless_the_request_names_one() {
    let file = bytes(BOOT_MODEL);
    let mut boundless = engine(&file).expect("a model");
    let all = ask(&mut boundless, None);
    assert!(all.suggestions.len() > 2, "{all:?}");
    assert_eq!(ask(&mut boundless, Some(f64::NEG_INFINITY)).suggestions, all.suggestions);
    let mut scores: Vec<_> = all.suggestions.iter().map(|item| item.score).collect();
    scores.sort_by(f32::total_cmp);
    let middle = scores[scores.len() / 2];
    let mut bounded = engine(&with_float(&file, KEY, middle)).expect("a model");
    let likely = ask(&mut bounded, None);
    let expected: Vec<_> = all.suggestions.iter().filter(|item| item.score >= middle).cloned().collect();
    assert_eq!(likely.suggestions, expected);
    assert_eq!(likely.suggestions, ask(&mut boundless, Some(f64::from(middle))).suggestions);
    let dropped = likely.dropped.iter().filter(|item| item.reason == "low-score").count();
    assert_eq!(dropped, all.suggestions.len() - expected.len());
    assert_eq!(
        ask(&mut bounded, Some(f64::NEG_INFINITY)).suggestions,
        all.suggestions,
        "the request is stronger"
    );
}

#[test]
fn a_bound_above_all_scores_is_an_error_of_the_file() {
    for bound in [0.5, f32::NAN, f32::NEG_INFINITY] {
        let error = engine(&with_float(&bytes(BOOT_MODEL), KEY, bound)).err().expect("an error");
        assert_eq!(error.code(), "gguf-metadata");
        assert!(error.to_string().contains(KEY), "{error}");
    }
}
