//! Scores become weights.

use super::super::isa::{Isa, LANES, Op};
use super::super::math::{exp_not_above, exps_not_above, max_lane};

/// `exp(score - max)` of the first `kv_len` scores of every row, and their sum.
pub struct Softmax<'a> {
    /// `[rows, stride]`.
    pub scores: &'a mut [f32],
    pub stride: usize,
    pub kv_len: usize,
    /// One a row.
    pub totals: &'a mut [f32],
}

impl Op for Softmax<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        for (scores, total) in self.scores.chunks_exact_mut(self.stride).zip(self.totals) {
            let scores = &mut scores[..self.kv_len.next_multiple_of(LANES)];
            scores[self.kv_len..].fill(f32::NEG_INFINITY);
            let (pairs, last) = scores.as_chunks_mut::<LANES>().0.as_chunks_mut::<2>();
            let mut largest = [isa.splat(f32::NEG_INFINITY); 2];
            for [a, b] in &*pairs {
                largest = [isa.max(largest[0], isa.load(a)), isa.max(largest[1], isa.load(b))];
            }
            for scores in &*last {
                largest[0] = isa.max(largest[0], isa.load(scores));
            }
            let largest = isa.splat(max_lane(isa, isa.max(largest[0], largest[1])));
            let mut sum = isa.splat(0.0);
            for [a, b] in pairs {
                let x = [isa.sub(isa.load(a), largest), isa.sub(isa.load(b), largest)];
                let x = exps_not_above(isa, x);
                isa.store(x[0], a);
                isa.store(x[1], b);
                sum = isa.add(isa.add(sum, x[0]), x[1]);
            }
            for scores in last {
                let x = exp_not_above(isa, isa.sub(isa.load(scores), largest));
                isa.store(x, scores);
                sum = isa.add(sum, x);
            }
            *total = isa.sum(sum);
        }
    }
}
