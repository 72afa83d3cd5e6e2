//! Tables that no converter writes: a typed error or a tokenizer that keeps its promises, never a panic.

use super::*;
use proptest::prelude::*;

const TYPES: &str = "tokenizer.ggml.token_type";
const TOKENS: &str = "tokenizer.ggml.tokens";
const SCORES: &str = "tokenizer.ggml.scores";
const MERGES: &str = "tokenizer.ggml.merges";

fn spm() -> Tables {
    Tables::spm(&[("a", NORMAL, -1.0), ("aa", NORMAL, -2.0), ("▁a", USER_DEFINED, 0.0)])
}

fn bpe() -> Tables {
    Tables::bpe(
        &[("ab", NORMAL), ("Ġab", NORMAL), ("<|endoftext|>", CONTROL), ("é", NORMAL)],
        &["a b", "Ġ ab"],
    )
}

#[track_caller]
fn check(tables: &Tables, code: &str, found: &str) {
    let error = tables.try_load().unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(found), "{error}");
}

#[test]
fn unsupported_models() {
    let named = |key, name: &str| bpe().with(key, Value::String(name.into()));
    check(&named("tokenizer.ggml.model", "bert"), "tokenizer-unsupported", "found bert");
    check(&named("tokenizer.ggml.pre", "llama-bpe"), "tokenizer-unsupported", "found llama-bpe");
    check(&named("tokenizer.ggml.pre", ""), "tokenizer-unsupported", "qwen2");
    assert!(bpe().without("tokenizer.ggml.pre").try_load().is_ok());
}

#[test]
fn missing_and_mistyped_keys() {
    for key in ["tokenizer.ggml.model", TOKENS, MERGES] {
        check(&bpe().without(key), "gguf-metadata", key);
        check(&bpe().with(key, Value::Bool(true)), "gguf-metadata", key);
    }
    check(&bpe().with(TYPES, Value::String("x".into())), "gguf-metadata", TYPES);
    check(&spm().with(SCORES, strings(["1"].into_iter())), "gguf-metadata", SCORES);
    check(&spm().with("tokenizer.ggml.eos_token_id", Value::Signed(-1)), "gguf-metadata", "eos");
    check(&spm().with("tokenizer.ggml.add_bos_token", Value::Unsigned(1)), "gguf-metadata", "add_bos");
    assert!(spm().without(TYPES).without(SCORES).try_load().is_ok());
}

#[test]
fn tables_of_different_lengths() {
    check(&bpe().with(TYPES, integers([1, 1].into_iter())), "tokenizer-invalid", "found 2 entries");
    check(&spm().with(SCORES, floats([1.0].into_iter())), "tokenizer-invalid", "found 1 entries");
    check(&spm().with(TOKENS, strings([].into_iter())), "tokenizer-invalid", "at least one token");
}

#[test]
fn impossible_values() {
    let types = |kind| integers((0..260).map(|id| if id == 7 { kind } else { NORMAL }));
    check(&bpe().with(TYPES, types(7)), "tokenizer-invalid", "type of token 7");
    check(&bpe().with(TYPES, types(-1)), "tokenizer-invalid", "found -1");
    check(&bpe().with(TYPES, types(BYTE)), "tokenizer-invalid", "byte token 7");
    check(&bpe().with_id("tokenizer.ggml.eos_token_id", 260), "tokenizer-invalid", "found 260");
    let nan = (0..262).map(|id| if id == 5 { f64::NAN } else { 0.0 });
    check(&spm().with(SCORES, floats(nan)), "tokenizer-invalid", "score of token 5");
    assert!(spm().with(SCORES, integers(0..262)).try_load().is_ok());
}

#[test]
fn bytes_without_a_token_need_an_unknown_token() {
    let tables = spm()
        .with(TOKENS, strings(["a", "<0x00>"].into_iter()))
        .with(TYPES, integers([NORMAL, BYTE].into_iter()))
        .with(SCORES, floats([0.0, 0.0].into_iter()));
    check(&tables, "tokenizer-invalid", "255 bytes without a token");
}

#[test]
fn absurd_sizes() {
    let many = |count| strings(std::iter::repeat_n("x", count));
    check(&bpe().with(TOKENS, many((1 << 20) + 1)), "tokenizer-invalid", "at most 1048576");
    check(&bpe().with(MERGES, many((1 << 22) + 1)), "tokenizer-invalid", "at most 4194304");
    let long = "x".repeat(1 << 26);
    check(
        &bpe().with(TOKENS, strings([long.as_str(), "y"].into_iter())),
        "tokenizer-invalid",
        "bytes of all",
    );
    let user = Tables::bpe(&[(&long[..(1 << 20) + 1], USER_DEFINED)], &[]);
    check(&user, "tokenizer-invalid", "user-defined");
}

#[test]
fn tolerated_oddities() {
    let odd = ["a b", "", " ", "nospace", " a", "a ", "no such", "é é", "漢 字", "a  b"];
    let tokenizer = bpe().with(MERGES, strings(odd.into_iter())).load();
    assert_eq!(shown(&tokenizer, "ab ab", Start::Continuation), "ab| |ab");
    let empty = Tables::bpe(&[("", NORMAL), ("", CONTROL), ("", USER_DEFINED)], &[]).load();
    assert!((256..259).all(|id| !empty.is_text(id)));
}

fn any_value() -> impl Strategy<Value = Value> {
    let id = prop_oneof![0..300u64, Just(u64::MAX)];
    let text = "[ab<>/s ▁Ġé0xA-F]{0,6}|<0x[0-9A-F]{2}>|<\\|fim_(prefix|suffix|middle)\\|>|</?s>";
    prop_oneof![
        id.prop_map(Value::Unsigned),
        (-2..9i64).prop_map(Value::Signed),
        any::<f64>().prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![Just("llama"), Just("gpt2"), Just("default"), Just("qwen2"), Just("")]
            .prop_map(|name| Value::String(name.into())),
        prop::collection::vec(-1..8i64, 0..300).prop_map(|items| Value::Array(Array::Signed(items))),
        prop::collection::vec(any::<f64>(), 0..300).prop_map(|items| Value::Array(Array::Float(items))),
        prop::collection::vec(text, 0..300).prop_map(|items| Value::Array(Array::String(items))),
    ]
}

/// Changes some elements of an array.
fn disturb(value: &mut Value, changes: &[(usize, i64, String)]) {
    for (at, number, text) in changes {
        match value {
            Value::Array(Array::Signed(items)) if !items.is_empty() => *items.at_mut(*at) = *number,
            Value::Array(Array::Float(items)) if !items.is_empty() => *items.at_mut(*at) = *number as f64,
            Value::Array(Array::String(items)) if !items.is_empty() => items.at_mut(*at).clone_from(text),
            Value::String(item) => item.clone_from(text),
            _ => {}
        }
    }
}

trait AtMut<T> {
    fn at_mut(&mut self, index: usize) -> &mut T;
}

impl<T> AtMut<T> for Vec<T> {
    fn at_mut(&mut self, index: usize) -> &mut T {
        let length = self.len();
        &mut self[index % length]
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn disturbed_tables_never_panic(
        from_spm in any::<bool>(),
        replaced in prop::collection::vec((0..12usize, any_value()), 0..3),
        removed in prop::collection::vec(0..12usize, 0..2),
        changes in prop::collection::vec((0..300usize, -1..8i64, "[ab<>/s ▁Ġé]{0,4}|</?s>|<\\|fim_prefix\\|>"), 0..12),
    ) {
        let keys = [
            "tokenizer.ggml.model", "tokenizer.ggml.pre", TOKENS, TYPES, SCORES, MERGES,
            "tokenizer.ggml.eos_token_id", "tokenizer.ggml.bos_token_id", "tokenizer.ggml.unknown_token_id",
            "tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_space_prefix",
        ];
        let mut tables = if from_spm { spm() } else { bpe() };
        for (_, value) in &mut tables.entries {
            disturb(value, &changes);
        }
        for key in removed {
            tables = tables.without(keys[key]);
        }
        for (key, value) in replaced {
            tables = tables.with(keys[key], value);
        }
        if let Ok(tokenizer) = tables.try_load() {
            for text in ["", "ab aab <s></s> ▁a é\u{0}漢", "<|fim_prefix|>aaaa\n\t<0x0A>"] {
                let ids = tokenizer.encode(text, Start::Document);
                prop_assert!(ids.iter().all(|&id| tokenizer.is_text(id) || Some(id) == tokenizer.special().unk));
                tokenizer.decode(&ids);
            }
        }
    }
}
