//! The twin of every kernel in plain Rust: the definition that the others are compared with.

use super::activations::Block;
use super::isa::{Bytes, Isa, LANES, Lanes, Nibbles};
use crate::quant::f16_to_f32;

/// No particular instructions. Fixed-size loops, which compilers turn into whatever vectors there are.
#[derive(Clone, Copy)]
pub struct Scalar;

#[inline(always)]
fn zip(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// `x < y`, kept apart from a selection between the two. In a wasm module with any relaxed function LLVM (22) turns
/// vectors of `if x < y { y } else { x }` into `f32x4.relaxed_max`, whose result for NaN depends on the machine.
#[inline(always)]
pub fn less(x: f32, y: f32) -> bool {
    let less = x < y;
    if cfg!(all(target_arch = "wasm32", feature = "relaxed-simd")) {
        std::hint::black_box(less)
    } else {
        less
    }
}

impl Lanes for Scalar {
    type F = [f32; LANES];

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; LANES]
    }
    #[inline(always)]
    fn load(self, x: &[f32; LANES]) -> Self::F {
        *x
    }
    #[inline(always)]
    fn store(self, x: Self::F, out: &mut [f32; LANES]) {
        *out = x;
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn select_less(self, x: Self::F, y: Self::F, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| if less(x[i], y[i]) { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        a.map(f32::abs)
    }
    #[inline(always)]
    fn halves_to_floats(self, halves: &[u16; LANES]) -> Self::F {
        halves.map(f16_to_f32)
    }
    #[inline(always)]
    fn power_of_two(self, x: Self::F) -> Self::F {
        x.map(|x| f32::from_bits((x.to_bits() << 23).wrapping_add(0x3f80_0000)))
    }
    #[inline(always)]
    fn swap_pairs(self, a: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i ^ 1])
    }
    #[inline(always)]
    fn repeat_each(self, x: &[f32; LANES / 2]) -> Self::F {
        std::array::from_fn(|i| x[i / 2])
    }
}

impl Isa for Scalar {
    type Word = [i8; 4];

    #[inline(always)]
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<[i8; 4], T>, offset: bool) -> [Self::F; T] {
        let mut sums = a.offset.map(|sum| [if offset { sum } else { 0 }; LANES]);
        for (g, group) in w.iter().enumerate() {
            for (t, sums) in sums.iter_mut().enumerate() {
                let (low, high) = (a.words[g][t], a.words[g + 4][t]);
                for (row, sum) in group.as_chunks::<4>().0.iter().zip(sums) {
                    for i in 0..4 {
                        *sum += i32::from(row[i] & 0x0f) * i32::from(low[i]);
                        *sum += i32::from(row[i] >> 4) * i32::from(high[i]);
                    }
                }
            }
        }
        sums.map(|sums| sums.map(|sum: i32| sum as f32))
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<[i8; 4], T>) -> [Self::F; T] {
        let mut sums = [[0; LANES]; T];
        for (group, words) in w.iter().zip(&a.words) {
            for (word, sums) in words.iter().zip(&mut sums) {
                for (row, sum) in group.as_chunks::<4>().0.iter().zip(sums) {
                    for i in 0..4 {
                        *sum += i32::from(row[i] as i8) * i32::from(word[i]);
                    }
                }
            }
        }
        sums.map(|sums| sums.map(|sum: i32| sum as f32))
    }
}
