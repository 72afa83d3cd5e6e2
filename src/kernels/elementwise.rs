//! Normalisation, the gated activation and the rotary embedding.

use super::isa::{Isa, LANES, Op};
use super::math::{exp, load_part};

/// RMS normalisation of every row: `x * (1 / sqrt(mean(x^2) + eps)) * weight`.
///
/// The squares are summed in eight lanes (lane = column mod 8, missing columns count as zero), then as in
/// [`Lanes::sum`](super::isa::Lanes::sum). Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
pub struct RmsNorm<'a> {
    /// `[rows, weight.len()]`.
    pub x: &'a [f32],
    /// `[cols]`.
    pub weight: &'a [f32],
    /// Added to the mean of the squares.
    pub eps: f32,
    /// `[rows, weight.len()]`.
    pub out: &'a mut [f32],
}

impl Op for RmsNorm<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let cols = self.weight.len();
        for (x, out) in self.x.chunks_exact(cols).zip(self.out.chunks_exact_mut(cols)) {
            let (vectors, rest) = x.as_chunks::<LANES>();
            let mut squares = isa.splat(0.0);
            for x in vectors {
                let x = isa.load(x);
                squares = isa.add(squares, isa.mul(x, x));
            }
            if !rest.is_empty() {
                let x = load_part(isa, rest, 0.0);
                squares = isa.add(squares, isa.mul(x, x));
            }
            let scale = 1.0 / (isa.sum(squares) / cols as f32 + self.eps).sqrt();
            let (weights, weights_rest) = self.weight.as_chunks::<LANES>();
            let (outs, outs_rest) = out.as_chunks_mut::<LANES>();
            for ((x, w), out) in vectors.iter().zip(weights).zip(outs) {
                isa.store(isa.mul(isa.mul(isa.load(x), isa.splat(scale)), isa.load(w)), out);
            }
            for ((x, w), out) in rest.iter().zip(weights_rest).zip(outs_rest) {
                *out = x * scale * w;
            }
        }
    }
}

/// `silu(gate) * up` with `silu(x) = x / (1 + e^-x)`, the gate of SwiGLU (Shazeer, "GLU Variants Improve
/// Transformer", 2020).
pub struct SiluMul<'a> {
    /// Any length.
    pub gate: &'a [f32],
    /// As long as `gate`.
    pub up: &'a [f32],
    /// As long as `gate`.
    pub out: &'a mut [f32],
}

#[inline(always)]
fn silu_mul<S: Isa>(isa: S, gate: S::F, up: S::F) -> S::F {
    let negative = isa.sub(isa.splat(0.0), gate);
    isa.mul(isa.div(gate, isa.add(isa.splat(1.0), exp(isa, negative))), up)
}

impl Op for SiluMul<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let (gates, gates_rest) = self.gate.as_chunks::<LANES>();
        let (ups, ups_rest) = self.up.as_chunks::<LANES>();
        let (outs, outs_rest) = self.out.as_chunks_mut::<LANES>();
        for ((gate, up), out) in gates.iter().zip(ups).zip(outs) {
            isa.store(silu_mul(isa, isa.load(gate), isa.load(up)), out);
        }
        if !gates_rest.is_empty() {
            let (gate, up) = (load_part(isa, gates_rest, 0.0), load_part(isa, ups_rest, 0.0));
            let mut lanes = [0.0; LANES];
            isa.store(silu_mul(isa, gate, up), &mut lanes);
            outs_rest.copy_from_slice(&lanes[..outs_rest.len()]);
        }
    }
}

/// Rotates the pairs `(x[2i], x[2i + 1])` of every head by the angle whose cosine and sine are given:
/// `(a * cos - b * sin, b * cos + a * sin)`. Source: Su et al., "RoFormer", 2021; the interleaved pairs of LLaMA.
pub struct Rope<'a> {
    /// `[heads, head_dim]`, with `head_dim = 2 * cos.len()`.
    pub x: &'a mut [f32],
    /// `[head_dim / 2]`.
    pub cos: &'a [f32],
    /// `[head_dim / 2]`.
    pub sin: &'a [f32],
}

impl Op for Rope<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let sign = isa.load(&[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
        let (cosines, cos_rest) = self.cos.as_chunks::<{ LANES / 2 }>();
        let (sines, sin_rest) = self.sin.as_chunks::<{ LANES / 2 }>();
        for head in self.x.chunks_exact_mut(2 * self.cos.len()) {
            let (vectors, rest) = head.as_chunks_mut::<LANES>();
            for ((x, cos), sin) in vectors.iter_mut().zip(cosines).zip(sines) {
                let (pairs, cos, sin) = (isa.load(x), isa.repeat_each(cos), isa.repeat_each(sin));
                let turned = isa.mul(isa.swap_pairs(pairs), isa.mul(sin, sign));
                isa.store(isa.add(isa.mul(pairs, cos), turned), x);
            }
            for ((pair, cos), sin) in rest.as_chunks_mut::<2>().0.iter_mut().zip(cos_rest).zip(sin_rest) {
                let [a, b] = *pair;
                *pair = [a * cos - b * sin, b * cos + a * sin];
            }
        }
    }
}
