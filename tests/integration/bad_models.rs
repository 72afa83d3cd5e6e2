//! Files that are GGUF but no usable LLaMA: each a typed error with what was expected and found.

use crate::support::{bytes, complete, engine, request};
use midline::engine::{Engine, EngineOptions};
use midline::error::Error;
use proptest::prelude::*;

const MODEL: &str = "tests/golden/random/gqa-tied-q4_0.gguf";

/// The model with every occurrence of some bytes replaced by others of the same length.
fn patched(from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut file = bytes(MODEL);
    let places: Vec<_> = (0..file.len() - from.len()).filter(|at| file[*at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "{:?} is in the file", String::from_utf8_lossy(from));
    for at in places {
        file[at..at + to.len()].copy_from_slice(to);
    }
    file
}

fn error(file: &[u8]) -> Error {
    engine(file).err().expect("an unusable model")
}

/// The model with the 32-bit value of a metadata key changed.
fn with_value(key: &str, value: u32) -> Vec<u8> {
    let mut file = bytes(MODEL);
    let at = (0..file.len() - key.len()).find(|at| file[*at..].starts_with(key.as_bytes())).expect("the key");
    let value_at = at + key.len() + 4;
    file[value_at..value_at + 4].copy_from_slice(&value.to_le_bytes());
    file
}

#[test]
fn another_architecture() {
    let mut file = bytes(MODEL);
    let key = b"general.architecture";
    let at = (0..file.len()).find(|at| file[*at..].starts_with(key)).expect("the key");
    file[at + key.len() + 12..][..5].copy_from_slice(b"mamba");
    assert_eq!(error(&file), Error::ModelArchitecture { found: "mamba".into() });
}

#[test]
fn missing_metadata_is_named() {
    for key in [
        "general.architecture",
        "llama.embedding_length",
        "llama.block_count",
        "llama.attention.head_count",
        "llama.feed_forward_length",
        "llama.attention.layer_norm_rms_epsilon",
        "llama.context_length",
        "tokenizer.ggml.model",
        "tokenizer.ggml.tokens",
    ] {
        let renamed = format!("x{}", &key[1..]);
        let found = error(&patched(key.as_bytes(), renamed.as_bytes()));
        assert!(matches!(found.code(), "gguf-metadata" | "tokenizer-invalid"), "{key}: {found}");
        assert!(found.to_string().contains(key), "{found}");
    }
}

#[test]
fn hyper_parameters_that_do_not_fit() {
    for (key, values) in [
        ("llama.embedding_length", &[0_u32, 1, 65, 1 << 19, u32::MAX][..]),
        ("llama.block_count", &[0, 1, 3, 1000, u32::MAX]),
        ("llama.attention.head_count", &[0, 3, 5, 1 << 20, u32::MAX]),
        ("llama.attention.head_count_kv", &[0, 3, 1 << 20, u32::MAX]),
        ("llama.feed_forward_length", &[0, 1, 1 << 19, u32::MAX]),
        ("llama.context_length", &[0, 1]),
    ] {
        for value in values {
            let found = error(&with_value(key, *value));
            let code = found.code();
            assert!(
                matches!(code, "model-shape" | "gguf-tensor" | "request-invalid"),
                "{key} = {value}: {found}"
            );
            assert!(found.expected().is_some() && found.found().is_some(), "{found}");
        }
    }
    assert_eq!(error(&with_value("llama.embedding_length", u32::MAX)).code(), "model-shape");
}

/// On wasm32 the product of these heads and this head length wraps around 2^32 to a small number.
#[test]
fn widths_beyond_32_bits() {
    let mut file = with_value("llama.attention.head_count", 65_536);
    let renamed = b"llama.attention.key_length";
    let key = b"llama.rope.dimension_count";
    let at = (0..file.len()).find(|at| file[*at..].starts_with(key)).expect("the key");
    file[at..at + key.len()].copy_from_slice(renamed);
    file[at + key.len() + 4..][..4].copy_from_slice(&65_538_u32.to_le_bytes());
    let found = error(&file);
    assert_eq!(found.code(), "model-shape", "{found}");
    assert_eq!(found.found().as_deref(), Some("4295098368"), "{found}");
}

#[test]
fn tensors_that_are_missing_or_have_no_place() {
    let renamed = error(&patched(b"blk.1.attn_q.weight", b"blk.1.attn_x.weight"));
    assert_eq!(renamed.code(), "gguf-tensor");
    assert!(renamed.to_string().contains("blk.1.attn_q.weight"), "{renamed}");
    // One block fewer in the metadata leaves a block without a place.
    let surplus = error(&with_value("llama.block_count", 1));
    assert!(surplus.to_string().contains("blk.1."), "{surplus}");
}

#[test]
fn a_model_that_does_not_fit() {
    let file = bytes(MODEL);
    let load = |options: &EngineOptions| Engine::load(&file, options, &mut |_| {}).err().expect("too large");
    let small = EngineOptions { memory_limit_bytes: 100_000, ..EngineOptions::default() };
    assert!(
        matches!(load(&small), Error::ModelMemory { needed_bytes, available_bytes: 100_000 } if needed_bytes > 100_000)
    );
    // A context of billions of positions is refused by its size, not by the allocator.
    let file = with_value("llama.context_length", u32::MAX);
    let options = EngineOptions { context_tokens: Some(1_000_000_000), ..EngineOptions::default() };
    assert_eq!(
        Engine::load(&file, &options, &mut |_| {}).err().map(|error| error.code()),
        Some("model-memory")
    );
    let options = EngineOptions { context_tokens: Some(3), ..EngineOptions::default() };
    assert_eq!(
        Engine::load(&file, &options, &mut |_| {}).err().map(|error| error.code()),
        Some("request-invalid")
    );
}

#[test]
fn weights_that_are_not_numbers_give_an_answer_or_none() {
    let mut file = bytes(MODEL);
    let length = file.len();
    file[length / 2..].fill(0xff);
    let mut engine = engine(&file).expect("the weights are not looked at when loading");
    let result = complete(&mut engine, &request("ab", "")).expect("a result");
    assert!(result.suggestions.iter().all(|suggestion| !suggestion.score.is_nan()), "{result:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_an_error_or_a_working_engine(
        places in proptest::collection::vec((0_usize..12_000, any::<u8>()), 1..6),
    ) {
        let mut file = bytes(MODEL);
        for (place, value) in places {
            file[place] = value;
        }
        match engine(&file) {
            Err(error) => prop_assert!(!error.code().is_empty() && error.code() != "internal", "{error}"),
            Ok(mut engine) => prop_assert!(complete(&mut engine, &request("ab", "b")).is_ok()),
        }
    }
}
