//! Attention of one query token over the cached keys and values.
//!
//! Per query head: `softmax(q * keys^T / sqrt(head_dim)) * values` (Vaswani et al., 2017), query heads in groups that
//! share a key/value head (Ainslie et al., "GQA", 2023). Fixed order of operations: `q` is scaled first; a score is
//! summed in eight lanes (dimension mod 8) and then over the dimensions that are left; the weights are
//! `exp(score - max)`, summed in eight lanes (position mod 8); values are summed position by position and divided last.

use super::isa::{Isa, LANES, Op};
use super::math::{exp_not_above, max_lane, scale_in_place};

/// Positions whose values are read for all heads of a group before the next ones: they stay in the first-level cache.
const POSITIONS: usize = 64;

/// Vectors of one head's output that are kept in registers.
const WIDTH: usize = 4;

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
    /// Positions that are used, counted from the first.
    pub kv_len: usize,
}

impl AttentionShape {
    /// Floats of the query and of the output.
    pub fn query_len(&self) -> usize {
        self.n_heads * self.head_dim
    }

    /// Floats of the keys and of the values, unused positions included.
    pub fn cache_len(&self) -> usize {
        self.n_kv_heads * self.capacity * self.head_dim
    }
}

/// The kernel.
pub struct Attention<'a> {
    /// `[n_heads, head_dim]`.
    pub q: &'a [f32],
    /// `[n_kv_heads, capacity, head_dim]`.
    pub keys: &'a [f32],
    /// `[n_kv_heads, capacity, head_dim]`.
    pub values: &'a [f32],
    /// Sizes of all of them; not empty.
    pub shape: AttentionShape,
    /// Resized as needed.
    pub scratch: &'a mut Vec<f32>,
    /// `[n_heads, head_dim]`.
    pub out: &'a mut [f32],
}

impl Op for Attention<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let AttentionShape { n_heads, n_kv_heads, head_dim, capacity, kv_len } = self.shape;
        let group = n_heads / n_kv_heads;
        let padded = kv_len.next_multiple_of(LANES);
        let needed = group * (padded + head_dim);
        if self.scratch.len() < needed {
            self.scratch.resize(needed, 0.0);
        }
        let (scores, q) = self.scratch[..needed].split_at_mut(group * padded);
        let scale = 1.0 / (head_dim as f32).sqrt();
        let heads = self.q.chunks_exact(group * head_dim).zip(self.out.chunks_exact_mut(group * head_dim));
        let cache =
            self.keys.chunks_exact(capacity * head_dim).zip(self.values.chunks_exact(capacity * head_dim));
        for ((query, out), (keys, values)) in heads.zip(cache) {
            q.copy_from_slice(query);
            scale_in_place(isa, q, scale);
            score(isa, q, &keys[..kv_len * head_dim], head_dim, scores, padded);
            for scores in scores.chunks_exact_mut(padded) {
                softmax(isa, scores, kv_len);
            }
            out.fill(0.0);
            mix(isa, scores, padded, &values[..kv_len * head_dim], head_dim, out);
            for (out, scores) in out.chunks_exact_mut(head_dim).zip(scores.chunks_exact(padded)) {
                scale_in_place(isa, out, 1.0 / total(isa, scores));
            }
        }
    }
}

/// `scores[h][position] = q[h] . keys[position]`
#[inline(always)]
fn score<S: Isa>(isa: S, q: &[f32], keys: &[f32], head_dim: usize, scores: &mut [f32], padded: usize) {
    let fours = keys.chunks_exact(4 * head_dim);
    let first = keys.len() / head_dim / 4 * 4;
    for (p, key) in fours.remainder().chunks_exact(head_dim).enumerate() {
        for (q, scores) in q.chunks_exact(head_dim).zip(scores.chunks_exact_mut(padded)) {
            scores[first + p] = dots(isa, q, [key])[0];
        }
    }
    for (p, keys) in fours.enumerate() {
        let keys: [&[f32]; 4] = std::array::from_fn(|i| &keys[i * head_dim..][..head_dim]);
        for (q, scores) in q.chunks_exact(head_dim).zip(scores.chunks_exact_mut(padded)) {
            scores[4 * p..4 * p + 4].copy_from_slice(&dots(isa, q, keys));
        }
    }
}

#[inline(always)]
fn dots<S: Isa, const P: usize>(isa: S, q: &[f32], keys: [&[f32]; P]) -> [f32; P] {
    let (vectors, rest) = q.as_chunks::<LANES>();
    let parts = keys.map(|key| key.as_chunks::<LANES>());
    let mut acc = [isa.splat(0.0); P];
    for (i, q) in vectors.iter().enumerate() {
        let q = isa.load(q);
        for p in 0..P {
            acc[p] = isa.add(acc[p], isa.mul(q, isa.load(&parts[p].0[i])));
        }
    }
    let mut sums = [0.0; P];
    if P == 4 {
        sums.copy_from_slice(&isa.sums([acc[0], acc[1 % P], acc[2 % P], acc[3 % P]]));
    } else {
        for p in 0..P {
            sums[p] = isa.sum(acc[p]);
        }
    }
    for (p, sum) in sums.iter_mut().enumerate() {
        for (q, key) in rest.iter().zip(parts[p].1) {
            *sum += q * key;
        }
    }
    sums
}

/// `exp(score - max)` of the first `kv_len` scores, 0 for the padding.
#[inline(always)]
fn softmax<S: Isa>(isa: S, scores: &mut [f32], kv_len: usize) {
    scores[kv_len..].fill(f32::NEG_INFINITY);
    let vectors = scores.as_chunks_mut::<LANES>().0;
    let mut largest = isa.splat(f32::NEG_INFINITY);
    for scores in &*vectors {
        largest = isa.max(largest, isa.load(scores));
    }
    let largest = max_lane(isa, largest);
    for scores in vectors {
        isa.store(exp_not_above(isa, isa.sub(isa.load(scores), isa.splat(largest))), scores);
    }
    scores[kv_len..].fill(0.0);
}

/// Sum in eight lanes.
#[inline(always)]
fn total<S: Isa>(isa: S, scores: &[f32]) -> f32 {
    let mut sum = isa.splat(0.0);
    for scores in scores.as_chunks::<LANES>().0 {
        sum = isa.add(sum, isa.load(scores));
    }
    isa.sum(sum)
}

/// `out[h] += sum over positions of weight[h][position] * values[position]`
#[inline(always)]
fn mix<S: Isa>(isa: S, weights: &[f32], padded: usize, values: &[f32], head_dim: usize, out: &mut [f32]) {
    for (b, values) in values.chunks(POSITIONS * head_dim).enumerate() {
        let positions = values.len() / head_dim;
        for (weights, out) in weights.chunks_exact(padded).zip(out.chunks_exact_mut(head_dim)) {
            let weights = &weights[b * POSITIONS..][..positions];
            let (wide, narrow) = out.split_at_mut(head_dim / (WIDTH * LANES) * (WIDTH * LANES));
            for (c, out) in wide.chunks_exact_mut(WIDTH * LANES).enumerate() {
                mix_columns::<S, WIDTH>(isa, weights, values, head_dim, c * WIDTH * LANES, out);
            }
            let done = wide.len();
            let (vectors, rest) = narrow.as_chunks_mut::<LANES>();
            let rest_from = done + vectors.len() * LANES;
            for (c, out) in vectors.iter_mut().enumerate() {
                mix_columns::<S, 1>(isa, weights, values, head_dim, done + c * LANES, out);
            }
            for (d, out) in rest.iter_mut().enumerate() {
                for (weight, values) in weights.iter().zip(values.chunks_exact(head_dim)) {
                    *out += weight * values[rest_from + d];
                }
            }
        }
    }
}

#[inline(always)]
fn mix_columns<S: Isa, const N: usize>(
    isa: S,
    weights: &[f32],
    values: &[f32],
    head_dim: usize,
    from: usize,
    out: &mut [f32],
) {
    let out = out.as_chunks_mut::<LANES>().0;
    let mut acc = [isa.splat(0.0); N];
    for n in 0..N {
        acc[n] = isa.load(&out[n]);
    }
    for (weight, values) in weights.iter().zip(values.chunks_exact(head_dim)) {
        let weight = isa.splat(*weight);
        let values = values[from..from + N * LANES].as_chunks::<LANES>().0;
        for n in 0..N {
            acc[n] = isa.add(acc[n], isa.mul(weight, isa.load(&values[n])));
        }
    }
    for n in 0..N {
        isa.store(acc[n], &mut out[n]);
    }
}
