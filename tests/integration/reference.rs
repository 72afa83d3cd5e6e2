//! Real models on real text against llama.cpp: the same tokens, the same top choice, the same probabilities.

use crate::support::{BOOT_MODEL, SMOLLM2_MODEL, bytes, engine, json, path};
use serde_json::Value;

/// Share of positions whose most likely token is the reference's.
const TOP1_SHARE: f64 = 0.98;
/// Mean difference of the log-probability of the actual token, in nats.
const MEAN_DIFFERENCE: f64 = 0.02;

struct Comparison {
    positions: usize,
    same_top1: usize,
    differences: f64,
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|item| item.as_f64().expect("a number")).collect()
}

/// Compares with the values under `top1` and `log_prob` of a golden file.
fn compare(model: &str, golden: &str, top1: &str, log_prob: &str) -> Comparison {
    let mut engine = engine(&bytes(model)).expect("the model loads");
    let golden = json(golden);
    let texts = golden["texts"].as_array().expect("texts");
    assert_eq!(texts.len(), 20);
    let mut comparison = Comparison { positions: 0, same_top1: 0, differences: 0.0 };
    for text in texts {
        let name = text["file"].as_str().expect("a name").rsplit('/').next().unwrap_or_default();
        let content = std::fs::read_to_string(path("tests/golden/texts").join(name)).expect("the text");
        let tokens = engine.tokenize(&content);
        let expected: Vec<u32> = numbers(&text["tokens"]).iter().map(|id| *id as u32).collect();
        assert_eq!(tokens, expected, "{name}");
        let found = engine.log_probs(&tokens, 1, 64).expect("fits the context");
        let references = numbers(&text[top1]).into_iter().zip(numbers(&text[log_prob]));
        for (position, (top1, log_prob)) in found[1..].iter().zip(references) {
            comparison.positions += 1;
            comparison.same_top1 += usize::from(position.top[0].0 == top1 as u32);
            comparison.differences += (f64::from(position.log_prob.expect("predicted")) - log_prob).abs();
        }
    }
    comparison
}

fn assert_close(model: &str, golden: &str) {
    for (name, top1, log_prob) in
        [("as it is", "top1", "logprob"), ("with F32 activations", "f32_top1", "f32_logprob")]
    {
        let Comparison { positions, same_top1, differences } = compare(model, golden, top1, log_prob);
        let share = same_top1 as f64 / positions as f64;
        let mean = differences / positions as f64;
        println!(
            "{model} against llama.cpp {name}: {positions} positions, top 1 equal {share:.4}, mean difference {mean:.4}"
        );
        assert!(positions > 4_000, "{positions}");
        assert!(share >= TOP1_SHARE, "{name}: {share}");
        assert!(mean <= MEAN_DIFFERENCE, "{name}: {mean}");
    }
}

#[test]
fn the_default_model_agrees_with_llama_cpp() {
    assert_close(BOOT_MODEL, "tests/golden/logprobs-boot.json");
}

#[test]
fn smollm2_agrees_with_llama_cpp() {
    assert_close(SMOLLM2_MODEL, "tests/golden/logprobs-smollm2.json");
}
