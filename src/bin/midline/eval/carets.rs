//! The three carets of a line: after the indentation, at the start of a word or sign, and inside a name.
//!
//! Boundaries are lexical, not those of a vocabulary, so that every model is asked at the same places.

use super::random::Random;

/// A caret in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caret {
    /// `a`, `b` or `c`.
    pub kind: &'static str,
    /// Bytes of the line before it.
    pub at: usize,
}

/// A name's letters that are typed before caret (c), at least.
const TYPED_LETTERS: usize = 2;
/// Longer lines are generated or data.
const MAX_LINE_BYTES: usize = 160;

/// The carets of a line, in the order of their places; `None` for a line that has not all three: a blank one, a
/// comment, one without a name of three letters, one without a boundary inside.
pub fn carets(line: &str, random: &mut Random) -> Option<[Caret; 3]> {
    let text = line.trim_end();
    let start = text.len() - text.trim_start().len();
    let is_comment =
        ["#", "//", "/*", "*", "\"\"\"", "'''"].iter().any(|sign| text[start..].starts_with(sign));
    if text.len() > MAX_LINE_BYTES || is_comment {
        return None;
    }
    let starts: Vec<usize> = word_starts(text).filter(|at| *at > start).collect();
    let insides: Vec<usize> = inside_names(text).collect();
    if starts.is_empty() || insides.is_empty() {
        return None;
    }
    let boundary = starts[random.below(starts.len())];
    let inside = insides[random.below(insides.len())];
    let mut carets = [("a", start), ("b", boundary), ("c", inside)].map(|(kind, at)| Caret { kind, at });
    carets.sort_by_key(|caret| (caret.at, caret.kind));
    Some(carets)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a name, a number or a sign begins.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let starts = !c.is_whitespace() && (!is_name(c) || !is_name(before));
        before = c;
        starts.then_some(at)
    })
}

/// Every place inside a name with two or more of its letters before it.
fn inside_names(text: &str) -> impl Iterator<Item = usize> {
    let mut letters = 0;
    let mut is_number = false;
    text.char_indices().filter_map(move |(at, c)| {
        if !is_name(c) {
            letters = 0;
            return None;
        }
        if letters == 0 {
            is_number = c.is_numeric();
        }
        letters += 1;
        (letters > TYPED_LETTERS && !is_number).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lexical() {
        let text = "  foo.bar(12, é_x)";
        assert_eq!(word_starts(text).collect::<Vec<_>>(), [2, 5, 6, 9, 10, 12, 14, 18]);
        let insides: Vec<_> = inside_names(text).map(|at| &text[at..]).collect();
        assert_eq!(insides, ["o.bar(12, é_x)", "r(12, é_x)", "x)"]);
        assert_eq!(inside_names("x = 1234").count(), 0, "a number is no name");
    }

    #[test]
    fn a_line_has_three_carets_or_none() {
        let line = "        return self.items[index]  ";
        for seed in 0..50 {
            let carets = carets(line, &mut Random::new(seed)).expect("carets");
            assert!(carets.is_sorted_by_key(|caret| caret.at));
            for caret in carets {
                let (before, after) = line.split_at(caret.at);
                match caret.kind {
                    "a" => assert!(before.trim().is_empty() && after.starts_with("return")),
                    "b" => assert!(caret.at > 8 && !after.trim().is_empty()),
                    _ => assert!(before.ends_with(is_name) && after.starts_with(is_name)),
                }
            }
        }
        for line in ["", "   ", "# a comment", "  // note this", "}", "a = b", "x", &"long ".repeat(40)] {
            assert_eq!(carets(line, &mut Random::new(1)), None, "{line:?}");
        }
    }
}
