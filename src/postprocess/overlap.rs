//! The rest of the caret's line: what stands there already is not said again.

use super::balance::Balance;
use super::matching::overlaps;
use super::surroundings::{Surroundings, is_word};

/// A rest of line that is at least this long, in bytes, is looked for anywhere in the text, not only at its end.
const MIN_REST_BYTES: usize = 4;

/// Cuts a text where it begins to repeat the rest of the caret's line.
///
/// Where only closing brackets are shared, the cut is made if it leaves the brackets in better or equal order:
/// `foo(|)` needs no second `)`, but `foo(|)` with `bar(a)` does.
pub(super) fn cut<'t>(text: &'t str, around: &Surroundings, balance: &Balance) -> &'t str {
    let rest = around.line_rest.trim();
    if rest.is_empty() {
        return text;
    }
    if text.trim() == rest {
        return "";
    }
    let text = &text[..whole_rest(text, rest).unwrap_or(text.len())];
    if let Some(end) = same_call(text, around.line_rest) {
        return &text[..end];
    }
    let mut lengths = overlaps(text, around.line_rest);
    lengths.extend(overlaps(text, rest));
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.dedup();
    let mut ends: Vec<_> = lengths.into_iter().map(|length| text.len() - length).collect();
    ends.retain(|end| counts(&text[*end..]));
    ends.truncate(8);
    ends.push(text.len());
    text[..balance.best_end(text, &ends)].trim_end()
}

/// White space or one letter that two texts share says nothing.
fn counts(shared: &str) -> bool {
    let mut characters = shared.trim().chars();
    match (characters.next(), characters.next()) {
        (None, _) => false,
        (Some(only), None) => !is_word(only),
        _ => true,
    }
}

/// Where the whole rest of the line stands in a text, as words of its own. Closers alone are left to the balance.
fn whole_rest(text: &str, rest: &str) -> Option<usize> {
    if rest.len() < MIN_REST_BYTES || !rest.contains(is_word) {
        return None;
    }
    let (starts_word, ends_word) = (rest.starts_with(is_word), rest.ends_with(is_word));
    text.match_indices(rest).map(|(at, _)| at).find(|at| {
        let inside_before = starts_word && text[..*at].ends_with(is_word);
        let inside_after = ends_word && text[at + rest.len()..].starts_with(is_word);
        !inside_before && !inside_after
    })
}

/// Where the text names a function and then calls it, while the rest of the line has the call already.
fn same_call(text: &str, rest: &str) -> Option<usize> {
    let end = text.find(|c| !is_word(c))?;
    (end > 0 && rest.starts_with('(') && text[end..].starts_with('(')).then_some(end)
}
