//! The `llama` model: SentencePiece-style BPE. The adjacent pair whose union is the best-scored token merges first;
//! characters outside of the vocabulary become byte tokens.
//!
//! The vocabulary is held with spaces instead of U+2581, so a literal U+2581 in a text is just another character
//! that falls back to bytes and comes back unchanged (SentencePiece and llama.cpp turn it into a space).

use super::TokenId;
use super::merge::{Joints, Merges, NO_TOKEN, Symbol};
use super::vocab::Vocab;

/// Tables of the model beside the vocabulary.
#[derive(Debug)]
pub(super) struct Spm {
    /// Merge order of every token: lower is earlier, equal scores have equal order.
    order: Vec<u32>,
    /// The tokens `<0x00>` to `<0xFF>`.
    byte_ids: [TokenId; 256],
    /// Stands for a byte without a token.
    unknown: Option<TokenId>,
    /// Whether a document starts with a dummy space.
    pub space_prefix: bool,
    pub joints: Joints,
}

impl Spm {
    pub fn new(
        vocab: &Vocab,
        scores: &[f32],
        byte_ids: [TokenId; 256],
        unknown: Option<TokenId>,
        space_prefix: bool,
    ) -> Self {
        let order = scores.iter().map(|&score| order_of(score)).collect();
        Self { order, byte_ids, unknown, space_prefix, joints: Joints::of(vocab.mergeable()) }
    }
}

/// Maps scores to integers in reverse order.
fn order_of(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits(); // -0.0 + 0.0 is 0.0
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    !ascending
}

/// The model together with the vocabulary that it looks spans up in.
pub(super) struct SpmMerges<'a> {
    pub spm: &'a Spm,
    pub vocab: &'a Vocab,
}

impl Merges for SpmMerges<'_> {
    fn symbol(&self, piece: &[u8], start: usize) -> (usize, TokenId) {
        let length = match piece[start] {
            0xF0.. => 4,
            0xE0.. => 3,
            0xC0.. => 2,
            _ => 1,
        };
        (length, self.vocab.find(&piece[start..start + length]).unwrap_or(NO_TOKEN))
    }

    fn pair(&self, piece: &[u8], left: Symbol, right: Symbol) -> Option<(u32, TokenId)> {
        let id = self.vocab.find(&piece[left.start..right.end])?;
        Some((self.spm.order[id as usize], id))
    }

    fn fall_back(&self, bytes: &[u8], out: &mut Vec<TokenId>) {
        let ids = bytes.iter().map(|&byte| self.spm.byte_ids[byte as usize]);
        if ids.clone().all(|id| id != NO_TOKEN) {
            out.extend(ids);
        } else {
            out.extend(self.spm.unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::order_of;

    #[test]
    fn better_scores_come_earlier() {
        let scores = [f32::INFINITY, 1e9, 1.5, 0.0, -0.5, -31740.0, f32::NEG_INFINITY];
        assert!(scores.windows(2).all(|pair| order_of(pair[0]) < order_of(pair[1])));
        assert_eq!(order_of(0.0), order_of(-0.0));
    }
}
