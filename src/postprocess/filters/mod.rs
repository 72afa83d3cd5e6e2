//! Texts that should not be proposed unless the document holds them already. Each filter can be switched off.
//!
//! The rules are tables, each with its source: [`secret_rules`], [`destructive_rules`] and `profanity.txt`.

mod destructive;
mod destructive_rules;
mod email;
mod profanity;
mod secret_rules;
mod secrets;

use super::surroundings::last_bytes;
use super::{Context, Rejection};
use std::ops::Range;

/// Bytes of the caret's line that are read together with the text.
const LOOK_BEHIND_BYTES: usize = 512;

/// A private key's header is looked for in so many bytes before the caret.
const PEM_BYTES: usize = 8192;

/// Which filters apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filters {
    /// Keys, tokens and private keys.
    pub secrets: bool,
    /// E-mail addresses.
    pub emails: bool,
    /// Commands that destroy data.
    pub destructive: bool,
    /// Swear words.
    pub profanity: bool,
}

impl Default for Filters {
    /// All of them.
    fn default() -> Self {
        Self { secrets: true, emails: true, destructive: true, profanity: true }
    }
}

/// Finds the places of a text at which a filter strikes.
type Find = fn(&str) -> Vec<Range<usize>>;

/// Looks for what should not be proposed, also where the text only completes what stands before the caret.
///
/// # Errors
/// The filter that strikes.
pub(super) fn check(context: &Context, text: &str) -> Result<(), Rejection> {
    let on = context.filters;
    let line_start = context.prefix.rsplit('\n').next().unwrap_or_default();
    let line_start = last_bytes(line_start, LOOK_BEHIND_BYTES);
    let line = [line_start, text].concat();
    if on.secrets && secrets::continues_private_key(last_bytes(context.prefix, PEM_BYTES), text) {
        return Err(Rejection::Secret);
    }
    let filters: [(bool, Find, Rejection); 4] = [
        (on.secrets, secrets::find, Rejection::Secret),
        (on.emails, email::find, Rejection::Email),
        (on.destructive, destructive::find, Rejection::DestructiveCommand),
        (on.profanity, profanity::find, Rejection::Profanity),
    ];
    for (is_on, find, rejection) in filters {
        // What stands before the caret alone is held by the document.
        if is_on && find(&line).into_iter().any(|place| !holds(context, &line[place])) {
            return Err(rejection);
        }
    }
    Ok(())
}

/// Whether the document holds a text already.
fn holds(context: &Context, text: &str) -> bool {
    context.prefix.contains(text) || context.suffix.contains(text)
}
