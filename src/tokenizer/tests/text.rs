//! Encoding and decoding of text.

use super::*;
use crate::tokenizer::TokenKind;
use proptest::prelude::*;

fn spm() -> Tables {
    Tables::spm(&[
        ("a", NORMAL, -9.0),
        ("b", NORMAL, -9.0),
        ("c", NORMAL, -9.0),
        ("▁", NORMAL, -9.0),
        ("ab", NORMAL, -1.0),
        ("bc", NORMAL, -0.5),
        ("▁a", NORMAL, -2.0),
        ("abc", NORMAL, -3.0),
        ("▁▁", NORMAL, -2.0),
        ("\n", USER_DEFINED, 0.0),
        ("aab", USER_DEFINED, 0.0),
        ("hole", UNUSED, 0.0),
        ("<", NORMAL, -9.0),
        ("s", NORMAL, -9.0),
        ("<s", NORMAL, -9.0),
        (">", NORMAL, -9.0),
    ])
}

fn bpe() -> Tables {
    let tokens =
        [("ab", NORMAL), ("Ġab", NORMAL), ("bc", NORMAL), ("<end>", CONTROL), ("<user>", USER_DEFINED)];
    Tables::bpe(&tokens, &["b c", "a b", "Ġ ab", "<end >", "x yz"])
}

#[test]
fn the_best_scored_pair_merges_first_and_the_leftmost_of_equals() {
    let tokenizer = spm().load();
    let shown = |text| shown(&tokenizer, text, Start::Continuation);
    assert_eq!(shown("abc"), "abc"); // bc, then a + bc
    assert_eq!(shown("abbc"), "ab|bc");
    assert_eq!(shown(" a b"), " a| |b");
    assert_eq!(shown("   "), "  | ");
}

#[test]
fn the_lowest_rank_merges_first() {
    let tokenizer = bpe().load();
    let shown = |text| shown(&tokenizer, text, Start::Continuation);
    assert_eq!(shown("abc"), "a|bc");
    assert_eq!(shown("ab ab"), "ab| ab");
    assert_eq!(shown("abab"), "ab|ab");
}

#[test]
fn what_the_vocabulary_lacks_becomes_bytes() {
    let tokenizer = spm().load();
    let ids = tokenizer.encode("é", Start::Continuation);
    assert_eq!(ids, [3 + 0xC3, 3 + 0xA9]);
    assert!(ids.iter().all(|&id| tokenizer.kind(id) == TokenKind::Byte));
    assert_eq!(tokenizer.bytes(ids[0]), [0xC3]);
}

#[test]
fn without_byte_tokens_the_unknown_token_stands_in() {
    let tables = spm();
    let tokens = ["<unk>", "a", "<s>"];
    let tables = tables
        .with("tokenizer.ggml.tokens", strings(tokens.into_iter()))
        .with("tokenizer.ggml.token_type", integers([UNKNOWN, NORMAL, CONTROL].into_iter()))
        .with("tokenizer.ggml.scores", floats([0.0; 3].into_iter()));
    assert_eq!(tables.load().encode("aéa", Start::Continuation), [1, 0, 1]);
}

#[test]
fn text_that_spells_a_token_without_text_stays_text() {
    let tokenizer = spm().load();
    assert_eq!(shown(&tokenizer, "<s>", Start::Continuation), "<s|>"); // not BOS, though <s + > spells it
    let hole = tokenizer.id_of("hole").unwrap();
    assert!(!tokenizer.encode("hole", Start::Continuation).contains(&hole));
    let tokenizer = bpe().load();
    assert_eq!(shown(&tokenizer, "<end>", Start::Continuation), "<|e|n|d|>");
    assert_eq!(shown(&tokenizer, "a<user>b", Start::Continuation), "a|<user>|b");
}

#[test]
fn only_a_document_that_starts_with_text_gets_the_dummy_space() {
    let tokenizer = spm().with("tokenizer.ggml.add_space_prefix", Value::Bool(true)).load();
    assert_eq!(shown(&tokenizer, "abc\nb", Start::Document), " a|bc|\n|b");
    assert_eq!(shown(&tokenizer, "abc", Start::Continuation), "abc");
    assert_eq!(shown(&tokenizer, "\nb", Start::Document), "\n|b");
    assert_eq!(shown(&tokenizer, "", Start::Document), "");
    let by_default = spm().without("tokenizer.ggml.add_space_prefix").load();
    assert_eq!(shown(&by_default, "b", Start::Document), " |b");
}

#[test]
fn bytes_kinds_and_spellings() {
    let tokenizer = spm().load();
    let id = |spelling| tokenizer.id_of(spelling).unwrap();
    assert_eq!(tokenizer.bytes(id("▁a")), b" a");
    assert_eq!(tokenizer.bytes(id("\n")), b"\n");
    assert_eq!(tokenizer.bytes(id("<0x0A>")), b"\n");
    assert_eq!(tokenizer.kind(id("<0x0A>")), TokenKind::Byte);
    for (spelling, kind) in
        [("<unk>", TokenKind::Unknown), ("<s>", TokenKind::Control), ("hole", TokenKind::Unused)]
    {
        assert_eq!(tokenizer.kind(id(spelling)), kind);
        assert_eq!(tokenizer.bytes(id(spelling)), b"");
        assert_eq!(tokenizer.name(id(spelling)), spelling);
        assert!(!tokenizer.is_text(id(spelling)));
    }
    assert_eq!(tokenizer.id_of(" a"), None);
    let beyond = tokenizer.vocab_size() as TokenId;
    assert_eq!(tokenizer.kind(beyond), TokenKind::Unused);
    assert_eq!(tokenizer.bytes(TokenId::MAX), b"");
    assert_eq!(bpe().load().id_of("Ġab"), Some(257));
}

#[test]
fn the_first_of_two_equal_tokens_is_used() {
    let tokenizer = Tables::bpe(&[("ab", NORMAL), ("ab", NORMAL)], &["a b", "a b"]).load();
    assert_eq!(tokenizer.encode("ab", Start::Continuation), [256]);
    assert_eq!(tokenizer.decode(&[256, 257]), b"abab");
}

#[test]
fn a_piece_that_is_cut_for_memory_is_still_whole() {
    for tables in [spm(), Tables::bpe(&[("aa", NORMAL), ("aaaa", NORMAL)], &["a a", "aa aa"])] {
        let tokenizer = tables.load();
        let text = "aé".repeat(10) + &"a".repeat((1 << 20) + 4321) + "b";
        assert_eq!(tokenizer.decode(&tokenizer.encode(&text, Start::Continuation)), text.as_bytes());
    }
}

proptest! {
    #[test]
    fn decoding_gives_the_text_back(text in "(?s)[abc ▁<s>\n\u{0}é漢😀]{0,60}|.{0,60}") {
        for tables in [spm(), bpe()] {
            let tokenizer = tables.load();
            let ids = tokenizer.encode(&text, Start::Continuation);
            prop_assert_eq!(tokenizer.decode(&ids), text.as_bytes());
            prop_assert!(ids.iter().all(|&id| tokenizer.is_text(id)));
        }
    }
}
