//! Texts that say one thing over and over, or what the neighbouring lines say.

use super::matching::borders;
use super::surroundings::{Surroundings, is_word, last_bytes};

/// Bytes at the end of a text in which a period is looked for.
const MAX_BYTES: usize = 4096;
/// A repeated run has to be this long.
const MIN_RUN_BYTES: usize = 16;
/// So often a piece is repeated that holds words; pieces of one or two letters, as in rows of numbers, twice as often.
const MIN_TIMES: usize = 4;
/// Lines that are compared with those above and below.
const MAX_LINES: usize = 16;

/// Words that close a block, as brackets do elsewhere.
const CLOSING_WORDS: &[&str] = &["done", "else", "end", "endif", "esac", "fi"];

/// Whether at least half of a text, at its end, is one piece over and over. Rulers such as `-----` are no words, so
/// they may be long.
pub(super) fn is_repetitive(text: &str) -> bool {
    let tail: Vec<u8> = last_bytes(text.trim_end(), MAX_BYTES).bytes().rev().collect();
    let borders = borders(&tail);
    let runs = borders.iter().enumerate().map(|(index, border)| (index + 1, index + 1 - border));
    let is_run = |(length, period): &(usize, usize)| {
        let word_bytes = tail[..*period].iter().filter(|b| b.is_ascii_alphanumeric() || **b >= 0x80).count();
        let times = if word_bytes < 3 { 2 * MIN_TIMES } else { MIN_TIMES };
        // The last piece may lack its separator.
        word_bytes > 0 && *length >= MIN_RUN_BYTES && (length + 2) / period >= times
    };
    // The longest run first; one that holds is enough, and shorter ones are of no use.
    runs.rev().take_while(|(length, _)| length * 2 >= tail.len()).any(|run| is_run(&run))
}

/// Whether a text, once inserted, makes only lines that stand directly above or below.
///
/// Closers may repeat, and so may what is not words: a line that needs only its last bracket is not a new line.
pub(super) fn repeats_line(text: &str, around: &Surroundings) -> bool {
    if !text.contains(is_word) {
        return false;
    }
    let opens_new_line = text.split('\n').next().is_some_and(|line| line.trim().is_empty());
    let (typed, inserted) = match (opens_new_line, text.contains('\n')) {
        (true, _) => ("", text.to_owned()),
        (false, true) => (around.line_start, [around.line_start, text].concat()),
        (false, false) => (around.line_start, [around.line_start, text, around.line_rest].concat()),
    };
    let new: Vec<&str> = inserted.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
    if new.len() > MAX_LINES || new.iter().all(|line| is_closer(line)) {
        return false;
    }
    let typed_above = (typed.is_empty() && !around.starts_line()).then_some(around.line_start);
    let above: Vec<_> =
        typed_above.into_iter().chain(around.lines_above()).take(new.len()).map(str::trim).collect();
    let below: Vec<_> = around.lines_below().take(new.len()).map(str::trim).collect();
    above.iter().rev().eq(new.iter()) || below == new
}

/// Ends a text of several lines before its first one that says the same as the line above it, however indented: models
/// that have lost the thread go on like that, and a person does not. The first line is compared with the document's.
pub(super) fn without_repeated_lines<'t>(text: &'t str, around: &Surroundings) -> &'t str {
    if text.split('\n').filter(|line| !line.trim().is_empty()).count() < 2 {
        return text;
    }
    let mut start = 0;
    let mut above = around.lines_above().next().unwrap_or_default().trim().to_owned();
    for piece in text.split_inclusive('\n') {
        let typed = if start == 0 { around.line_start } else { "" };
        let line = [typed, piece].concat().trim().to_owned();
        if !piece.trim().is_empty() && line == above && !is_closer(&line) {
            return &text[..start];
        }
        if !line.is_empty() {
            above = line;
        }
        start += piece.len();
    }
    text
}

/// A line that only closes something, or says no word.
fn is_closer(line: &str) -> bool {
    let word = line.trim_matches(|c| !is_word(c));
    !line.contains(char::is_alphabetic) || CLOSING_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{CLOSING_WORDS, is_repetitive};

    #[test]
    fn only_runs_of_words_are_repetitive() {
        assert!(CLOSING_WORDS.is_sorted());
        for text in [
            "foo(foo(foo(foo(foo(",
            "x = self.a.a.a.a.a.a.a.a.a.a.a.a",
            "aaaaaaaaaaaaaaaaaaaa",
            "the same the same the same the same",
            "return one\nreturn one\nreturn one\nreturn one",
            "한글한글한글한글한글",
        ] {
            assert!(is_repetitive(text), "{text}");
        }
        for text in [
            "",
            "# ----------------------------------------",
            "0, 0, 0, 0, 0",
            "a, b, c, d, e, f, g, h",
            "))))))))))))))))))))",
            "self.a, self.b, self.c, self.d",
            "assert f(1) == 2 and f(1) == 2",
            "                        x",
        ] {
            assert!(!is_repetitive(text), "{text}");
        }
    }
}
