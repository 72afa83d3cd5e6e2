//! How much of the document goes into the prompt, in tokens, cut at line starts.
//!
//! The window depends on the text alone, not on earlier requests: the same request always gets the same prompt. Its
//! start still stays where it is while a person types, so that the cached keys and values stay valid: cuts fall on
//! a grid of round offsets in the document, the roundest that leave at least half of the room filled. A window
//! therefore begins about half full, grows, and then moves on.

use crate::tokenizer::{Start, TokenId, Tokenizer};
use std::ops::RangeInclusive;

/// Share of the room that the suffix gets when both sides are long, in percent; the prefix gets the rest.
const SUFFIX_SHARE_PERCENT: usize = 30;
/// The room between the sides is divided in so many steps: a suffix is cut anew only when the prefix has grown by one.
const STEPS: usize = 8;
/// Code has three to four bytes a token.
const BYTES_PER_TOKEN: usize = 3;
/// Text beyond this many bytes a token is not looked at: long documents cost no more than the window.
const MAX_BYTES_PER_TOKEN: usize = 8;

/// The tokens on both sides of the caret that fit into `room` tokens together, those of the prefix first.
///
/// A side that needs less than its share leaves the rest to the other one.
pub(super) fn around(
    tokenizer: &Tokenizer,
    prefix: &str,
    suffix: &str,
    room: usize,
    start: Start,
) -> (Vec<TokenId>, Vec<TokenId>) {
    let near = Near::new(tokenizer, prefix, room, start);
    let share = room * SUFFIX_SHARE_PERCENT / 100;
    let suffix = after(tokenizer, suffix, share.max(room - near.allotment(room).min(room)));
    (near.window(room - suffix.len()), suffix)
}

/// The tokens before the caret that fit into `room` tokens.
pub(super) fn before(tokenizer: &Tokenizer, prefix: &str, room: usize, start: Start) -> Vec<TokenId> {
    Near::new(tokenizer, prefix, room, start).window(room)
}

/// The end of the text before the caret: more of it than any window takes, or all.
struct Near<'a> {
    tokenizer: &'a Tokenizer,
    prefix: &'a str,
    start: Start,
    /// Where it begins in `prefix`.
    from: usize,
    tokens: Vec<TokenId>,
}

impl<'a> Near<'a> {
    fn new(tokenizer: &'a Tokenizer, prefix: &'a str, room: usize, start: Start) -> Self {
        let bytes = room.saturating_mul(MAX_BYTES_PER_TOKEN).max(1);
        // Rounded, so that what is looked at begins at the same place while the text grows.
        let from = prefix.len().saturating_sub(bytes).next_multiple_of((bytes / 4).next_power_of_two());
        let from = prefix.ceil_char_boundary(from.min(prefix.len()));
        Self { tokenizer, prefix, start, from, tokens: tokenizer.encode(&prefix[from..], start) }
    }

    /// Tokens that the prefix needs, rounded up so that it can grow a while without a change.
    fn allotment(&self, room: usize) -> usize {
        if self.from > 0 {
            return room;
        }
        let step = room.div_ceil(STEPS);
        let rounded = self.prefix.len() / (step * BYTES_PER_TOKEN) * (step * BYTES_PER_TOKEN);
        let mut bytes = 0;
        let is_before = |token: &&TokenId| {
            bytes += self.tokenizer.bytes(**token).len();
            bytes <= rounded
        };
        self.tokens.iter().take_while(is_before).count() + step
    }

    /// The newest tokens, at most `budget`, and at least about half of it where the text has so many.
    fn window(&self, budget: usize) -> Vec<TokenId> {
        if self.from == 0 && self.tokens.len() <= budget {
            return self.tokens.clone();
        }
        let (mut oldest, newest) = (self.start_of(budget), self.start_of(budget.div_ceil(2)));
        loop {
            let cut = cut_within(self.prefix, oldest..=newest);
            let mut tokens = self.tokenizer.encode(&self.prefix[cut..], self.start);
            if tokens.len() <= budget || cut >= newest {
                // The end of the text is what matters.
                tokens.drain(..tokens.len().saturating_sub(budget));
                return tokens;
            }
            // Tokens can differ at the new start.
            oldest = self.prefix.ceil_char_boundary(cut + 1);
        }
    }

    /// Where the newest `count` tokens begin in the prefix.
    fn start_of(&self, count: usize) -> usize {
        let newest = &self.tokens[self.tokens.len().saturating_sub(count)..];
        let bytes: usize = newest.iter().map(|token| self.tokenizer.bytes(*token).len()).sum();
        self.prefix.ceil_char_boundary(self.prefix.len().saturating_sub(bytes).max(self.from))
    }
}

/// A place to cut: the first line start after the roundest offset that has one, else the roundest offset.
fn cut_within(text: &str, places: RangeInclusive<usize>) -> usize {
    let (oldest, newest) = (*places.start(), *places.end());
    let round = |bits: u32| oldest.checked_next_multiple_of(1 << bits).filter(|offset| *offset <= newest);
    let line_start = |offset: usize| match offset {
        0 => Some(0),
        _ => text.as_bytes()[offset - 1..newest].iter().position(|byte| *byte == b'\n').map(|at| offset + at),
    };
    let offsets = || (0..usize::BITS - 1).rev().filter_map(round);
    let line = offsets().find_map(line_start);
    line.or_else(|| offsets().next()).map_or(newest, |cut| text.ceil_char_boundary(cut).min(newest))
}

/// The tokens of the start of `suffix`, at most `budget`, ending at the end of a line where one is near, and never
/// inside a character.
fn after(tokenizer: &Tokenizer, suffix: &str, budget: usize) -> Vec<TokenId> {
    let region = &suffix[..suffix.floor_char_boundary(budget.saturating_mul(MAX_BYTES_PER_TOKEN))];
    let mut tokens = tokenizer.encode(region, Start::Continuation);
    if tokens.len() <= budget && region.len() == suffix.len() {
        return tokens;
    }
    tokens.truncate(budget);
    let ends_line = |token: &TokenId| tokenizer.bytes(*token).contains(&b'\n');
    if let Some(last) = tokens.iter().rposition(ends_line).filter(|last| *last >= budget / 2) {
        tokens.truncate(last + 1);
    }
    while ends_inside_character(&tokenizer.decode(&tokens[tokens.len().saturating_sub(4)..])) {
        tokens.pop();
    }
    tokens
}

/// Whether the last character of a text lacks bytes.
fn ends_inside_character(bytes: &[u8]) -> bool {
    let start = bytes.iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
    std::str::from_utf8(&bytes[start..]).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_the_line_start_after_the_roundest_offset() {
        let text: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let mut moves = 0;
        let mut last = 0;
        for newest in 600..text.len() {
            let cut = cut_within(&text, newest - 500..=newest);
            assert!((newest - 500..=newest).contains(&cut) && text[..cut].ends_with('\n'));
            moves += usize::from(cut != last);
            last = cut;
        }
        assert!(moves <= (text.len() - 600) / 250 + 1, "{moves} moves in {} bytes", text.len());
        assert_eq!(cut_within(&text, 0..=90), 0);
    }

    #[test]
    fn without_a_line_start_a_cut_keeps_whole_characters() {
        let text = "한글😀é".repeat(40);
        for oldest in 0..text.len() - 60 {
            let oldest = text.ceil_char_boundary(oldest);
            let newest = text.ceil_char_boundary(oldest + 50);
            let cut = cut_within(&text, oldest..=newest);
            assert!(text.is_char_boundary(cut) && (oldest..=newest).contains(&cut));
        }
        assert_eq!(cut_within("abc", 1..=1), 1);
    }

    #[test]
    fn the_last_character_is_whole() {
        for (bytes, inside) in [("a한", false), ("", false), ("a", false)] {
            assert_eq!(ends_inside_character(bytes.as_bytes()), inside);
        }
        assert!(ends_inside_character(&"a한".as_bytes()[..3]));
        assert!(ends_inside_character(&"😀".as_bytes()[..1]));
        assert!(!ends_inside_character(b"\x80\x80"));
    }
}
