//! How much of the document goes into the prompt, in tokens, cut at line starts.
//!
//! A window keeps its start while the text grows, so that the cached keys and values stay valid. Only when the
//! text no longer fits does a new window begin, at half of the room: typing then has the other half before the
//! next move.

use crate::tokenizer::{Start, TokenId, Tokenizer};

/// Text beyond this many bytes a token is not looked at: long documents cost no more than the window.
const MAX_BYTES_PER_TOKEN: usize = 16;
/// The start of a window is recognised by this many bytes of text.
const ANCHOR_BYTES: usize = 256;

/// Remembers where the last window began.
#[derive(Debug, Default)]
pub struct Window {
    anchor: String,
}

impl Window {
    /// Tokens of the end of `prefix`, at most `budget_tokens`, starting at the start of a line where one is near.
    pub fn prefix(
        &mut self,
        tokenizer: &Tokenizer,
        prefix: &str,
        budget_tokens: usize,
        start: Start,
    ) -> Vec<TokenId> {
        let region = tail(prefix, budget_tokens.saturating_mul(MAX_BYTES_PER_TOKEN));
        let anchored = (!self.anchor.is_empty()).then(|| region.find(&self.anchor)).flatten();
        let whole = (region.len() == prefix.len()).then_some(0);
        for from in [anchored, whole].into_iter().flatten() {
            let tokens = tokenizer.encode(&region[from..], start);
            // An anchor found close to the end is some other place with the same text.
            if tokens.len() <= budget_tokens && (from == 0 || tokens.len() * 2 >= budget_tokens.min(64)) {
                self.remember(&region[from..]);
                return tokens;
            }
        }
        let text = newest_lines(tokenizer, region, budget_tokens.div_ceil(2));
        self.remember(text);
        let mut tokens = tokenizer.encode(text, start);
        // Tokens can differ at the new start; the end of the text is what matters.
        tokens.drain(..tokens.len().saturating_sub(budget_tokens));
        tokens
    }

    fn remember(&mut self, text: &str) {
        self.anchor = head(text, ANCHOR_BYTES).to_owned();
    }

    /// Tokens of the start of `suffix`, at most `budget_tokens`, ending at the end of a line where one is near.
    pub fn suffix(tokenizer: &Tokenizer, suffix: &str, budget_tokens: usize) -> Vec<TokenId> {
        let region = head(suffix, budget_tokens.saturating_mul(MAX_BYTES_PER_TOKEN));
        let mut tokens = tokenizer.encode(region, Start::Continuation);
        if tokens.len() <= budget_tokens {
            return tokens;
        }
        tokens.truncate(budget_tokens);
        let ends_line = |token: &TokenId| tokenizer.bytes(*token).contains(&b'\n');
        if let Some(last) = tokens.iter().rposition(ends_line).filter(|last| *last >= budget_tokens / 2) {
            tokens.truncate(last + 1);
        }
        tokens
    }
}

/// The longest end of `text` of about `budget_tokens` tokens that starts a line; without a line start near, the
/// cut is at a token.
fn newest_lines<'a>(tokenizer: &Tokenizer, text: &'a str, budget_tokens: usize) -> &'a str {
    let text = tail(text, budget_tokens.saturating_mul(MAX_BYTES_PER_TOKEN));
    let tokens = tokenizer.encode(text, Start::Continuation);
    let newest = &tokens[tokens.len().saturating_sub(budget_tokens)..];
    let bytes: usize = newest.iter().map(|token| tokenizer.bytes(*token).len()).sum();
    let cut = tail(text, bytes);
    match cut.find('\n') {
        _ if cut.len() == text.len() => text,
        Some(end_of_line) if end_of_line + 1 < cut.len() && end_of_line * 2 < cut.len() => {
            &cut[end_of_line + 1..]
        }
        _ => cut,
    }
}

/// The last `bytes` of a text, rounded down to whole characters.
fn tail(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The first `bytes` of a text, rounded down to whole characters.
fn head(text: &str, bytes: usize) -> &str {
    let mut to = bytes.min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}

#[cfg(test)]
mod tests {
    use super::{head, tail};

    #[test]
    fn cuts_keep_whole_characters() {
        for bytes in 0..=9 {
            assert!("aé한😀".ends_with(tail("aé한😀", bytes)));
            assert!("aé한😀".starts_with(head("aé한😀", bytes)));
        }
        assert_eq!(tail("aé한😀", 5), "😀");
        assert_eq!(head("aé한😀", 5), "aé");
    }
}
