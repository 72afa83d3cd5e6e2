//! What the rules look at: bounded windows of the document around the caret.

/// Bytes of the document that the rules look at on each side of the caret.
const WINDOW_BYTES: usize = 32 * 1024;

/// The document near the caret. All parts have line feeds only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The end of the text before the caret.
    pub before: &'a str,
    /// The caret's line up to the caret.
    pub line_start: &'a str,
    /// The caret's line from the caret on.
    pub line_rest: &'a str,
    /// The lines after the caret's line; empty at the end of the document.
    pub below: &'a str,
    /// Whether text before `before` was left out.
    pub before_is_cut: bool,
    /// Whether text after `below` was left out.
    pub after_is_cut: bool,
}

impl<'a> Surroundings<'a> {
    /// Takes the windows out of a document.
    pub fn new(prefix: &'a str, suffix: &'a str) -> Self {
        let before = last_bytes(prefix, WINDOW_BYTES);
        let after = first_bytes(suffix, WINDOW_BYTES);
        let line_start = before.rsplit('\n').next().unwrap_or_default();
        let (line_rest, below) = after.split_once('\n').unwrap_or((after, ""));
        Self {
            before,
            line_start,
            line_rest,
            below,
            before_is_cut: before.len() < prefix.len(),
            after_is_cut: after.len() < suffix.len(),
        }
    }

    /// Non-blank lines above the caret's line, nearest first.
    pub fn lines_above(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let above = &self.before[..self.before.len() - self.line_start.len()];
        above.rsplit('\n').filter(|line| !line.trim().is_empty())
    }

    /// Non-blank lines below the caret's line, nearest first.
    pub fn lines_below(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.below.split('\n').filter(|line| !line.trim().is_empty())
    }

    /// Whether only white space stands before the caret on its line.
    pub fn starts_line(&self) -> bool {
        self.line_start.trim().is_empty()
    }

    /// Whether only white space stands after the caret on its line.
    pub fn ends_line(&self) -> bool {
        self.line_rest.trim().is_empty()
    }
}

/// The last bytes of a text, at most `limit`, from a character's start.
pub(super) fn last_bytes(text: &str, limit: usize) -> &str {
    let mut start = text.len().saturating_sub(limit);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The first bytes of a text, at most `limit`, up to a character's end.
pub(super) fn first_bytes(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A character of names and numbers.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::{Surroundings, first_bytes, last_bytes};

    #[test]
    fn windows_never_cut_a_character() {
        assert_eq!((last_bytes("a😀b", 3), first_bytes("a😀b", 3)), ("b", "a"));
        assert_eq!((last_bytes("ab", 9), first_bytes("ab", 9)), ("ab", "ab"));
    }

    #[test]
    fn lines_are_told_from_the_caret() {
        let around = Surroundings::new("a\nb\n\n  c", "d \n\n e\nf");
        assert_eq!((around.line_start, around.line_rest), ("  c", "d "));
        assert_eq!(around.lines_above().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(around.lines_below().collect::<Vec<_>>(), [" e", "f"]);
        let alone = Surroundings::new("", "");
        assert_eq!((alone.lines_above().count(), alone.lines_below().count()), (0, 0));
        assert!(alone.starts_line() && alone.ends_line());
    }
}
