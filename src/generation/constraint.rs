//! The bytes that an answer has to begin with, because they already stand before the caret.

use super::Vocabulary;

/// What is left of the constraint. A step may take part of it, all of it, or reach beyond it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraint {
    remaining: Vec<u8>,
}

impl Constraint {
    /// A constraint to these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { remaining: bytes }
    }

    /// Whether any token may follow.
    pub fn is_satisfied(&self) -> bool {
        self.remaining.is_empty()
    }

    /// The tokens that agree with what is left: those that begin with it, and those that it begins with.
    pub fn allowed(&self, vocabulary: &dyn Vocabulary) -> Vec<u32> {
        let mut allowed = vocabulary.starting_with(&self.remaining).to_vec();
        for length in 1..self.remaining.len() {
            let start = &self.remaining[..length];
            // Equal tokens come first in the order of bytes.
            let tokens = vocabulary.starting_with(start).iter();
            allowed.extend(tokens.take_while(|token| vocabulary.bytes(**token) == start));
        }
        allowed
    }

    /// Takes the bytes of a chosen token off.
    pub fn advance(&mut self, bytes: &[u8]) {
        let taken = bytes.len().min(self.remaining.len());
        debug_assert_eq!(bytes[..taken], self.remaining[..taken]);
        self.remaining.drain(..taken);
    }
}
