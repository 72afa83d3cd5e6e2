//! Cutting text into the words that byte-level BPE merges inside of.
//!
//! Each pre-tokenizer is defined by regular expressions (quoted at the scanners; they are the models' own, as
//! llama.cpp's src/llama-vocab.cpp maps them to names). They are scanned by hand: a regular-expression engine with
//! look-ahead and Unicode classes would be larger than the rest of this room. A list of several expressions means:
//! the second cuts what the first left, matched or not, and so on.

mod class;
mod scan;
#[cfg(test)]
mod tests;

use class::{is_letter, is_number, is_punctuation};
use scan::{gpt2, isolate, one, optional_space_then, qwen2, run};

/// Takes the words of a text, in order; they concatenate to the text.
pub(super) type Emit<'e, 't> = &'e mut dyn FnMut(&'t str);

/// The cutting rule of a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreTokenizer {
    /// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
    Gpt2,
    /// `\p{N}`, then as [`PreTokenizer::Gpt2`].
    Digits,
    /// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
    Qwen2,
    /// `[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, `[一-龥ࠀ-一가-퟿]+`, `\p{N}`
    DeepseekCoder,
    /// `[\p{P}$+<=>^~|]+`, then as [`PreTokenizer::Gpt2`], then `\p{N}+`, then `[0-9][0-9][0-9]`.
    Default,
}

/// `tokenizer.ggml.pre` values by rule.
const NAMES: &[(PreTokenizer, &[&str])] = &[
    (
        PreTokenizer::Gpt2,
        &[
            "gpt-2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "exaone4",
            "gigachat",
            "a.x-4.0",
            "mellum",
        ],
    ),
    (
        PreTokenizer::Digits,
        &["starcoder", "refact", "smollm", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"],
    ),
    (
        PreTokenizer::Qwen2,
        &["qwen2", "stablelm2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "hunyuan", "solar-open"],
    ),
    (PreTokenizer::DeepseekCoder, &["deepseek-coder"]),
    (PreTokenizer::Default, &["default"]),
];

impl PreTokenizer {
    /// The rule behind a `tokenizer.ggml.pre` value.
    pub fn by_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(rule, _)| *rule)
    }

    /// All known values, for an error message.
    pub fn names() -> String {
        NAMES.iter().flat_map(|(_, names)| *names).copied().collect::<Vec<_>>().join(", ")
    }

    /// Cuts `text` into words.
    pub fn words<'t>(self, text: &'t str, emit: Emit<'_, 't>) {
        match self {
            Self::Gpt2 => gpt2(text, emit),
            Self::Digits => isolate(text, one(is_number), &mut |part| gpt2(part, emit)),
            Self::Qwen2 => qwen2(text, emit),
            Self::DeepseekCoder => deepseek_coder(text, emit),
            Self::Default => isolate(text, run(is_default_punctuation), &mut |part| {
                gpt2(part, &mut |word| {
                    isolate(word, run(is_number), &mut |part| isolate(part, three_digits, emit));
                });
            }),
        }
    }
}

fn deepseek_coder<'t>(text: &'t str, emit: Emit<'_, 't>) {
    isolate(text, one(|c| matches!(c, '\r' | '\n')), &mut |line| {
        isolate(line, optional_space_then(is_letter), &mut |part| {
            isolate(part, optional_space_then(is_punctuation), &mut |part| {
                isolate(part, run(is_deepseek_east_asian), &mut |part| isolate(part, one(is_number), emit));
            });
        });
    });
}

/// The ranges as the expression writes them: Han to U+9FA5, U+0800 to U+4E00, Hangul syllables to U+D7FF.
fn is_deepseek_east_asian(character: char) -> bool {
    matches!(character, '\u{0800}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7FF}')
}

fn is_default_punctuation(character: char) -> bool {
    is_punctuation(character) || matches!(character, '$' | '+' | '<' | '=' | '>' | '^' | '~' | '|')
}

fn three_digits(rest: &str) -> usize {
    let digits = rest.as_bytes().get(..3);
    if digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)) { 3 } else { 0 }
}
