//! The lines below the caret: what stands there already is not said again.

use super::balance::Balance;
use super::surroundings::{Surroundings, is_word};

/// Cuts a text before its first line that is the next line of the document, indentation included.
///
/// Nothing is cut at the end of the document. A closer on a line of its own is cut only if the brackets do not need
/// both.
pub(super) fn cut<'t>(text: &'t str, around: &Surroundings, balance: &Balance) -> &'t str {
    if !around.ends_line() {
        return text;
    }
    let Some(next) = around.lines_below().next().map(str::trim_end) else { return text };
    let mut start = 0;
    let mut ends = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let is_next = match index {
            0 => around.starts_line() && same(around.line_start, line, next),
            _ => line.trim_end() == next,
        };
        if is_next {
            ends.push(start);
        }
        start += line.len() + 1;
    }
    let Some(first) = ends.first() else { return text };
    if next.contains(is_word) {
        return text[..*first].trim_end();
    }
    ends.truncate(8);
    ends.push(text.len());
    text[..balance.best_end(text, &ends)].trim_end()
}

/// Whether a line made of two parts is a third one.
fn same(start: &str, end: &str, line: &str) -> bool {
    line.strip_prefix(start) == Some(end.trim_end())
}
