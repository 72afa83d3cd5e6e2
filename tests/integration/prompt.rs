//! Prompts: special ids of published vocabularies in their order, windows, start tokens.

use crate::support::{boot_engine, bytes};
use midline::generation::Vocabulary;
use midline::gguf::Gguf;
use midline::prompt::{Prompt, PromptFormat, PromptSource};
use midline::tokenizer::{TokenId, Tokenizer};

fn tokenizer(name: &str) -> Tokenizer {
    let file = bytes(&format!("tests/golden/vocabs/ggml-vocab-{name}.gguf"));
    let gguf = Gguf::parse(&file).expect("a vocabulary");
    Tokenizer::from_metadata(&gguf.metadata).expect("a tokenizer")
}

fn source<'a>(format: PromptFormat, prefix: &'a str, suffix: &'a str) -> PromptSource<'a> {
    PromptSource { format, prefix, suffix, path: "", language_id: "", healing: false }
}

fn build(tokenizer: &Tokenizer, source: &PromptSource<'_>, room_tokens: usize) -> Prompt {
    Prompt::build(tokenizer, source, room_tokens).expect("a prompt")
}

/// Ids of prefix, suffix and middle marker as published: added_tokens of `bigcode/starcoder`,
/// `smallcloudai/Refact-1_6B-fim`, `Qwen/Qwen2.5-Coder-0.5B` and `deepseek-ai/deepseek-coder-6.7b-base`.
const MARKERS: [(&str, [TokenId; 3]); 4] = [
    ("starcoder", [1, 3, 2]),
    ("refact", [1, 3, 2]),
    ("qwen2", [151_659, 151_661, 151_660]),
    ("deepseek-coder", [32_016, 32_015, 32_017]),
];

#[test]
fn fill_in_the_middle_has_the_published_ids_in_their_order() {
    let (prefix, suffix) = ("def f(x):\n    return ", "\n\nprint(f(1))\n");
    for (name, [pre, suf, mid]) in MARKERS {
        // Qwen2's vocabulary file is that of the general model: its FIM tokens are looked up by name.
        let tokenizer = tokenizer(name);
        let special = tokenizer.special();
        let found = [special.fim_prefix, special.fim_suffix, special.fim_middle];
        assert_eq!(found, [Some(pre), Some(suf), Some(mid)], "{name}");
        let text = |text: &str| tokenizer.encode(text, midline::tokenizer::Start::Continuation);
        let bos: Vec<TokenId> = special.bos.filter(|_| special.add_bos).into_iter().collect();
        let psm = [bos.clone(), vec![pre], text(prefix), vec![suf], text(suffix), vec![mid]].concat();
        assert_eq!(build(&tokenizer, &source(PromptFormat::Psm, prefix, suffix), 512).tokens, psm, "{name}");
        let spm = [bos, vec![suf], text(suffix), vec![pre], text(prefix), vec![mid]].concat();
        assert_eq!(build(&tokenizer, &source(PromptFormat::Spm, prefix, suffix), 512).tokens, spm, "{name}");
    }
}

#[test]
fn a_start_token_stands_first_where_the_file_asks_for_it() {
    let llama = tokenizer("llama-spm");
    assert_eq!((llama.special().add_bos, llama.special().bos), (true, Some(1)));
    let prompt = build(&llama, &source(PromptFormat::Prefix, "x = 1", ""), 64);
    assert_eq!(prompt.tokens[0], 1);
    let gpt = tokenizer("gpt-2");
    let prompt = build(&gpt, &source(PromptFormat::Prefix, "x = 1", ""), 64);
    assert_eq!(gpt.decode(&prompt.tokens), b"x = 1");
    assert!(
        !build(&gpt, &source(PromptFormat::Prefix, "", ""), 64).tokens.is_empty(),
        "never an empty prompt"
    );
}

/// Long documents on both sides: the prompt holds what is nearest to the caret, within its room.
#[test]
fn the_window_holds_what_is_nearest_to_the_caret() {
    let tokenizer = tokenizer("starcoder");
    let line = |index: usize| format!("line_{index} = value({index})\n");
    let prefix: String = (0..2_000).map(line).collect();
    let suffix: String = (2_000..4_000).map(line).collect();
    let caret = format!("{prefix}last = ");
    for room_tokens in [16, 40, 100, 333, 1_000] {
        for format in [PromptFormat::Psm, PromptFormat::Spm, PromptFormat::Prefix] {
            let prompt = build(&tokenizer, &source(format, &caret, &suffix), room_tokens);
            assert!(prompt.tokens.len() <= room_tokens, "{format:?} in {room_tokens}");
            let special = tokenizer.special();
            let is_marker = |token: &TokenId| {
                [special.fim_prefix, special.fim_suffix, special.fim_middle].contains(&Some(*token))
            };
            let pieces: Vec<_> = prompt.tokens.split(is_marker).filter(|piece| !piece.is_empty()).collect();
            let texts: Vec<_> = pieces.iter().map(|piece| tokenizer.decode(piece)).collect();
            let (before, after) = match format {
                PromptFormat::Psm => (&texts[0], Some(&texts[1])),
                PromptFormat::Spm => (&texts[1], Some(&texts[0])),
                PromptFormat::Prefix => (&texts[0], None),
            };
            assert!(caret.as_bytes().ends_with(before), "{format:?} in {room_tokens}");
            assert!(
                after.is_none_or(|after| suffix.as_bytes().starts_with(after)),
                "{format:?} in {room_tokens}"
            );
            if room_tokens >= 100 {
                assert!(before.starts_with(b"line_"), "cut at the start of a line");
                assert!(
                    prompt.tokens.len() * 4 >= room_tokens,
                    "{} of {room_tokens} tokens",
                    prompt.tokens.len()
                );
            }
        }
    }
}

#[test]
fn room_that_one_side_leaves_goes_to_the_other() {
    let tokenizer = tokenizer("starcoder");
    let long: String = (0..500).map(|index| format!("x{index} = {index}\n")).collect();
    let prompt = build(&tokenizer, &source(PromptFormat::Psm, "a = ", &long), 200);
    assert!(prompt.tokens.len() > 150, "{} tokens", prompt.tokens.len());
    let prompt = build(&tokenizer, &source(PromptFormat::Psm, &long, "\n"), 200);
    assert!(prompt.tokens.len() > 90, "{} tokens", prompt.tokens.len());
}

#[test]
fn tokens_without_text_are_never_chosen() {
    let engine = boot_engine();
    let banned = engine.banned();
    assert!(banned.contains(&0), "the unknown token");
    assert!(banned.windows(2).all(|pair| pair[0] < pair[1]), "sorted");
    for token in 0..engine.info().vocab_size as TokenId {
        let silent = engine.token_bytes(token).is_empty();
        assert_eq!(silent, banned.contains(&token) || engine.is_end(token), "token {token}");
    }
}
