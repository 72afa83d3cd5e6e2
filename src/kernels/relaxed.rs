//! WebAssembly's relaxed SIMD: sixteen 8-bit products in one instruction.
//!
//! `i32x4.relaxed_dot_i8x16_i7x16_add` multiplies signed bytes by bytes of 0..=127. With the second operand in that
//! range its result is the same on every machine. Nibbles are; signed weights become the first operand, and the
//! activations are split into a positive and a negative part.

use super::activations::Block;
use super::isa::{Bytes, Isa, Nibbles, Op};
use super::simd128::{Wasm, load, load_splat};
use core::arch::wasm32::*;

/// Runs a kernel compiled with relaxed instructions.
#[target_feature(enable = "relaxed-simd")]
pub fn run<O: Op>(op: O) -> O::Output {
    op.run(Wasm::<true>)
}

/// `acc` plus the products of signed bytes and bytes of 0..=127, four to a lane.
#[inline(always)]
fn dot(signed: v128, small: v128, acc: v128) -> v128 {
    i32x4_relaxed_dot_i8x16_i7x16_add(signed, small, acc)
}

impl Isa for Wasm<true> {
    type I = [v128; 2];
    type Word = [i8; 4];

    #[inline(always)]
    fn ints_to_floats(self, ints: Self::I) -> Self::F {
        [f32x4_convert_i32x4(ints[0]), f32x4_convert_i32x4(ints[1])]
    }

    #[inline(always)]
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<[i8; 4], T>, init: [i32; T]) -> [Self::I; T] {
        let mask = u8x16_splat(0x0f);
        let mut acc = init.map(|init| [i32x4_splat(init); 2]);
        for (g, group) in w.iter().enumerate() {
            let halves = group.as_chunks::<16>().0;
            let packed = [load(&halves[0]), load(&halves[1])];
            let low = packed.map(|w| v128_and(w, mask));
            let high = packed.map(|w| v128_and(u16x8_shr(w, 4), mask));
            for t in 0..T {
                let x = load_splat(&a.words[g][t]);
                acc[t] = [dot(x, low[0], acc[t][0]), dot(x, low[1], acc[t][1])];
                let x = load_splat(&a.words[g + 4][t]);
                acc[t] = [dot(x, high[0], acc[t][0]), dot(x, high[1], acc[t][1])];
            }
        }
        acc
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<[i8; 4], T>) -> [Self::I; T] {
        let zero = i32x4_splat(0);
        let (mut plus, mut minus) = ([[zero; 2]; T], [[zero; 2]; T]);
        for (group, words) in w.iter().zip(&a.words) {
            let halves = group.as_chunks::<16>().0;
            let w = [load(&halves[0]), load(&halves[1])];
            for t in 0..T {
                let x = load_splat(&words[t]);
                let positive = i8x16_max(x, zero);
                let negative = i8x16_sub(positive, x);
                plus[t] = [dot(w[0], positive, plus[t][0]), dot(w[1], positive, plus[t][1])];
                minus[t] = [dot(w[0], negative, minus[t][0]), dot(w[1], negative, minus[t][1])];
            }
        }
        std::array::from_fn(|t| [i32x4_sub(plus[t][0], minus[t][0]), i32x4_sub(plus[t][1], minus[t][1])])
    }
}
