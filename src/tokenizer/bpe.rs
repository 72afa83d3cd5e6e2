//! The `gpt2` model: byte-level BPE. Text is cut into words by a pre-tokenizer; inside a word the adjacent pair with
//! the lowest merge rank merges first. The symbols are bytes, whatever characters the file spells them with.

use super::TokenId;
use super::hash::{self, Collisions, Index};
use super::merge::{Joints, Merges, NO_TOKEN, Symbol};
use super::pretokenize::PreTokenizer;
use super::vocab::Vocab;

/// Tables of the model beside the vocabulary.
#[derive(Debug)]
pub(super) struct Bpe {
    pub pre_tokenizer: PreTokenizer,
    /// The token of each byte.
    byte_ids: [TokenId; 256],
    /// Left and right token of the merges, by rank.
    pairs: Vec<(TokenId, TokenId)>,
    /// What they form.
    merged: Vec<TokenId>,
    ranks: Index,
    pub joints: Joints,
}

impl Bpe {
    /// Merges of tokens that do not exist are left out, as llama.cpp does; they could never apply.
    pub fn new(vocab: &Vocab, merges: &[String], pre_tokenizer: PreTokenizer) -> Result<Self, Collisions> {
        let byte_ids = std::array::from_fn(|byte| vocab.find(&[byte as u8]).unwrap_or(NO_TOKEN));
        let mut bpe = Self {
            pre_tokenizer,
            byte_ids,
            pairs: Vec::with_capacity(merges.len()),
            merged: Vec::with_capacity(merges.len()),
            ranks: Index::with_capacity(merges.len()),
            joints: Joints::of(vocab.mergeable()),
        };
        let mut bytes = Vec::new();
        for merge in merges {
            if let Some((left, right, merged)) = resolve(vocab, merge, &mut bytes) {
                let rank = bpe.merged.len() as u32;
                bpe.pairs.push((left, right));
                bpe.merged.push(merged);
                // The first of two equal merges counts.
                let pairs = &bpe.pairs;
                bpe.ranks
                    .insert(hash::pair(left, right), rank, |other| pairs[other as usize] == (left, right))?;
            }
        }
        Ok(bpe)
    }
}

/// The tokens of a merge `left right`, both spelled in the byte-level alphabet. A space is not in the alphabet;
/// one at the very start belongs to `left` by llama.cpp's rule, so such a merge names no token.
fn resolve(vocab: &Vocab, merge: &str, bytes: &mut Vec<u8>) -> Option<(TokenId, TokenId, TokenId)> {
    let (left, right) = merge.split_once(' ')?;
    bytes.clear();
    if !super::byte_level::decode_into(left, bytes) {
        return None;
    }
    let middle = bytes.len();
    if !super::byte_level::decode_into(right, bytes) {
        return None;
    }
    Some((vocab.find(&bytes[..middle])?, vocab.find(&bytes[middle..])?, vocab.find(bytes)?))
}

impl Merges for Bpe {
    fn symbol(&self, piece: &[u8], start: usize) -> (usize, TokenId) {
        (1, self.byte_ids[piece[start] as usize])
    }

    fn pair(&self, _piece: &[u8], left: Symbol, right: Symbol) -> Option<(u32, TokenId)> {
        let pair = (left.id, right.id);
        let same = |rank: u32| self.pairs[rank as usize] == pair;
        let rank = self.ranks.find(hash::pair(left.id, right.id), same)?;
        Some((rank, self.merged[rank as usize]))
    }

    fn fall_back(&self, _bytes: &[u8], _out: &mut Vec<TokenId>) {
        // A byte without a token cannot be expressed: see the module documentation of the tokenizer.
    }
}
