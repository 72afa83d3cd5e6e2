//! Tokenizers against llama.cpp: its own conformance sets (tests/golden/vocabs/README.md)
//! and ids recorded from it (tests/golden/recipes/tokenizer_cases.py).

use midline::gguf::{Array, Gguf, Metadata, ReadAt, Value};
use midline::tokenizer::{FimFamily, Start, TokenKind, Tokenizer};
use proptest::prelude::*;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const SEPARATOR: &str = "\n__ggml_vocab_test__\n";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn metadata(path: &str) -> Metadata {
    let bytes = read(path);
    let source: &dyn ReadAt = &bytes;
    Gguf::parse(source).unwrap().metadata
}

fn load(path: &str) -> Tokenizer {
    Tokenizer::from_metadata(&metadata(path)).unwrap()
}

fn vocabulary(name: &str) -> String {
    format!("tests/golden/vocabs/ggml-vocab-{name}.gguf")
}

/// Compares ids; the texts of all sets start a document.
fn compare(name: &str, tokenizer: &Tokenizer, cases: impl Iterator<Item = (String, Vec<u32>)>) -> usize {
    let (mut count, mut wrong) = (0, Vec::new());
    for (text, expected) in cases {
        count += 1;
        let found = tokenizer.encode(&text, Start::Document);
        if found != expected {
            wrong.push(format!("{text:?}\n  expected {expected:?}\n  found    {found:?}"));
        }
        let ids = tokenizer.encode(&text, Start::Continuation);
        assert!(ids.iter().all(|&id| tokenizer.is_text(id)), "{text:?}");
        assert_eq!(tokenizer.decode(&ids), text.as_bytes(), "{text:?}");
    }
    assert!(wrong.is_empty(), "{name}: {} of {count} wrong\n{}", wrong.len(), wrong.join("\n"));
    count
}

/// One of llama.cpp's 46-case sets.
fn conformance_set(name: &str) {
    let path = vocabulary(name);
    let texts = String::from_utf8(read(&format!("{path}.inp"))).unwrap();
    let ids = String::from_utf8(read(&format!("{path}.out"))).unwrap();
    let texts = texts.strip_suffix(SEPARATOR).unwrap().split(SEPARATOR).map(String::from);
    let ids = ids.lines().map(|line| line.split_whitespace().map(|id| id.parse().unwrap()).collect());
    assert_eq!(compare(name, &load(&path), texts.zip(ids)), 46);
}

#[test]
fn starcoder() {
    conformance_set("starcoder");
}

#[test]
fn refact() {
    conformance_set("refact");
}

#[test]
fn gpt_2() {
    conformance_set("gpt-2");
}

#[test]
fn deepseek_coder() {
    conformance_set("deepseek-coder");
}

#[test]
fn qwen2() {
    conformance_set("qwen2");
}

#[test]
fn llama_spm() {
    conformance_set("llama-spm");
}

#[test]
fn phi_3() {
    conformance_set("phi-3");
}

/// The metadata of a vocabulary with the changes that a recorded set asks for.
fn changed(path: &str, set: &Json) -> Metadata {
    let added: Vec<&str> =
        set["user_defined"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let original = metadata(path);
    let entries = original.iter().map(|(key, value)| {
        let mut value = value.clone();
        match (key, &mut value) {
            ("tokenizer.ggml.pre", Value::String(pre)) => {
                pre.replace_range(.., set["pre"].as_str().unwrap_or(pre.clone().as_str()));
            }
            ("tokenizer.ggml.tokens", Value::Array(Array::String(tokens))) => {
                tokens.extend(added.iter().map(|text| (*text).to_owned()));
            }
            ("tokenizer.ggml.token_type", Value::Array(Array::Signed(types))) => {
                types.extend(added.iter().map(|_| 4));
            }
            ("tokenizer.ggml.scores", Value::Array(Array::Float(scores))) => {
                scores.extend(added.iter().map(|_| 0.0));
            }
            _ => {}
        }
        (key.to_owned(), value)
    });
    entries.chain([("tokenizer.ggml.add_space_prefix".to_owned(), Value::Bool(false))]).collect()
}

fn recorded_set(name: &str, folder: &str) {
    let set: Json = serde_json::from_slice(&read(&format!("tests/golden/tokenizer-{name}.json"))).unwrap();
    let path = format!("{folder}/{}", set["vocabulary"].as_str().unwrap());
    let tokenizer = Tokenizer::from_metadata(&changed(&path, &set)).unwrap();
    let cases = set["cases"].as_array().unwrap().iter().map(|case| {
        let ids = case["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32);
        (case["text"].as_str().unwrap().to_owned(), ids.collect())
    });
    assert_eq!(compare(name, &tokenizer, cases), 98);
}

#[test]
fn boot_model() {
    recorded_set("boot", "models");
}

#[test]
fn pre_tokenizer_default() {
    recorded_set("default", "tests/golden/vocabs");
}

#[test]
fn user_defined_tokens() {
    recorded_set("user-defined-starcoder", "tests/golden/vocabs");
    recorded_set("user-defined-llama-spm", "tests/golden/vocabs");
}

#[test]
fn special_tokens_of_the_boot_model() {
    let tokenizer = load("models/midline-boot-q4_0.gguf");
    let special = tokenizer.special();
    assert_eq!((special.bos, special.eos, special.unk, special.add_bos), (None, Some(1), Some(0), false));
    assert_eq!((special.fim_prefix, special.fim_suffix, special.fim_middle), (Some(2), Some(3), Some(4)));
    assert_eq!((special.lang_sep, special.meta_sep), (Some(5), Some(6)));
    assert_eq!(special.end_of_generation, [1, 2, 3, 4, 5, 6]);
    assert_eq!((tokenizer.kind(7), tokenizer.bytes(7)), (TokenKind::UserDefined, b"\n".as_slice()));
    assert_eq!(tokenizer.vocab_size(), 8192);
}

/// The fill-in-the-middle tokens that each family publishes, prefix, suffix, middle.
#[test]
fn special_tokens_of_published_vocabularies() {
    let published = [
        ("starcoder", FimFamily::StarCoder, ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"], [1, 3, 2]),
        ("refact", FimFamily::StarCoder, ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"], [1, 3, 2]),
        (
            "deepseek-coder",
            FimFamily::DeepSeek,
            ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"],
            [32016, 32015, 32017],
        ),
        (
            "qwen2",
            FimFamily::Qwen,
            ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
            [151_659, 151_661, 151_660],
        ),
    ];
    for (name, family, spellings, ids) in published {
        let tokenizer = load(&vocabulary(name));
        let special = tokenizer.special();
        assert_eq!([special.fim_prefix, special.fim_suffix, special.fim_middle], ids.map(Some), "{name}");
        assert_eq!(special.fim_family, Some(family));
        assert_eq!(spellings.map(|spelling| tokenizer.id_of(spelling)), ids.map(Some), "{name}");
        assert!(ids.iter().all(|id| tokenizer.kind(*id) == TokenKind::Control));
        assert!(ids.iter().all(|id| special.end_of_generation.contains(id)));
        assert!(special.end_of_generation.contains(&special.eos.unwrap()));
        let spelled = spellings.concat();
        let text_ids = tokenizer.encode(&spelled, Start::Document);
        assert_eq!(tokenizer.decode(&text_ids), spelled.as_bytes());
        assert!(text_ids.iter().all(|id| !special.end_of_generation.contains(id)), "{name}");
    }
}

/// Quadratic work on any of these would take hours.
#[test]
fn huge_texts() {
    let code = include_str!("tokenizer.rs");
    let texts =
        [code.repeat((5 << 20) / code.len()), "a".repeat(1 << 20), "(=".repeat(1 << 19), " ".repeat(1 << 20)];
    for name in ["starcoder", "llama-spm"] {
        let tokenizer = load(&vocabulary(name));
        for text in &texts {
            assert!(
                tokenizer.decode(&tokenizer.encode(text, Start::Continuation)) == text.as_bytes(),
                "{name}"
            );
        }
    }
}

static ALL: LazyLock<Vec<(&str, Tokenizer)>> = LazyLock::new(|| {
    let sets = ["gpt-2", "starcoder", "deepseek-coder", "qwen2", "llama-spm", "phi-3"];
    let boot = ("boot", load("models/midline-boot-q4_0.gguf"));
    sets.map(|name| (name, load(&vocabulary(name)))).into_iter().chain([boot]).collect()
});

proptest! {
    /// Any text comes back, and none becomes a token without text. StarCoder's vocabulary has no token for the byte
    /// 0xF1 (planes 4 to 7, unassigned).
    #[test]
    fn decoding_gives_any_text_back(
        text in "(?s).{0,80}|([ \t\r\n\u{0}▁<>|｜/'0-9a-z_]|</?s>|<unk>|<\\|endoftext\\|>|<\\|?fim_prefix\\|?>){0,60}",
    ) {
        for (name, tokenizer) in ALL.iter() {
            let ids = tokenizer.encode(&text, Start::Continuation);
            let kept: Vec<u8> = text.bytes().filter(|byte| *name != "starcoder" || *byte != 0xF1).collect();
            prop_assert_eq!(tokenizer.decode(&ids), kept, "{}", name);
            prop_assert!(ids.iter().all(|&id| tokenizer.is_text(id)), "{}", name);
        }
    }
}
