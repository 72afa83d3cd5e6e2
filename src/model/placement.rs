//! Where the tokens of a pass stand in the cache, and what each of them sees.

use super::kv_cache::KvCache;
use crate::error::{Error, Result};

/// Positions, slots and views of the tokens of one pass.
///
/// Every token sees the first `shared_len` slots, then its own tail, in this order. A token's own slot is the last
/// of its tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub(super) shared_len: usize,
    /// One a token: for the rotary embedding.
    pub(super) positions: Vec<usize>,
    /// One a token: further slots that it sees, its own last.
    pub(super) tails: Vec<Vec<u32>>,
}

impl Placement {
    /// A chunk after the committed positions: causal.
    ///
    /// # Errors
    /// `kv-full`.
    pub(super) fn chunk(cache: &KvCache, seq_len: usize) -> Result<Self> {
        cache.require_free(seq_len)?;
        let start = cache.len();
        let tail = |token: usize| (start..=start + token).map(|slot| slot as u32).collect();
        Ok(Self {
            shared_len: start,
            positions: (start..start + seq_len).collect(),
            tails: (0..seq_len).map(tail).collect(),
        })
    }

    /// The slot that a token is written to.
    pub(super) fn slot(&self, token: usize) -> usize {
        self.tails[token].last().map_or(0, |slot| *slot as usize)
    }

    /// Slots in use, counted from the first.
    pub(super) fn slots(&self) -> usize {
        let last = self.tails.iter().flatten().max().map_or(0, |slot| *slot as usize + 1);
        last.max(self.shared_len)
    }
}

/// Continuations of the committed positions that live side by side, as the beams of a search do. They share the
/// committed slots; every token of a branch takes a slot of its own behind them, and a branch is the list of its
/// slots. Nothing is committed: the slots are free again when the branches are dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branches {
    tails: Vec<Vec<u32>>,
    used: usize,
}

impl Branches {
    /// Branch `i` now continues what branch `parents[i]` was, by one token. In the first step every parent is the
    /// committed text itself.
    ///
    /// # Errors
    /// `kv-full`; the branches are then unchanged.
    pub(super) fn grow(&mut self, parents: &[usize], cache: &KvCache) -> Result<Placement> {
        let shared_len = cache.len();
        let requested = shared_len + self.used + parents.len();
        if requested > cache.capacity() {
            return Err(Error::KvFull { capacity: cache.capacity(), requested });
        }
        let first = shared_len + self.used;
        let tail = |(index, parent): (usize, &usize)| {
            let mut tail = self.tails.get(*parent).cloned().unwrap_or_default();
            tail.push((first + index) as u32);
            tail
        };
        let tails: Vec<_> = parents.iter().enumerate().map(tail).collect();
        self.used += parents.len();
        self.tails.clone_from(&tails);
        let positions = tails.iter().map(|tail| shared_len + tail.len() - 1).collect();
        Ok(Placement { shared_len, positions, tails })
    }
}
