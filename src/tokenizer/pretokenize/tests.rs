//! Words of each pre-tokenizer, written with `|` at the cuts.

use super::PreTokenizer::{self, DeepseekCoder, Default, Digits, Gpt2, Qwen2};
use proptest::prelude::*;

fn cut(rule: PreTokenizer, text: &str) -> String {
    let mut words = Vec::new();
    rule.words(text, &mut |word| words.push(word));
    words.join("|")
}

#[track_caller]
fn check(rule: PreTokenizer, cuts: &[&str]) {
    for expected in cuts {
        assert_eq!(cut(rule, &expected.replace('|', "")), *expected, "{rule:?}");
    }
}

#[test]
fn gpt2() {
    check(
        Gpt2,
        &[
            "",
            "   ",
            "def| add|(|a|,| b|):|\n   | return| a|+|b",
            "I|'ve| he|'ll| don|'t| y|'|all",
            "'|S|'|VE|'s|x",
            "x| 123456| 3|.|14",
            "漢字|٣٤½",
            "e|\u{301}|a",
            "a|\u{a0}|b",
            "a|\t|b|\n|\n|c",
        ],
    );
}

#[test]
fn digits_stand_alone() {
    check(Digits, &["x| |1|2|3|.|1|4", "a|1|b| |²|x", "  |3", "'s|3|'t"]);
}

#[test]
fn qwen2() {
    check(
        Qwen2,
        &[
            "",
            "   ",
            "def| add|(a|,| b|):\n|   | return| a|+b",
            "I|'VE| y|'all|'s",
            "x| |1|2|3|.|1|4",
            "\tif| x|:\n\n|   |\ty",
            "a| =>| {\r\n|\t|\t|1",
            "a| \n \n|  | x",
            "…|  | =|  ",
            "\u{301}a|\u{301}",
        ],
    );
}

#[test]
fn deepseek_coder() {
    // `+` is a symbol, not punctuation: it stays with the space in front of it.
    check(DeepseekCoder, &["a|\n|\n| b|(|c|);", "x| |1|2", "C|ử|a| Vi|ệ|t", "a| +| b"]);
}

#[test]
fn default() {
    check(Default, &["a| |+=| b", "x|'|s", "123|456|78", "12", "f|();|\n| `|x|`", "٣٤٣٤"]);
}

#[test]
fn names() {
    for (name, rule) in
        [("gpt-2", Gpt2), ("smollm", Digits), ("refact", Digits), ("qwen2", Qwen2), ("default", Default)]
    {
        assert_eq!(PreTokenizer::by_name(name), Some(rule));
    }
    assert_eq!(PreTokenizer::by_name("llama-bpe"), None);
    assert!(PreTokenizer::names().contains("starcoder, refact"));
}

proptest! {
    #[test]
    fn words_concatenate_to_the_text(text in "(?s)[ \t\r\n'stdA1½漢é=$.\u{a0}\u{301}]{0,40}|.{0,40}") {
        for rule in [Gpt2, Digits, Qwen2, DeepseekCoder, Default] {
            let mut joined = String::new();
            rule.words(&text, &mut |word| {
                assert!(!word.is_empty());
                joined.push_str(word);
            });
            prop_assert_eq!(&joined, &text);
        }
    }
}
