//! Reductions over logits.

use super::isa::{Isa, LANES, Op};
use super::math::{self, exp_not_above, load_part, max_lane};

/// Index of the largest value, the first of equals. NaN is never the largest; 0 when nothing else is there.
pub struct Argmax<'a>(pub &'a [f32]);

impl Op for Argmax<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) -> usize {
        let largest = largest(isa, self.0);
        self.0.iter().position(|&x| x == largest).unwrap_or(0)
    }
}

/// `ln(sum(e^x))`. Sums of 256 exponentials are taken in eight lanes and added up in `f64`; values that are
/// more than 87 below the largest are left out. An infinite largest value is the result.
pub struct LogSumExp<'a>(pub &'a [f32]);

impl Op for LogSumExp<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) -> f32 {
        let largest = largest(isa, self.0);
        if largest.is_infinite() {
            return largest;
        }
        let mut total = 0.0_f64;
        for part in self.0.chunks(256) {
            let (vectors, rest) = part.as_chunks::<LANES>();
            let mut sum = isa.splat(0.0);
            for x in vectors {
                sum = isa.add(sum, exp_not_above(isa, isa.sub(isa.load(x), isa.splat(largest))));
            }
            total += f64::from(isa.sum(sum));
            let mut lanes = [0.0; LANES];
            isa.store(
                exp_not_above(isa, isa.sub(load_part(isa, rest, largest), isa.splat(largest))),
                &mut lanes,
            );
            for lane in &lanes[..rest.len()] {
                total += f64::from(*lane);
            }
        }
        (f64::from(largest) + libm::log(total)) as f32
    }
}

/// The largest value that is not a NaN, or negative infinity.
#[inline(always)]
fn largest<S: Isa>(isa: S, x: &[f32]) -> f32 {
    let (vectors, rest) = x.as_chunks::<LANES>();
    let mut acc = isa.splat(f32::NEG_INFINITY);
    for x in vectors {
        acc = isa.max(acc, isa.load(x));
    }
    math::largest(max_lane(isa, acc), rest)
}
