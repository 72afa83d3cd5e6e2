//! WebAssembly's relaxed SIMD: sixteen 8-bit products in one instruction.
//!
//! `i32x4.relaxed_dot_i8x16_i7x16_add` multiplies signed bytes by bytes of 0..=127. With the second operand in that
//! range its result is the same on every machine. Nibbles are. Signed weights become the first operand, complemented where
//! the activation is negative, and the magnitudes of the activations the second.

use super::activations::{Block, ShiftedWord};
use super::isa::{Bytes, Isa, Nibbles, Op};
use super::simd128::{self, Wasm, load, load_splat, not_unrolled};
use core::arch::wasm32::*;

/// The bits of 1.5 * 2^23. With an integer below 2^22 in magnitude added, they are the bits of that float plus the
/// integer, so that sums which start there become floats by a subtraction, which is cheaper than a conversion.
pub const SHIFTER: i32 = 0x4b40_0000;

/// Runs a kernel compiled with relaxed instructions.
#[target_feature(enable = "relaxed-simd")]
pub fn run<O: Op>(op: O) -> O::Output {
    op.run(Wasm::<true>::new())
}

/// `acc` plus the products of signed bytes and bytes of 0..=127, four to a lane.
#[inline(always)]
fn dot(signed: v128, small: v128, acc: v128) -> v128 {
    i32x4_relaxed_dot_i8x16_i7x16_add(signed, small, acc)
}

#[inline(always)]
fn dots(signed: v128, small: [v128; 2], acc: [v128; 2]) -> [v128; 2] {
    [dot(signed, small[0], acc[0]), dot(signed, small[1], acc[1])]
}

/// Rows 0 to 3 and rows 4 to 7 of a group.
#[inline(always)]
fn halves(group: &[u8; 32]) -> [v128; 2] {
    let halves = group.as_chunks::<16>().0;
    [load(&halves[0]), load(&halves[1])]
}

impl Wasm<true> {
    /// Sums that start at 0, for [`Self::to_floats`].
    #[inline(always)]
    fn zeros(self) -> [v128; 2] {
        [load_splat(&self.constants.shifter); 2]
    }

    /// Sums that started at [`SHIFTER`], as floats; exact.
    #[inline(always)]
    fn to_floats(self, sums: [v128; 2]) -> [v128; 2] {
        sums.map(|sums| f32x4_sub(sums, load_splat(&self.constants.shifter)))
    }
}

impl Isa for Wasm<true> {
    type Word = ShiftedWord;

    #[inline(always)]
    fn low_bytes(self, x: [Self::F; 4]) -> [i8; 32] {
        simd128::low_bytes(x)
    }

    #[inline(always)]
    fn byte_sum(self, x: &[i8; 32]) -> i32 {
        simd128::byte_sum(x)
    }

    #[inline(always)]
    fn dot_nibbles<const T: usize>(
        self,
        w: &Nibbles,
        a: &Block<ShiftedWord, T>,
        offset: bool,
    ) -> [Self::F; T] {
        let (low_words, high_words) = a.words.split_at(4);
        let mask = load_splat(&self.constants.nibbles);
        let mut acc = if offset { a.offset.map(|sum| [i32x4_splat(sum); 2]) } else { [self.zeros(); T] };
        if T == 1 {
            // Sums of their own for the planes: one long chain of products would take too long.
            let mut high = [i32x4_splat(0); 2];
            for ((group, low_word), high_word) in
                w.iter().zip(low_words).zip(high_words).take(not_unrolled(4))
            {
                let w = halves(group);
                acc[0] = dots(load_splat(&low_word[0].0), w.map(|w| v128_and(w, mask)), acc[0]);
                high = dots(load_splat(&high_word[0].0), w.map(|w| v128_and(u16x8_shr(w, 4), mask)), high);
            }
            acc[0] = [i32x4_add(acc[0][0], high[0]), i32x4_add(acc[0][1], high[1])];
        } else {
            // One plane after the other: eight sums, two vectors of weights and one of activations fit into registers.
            for (group, words) in w.iter().zip(low_words).take(not_unrolled(4)) {
                let w = halves(group).map(|w| v128_and(w, mask));
                for t in 0..T {
                    acc[t] = dots(load_splat(&words[t].0), w, acc[t]);
                }
            }
            for (group, words) in w.iter().zip(high_words).take(not_unrolled(4)) {
                let w = halves(group).map(|w| v128_and(u16x8_shr(w, 4), mask));
                for t in 0..T {
                    acc[t] = dots(load_splat(&words[t].0), w, acc[t]);
                }
            }
        }
        acc.map(|acc| self.to_floats(acc))
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<ShiftedWord, T>) -> [Self::F; T] {
        let mut acc = a.negative.map(|sum| [i32x4_splat(sum); 2]);
        // Two tokens at a time where there are four: engines do not keep eight sums in registers here.
        if T == 4 {
            add_bytes(w, a, 0, &mut acc[..2]);
            add_bytes(w, a, 2, &mut acc[2..]);
        } else {
            add_bytes(w, a, 0, &mut acc);
        }
        acc.map(|acc| self.to_floats(acc))
    }
}

/// Adds the products with the tokens from token `from` on, less the magnitudes of negative activations: where an
/// activation x is negative, the weight's complement -w - 1 times |x| is w * x - |x|.
#[inline(always)]
fn add_bytes<const T: usize>(w: &Bytes, a: &Block<ShiftedWord, T>, from: usize, acc: &mut [[v128; 2]]) {
    for (group, words) in w.iter().zip(&a.words).take(not_unrolled(8)) {
        let w = halves(group);
        for (acc, word) in acc.iter_mut().zip(&words[from..]) {
            let x = load_splat(&word.0);
            let magnitude = i8x16_abs(x);
            let sign = i8x16_shr(x, 7);
            acc[0] = dot(v128_xor(w[0], sign), magnitude, acc[0]);
            acc[1] = dot(v128_xor(w[1], sign), magnitude, acc[1]);
        }
    }
}
