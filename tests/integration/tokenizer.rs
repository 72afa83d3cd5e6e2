//! Tokenizers against llama.cpp's own conformance sets: see tests/golden/vocabs/README.md.

use midline::gguf::{Gguf, ReadAt};
use midline::tokenizer::{Start, Tokenizer};
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "\n__ggml_vocab_test__\n";

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/vocabs").join(name)
}

fn load(path: &Path) -> Tokenizer {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let source: &dyn ReadAt = &bytes;
    let gguf = Gguf::parse(source).unwrap();
    Tokenizer::from_metadata(&gguf.metadata).unwrap()
}

/// Texts and ids of a set.
fn cases(name: &str) -> Vec<(String, Vec<u32>)> {
    let read =
        |suffix: &str| std::fs::read_to_string(golden(&format!("ggml-vocab-{name}.gguf.{suffix}"))).unwrap();
    let (texts, ids) = (read("inp"), read("out"));
    let texts: Vec<_> = texts.strip_suffix(SEPARATOR).unwrap().split(SEPARATOR).map(String::from).collect();
    let ids: Vec<Vec<u32>> =
        ids.lines().map(|line| line.split_whitespace().map(|id| id.parse().unwrap()).collect()).collect();
    assert_eq!((texts.len(), ids.len()), (46, 46));
    texts.into_iter().zip(ids).collect()
}

fn check(name: &str) {
    let tokenizer = load(&golden(&format!("ggml-vocab-{name}.gguf")));
    let mut wrong = Vec::new();
    for (text, expected) in cases(name) {
        let found = tokenizer.encode(&text, Start::Document);
        if found != expected {
            wrong.push(format!("{text:?}\n  expected {expected:?}\n  found    {found:?}"));
        }
        let ids = tokenizer.encode(&text, Start::Continuation);
        assert_eq!(tokenizer.decode(&ids), text.as_bytes(), "{text:?}");
        assert!(ids.iter().all(|&id| tokenizer.is_text(id)));
    }
    assert!(wrong.is_empty(), "{name}: {} of 46 wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn starcoder() {
    check("starcoder");
}

#[test]
fn refact() {
    check("refact");
}

#[test]
fn gpt_2() {
    check("gpt-2");
}

#[test]
fn deepseek_coder() {
    check("deepseek-coder");
}

#[test]
fn llama_spm() {
    check("llama-spm");
}

#[test]
fn phi_3() {
    check("phi-3");
}
#[test]
fn qwen2() {
    check("qwen2");
}
