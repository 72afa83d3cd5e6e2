//! A text under construction, and why one ended.

use super::{Constraint, Vocabulary};

/// Why decoding ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The line is complete.
    Line,
    /// An empty line came.
    BlankLine,
    /// The next line of the document came.
    SuffixLine,
    /// The block was closed.
    BlockEnd,
    /// A line came that is indented less than the block.
    Dedent,
    /// The block has as many lines as were asked for.
    MaxLines,
    /// The model chose an end token.
    EndToken,
    /// The token budget is used up.
    TokenBudget,
    /// The time budget is used up.
    TimeBudget,
    /// The context has no room for another token.
    Context,
    /// No token could be chosen: every logit was NaN or banned.
    NoToken,
}

impl StopReason {
    /// Whether the text ended by itself, and not because there was no more room, time or lines for it.
    pub fn is_complete(self) -> bool {
        matches!(
            self,
            Self::Line | Self::EndToken | Self::SuffixLine | Self::BlockEnd | Self::Dedent | Self::BlankLine
        )
    }

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::BlankLine => "blank-line",
            Self::SuffixLine => "suffix-line",
            Self::BlockEnd => "block-end",
            Self::Dedent => "dedent",
            Self::MaxLines => "max-lines",
            Self::EndToken => "end-token",
            Self::TokenBudget => "token-budget",
            Self::TimeBudget => "time-budget",
            Self::Context => "context",
            Self::NoToken => "no-token",
        }
    }
}

/// Tokens chosen so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hypothesis {
    /// Their text, with what stands before the caret first where tokens were taken back.
    pub bytes: Vec<u8>,
    /// The tokens.
    pub tokens: Vec<u32>,
    /// Sum of their log-probabilities.
    pub log_prob: f32,
    /// What the next tokens have to begin with.
    pub constraint: Constraint,
}

impl Hypothesis {
    /// Mean log-probability a token; 0 for an empty hypothesis.
    pub fn score(&self) -> f32 {
        if self.tokens.is_empty() { 0.0 } else { self.log_prob / self.tokens.len() as f32 }
    }

    /// This one with a token more.
    pub(super) fn extended(&self, token: u32, log_prob: f32, vocabulary: &dyn Vocabulary) -> Self {
        let mut longer = self.clone();
        let bytes = vocabulary.bytes(token);
        longer.bytes.extend_from_slice(bytes);
        longer.tokens.push(token);
        longer.log_prob += log_prob;
        longer.constraint.advance(bytes);
        longer
    }
}
