//! The window in tokens, over many sizes of rooms and texts.

use crate::support::bytes;
use midline::gguf::Gguf;
use midline::prompt::{Prompt, PromptFormat, PromptSource};
use midline::tokenizer::{TokenId, Tokenizer};

const ROOMS: [usize; 17] = [8, 9, 12, 16, 20, 24, 32, 48, 64, 100, 128, 200, 333, 512, 800, 1_024, 2_048];

fn tokenizer(path: &str) -> Tokenizer {
    Tokenizer::from_metadata(&Gguf::parse(&bytes(path)).expect("a file").metadata).expect("a tokenizer")
}

fn build(tokenizer: &Tokenizer, source: &PromptSource<'_>, room_tokens: usize) -> Prompt {
    let prompt = Prompt::build(tokenizer, source, room_tokens).expect("a prompt");
    assert!(prompt.tokens.len() <= room_tokens, "{} tokens in a room of {room_tokens}", prompt.tokens.len());
    prompt
}

fn lines(count: usize, seed: usize) -> String {
    (0..count)
        .map(|n| format!("{}value_{n} = compute({}, {n})\n", " ".repeat(n % 3 * 4), n * seed % 97))
        .collect()
}

/// The pieces of text of a prompt in its order, header and markers left out.
fn pieces(tokenizer: &Tokenizer, prompt: &Prompt) -> (String, String) {
    let control = |id: &TokenId| !tokenizer.is_text(*id);
    let tail = |pieces: &[&[TokenId]], count: usize| {
        let piece = pieces.iter().rev().find(|piece| piece.len() == count).copied().unwrap_or_default();
        String::from_utf8(tokenizer.decode(piece)).expect("whole characters")
    };
    let all: Vec<_> = prompt.tokens.split(control).collect();
    match prompt.format {
        PromptFormat::Spm => {
            let suffix = String::from_utf8(tokenizer.decode(&prompt.tokens[1..1 + prompt.suffix_tokens]))
                .expect("whole characters");
            (tail(&all, prompt.prefix_tokens), suffix)
        }
        PromptFormat::Prefix => (tail(&all, prompt.prefix_tokens), String::new()),
        PromptFormat::Psm => {
            let end = prompt.tokens.len() - 1;
            let suffix = String::from_utf8(tokenizer.decode(&prompt.tokens[end - prompt.suffix_tokens..end]))
                .expect("whole characters");
            (tail(&all[..all.len() - 2], prompt.prefix_tokens), suffix)
        }
    }
}

/// Long texts on both sides, in every room, format, with and without a path.
#[test]
fn t13_t14_the_nearest_text_is_kept_and_the_room_never_overrun() {
    for path in [crate::support::BOOT_MODEL, "tests/golden/vocabs/ggml-vocab-starcoder.gguf"] {
        let tokenizer = tokenizer(path);
        let prefix = lines(3_000, 7) + "    result = ";
        let suffix = ")\n".to_owned() + &lines(3_000, 11);
        for room in ROOMS {
            for format in [PromptFormat::Prefix, PromptFormat::Psm, PromptFormat::Spm] {
                for name in ["", "deep/down/in/a/tree/of/folders/with_a_rather_long_name.py"] {
                    let source = PromptSource {
                        format,
                        prefix: &prefix,
                        suffix: &suffix,
                        path: name,
                        language_id: "",
                        healing: false,
                    };
                    let prompt = build(&tokenizer, &source, room);
                    let (before, after) = pieces(&tokenizer, &prompt);
                    let what = format!("{format:?} in {room} of {path}");
                    assert!(!before.is_empty() && prefix.ends_with(&before), "{what}: {before:?}");
                    assert!(suffix.starts_with(&after), "{what}: {after:?}");
                    let special = tokenizer.special();
                    let separators = [special.lang_sep, special.meta_sep].into_iter().flatten();
                    let header = separators.filter(|id| prompt.tokens.contains(id)).count();
                    assert!(header == 0 || header == 2, "{what}: half a header");
                    assert!(!name.is_empty() || header == 0, "{what}");
                    if special.meta_sep.is_some() && !name.is_empty() && room >= 128 {
                        assert_eq!(header, 2, "{what}: the header fits");
                    }
                    if room >= 100 {
                        assert!(
                            before.starts_with("value") || before.starts_with("    "),
                            "{what}: begins with a line"
                        );
                        assert!(after.is_empty() || after.ends_with('\n'), "{what}: ends with a line");
                        assert!(
                            prompt.tokens.len() * 2 >= room - 25,
                            "{what}: {} tokens",
                            prompt.tokens.len()
                        );
                    }
                    if room >= 200 && format != PromptFormat::Prefix {
                        let both = prompt.prefix_tokens + prompt.suffix_tokens;
                        let share = prompt.prefix_tokens * 100 / both;
                        assert!((56..=76).contains(&share), "{what}: {share} % before the caret");
                    }
                }
            }
        }
    }
}

/// Budgets are shares of the room; what one side does not need goes to the other.
#[test]
fn room_that_one_side_leaves_goes_to_the_other() {
    let tokenizer = tokenizer("tests/golden/vocabs/ggml-vocab-starcoder.gguf");
    let long = lines(1_000, 7);
    for format in [PromptFormat::Psm, PromptFormat::Spm] {
        for room in [100, 200, 500, 1_000] {
            let source = |prefix, suffix| PromptSource {
                format,
                prefix,
                suffix,
                path: "",
                language_id: "",
                healing: false,
            };
            let short_prefix = build(&tokenizer, &source("a = ", &long), room);
            assert!(
                short_prefix.suffix_tokens * 100 >= room * 70,
                "{} of {room}",
                short_prefix.suffix_tokens
            );
            let mut largest = 0;
            for end in (long.len() - 2_000..long.len()).step_by(13) {
                let short_suffix = build(&tokenizer, &source(&long[..end], "\n"), room);
                assert_eq!(short_suffix.suffix_tokens, 1);
                assert!(
                    short_suffix.prefix_tokens * 100 >= room * 40,
                    "{} of {room}",
                    short_suffix.prefix_tokens
                );
                largest = largest.max(short_suffix.prefix_tokens);
            }
            assert!(largest * 100 >= room * 80, "{largest} of {room}");
            let both = build(&tokenizer, &source("a = 1\nb = ", "\nc = 2\n"), room);
            assert_eq!(both.tokens.len(), 3 + both.prefix_tokens + both.suffix_tokens);
            assert_eq!(
                pieces(&tokenizer, &both),
                ("a = 1\nb = ".into(), "\nc = 2\n".into()),
                "all of a small file"
            );
        }
    }
}

/// Texts without a place to cut: one line of a megabyte, before, after and around the caret.
#[test]
fn a_line_of_a_megabyte_is_cut_between_characters() {
    let tokenizer = tokenizer(crate::support::BOOT_MODEL);
    let minified = "var a=function(b){return b&&c[b]||d(e,{f:1})};".repeat(23_000);
    let wide = "한글😀".repeat(100_000);
    let same = "a".repeat(1 << 20);
    let spaces = " ".repeat(1 << 20);
    for text in [&minified, &wide, &same, &spaces] {
        for room in [64, 400, 2_048] {
            for format in [PromptFormat::Prefix, PromptFormat::Psm, PromptFormat::Spm] {
                let source = PromptSource {
                    format,
                    prefix: text,
                    suffix: text,
                    path: "a.js",
                    language_id: "",
                    healing: true,
                };
                let prompt = build(&tokenizer, &source, room);
                assert!(prompt.tokens.len() * 3 >= room, "{} of {room}", prompt.tokens.len());
                let (before, after) = pieces(&tokenizer, &prompt);
                assert!(text.ends_with(&(before + &prompt.healed_text)) && text.starts_with(&after));
            }
        }
    }
}

/// The start of a window stays while a person types: what was read before is read again only when it moves.
#[test]
fn typing_moves_a_window_seldom() {
    let tokenizer = tokenizer(crate::support::BOOT_MODEL);
    let text = lines(1_500, 7);
    let suffix = lines(500, 11);
    let room = 448;
    for (format, healing) in
        [(PromptFormat::Prefix, true), (PromptFormat::Spm, true), (PromptFormat::Spm, false)]
    {
        let (mut moves, mut keys, mut last) = (0, 0, Vec::new());
        for end in text.len() - 8_000..text.len() {
            let source = PromptSource {
                format,
                prefix: &text[..end],
                suffix: &suffix,
                path: "a.py",
                language_id: "",
                healing,
            };
            let prompt = build(&tokenizer, &source, room);
            let common = prompt.tokens.iter().zip(&last).take_while(|(a, b)| a == b).count();
            keys += 1;
            moves += usize::from(common * 10 < prompt.tokens.len() * 9);
            last = prompt.tokens;
        }
        // Half of the prefix's part of the room is 450 bytes of this text, and 300 beside a suffix.
        assert!(
            moves <= keys / if format == PromptFormat::Prefix { 225 } else { 150 },
            "{format:?}: {moves} moves in {keys} keys"
        );
    }
}
