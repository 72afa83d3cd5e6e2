//! Small random LLaMAs: logits against llama.cpp, and equality of every way to cut a sequence.

use crate::support::{bytes, engine, json};
use midline::engine::{Arithmetic, Engine, EngineOptions};
use midline::kernels::Kernels;
use serde_json::Value;

/// Largest difference of a logit in models of 32-bit floats.
const F32_TOLERANCE: f32 = 1e-3;
/// Quantised models: both sides round activations to 8 bits, at different places, so that each is as far from exact
/// arithmetic as the other. Two independent errors of the reference's own size differ by the square root of 2 of it.
const QUANTISED_TOLERANCE: f64 = 1.5;

struct Case {
    file: String,
    float: bool,
    vocab_size: usize,
    /// Tokens, expected logits, and the root mean square of the reference's own error.
    sequences: Vec<(Vec<u32>, Vec<f32>, f64)>,
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

fn floats(file: &str) -> Vec<f32> {
    bytes(file).chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn cases() -> Vec<Case> {
    let index = json("tests/golden/random/index.json");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let sequence = |item: &Value| {
        let logits = floats(&format!("tests/golden/random/{}", text(&item["logits"])));
        (ids(&item["tokens"]), logits, item["rms_difference_to_exact"].as_f64().expect("a number"))
    };
    let models = index["models"].as_array().expect("models").iter();
    models
        .map(|model| Case {
            file: text(&model["file"]),
            float: model["tensor_types"].as_array().expect("types").iter().all(|name| name == "F32"),
            vocab_size: model["vocab_size"].as_u64().expect("a number") as usize,
            sequences: model["sequences"].as_array().expect("sequences").iter().map(sequence).collect(),
        })
        .collect()
}

fn load(case: &Case) -> Engine {
    let file = bytes(&format!("tests/golden/random/{}", case.file));
    engine(&file).unwrap_or_else(|error| panic!("{}: {error}", case.file))
}

#[test]
fn logits_equal_the_reference() {
    let cases = cases();
    assert!(cases.iter().any(|case| case.float) && cases.iter().any(|case| !case.float));
    for case in &cases {
        let mut engine = load(case);
        for (tokens, expected, reference_error) in &case.sequences {
            let found = engine.logits(tokens, tokens.len()).expect("fits the context");
            assert_eq!(found.len(), tokens.len() * case.vocab_size);
            let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            let largest = differences.clone().fold(0.0, f32::max);
            let square = differences.map(|d| f64::from(d).powi(2)).sum::<f64>() / found.len() as f64;
            let share = square.sqrt() / reference_error;
            println!(
                "{}: largest difference {largest:.2e}, rms {share:.2} of the reference's own error",
                case.file
            );
            if case.float {
                assert!(largest <= F32_TOLERANCE, "{}: {largest}", case.file);
            } else {
                assert!(share <= QUANTISED_TOLERANCE, "{}: {share}", case.file);
            }
        }
    }
}

/// With plain arithmetic every format, not only F32, gives the logits of exact arithmetic on the weights of the file.
#[test]
fn plain_arithmetic_is_exact_for_every_format() {
    let index = json("tests/golden/random/index.json");
    let mut compared = 0;
    for model in index["models"].as_array().expect("models") {
        let name = model["file"].as_str().expect("a name");
        let file = bytes(&format!("tests/golden/random/{name}"));
        let options = EngineOptions { arithmetic: Some(Arithmetic::Plain), ..EngineOptions::default() };
        let mut engine = Engine::load(&file, &options, &mut |_| {}).expect("loads");
        for sequence in model["sequences"].as_array().expect("sequences") {
            let tokens = ids(&sequence["tokens"]);
            let exact = sequence["exact_logits"].as_str().or(sequence["logits"].as_str()).expect("a name");
            let expected = floats(&format!("tests/golden/random/{exact}"));
            let found = engine.logits(&tokens, 16).expect("fits");
            let largest = found.iter().zip(&expected).fold(0.0, |top: f32, (a, b)| top.max((a - b).abs()));
            assert!(found.len() == expected.len() && largest <= F32_TOLERANCE, "{name}: {largest}");
            compared += 1;
        }
    }
    assert!(compared >= 18, "{compared}");
}

#[test]
fn chunks_of_any_size_and_the_cache_change_nothing() {
    for case in cases() {
        let mut engine = load(&case);
        let (tokens, ..) = &case.sequences[0];
        let whole = engine.logits(tokens, tokens.len()).expect("fits");
        for chunk in [1, 7, 32] {
            assert!(engine.logits(tokens, chunk).expect("fits") == whole, "{}: chunks of {chunk}", case.file);
        }
        // Lengths around the boundaries of chunks and tiles.
        for boundary in [4, 7, 8, 16, 32] {
            for length in boundary - 2..=boundary + 2 {
                let part = engine.logits(&tokens[..length], boundary).expect("fits");
                assert!(part == whole[..length * case.vocab_size], "{}: {length} by {boundary}", case.file);
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    for case in cases() {
        let file = bytes(&format!("tests/golden/random/{}", case.file));
        let (tokens, ..) = &case.sequences[0];
        let mut logits = Kernels::available().map(|kernels| {
            let options =
                EngineOptions { arithmetic: Some(Arithmetic::Kernels(kernels)), ..EngineOptions::default() };
            let mut engine = Engine::load(&file, &options, &mut |_| {}).expect("loads");
            engine.logits(tokens, 16).expect("fits")
        });
        let first = logits.next().expect("the scalar kernels are always there");
        assert!(logits.all(|other| other == first), "{}", case.file);
    }
}

#[test]
fn a_sequence_longer_than_the_context_is_refused_and_the_engine_goes_on() {
    let case = &cases()[0];
    let file = bytes(&format!("tests/golden/random/{}", case.file));
    let options = EngineOptions { context_tokens: Some(32), ..EngineOptions::default() };
    let mut engine = Engine::load(&file, &options, &mut |_| {}).expect("loads");
    let (tokens, expected, _) = &case.sequences[0];
    let error = engine.logits(tokens, 7).expect_err("too long");
    assert_eq!((error.code(), error.expected().as_deref()), ("kv-full", Some("at most 32 positions")));
    let short = engine.logits(&tokens[..32], 7).expect("fits exactly");
    assert!(short.iter().zip(expected).all(|(a, b)| (a - b).abs() <= F32_TOLERANCE));
    let error = engine.logits(&[case.vocab_size as u32], 1).expect_err("no such token");
    assert_eq!(error.code(), "request-invalid");
}
