//! How much of the document goes into the prompt, in tokens, cut at line starts.
//!
//! The window depends on the text alone, not on earlier requests: the same request always gets the same prompt. Its
//! start still stays where it is while a person types, so that the cached keys and values stay valid: cuts fall on
//! a grid of round offsets in the document, the roundest that leave at least half of the room filled. A window
//! therefore begins about half full, grows, and then moves on.

use crate::tokenizer::{Start, TokenId, Tokenizer};
use std::ops::RangeInclusive;

/// Share of the room that the suffix gets when both sides are long, in percent. The prefix fills half to all of the
/// rest, so that it has 60 to 75 % of the tokens, two thirds on average.
const SUFFIX_SHARE_PERCENT: usize = 25;
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
        let bytes = step * BYTES_PER_TOKEN;
        self.until(self.prefix.len() / bytes * bytes).len() + step
    }

    /// The newest tokens, at most `budget`, and at least about half of it where the text has so many.
    fn window(&self, budget: usize) -> Vec<TokenId> {
        if self.from == 0 && self.tokens.len() <= budget {
            return self.tokens.clone();
        }
        // The number of tokens goes up and down while a word is typed. What decides is the text up to a round offset,
        // with a reserve for what comes after it, so that a window moves once and not to and fro.
        let step = 1 << (budget * BYTES_PER_TOKEN / STEPS / 2).max(1).ilog2();
        let settled = self.prefix.len() / step * step;
        let tokens = self.until(settled);
        let budget_before = (budget - (step / 2).min(budget)).max(1);
        let mut oldest = self.start_of(settled, tokens, budget_before);
        let newest = self.start_of(settled, tokens, budget_before.div_ceil(2));
        loop {
            let cut = cut_within(self.prefix, oldest..=newest);
            let mut tokens = self.tokenizer.encode(&self.prefix[cut..], self.start);
            if tokens.len() <= budget || cut >= newest {
                // The end of the text is what matters.
                tokens.drain(..tokens.len().saturating_sub(budget));
                return tokens;
            }
            oldest = self.prefix.ceil_char_boundary(cut + 1);
        }
    }

    /// The tokens that end at `offset` of the prefix or before it.
    fn until(&self, offset: usize) -> &[TokenId] {
        let mut end = self.from;
        let is_before = |token: &&TokenId| {
            end += self.tokenizer.bytes(**token).len();
            end <= offset
        };
        &self.tokens[..self.tokens.iter().take_while(is_before).count()]
    }

    /// Where the newest `count` of some tokens begin in the prefix, when they end at `offset`.
    fn start_of(&self, offset: usize, tokens: &[TokenId], count: usize) -> usize {
        let newest = &tokens[tokens.len().saturating_sub(count)..];
        let bytes: usize = newest.iter().map(|token| self.tokenizer.bytes(*token).len()).sum();
        self.prefix.ceil_char_boundary(offset.saturating_sub(bytes).max(self.from))
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
    let bytes_of =
        |tokens: &[TokenId]| tokens.iter().map(|token| tokenizer.bytes(*token).len()).sum::<usize>();
    let text = &region[..region.floor_char_boundary(bytes_of(&tokens))];
    if let Some(last) = text.rfind('\n').filter(|last| *last >= bytes_of(&tokens[..tokens.len() / 2])) {
        let lines = tokenizer.encode(&text[..=last], Start::Continuation);
        if lines.len() <= budget {
            return lines;
        }
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
