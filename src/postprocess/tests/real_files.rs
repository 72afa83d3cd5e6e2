//! Real files: what stands in them is shown as it is, and what stands behind the caret is not said again.

use super::super::{Context, Filters, finish};
use std::ops::Range;

/// Carets that are tried: one in so many.
const STEP: usize = 5;
/// How far a text runs over into what follows.
const OVERRUN_BYTES: usize = 40;

/// Cuts a hole into a file at the caret and fills it; counts the fills, and those that are not shown as `wanted`.
///
/// `hole` gives the end of the hole and the end of what is generated, from a file and a caret.
fn fill(hole: impl Fn(&str, usize) -> (usize, usize)) -> (usize, usize) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/texts");
    let (mut fills, mut wrong) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("golden texts") {
        let Ok(text) = std::fs::read_to_string(entry.expect("an entry").path()) else { continue };
        let text = text.replace("\r\n", "\n");
        for caret in text.char_indices().map(|(caret, _)| caret).step_by(STEP) {
            let (hole_end, generated_end) = hole(&text, caret);
            let wanted = text[caret..hole_end].trim_end();
            if wanted.is_empty() {
                continue;
            }
            let filters = Filters::default();
            let context = Context {
                prefix: &text[..caret],
                suffix: &text[hole_end..],
                language: None,
                is_cut_off: false,
                filters,
            };
            let shown = finish(&context, &text[caret..generated_end]);
            fills += 1;
            let is_wrong = shown.as_deref() != Ok(wanted);
            if is_wrong && wrong < 3 {
                // Shown only when the test fails.
                println!("{:?} | {wanted:?} -> {shown:?}", text[..caret].lines().next_back());
            }
            wrong += usize::from(is_wrong);
        }
    }
    assert!(fills > 1000, "{fills} carets");
    (fills, wrong)
}

fn per_mille((fills, wrong): (usize, usize)) -> usize {
    wrong * 1000 / fills
}

/// The rest of the line at a caret.
fn rest(text: &str, caret: usize) -> Range<usize> {
    caret..text[caret..].find('\n').map_or(text.len(), |length| caret + length)
}

/// The first half of the rest of the line.
fn half(text: &str, caret: usize) -> usize {
    let rest = rest(text, caret);
    (rest.start + rest.len() / 2..).find(|at| text.is_char_boundary(*at)).unwrap_or(rest.end)
}

#[test]
fn the_right_rest_of_a_line_is_shown() {
    let filled = fill(|text, caret| (rest(text, caret).end, rest(text, caret).end));
    assert_eq!(filled.1, 0, "{filled:?}");
}

#[test]
fn the_right_lines_are_shown() {
    let filled = fill(|text, caret| {
        let end = rest(text, caret).end;
        let end = text[end..].match_indices('\n').nth(3).map_or(text.len(), |(length, _)| end + length);
        (end, end)
    });
    assert!(
        per_mille(filled) <= 5,
        "{filled:?}: blocks that end deeper than they began look like repetitions"
    );
}

#[test]
fn the_right_middle_of_a_line_is_shown() {
    let filled = fill(|text, caret| (half(text, caret), half(text, caret)));
    assert!(per_mille(filled) <= 10, "{filled:?}: carets inside `::` and `==` look like repetitions");
}

#[test]
fn a_text_that_runs_over_ends_where_the_document_goes_on() {
    let filled = fill(|text, caret| {
        let over = rest(text, caret).end + OVERRUN_BYTES;
        let over = (over..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        (half(text, caret), over)
    });
    assert!(per_mille(filled) <= 20, "{filled:?}");
    let filled = fill(|text, caret| (half(text, caret), rest(text, caret).end));
    assert!(per_mille(filled) <= 20, "{filled:?}");
}
