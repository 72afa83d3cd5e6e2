//! The exponential, from correctly rounded operations only, so that it is the same everywhere.

use super::isa::{LANES, Lanes};
use super::scalar::less;

/// Below the first the result is 0, above the second it is infinite; between them it is a normal float.
const RANGE: [f32; 2] = [-87.0, 88.0];

/// Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low mantissa bits.
const ROUNDER: f32 = 12_582_912.0;

/// ln 2 in two parts; the first has nine significant bits, so its products with integers up to 2^7 are exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// `e^r = 1 + r + r^2 * P(r)` for `|r| <= ln 2 / 2`, highest power first: the coefficients of least maximal relative
/// error (3.1e-9 before rounding), found by the Remez exchange.
const POLYNOMIAL: [f32; 5] = [1.381_432e-3, 8.368_851e-3, 4.166_84e-2, 1.666_652e-1, 4.999_999_3e-1];

/// `e^x` for eight lanes within a relative error of 1.5e-7; 0 below -87, infinite above 88. NaN stays NaN.
#[inline(always)]
pub fn exp<S: Lanes>(isa: S, x: S::F) -> S::F {
    isa.select_less(isa.splat(RANGE[1]), x, isa.splat(f32::INFINITY), exp_not_above(isa, x))
}

/// [`exp`] for arguments of which none is above 88.
#[inline(always)]
pub fn exp_not_above<S: Lanes>(isa: S, x: S::F) -> S::F {
    exps_not_above(isa, [x])[0]
}

/// [`exp_not_above`] of `N` vectors, step by step for all of them: one alone is a long chain of dependent operations.
#[inline(always)]
pub fn exps_not_above<S: Lanes, const N: usize>(isa: S, x: [S::F; N]) -> [S::F; N] {
    let rounder = isa.splat(ROUNDER);
    let (mut shifted, mut r, mut p) = (x, x, x);
    for i in 0..N {
        shifted[i] = isa.add(isa.mul(x[i], isa.splat(std::f32::consts::LOG2_E)), rounder);
    }
    for i in 0..N {
        let n = isa.sub(shifted[i], rounder);
        r[i] = isa.sub(x[i], isa.mul(n, isa.splat(LN_2[0])));
        r[i] = isa.sub(r[i], isa.mul(n, isa.splat(LN_2[1])));
        p[i] = isa.splat(POLYNOMIAL[0]);
    }
    for coefficient in &POLYNOMIAL[1..] {
        for i in 0..N {
            p[i] = isa.add(isa.mul(p[i], r[i]), isa.splat(*coefficient));
        }
    }
    for i in 0..N {
        p[i] = isa.add(isa.mul(isa.mul(r[i], r[i]), p[i]), r[i]);
        let result = isa.mul(isa.add(p[i], isa.splat(1.0)), isa.power_of_two(shifted[i]));
        p[i] = isa.select_less(x[i], isa.splat(RANGE[0]), isa.splat(0.0), result);
    }
    p
}

/// The largest lane, NaN ignored.
#[inline(always)]
pub fn max_lane<S: Lanes>(isa: S, x: S::F) -> f32 {
    let mut lanes = [0.0; LANES];
    isa.store(x, &mut lanes);
    largest(f32::NEG_INFINITY, &lanes)
}

/// The largest of `start` and `x`, NaN ignored.
#[inline(always)]
pub fn largest(start: f32, x: &[f32]) -> f32 {
    x.iter().fold(start, |a, &b| if less(a, b) { b } else { a })
}

/// Reads up to eight floats, with `fill` in the lanes that are left.
#[inline(always)]
pub fn load_part<S: Lanes>(isa: S, x: &[f32], fill: f32) -> S::F {
    let mut lanes = [fill; LANES];
    lanes[..x.len()].copy_from_slice(x);
    isa.load(&lanes)
}

#[cfg(test)]
mod tests {
    use super::super::scalar::Scalar;
    use super::*;

    fn scalar_exp(x: f32) -> f32 {
        exp(Scalar, [x; LANES])[0]
    }

    #[test]
    fn exp_is_within_its_bound() {
        let mut worst = 0.0_f64;
        for i in -870_000..=880_000 {
            let x = i as f32 * 1.0e-4;
            let exact = f64::from(x).exp();
            worst = worst.max((f64::from(scalar_exp(x)) / exact - 1.0).abs());
        }
        assert!(worst < 1.5e-7, "{worst:e}");
    }

    #[test]
    fn exp_at_the_ends() {
        assert_eq!(scalar_exp(0.0), 1.0);
        assert_eq!(scalar_exp(-0.0), 1.0);
        assert_eq!([f32::MIN, f32::NEG_INFINITY, -87.1].map(scalar_exp), [0.0; 3]);
        assert_eq!([f32::MAX, f32::INFINITY, 88.1].map(scalar_exp), [f32::INFINITY; 3]);
        assert!(scalar_exp(-87.0).is_normal() && scalar_exp(88.0).is_finite());
        assert!(scalar_exp(f32::NAN).is_nan());
        assert!(scalar_exp(f32::from_bits(0xffff_ffff)).is_nan());
    }
}
