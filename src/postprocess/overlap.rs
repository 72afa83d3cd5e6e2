//! The rest of the caret's line: what stands there already is not said again.

use super::balance::Balance;
use super::matching::overlaps;
use super::surroundings::{Surroundings, is_word};

/// A rest of line that is at least this long, in bytes, is looked for anywhere in the text, not only at its end.
const MIN_REST_BYTES: usize = 4;
/// Places for a cut that are compared, besides none.
const MAX_ENDS: usize = 8;

/// Cuts a text where it begins to repeat the rest of the caret's line.
///
/// Where only closing brackets are shared, the cut is made if it leaves the brackets in better or equal order:
/// `foo(|)` needs no second `)`, but `foo(|)` with `bar(a)` does.
pub(super) fn cut<'t>(text: &'t str, around: &Surroundings, balance: &Balance) -> &'t str {
    let rest = around.line_rest.trim();
    if rest.is_empty() {
        return text;
    }
    if text.trim() == rest && rest.contains(is_word) {
        return "";
    }
    let text = &text[..whole_rest(text, rest).unwrap_or(text.len())];
    if let Some(end) = same_call(text, around.line_rest) {
        return &text[..end];
    }
    let mut ends: Vec<_> = ends_at_rest(text, around.line_rest).collect();
    ends.extend(ends_at_rest(text, rest));
    ends.sort_unstable();
    ends.truncate(MAX_ENDS);
    ends.push(text.len());
    text[..balance.best_end(text, &ends)].trim_end()
}

/// Where a text may end, because what it has there on is how `rest` begins, up to the end of the text; or all of
/// `rest`, up to the end of the text's first line.
fn ends_at_rest(text: &str, rest: &str) -> impl Iterator<Item = usize> {
    let first_line = text.split('\n').next().unwrap_or_default();
    let of_line = first_line.strip_suffix(rest.trim_end()).map(str::len);
    let ends = overlaps(text, rest).into_iter().map(|length| text.len() - length);
    let parts_words = move |end: &usize| {
        let (before, shared) = text.split_at(*end);
        let goes_on = rest.len() > shared.len() && rest[shared.len()..].starts_with(is_word);
        // Half of one word is like half of many others.
        let is_inside = before.ends_with(is_word) && shared.starts_with(is_word) && goes_on;
        !is_inside || rest.len() <= shared.len()
    };
    let ends = ends.filter(|end| counts(&text[*end..])).filter(parts_words);
    ends.chain(of_line.filter(|end| counts(&first_line[*end..])))
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
        let after = &text[at + rest.len()..];
        let inside_before = starts_word && text[..*at].ends_with(is_word);
        let inside_after = ends_word && after.starts_with(is_word);
        !inside_before && !inside_after || after.is_empty() || after.starts_with('\n')
    })
}

/// Where the text names a function and then calls it, while the rest of the line has the call already.
fn same_call(text: &str, rest: &str) -> Option<usize> {
    let end = text.find(|c| !is_word(c))?;
    let is_call = text[end..].starts_with('(') && text.trim_end_matches([' ', ';', ':', '{']).ends_with(')');
    (end > 0 && rest.starts_with('(') && is_call).then_some(end)
}
