//! Token healing: how many tokens before the caret are taken back, so that the model may choose a token that reaches
//! over the caret.
//!
//! Tokens of the training text rarely end where a person stops typing. As long as some token of the vocabulary is
//! longer than the text after a token boundary and begins with it, that boundary may be one the model has never
//! seen. The tokens after it are dropped from the prompt, and their bytes become a constraint on the answer.

use crate::tokenizer::{TokenId, Tokenizer};

/// No name or indentation is cut into more pieces than this.
const MAX_TOKENS: usize = 8;

/// Splits the tokens before the caret: those that stay, and the bytes that the answer has to begin with.
///
/// The cut is the longest end of the text that begins at a token boundary between characters, that some token
/// extends, and that the vocabulary can spell from any place in it on: the constraint never comes to a dead end.
pub(super) fn heal(tokenizer: &Tokenizer, tokens: &mut Vec<TokenId>) -> Vec<u8> {
    let mut cut = Vec::new();
    let mut healed = (tokens.len(), Vec::new());
    for (index, token) in tokens.iter().enumerate().rev().take(MAX_TOKENS) {
        let bytes = tokenizer.bytes(*token);
        if bytes.is_empty() || cut.len() + bytes.len() >= tokenizer.longest_token_bytes() {
            break;
        }
        let places = bytes.len();
        cut.splice(0..0, bytes.iter().copied());
        if !(1..=places).all(|place| place == cut.len() || can_go_on(tokenizer, &cut[place..])) {
            break;
        }
        let extended = |token: &TokenId| tokenizer.bytes(*token).len() > cut.len();
        if starts_character(cut[0]) && tokenizer.starting_with(&cut).iter().any(extended) {
            healed = (index, cut.clone());
        }
    }
    tokens.truncate(healed.0);
    healed.1
}

/// Whether some token begins `rest`, or begins with it.
fn can_go_on(tokenizer: &Tokenizer, rest: &[u8]) -> bool {
    (1..=rest.len()).any(|length| {
        let tokens = tokenizer.starting_with(&rest[..length]);
        // Equal tokens come first in the order of bytes.
        tokens.first().is_some_and(|token| length == rest.len() || tokenizer.bytes(*token).len() == length)
    })
}

/// Whether a byte of UTF-8 is the first of its character.
fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
