//! WebAssembly's relaxed SIMD: sixteen 8-bit products in one instruction.
//!
//! `i32x4.relaxed_dot_i8x16_i7x16_add` multiplies signed bytes by bytes of 0..=127. With the second operand in that
//! range its result is the same on every machine. Nibbles are. Signed weights become the first operand and the
//! activations are split into a positive part `p` and a negative part `n`: `w * (p - n) = w * p + !w * n + n`, where
//! `!w = -w - 1` fits into a byte for every `w`.

use super::activations::Block;
use super::isa::{Bytes, Isa, Nibbles, Op};
use super::simd128::{self, Wasm, load, load_splat, not_unrolled};
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
    fn low_bytes(self, x: [Self::F; 4]) -> [i8; 32] {
        simd128::low_bytes(x)
    }

    #[inline(always)]
    fn byte_sum(self, x: &[i8; 32]) -> i32 {
        simd128::byte_sum(x)
    }

    #[inline(always)]
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<[i8; 4], T>, init: [i32; T]) -> [Self::I; T] {
        let mask = u8x16_splat(0x0f);
        let mut acc = init.map(|init| [i32x4_splat(init); 2]);
        // A single token has a sum for each plane of nibbles: one long chain of products would take too long.
        let mut more = [i32x4_splat(0); 2];
        let (low_words, high_words) = a.words.split_at(4);
        for ((group, low_words), high_words) in w.iter().zip(low_words).zip(high_words).take(not_unrolled(4))
        {
            let halves = group.as_chunks::<16>().0;
            let packed = [load(&halves[0]), load(&halves[1])];
            let low = packed.map(|w| v128_and(w, mask));
            for t in 0..T {
                let x = load_splat(&low_words[t]);
                acc[t] = [dot(x, low[0], acc[t][0]), dot(x, low[1], acc[t][1])];
            }
            let high = packed.map(|w| v128_and(u16x8_shr(w, 4), mask));
            for t in 0..T {
                let x = load_splat(&high_words[t]);
                let acc = if T == 1 { &mut more } else { &mut acc[t] };
                *acc = [dot(x, high[0], acc[0]), dot(x, high[1], acc[1])];
            }
        }
        if T == 1 {
            acc[0] = [i32x4_add(acc[0][0], more[0]), i32x4_add(acc[0][1], more[1])];
        }
        acc
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<[i8; 4], T>) -> [Self::I; T] {
        if T <= 2 { few_bytes(w, a) } else { many_bytes(w, a) }
    }
}

/// Four bytes of activations as positive and negative parts.
#[inline(always)]
fn parts(word: &[i8; 4]) -> (v128, v128) {
    let x = load_splat(word);
    let positive = i8x16_max(x, i32x4_splat(0));
    (positive, i8x16_sub(positive, x))
}

/// For one or two tokens: the parts in sums of their own, since one long chain of products would take too long.
#[inline(always)]
fn few_bytes<const T: usize>(w: &Bytes, a: &Block<[i8; 4], T>) -> [[v128; 2]; T] {
    let zero = [i32x4_splat(0); 2];
    let (mut plus, mut minus) = ([zero; T], [zero; T]);
    for (group, words) in w.iter().zip(&a.words).take(not_unrolled(8)) {
        let halves = group.as_chunks::<16>().0;
        let w = [load(&halves[0]), load(&halves[1])];
        for t in 0..T {
            let (positive, negative) = parts(&words[t]);
            plus[t] = [dot(w[0], positive, plus[t][0]), dot(w[1], positive, plus[t][1])];
            minus[t] = [dot(w[0], negative, minus[t][0]), dot(w[1], negative, minus[t][1])];
        }
    }
    std::array::from_fn(|t| [i32x4_sub(plus[t][0], minus[t][0]), i32x4_sub(plus[t][1], minus[t][1])])
}

/// For three tokens or more: one sum for both parts, since there are few registers.
#[inline(always)]
fn many_bytes<const T: usize>(w: &Bytes, a: &Block<[i8; 4], T>) -> [[v128; 2]; T] {
    let mut acc = a.negatives.map(|sum| [i32x4_splat(sum); 2]);
    for (group, words) in w.iter().zip(&a.words).take(not_unrolled(8)) {
        let halves = group.as_chunks::<16>().0;
        let w = [load(&halves[0]), load(&halves[1])];
        let flipped = w.map(|w| v128_not(w));
        for t in 0..T {
            let (positive, negative) = parts(&words[t]);
            let sums = [dot(w[0], positive, acc[t][0]), dot(w[1], positive, acc[t][1])];
            acc[t] = [dot(flipped[0], negative, sums[0]), dot(flipped[1], negative, sums[1])];
        }
    }
    acc
}
