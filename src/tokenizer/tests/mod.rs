//! Whole tokenizers over small vocabularies made here; the real ones are in tests/integration/tokenizer.rs.

mod bad_input;
mod special;
mod text;

use super::{Start, TokenId, Tokenizer};
use crate::error::Result;
use crate::gguf::{Array, Metadata, Value};

pub(super) const NORMAL: i64 = 1;
pub(super) const UNKNOWN: i64 = 2;
pub(super) const CONTROL: i64 = 3;
pub(super) const USER_DEFINED: i64 = 4;
pub(super) const UNUSED: i64 = 5;
pub(super) const BYTE: i64 = 6;

/// Metadata under construction.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    pub entries: Vec<(String, Value)>,
}

impl Tables {
    /// A `llama` vocabulary: `<unk>`, `<s>`, `</s>`, the 256 bytes, then `tokens` as (text, type, score).
    pub fn spm(tokens: &[(&str, i64, f64)]) -> Self {
        let head = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)];
        let mut all: Vec<_> = head.map(|(text, kind)| (text.to_owned(), kind, 0.0)).into();
        all.extend((0..=255).map(|byte| (format!("<0x{byte:02X}>"), BYTE, 0.0)));
        all.extend(tokens.iter().map(|&(text, kind, score)| (text.to_owned(), kind, score)));
        Self::default()
            .with("tokenizer.ggml.model", Value::String("llama".into()))
            .with("tokenizer.ggml.scores", floats(all.iter().map(|token| token.2)))
            .with("tokenizer.ggml.token_type", integers(all.iter().map(|token| token.1)))
            .with("tokenizer.ggml.tokens", strings(all.iter().map(|token| token.0.as_str())))
            .with("tokenizer.ggml.add_space_prefix", Value::Bool(false))
    }

    /// A `gpt2` vocabulary: the 256 bytes in the order of their characters, then `tokens` as (spelling, type).
    pub fn bpe(tokens: &[(&str, i64)], merges: &[&str]) -> Self {
        let alphabet = (0..0x200).filter_map(char::from_u32);
        let bytes = alphabet.filter(|character| super::byte_level::byte_of(*character).is_some());
        let mut all: Vec<_> = bytes.map(|character| (character.to_string(), NORMAL)).collect();
        all.extend(tokens.iter().map(|&(text, kind)| (text.to_owned(), kind)));
        Self::default()
            .with("tokenizer.ggml.model", Value::String("gpt2".into()))
            .with("tokenizer.ggml.pre", Value::String("gpt-2".into()))
            .with("tokenizer.ggml.merges", strings(merges.iter().copied()))
            .with("tokenizer.ggml.token_type", integers(all.iter().map(|token| token.1)))
            .with("tokenizer.ggml.tokens", strings(all.iter().map(|token| token.0.as_str())))
    }

    /// Sets a key.
    pub fn with(self, key: &str, value: Value) -> Self {
        let mut tables = self.without(key);
        tables.entries.push((key.into(), value));
        tables
    }

    /// Sets an integer.
    pub fn with_id(self, key: &str, id: TokenId) -> Self {
        self.with(key, Value::Unsigned(id.into()))
    }

    /// Removes a key.
    pub fn without(mut self, key: &str) -> Self {
        self.entries.retain(|(name, _)| name != key);
        self
    }

    pub fn try_load(&self) -> Result<Tokenizer> {
        Tokenizer::from_metadata(&self.entries.iter().cloned().collect::<Metadata>())
    }

    #[track_caller]
    pub fn load(&self) -> Tokenizer {
        self.try_load().unwrap()
    }
}

pub(super) fn strings<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(Array::String(items.map(String::from).collect()))
}

pub(super) fn integers(items: impl Iterator<Item = i64>) -> Value {
    Value::Array(Array::Signed(items.collect()))
}

pub(super) fn floats(items: impl Iterator<Item = f64>) -> Value {
    Value::Array(Array::Float(items.collect()))
}

/// The tokens of a text, written with `|` between them.
pub(super) fn shown(tokenizer: &Tokenizer, text: &str, start: Start) -> String {
    let ids = tokenizer.encode(text, start);
    ids.iter().map(|&id| tokenizer.name(id)).collect::<Vec<_>>().join("|")
}
