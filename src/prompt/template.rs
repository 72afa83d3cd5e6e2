//! The prompt's tokens in the order of its format. Control ids come from the vocabulary, never from text.

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

impl Prompt {
    /// Builds a prompt of at most `room_tokens` tokens.
    ///
    /// # Errors
    /// `request-invalid` when the room cannot hold the markers and one token a side.
    pub fn build(
        tokenizer: &Tokenizer,
        window: &mut Window,
        format: PromptFormat,
        prefix: &str,
        suffix: &str,
        room_tokens: usize,
        healing: bool,
    ) -> Result<Self> {
        let room = room_tokens.checked_sub(MAX_MARKERS).filter(|room| *room >= 2).ok_or_else(|| {
            Error::RequestInvalid {
                field: "maxNewTokens".into(),
                expected: "room for a prompt in the context".into(),
                found: format!("{room_tokens} tokens left"),
            }
        })?;
        let special = tokenizer.special();
        let mut tokens = Vec::new();
        if special.add_bos {
            tokens.extend(special.bos);
        }
        if format == PromptFormat::Prefix {
            let mut prefix_tokens = window.prefix(tokenizer, prefix, room, Start::Document);
            let healed = if healing { heal(tokenizer, &mut prefix_tokens) } else { Vec::new() };
            tokens.extend(prefix_tokens);
            if tokens.is_empty() {
                // An empty document: the token that separates documents stands before its first one.
                tokens.extend(special.bos.or(special.eos));
            }
            return Ok(Self { tokens, format, healed });
        }

        let suffix_share = room - room * PREFIX_SHARE_PERCENT / 100;
        let mut suffix_tokens = Window::suffix(tokenizer, suffix, room - 1);
        // A short prefix leaves its unused room to the suffix, and the other way round.
        let short_prefix = prefix.len() < room - suffix_share;
        if suffix_tokens.len() > suffix_share && !short_prefix {
            suffix_tokens = Window::suffix(tokenizer, suffix, suffix_share);
        } else if short_prefix {
            suffix_tokens = Window::suffix(tokenizer, suffix, room - prefix.len().min(room - 1));
        }
        let prefix_room = room - suffix_tokens.len();
        let mut prefix_tokens = window.prefix(tokenizer, prefix, prefix_room, Start::Continuation);
        let healed = if healing { heal(tokenizer, &mut prefix_tokens) } else { Vec::new() };
        match format {
            PromptFormat::Spm => {
                tokens.extend(special.fim_suffix);
                tokens.extend(suffix_tokens);
                tokens.extend(special.fim_prefix);
                tokens.extend(prefix_tokens);
            }
            _ => {
                tokens.extend(special.fim_prefix);
                tokens.extend(prefix_tokens);
                tokens.extend(special.fim_suffix);
                tokens.extend(suffix_tokens);
            }
        }
        tokens.extend(special.fim_middle);
        Ok(Self { tokens, format, healed })
    }
}
