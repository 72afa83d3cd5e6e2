//! Just enough syntax to tell code from strings and comments, for any language and any broken text.

mod language;
mod scanner;
#[cfg(test)]
mod tests;

pub use language::Language;
pub(super) use scanner::{Mode, Scanner};
