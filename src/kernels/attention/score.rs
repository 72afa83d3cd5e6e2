//! Scores: products of queries and keys, two rows times two positions to a tile, so that what is loaded is used twice.

use super::super::isa::{Isa, LANES, Op};

/// `scores[row][at + position] = q[row] . keys[position]`.
pub struct Score<'a> {
    /// `[rows, head_dim]`.
    pub q: &'a [f32],
    /// `[positions, head_dim]`.
    pub keys: &'a [f32],
    pub head_dim: usize,
    pub at: usize,
    pub stride: usize,
    /// `[rows, stride]`.
    pub scores: &'a mut [f32],
}

impl Op for Score<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let Self { q, keys, head_dim, mut at, stride, scores } = self;
        let fours = keys.chunks_exact(4 * head_dim);
        let rest = fours.remainder();
        for keys in fours {
            let (low, high) = keys.split_at(2 * head_dim);
            let (k0, k1) = low.split_at(head_dim);
            let (k2, k3) = high.split_at(head_dim);
            let mut q = q.chunks_exact(2 * head_dim);
            let mut scores = scores.chunks_exact_mut(2 * stride);
            for (q, scores) in (&mut q).zip(&mut scores) {
                let (q0, q1) = q.split_at(head_dim);
                let (s0, s1) = scores.split_at_mut(stride);
                let [[a, b], [c, d]] = dots::<S, 2, 2>(isa, [q0, q1], [k0, k1]);
                let [[e, f], [g, h]] = dots::<S, 2, 2>(isa, [q0, q1], [k2, k3]);
                s0[at..at + 4].copy_from_slice(&[a, b, e, f]);
                s1[at..at + 4].copy_from_slice(&[c, d, g, h]);
            }
            let q = q.remainder();
            if !q.is_empty() {
                let [four] = dots::<S, 1, 4>(isa, [q], [k0, k1, k2, k3]);
                scores.into_remainder()[at..at + 4].copy_from_slice(&four);
            }
            at += 4;
        }
        for key in rest.chunks_exact(head_dim) {
            for (q, scores) in q.chunks_exact(head_dim).zip(scores.chunks_exact_mut(stride)) {
                scores[at] = dots::<S, 1, 1>(isa, [q], [key])[0][0];
            }
            at += 1;
        }
    }
}

#[inline(always)]
fn dots<S: Isa, const R: usize, const P: usize>(isa: S, q: [&[f32]; R], keys: [&[f32]; P]) -> [[f32; P]; R] {
    let head_dim = q[0].len();
    let vectors = head_dim / LANES;
    let mut q_vectors: [&[[f32; LANES]]; R] = [&[]; R];
    let mut key_vectors: [&[[f32; LANES]]; P] = [&[]; P];
    for r in 0..R {
        q_vectors[r] = &q[r].as_chunks().0[..vectors];
    }
    for p in 0..P {
        key_vectors[p] = &keys[p].as_chunks().0[..vectors];
    }
    let mut acc = [[isa.splat(0.0); P]; R];
    for i in 0..vectors {
        let mut k = [isa.splat(0.0); P];
        for p in 0..P {
            k[p] = isa.load(&key_vectors[p][i]);
        }
        for r in 0..R {
            let q = isa.load(&q_vectors[r][i]);
            for p in 0..P {
                acc[r][p] = isa.add(acc[r][p], isa.mul(q, k[p]));
            }
        }
    }
    let mut sums = [[0.0; P]; R];
    if R * P == 4 {
        let four = isa.sums([acc[0][0], acc[1 / P][1 % P], acc[2 / P][2 % P], acc[3 / P][3 % P]]);
        for (i, sum) in four.into_iter().enumerate() {
            sums[i / P][i % P] = sum;
        }
    } else {
        for r in 0..R {
            for p in 0..P {
                sums[r][p] = isa.sum(acc[r][p]);
            }
        }
    }
    for d in vectors * LANES..head_dim {
        for r in 0..R {
            for p in 0..P {
                sums[r][p] += q[r][d] * keys[p][d];
            }
        }
    }
    sums
}
