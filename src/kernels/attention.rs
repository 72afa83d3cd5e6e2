//! Attention of several query tokens over the slots of a cache of keys and values.
//!
//! Per query head: `softmax(q * keys^T / sqrt(head_dim)) * values` (Vaswani et al., 2017), query heads in groups that
//! share a key/value head (Ainslie et al., "GQA", 2023). A query sees the positions of its sequence in their order:
//! first the slots that all queries share, then those of its own tail. That serves a causal chunk and beams alike.
//!
//! Fixed order of operations, by position and not by slot: `q` is scaled first; a score is summed in eight lanes
//! (dimension mod 8) and then over the dimensions that are left; the weights are `exp(score - max)`, summed in eight
//! lanes (position mod 8); values are summed position by position and divided last. So a query's result depends
//! neither on the other queries of the call nor on where its tail begins.
//!
//! Up to four queries are taken together. Over the positions that they have in common (the shared ones and the common
//! beginning of their tails) a row of the cache is read once for all of their heads.

mod mix;
mod score;
mod softmax;

use super::Kernels;
use super::isa::{Isa, LANES, Op};
use super::part::Part;
use mix::Mix;
use score::Score;
use softmax::Softmax;
use std::ops::Range;

/// Queries that are taken together.
const QUERIES: usize = 4;

/// Positions whose values are read for all rows before the next ones: they stay in the first-level cache.
const POSITIONS: usize = 64;

/// Sizes of an attention call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionShape {
    /// Query heads; a multiple of `n_kv_heads`.
    pub n_heads: usize,
    /// Key/value heads.
    pub n_kv_heads: usize,
    /// Floats of a head.
    pub head_dim: usize,
    /// Positions that the cache has room for.
    pub capacity: usize,
}

impl AttentionShape {
    /// Floats of one query and of its output.
    pub fn query_len(&self) -> usize {
        self.n_heads * self.head_dim
    }

    /// Floats of the keys and of the values, unused slots included.
    pub fn cache_len(&self) -> usize {
        self.n_kv_heads * self.capacity * self.head_dim
    }
}

/// The operands of a call, checked.
pub struct Attention<'a> {
    /// `[n_queries, n_heads, head_dim]`.
    pub q: &'a [f32],
    /// `[n_kv_heads, capacity, head_dim]`.
    pub keys: &'a [f32],
    /// `[n_kv_heads, capacity, head_dim]`.
    pub values: &'a [f32],
    /// Sizes of all of them; not empty.
    pub shape: AttentionShape,
    /// The slots `0..shared_len` are the first positions of every query.
    pub shared_len: usize,
    /// Slots of the positions that follow, per query.
    pub tails: &'a [&'a [u32]],
}

/// Work of an attention call that is independent of the other: the heads of one group, of up to [`QUERIES`] queries.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The queries: rows of the output.
    pub queries: Range<usize>,
    /// The floats of the heads in a query: columns of the output.
    pub heads: Range<usize>,
    kv_head: usize,
}

impl Attention<'_> {
    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.tails.len().div_ceil(QUERIES) * self.shape.n_kv_heads
    }

    /// Tiles of the same queries follow each other.
    pub fn tile(&self, index: usize) -> Tile {
        let AttentionShape { n_kv_heads, .. } = self.shape;
        let (first, kv_head) = (index / n_kv_heads * QUERIES, index % n_kv_heads);
        let group_len = self.shape.query_len() / n_kv_heads;
        Tile {
            queries: first..self.tails.len().min(first + QUERIES),
            heads: kv_head * group_len..(kv_head + 1) * group_len,
            kv_head,
        }
    }

    /// Multiplications of all tiles.
    pub fn operations(&self) -> usize {
        let positions = |tail: &&[u32]| self.shared_len + tail.len();
        2 * self.shape.query_len() * self.tails.iter().map(positions).sum::<usize>()
    }

    /// Floats that [`Self::run`] needs for any of the tiles.
    pub fn scratch_len(&self) -> usize {
        let AttentionShape { n_heads, n_kv_heads, head_dim, .. } = self.shape;
        let rows = self.tails.len().min(QUERIES) * (n_heads / n_kv_heads);
        let longest = self.tails.iter().map(|tail| tail.len()).max().unwrap_or(0);
        let stride = (self.shared_len + longest).next_multiple_of(LANES);
        rows * (2 * head_dim + stride + 1) + POSITIONS * head_dim
    }

    /// Writes the output of a tile; `scratch` is of [`Self::scratch_len`].
    pub fn run(&self, kernels: Kernels, tile: &Tile, scratch: &mut [f32], mut out: Part<f32>) {
        let AttentionShape { n_heads, n_kv_heads, head_dim, capacity } = self.shape;
        let (shared_len, query_len) = (self.shared_len, n_heads * head_dim);
        let group = n_heads / n_kv_heads;
        let tails = &self.tails[tile.queries.clone()];
        let q = &self.q[tile.queries.start * query_len..tile.queries.end * query_len];
        let common = common_prefix(tails);
        let longest = tails.iter().map(|tail| tail.len()).max().unwrap_or(0);
        let stride = (shared_len + longest).next_multiple_of(LANES);
        let rows = tails.len() * group;
        let (q_rows, rest) = scratch.split_at_mut(rows * head_dim);
        let (out_rows, rest) = rest.split_at_mut(rows * head_dim);
        let (weights, rest) = rest.split_at_mut(rows * stride);
        let (totals, gathered) = rest.split_at_mut(rows);
        let (group_len, group_weights) = (group * head_dim, group * stride);
        let head_len = capacity * head_dim;
        let cache_head = tile.kv_head * head_len..(tile.kv_head + 1) * head_len;
        let (keys, values) = (&self.keys[cache_head.clone()], &self.values[cache_head]);
        for (rows, q) in q_rows.chunks_exact_mut(group_len).zip(q.chunks_exact(query_len)) {
            let factor = 1.0 / (head_dim as f32).sqrt();
            kernels.run(Scale { x: &q[tile.heads.clone()], factor, out: rows });
        }

        let score = |q: &[f32], weights: &mut [f32], at, keys: &[f32]| {
            kernels.run(Score { q, keys, head_dim, at, stride, scores: weights });
        };
        score(q_rows, weights, 0, &keys[..shared_len * head_dim]);
        in_blocks(keys, head_dim, &tails[0][..common], gathered, |from, keys| {
            score(q_rows, weights, shared_len + from, keys);
        });
        let queries = q_rows.chunks_exact(group_len).zip(tails);
        let states = weights.chunks_exact_mut(group_weights).zip(totals.chunks_exact_mut(group));
        for ((q, tail), (weights, totals)) in queries.zip(states) {
            in_blocks(keys, head_dim, &tail[common..], gathered, |from, keys| {
                score(q, weights, shared_len + common + from, keys);
            });
            kernels.run(Softmax { scores: weights, stride, kv_len: shared_len + tail.len(), totals });
        }

        out_rows.fill(0.0);
        let mix = |weights: &[f32], out: &mut [f32], at, values: &[f32]| {
            kernels.run(Mix { weights, values, head_dim, at, stride, out });
        };
        mix(weights, out_rows, 0, &values[..shared_len * head_dim]);
        in_blocks(values, head_dim, &tails[0][..common], gathered, |from, values| {
            mix(weights, out_rows, shared_len + from, values);
        });
        let queries = out_rows.chunks_exact_mut(group_len).zip(tails);
        let states = weights.chunks_exact(group_weights).zip(totals.chunks_exact(group));
        for (i, ((rows, tail), (weights, totals))) in queries.zip(states).enumerate() {
            in_blocks(values, head_dim, &tail[common..], gathered, |from, values| {
                mix(weights, rows, shared_len + common + from, values);
            });
            let out = out.row(i).chunks_exact_mut(head_dim);
            for ((x, out), total) in rows.chunks_exact(head_dim).zip(out).zip(totals) {
                kernels.run(Scale { x, factor: 1.0 / total, out });
            }
        }
    }
}

/// Slots with which all the tails begin.
fn common_prefix(tails: &[&[u32]]) -> usize {
    let first = tails[0];
    tails[1..]
        .iter()
        .fold(first.len(), |len, tail| first[..len].iter().zip(*tail).take_while(|(a, b)| a == b).count())
}

/// Calls `block` with the cache rows of up to [`POSITIONS`] slots, one after another, and the first one's place in
/// `slots`. Rows that do not lie so are copied.
fn in_blocks(
    cache: &[f32],
    head_dim: usize,
    slots: &[u32],
    gathered: &mut [f32],
    mut block: impl FnMut(usize, &[f32]),
) {
    for (b, slots) in slots.chunks(POSITIONS).enumerate() {
        let first = slots[0] as usize;
        if slots.iter().enumerate().all(|(i, &slot)| slot as usize == first + i) {
            block(b * POSITIONS, &cache[first * head_dim..][..slots.len() * head_dim]);
        } else {
            for (row, &slot) in gathered.chunks_exact_mut(head_dim).zip(slots) {
                row.copy_from_slice(&cache[slot as usize * head_dim..][..head_dim]);
            }
            block(b * POSITIONS, &gathered[..slots.len() * head_dim]);
        }
    }
}

struct Scale<'a> {
    x: &'a [f32],
    factor: f32,
    out: &'a mut [f32],
}

impl Op for Scale<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let (x, rest) = self.x.as_chunks::<LANES>();
        let (out, out_rest) = self.out.as_chunks_mut::<LANES>();
        for (x, out) in x.iter().zip(out) {
            isa.store(isa.mul(isa.load(x), isa.splat(self.factor)), out);
        }
        for (x, out) in rest.iter().zip(out_rest) {
            *out = x * self.factor;
        }
    }
}
