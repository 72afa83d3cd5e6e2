//! Faults that users of other completion engines reported, as tests (tests/README.md lists them all).

use crate::support::{BOOT_MODEL, boot_engine, bytes, complete, engine, renamed, request, with_strings};
use midline::engine::{CompletionRequest, Engine, EngineOptions};
use midline::error::Result;
use midline::gguf::Gguf;
use midline::tokenizer::{Start, Tokenizer};

/// The boot model without its middle marker: key and spelling are others.
fn without_middle() -> Vec<u8> {
    let names = [
        ("tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.fim_xxx_token_id"),
        ("<|fim_middle|>", "<|fim_muddle|>"),
    ];
    renamed(&bytes(BOOT_MODEL), &names)
}

fn load_preferring(file: &[u8], preferred: &str) -> Result<Engine> {
    let options = EngineOptions { preferred_format: Some(preferred.into()), ..EngineOptions::default() };
    Engine::load(&file.to_vec(), &options, &mut |_| {})
}

#[test]
fn t10_a_template_that_is_not_whole_is_not_used_and_the_stats_say_so() {
    let mut engine = engine(&without_middle()).expect("a model");
    assert_eq!(engine.info().formats, ["prefix"]);
    assert!(engine.info().warnings[0].contains("fill-in-the-middle"), "{:?}", engine.info().warnings);
    let result = complete(&mut engine, &request("def f(x):\n    return ", "\n")).expect("a result");
    assert_eq!((result.stats.format, result.stats.format_reason), ("prefix", "no-template"));
    assert_eq!(result.stats.suffix_tokens, 0);
    let asked = CompletionRequest { format: "psm".into(), ..request("a", "b") };
    let error = complete(&mut engine, &asked).expect_err("no such format");
    assert_eq!(error.code(), "format-unavailable");
}

#[test]
fn t10_what_is_preferred_is_checked_when_the_model_is_loaded() {
    let file = bytes(BOOT_MODEL);
    let mut preferring = load_preferring(&file, "psm").expect("a model");
    let reason = |engine: &mut Engine, format: &str| {
        let request = CompletionRequest { max_new_tokens: 1, format: format.into(), ..request("a = ", "\n") };
        let stats = complete(engine, &request).expect("a result").stats;
        (stats.format, stats.format_reason)
    };
    assert_eq!(reason(&mut preferring, "auto"), ("psm", "preferred"));
    assert_eq!(reason(&mut preferring, "spm"), ("spm", "requested"));
    assert_eq!(reason(&mut load_preferring(&file, "auto").expect("a model"), "auto"), ("spm", "vocabulary"));
    let code = |loaded: Result<Engine>| loaded.err().map(|error| error.code());
    assert_eq!(code(load_preferring(&file, "fim")), Some("request-invalid"));
    assert_eq!(code(load_preferring(&without_middle(), "spm")), Some("format-unavailable"));
    // The file may say it as well; the option is stronger.
    let in_file = with_strings(&file, &[("midline.fim.preferred", "prefix")]);
    assert_eq!(reason(&mut engine(&in_file).expect("a model"), "auto"), ("prefix", "preferred"));
    assert_eq!(reason(&mut load_preferring(&in_file, "psm").expect("a model"), "auto"), ("psm", "preferred"));
    // This file's `midline.fim.order` is spm.
    let order = renamed(&file, &[("spm", "psm")]);
    assert_eq!(reason(&mut engine(&order).expect("a model"), "auto"), ("psm", "vocabulary"));
    let wrong = with_strings(&file, &[("midline.fim.preferred", "fim")]);
    assert_eq!(code(engine(&wrong)), Some("gguf-metadata"));
    assert_eq!(code(engine(&renamed(&file, &[("spm", "mps")]))), Some("gguf-metadata"));
}

/// With ASCII bars instead of the full-width ones the markers are text, and so is the right spelling.
#[test]
fn t11_markers_come_from_the_vocabulary_and_never_from_text() {
    let file = bytes("tests/golden/vocabs/ggml-vocab-deepseek-coder.gguf");
    let tokenizer =
        Tokenizer::from_metadata(&Gguf::parse(&file).expect("a file").metadata).expect("a tokenizer");
    let special = tokenizer.special();
    assert_eq!(special.fim_prefix, tokenizer.id_of("<｜fim▁begin｜>"));
    for text in ["<|fim▁begin|>a<|fim▁hole|>b<|fim▁end|>", "<｜fim▁begin｜>a<｜fim▁hole｜>b<｜fim▁end｜>"]
    {
        let ids = tokenizer.encode(text, Start::Document);
        assert!(ids.iter().all(|id| !special.end_of_generation.contains(id)), "{text}");
        assert_eq!(tokenizer.decode(&ids), text.as_bytes());
    }
}

#[test]
fn t12_a_model_tuned_for_chat_is_told_of_at_load() {
    let chat = with_strings(&bytes(BOOT_MODEL), &[("tokenizer.chat_template", "{{ messages }}")]);
    let warnings = engine(&chat).expect("a model").info().warnings.clone();
    assert!(warnings.iter().any(|warning| warning.contains("chat")), "{warnings:?}");
    assert_eq!(boot_engine().info().warnings, Vec::<String>::new());
}

#[test]
fn t15_the_model_sees_line_feeds_whatever_the_file_has() {
    let mut engine = boot_engine();
    for beam_width in [1, 3] {
        let asked = |prefix: &str, suffix: &str| CompletionRequest { beam_width, ..request(prefix, suffix) };
        let unix = complete(&mut engine, &asked("if a:\n    b = 1\n    c =", "\nd = 3\n")).expect("a result");
        let windows = complete(&mut engine, &asked("if a:\r\n    b = 1\r\n    c =", "\r\nd = 3\r\n"))
            .expect("a result");
        assert_eq!(windows.stats.prompt_tokens, unix.stats.prompt_tokens);
        let texts = |suggestions: Vec<midline::engine::Suggestion>| {
            suggestions.into_iter().map(|s| s.text.replace("\r\n", "\n")).collect::<Vec<_>>()
        };
        assert_eq!(texts(windows.suggestions), texts(unix.suggestions));
    }
}

#[test]
fn t17_healing_is_on_by_default_and_says_what_it_took_back() {
    let mut engine = boot_engine();
    let prefix =
        "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def size(self):\n        retu";
    let asked = CompletionRequest { format: "prefix".into(), ..request(prefix, "") };
    let healed = complete(&mut engine, &asked).expect("a result");
    assert!(healed.stats.healed_text.ends_with("retu"), "{:?}", healed.stats);
    assert!(healed.suggestions[0].text.starts_with("rn "), "{healed:?}");
    let plain = complete(&mut engine, &CompletionRequest { healing: false, ..asked }).expect("a result");
    assert_eq!(plain.stats.healed_text, "");
}
