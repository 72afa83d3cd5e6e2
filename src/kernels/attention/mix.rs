//! Sums of weighted values, two rows times two vectors of columns to a tile, so that what is loaded is used twice.

use super::super::isa::{Isa, LANES, Op};
use super::POSITIONS;

/// `out[row] += sum over positions of weights[row][at + position] * values[position]`.
pub struct Mix<'a> {
    /// `[rows, stride]`.
    pub weights: &'a [f32],
    /// `[positions, head_dim]`.
    pub values: &'a [f32],
    pub head_dim: usize,
    pub at: usize,
    pub stride: usize,
    /// `[rows, head_dim]`.
    pub out: &'a mut [f32],
}

impl Op for Mix<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let Self { weights, values, head_dim, at, stride, out } = self;
        for (b, values) in values.chunks(POSITIONS * head_dim).enumerate() {
            let positions = at + b * POSITIONS..at + b * POSITIONS + values.len() / head_dim;
            let mut out = out.chunks_exact_mut(2 * head_dim);
            let mut weights = weights.chunks_exact(2 * stride);
            for (out, weights) in (&mut out).zip(&mut weights) {
                let (out, weights) = (out.split_at_mut(head_dim), weights.split_at(stride));
                let weights = [&weights.0[positions.clone()], &weights.1[positions.clone()]];
                mix::<S, 2, 2>(isa, weights, values, [out.0, out.1]);
            }
            let out = out.into_remainder();
            if !out.is_empty() {
                mix::<S, 1, 4>(isa, [&weights.remainder()[positions]], values, [out]);
            }
        }
    }
}

/// The products of `R` rows, `N` vectors of columns at a time.
#[inline(always)]
fn mix<S: Isa, const R: usize, const N: usize>(
    isa: S,
    weights: [&[f32]; R],
    values: &[f32],
    mut out: [&mut [f32]; R],
) {
    let head_dim = out[0].len();
    let mut column = 0;
    while column + N * LANES <= head_dim {
        mix_columns::<S, R, N>(isa, weights, values, column, &mut out);
        column += N * LANES;
    }
    while column + LANES <= head_dim {
        mix_columns::<S, R, 1>(isa, weights, values, column, &mut out);
        column += LANES;
    }
    for d in column..head_dim {
        for (i, values) in values.chunks_exact(head_dim).enumerate() {
            for r in 0..R {
                out[r][d] += weights[r][i] * values[d];
            }
        }
    }
}

#[inline(always)]
fn mix_columns<S: Isa, const R: usize, const N: usize>(
    isa: S,
    mut weights: [&[f32]; R],
    values: &[f32],
    column: usize,
    out: &mut [&mut [f32]; R],
) {
    let head_dim = out[0].len();
    let positions = values.len() / head_dim;
    let mut acc = [[isa.splat(0.0); N]; R];
    for r in 0..R {
        weights[r] = &weights[r][..positions];
        let out = out[r][column..][..N * LANES].as_chunks().0;
        for n in 0..N {
            acc[r][n] = isa.load(&out[n]);
        }
    }
    for (i, values) in values.chunks_exact(head_dim).enumerate() {
        let values = values[column..][..N * LANES].as_chunks().0;
        let mut weight = [isa.splat(0.0); R];
        for r in 0..R {
            weight[r] = isa.splat(weights[r][i]);
        }
        for n in 0..N {
            let value = isa.load(&values[n]);
            for r in 0..R {
                acc[r][n] = isa.add(acc[r][n], isa.mul(weight[r], value));
            }
        }
    }
    for r in 0..R {
        let out = out[r][column..][..N * LANES].as_chunks_mut().0;
        for n in 0..N {
            isa.store(acc[r][n], &mut out[n]);
        }
    }
}
