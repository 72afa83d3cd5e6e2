//! Decoding: which token next, when to stop, what text came out. Knows neither the model nor Burn: only logits
//! and a [`Vocabulary`].

mod beam;
mod candidates;
mod constraint;
mod ending;
mod hypothesis;

pub use beam::{Answer, BeamOptions, BeamSearch, Decision, Step};
pub use constraint::Constraint;
pub use ending::{Block, Ending, columns};
pub use hypothesis::{Hypothesis, StopReason};

/// What decoding has to know about tokens.
pub trait Vocabulary {
    /// The text bytes of a token; empty for tokens without text.
    fn bytes(&self, token: u32) -> &[u8];
    /// The tokens whose text begins with `bytes`, equal ones included and first, in the order of their bytes.
    fn starting_with(&self, bytes: &[u8]) -> &[u32];
    /// Whether the token ends the answer.
    fn is_end(&self, token: u32) -> bool;
    /// Ids that must never be chosen: control tokens that neither end the answer nor carry text.
    fn banned(&self) -> &[u32];
}
