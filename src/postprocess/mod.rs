//! From generated text to insertable text. Pure functions over strings; no tokens, no models.
//!
//! The rules only cut: apart from indentation, what is shown is the beginning of what was generated. In order:
//!
//! | rule | what it does |
//! |---|---|
//! | `cleaning` | no broken or invisible characters, no white space at line ends |
//! | `indentation` | not twice what stands before the caret; the file's unit |
//! | `repetition` | one piece over and over is dropped |
//! | `overlap` | ends where the rest of the caret's line begins |
//! | `following` | ends where the next line of the document begins |
//! | `repetition` | of several lines ends before one that says the same as the line above it |
//! | `balance` | no closer too many, not in strings or comments; of several lines that are cut off none that stays open |
//! | `repetition` | the line above or below once more is dropped |
//! | `filters` | secrets, e-mail addresses, destructive commands, profanity |

mod balance;
mod cleaning;
pub mod filters;
mod following;
mod indentation;
mod matching;
mod overlap;
#[cfg(test)]
mod properties;
mod rejection;
mod repetition;
mod surroundings;
mod syntax;
#[cfg(test)]
mod tests;

pub use filters::Filters;
pub use rejection::Rejection;
pub use syntax::Language;

use surroundings::Surroundings;

/// The document around the caret, with line feeds only.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// All text before the caret.
    pub prefix: &'a str,
    /// All text after the caret.
    pub suffix: &'a str,
    /// Which comments and strings to expect; `None`: to be judged by the look of the text.
    pub language: Option<Language>,
    /// Whether the text did not end by itself: a budget or the number of lines ended it.
    pub is_cut_off: bool,
    /// Which filters apply.
    pub filters: Filters,
}

/// Makes a generated text insertable at the caret.
///
/// The time is linear in the generated text and in a bounded part of the document; only when a filter strikes, the
/// whole document is searched for the same text.
///
/// # Errors
/// The reason why nothing should be shown.
pub fn finish(context: &Context, generated: &str) -> Result<String, Rejection> {
    let around = Surroundings::new(context.prefix, context.suffix);
    let text = cleaning::clean(generated);
    let breaks_line = text.trim_start_matches([' ', '\t']).starts_with('\n');
    if text.trim().is_empty() || breaks_line && !around.ends_line() {
        return Err(Rejection::Blank);
    }
    if repetition::is_repetitive(&text) {
        return Err(Rejection::Repetitive);
    }
    let text = indentation::fit(&text, &around);
    let balance = balance::Balance::new(&around, context.language);
    let text = overlap::cut(&text, &around, &balance);
    let text = following::cut(text, &around, &balance);
    if text.trim().is_empty() {
        return Err(Rejection::AlreadyThere);
    }
    let thread = repetition::without_repeated_lines(text, &around);
    if thread.trim().is_empty() {
        return Err(Rejection::RepeatsLine);
    }
    let is_cut_off = context.is_cut_off || thread.len() < text.len();
    let text = balance.without_surplus(thread);
    let text = if is_cut_off { balance.without_open_end(text) } else { text }.trim_end();
    if text.is_empty() {
        return Err(Rejection::Unbalanced);
    }
    if repetition::repeats_line(text, &around) {
        return Err(Rejection::RepeatsLine);
    }
    filters::check(context, text)?;
    Ok(text.to_owned())
}
