//! Which tokens begin with given bytes: the vocabulary in byte order. A run of neighbours is a node of the trie over
//! all token texts, without its pointers.

use super::TokenId;
use super::vocab::Vocab;

/// All tokens with text, sorted by their bytes, then by id.
#[derive(Debug)]
pub(super) struct Prefixes {
    order: Vec<TokenId>,
    longest_bytes: usize,
}

impl Prefixes {
    pub fn new(vocab: &Vocab) -> Self {
        let mut order: Vec<_> =
            (0..vocab.len() as TokenId).filter(|id| !vocab.bytes(*id).is_empty()).collect();
        order.sort_unstable_by_key(|id| (vocab.bytes(*id), *id));
        let longest_bytes = order.iter().map(|id| vocab.bytes(*id).len()).max().unwrap_or(0);
        Self { order, longest_bytes }
    }

    /// The tokens whose text begins with `bytes` or equals it, shortest spelling first among equals in order.
    pub fn starting_with(&self, vocab: &Vocab, bytes: &[u8]) -> &[TokenId] {
        if bytes.len() > self.longest_bytes {
            return &[];
        }
        let first = self.order.partition_point(|id| vocab.bytes(*id) < bytes);
        let rest = &self.order[first..];
        let count = rest.partition_point(|id| vocab.bytes(*id).starts_with(bytes));
        &rest[..count]
    }

    pub fn longest_bytes(&self) -> usize {
        self.longest_bytes
    }
}
