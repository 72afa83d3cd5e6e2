//! The prompt's tokens in the order of its format. Control ids come from the vocabulary, never from text.

use super::header::header;
use super::healing::heal;
use super::{PromptFormat, Window};
use crate::error::{Error, Result};
use crate::tokenizer::{Start, TokenId, Tokenizer};

/// Share of the room that the prefix gets when both sides are long, in percent.
const PREFIX_SHARE_PERCENT: usize = 65;
/// Start token and three markers.
const MAX_MARKERS: usize = 4;

/// A prompt, ready for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Token ids, start token included.
    pub tokens: Vec<TokenId>,
    /// The order they are in.
    pub format: PromptFormat,
    /// Bytes before the caret whose tokens were taken back: the answer has to begin with them.
    pub healed: Vec<u8>,
}

/// What a prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct PromptSource<'a> {
    /// The order of the pieces.
    pub format: PromptFormat,
    /// Text before the caret.
    pub prefix: &'a str,
    /// Text after the caret.
    pub suffix: &'a str,
    /// Path of the file, or empty.
    pub path: &'a str,
    /// The editor's language identifier, or empty.
    pub language_id: &'a str,
    /// Whether tokens before the caret may be taken back.
    pub healing: bool,
}

impl Prompt {
    /// Builds a prompt of at most `room_tokens` tokens.
    ///
    /// # Errors
    /// `request-invalid` when the room cannot hold header, markers and one token a side.
    pub fn build(
        tokenizer: &Tokenizer,
        window: &mut Window,
        source: &PromptSource<'_>,
        room_tokens: usize,
    ) -> Result<Self> {
        let special = tokenizer.special();
        let header = header(tokenizer, source.path, source.language_id);
        let room = room_tokens.checked_sub(MAX_MARKERS + header.len()).filter(|room| *room >= 2);
        let room = room.ok_or_else(|| Error::RequestInvalid {
            field: "maxNewTokens".into(),
            expected: "room for a prompt in the context".into(),
            found: format!("{room_tokens} tokens left"),
        })?;
        let (suffix_tokens, start) = match source.format {
            PromptFormat::Prefix => (Vec::new(), Start::Document),
            PromptFormat::Psm | PromptFormat::Spm => {
                (suffix(tokenizer, source.prefix, source.suffix, room), Start::Continuation)
            }
        };
        let mut prefix_tokens = window.prefix(tokenizer, source.prefix, room - suffix_tokens.len(), start);
        let healed = if source.healing { heal(tokenizer, &mut prefix_tokens) } else { Vec::new() };

        let mut tokens = Vec::new();
        if special.add_bos {
            tokens.extend(special.bos);
        }
        let pieces: [&[Option<TokenId>]; 2] = match source.format {
            PromptFormat::Prefix => [&[], &[]],
            PromptFormat::Psm => [&[special.fim_prefix], &[special.fim_suffix]],
            PromptFormat::Spm => [&[special.fim_suffix], &[special.fim_prefix]],
        };
        let first = pieces[0].iter().flatten().copied();
        let second = pieces[1].iter().flatten().copied();
        let before = header.into_iter().chain(prefix_tokens);
        match source.format {
            PromptFormat::Spm => tokens.extend(first.chain(suffix_tokens).chain(second).chain(before)),
            _ => tokens.extend(first.chain(before).chain(second).chain(suffix_tokens)),
        }
        if source.format != PromptFormat::Prefix {
            tokens.extend(special.fim_middle);
        }
        if tokens.is_empty() {
            // An empty document: the token that separates documents stands before its first one.
            tokens.extend(special.bos.or(special.eos));
        }
        Ok(Self { tokens, format: source.format, healed })
    }
}

/// Suffix tokens: their share of the room when both sides are long, and what a short prefix leaves.
fn suffix(tokenizer: &Tokenizer, prefix: &str, suffix: &str, room: usize) -> Vec<TokenId> {
    let share = room - room * PREFIX_SHARE_PERCENT / 100;
    // A token has at least one byte, so that a prefix of few bytes has few tokens.
    let budget = share.max(room - prefix.len().min(room));
    Window::suffix(tokenizer, suffix, budget.min(room - 1))
}
