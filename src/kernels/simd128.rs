//! WebAssembly's 128-bit SIMD: the float lanes of both wasm variants, and the block products of the plain one.
//!
//! Plain SIMD has no 8-bit product, so integers are multiplied in 16-bit lanes. A lane of packed nibbles holds four of
//! them. Masking one out without a shift leaves it multiplied by 1, 16 or 256; the activation that it meets was
//! multiplied by 256, 16 or 1 in turn ([`Word`](super::activations::Word) for `[i16; 4]`), so that all products come
//! out 256 times too large and one shift of the sum puts that right. The sums stay below 2^28.

use super::activations::Block;
use super::isa::{Bytes, Isa, LANES, Lanes, Nibbles};
use core::arch::wasm32::*;

/// Plain (`false`) or relaxed (`true`) SIMD. Module validation is what proves that the instructions exist.
#[derive(Clone, Copy)]
pub struct Wasm<const RELAXED: bool> {
    pub constants: &'static Constants,
}

/// Vectors of which every lane holds the same 32 bits, loaded where they are needed.
pub struct Constants {
    /// The low nibble of every byte.
    #[cfg(feature = "relaxed-simd")]
    pub nibbles: u32,
    /// Nibbles and bytes of 16-bit lanes.
    nibble_0: u32,
    nibble_1: u32,
    nibble_2: u32,
    byte_1: u32,
    /// See [`Lanes::halves_to_floats`].
    half_places: u32,
    half_scale: u32,
    /// See [`super::relaxed::SHIFTER`].
    #[cfg(feature = "relaxed-simd")]
    pub shifter: i32,
}

static CONSTANTS: Constants = Constants {
    #[cfg(feature = "relaxed-simd")]
    nibbles: 0x0f0f_0f0f,
    nibble_0: 0x000f_000f,
    nibble_1: 0x00f0_00f0,
    nibble_2: 0x0f00_0f00,
    byte_1: 0xff00_ff00,
    half_places: 0x8fff_ffff,
    half_scale: (127 + 112) << 23,
    #[cfg(feature = "relaxed-simd")]
    shifter: super::relaxed::SHIFTER,
};

impl<const RELAXED: bool> Wasm<RELAXED> {
    /// The constants are hidden from the compilers: V8 keeps no vector in a register of which it knows the value, and
    /// makes it anew for every use, with three instructions where a load is one.
    #[inline(always)]
    pub fn new() -> Self {
        Self { constants: std::hint::black_box(&CONSTANTS) }
    }
}

#[inline(always)]
pub fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; the instruction needs no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// A number of iterations that the compiler cannot see. In an unrolled body engines run out of registers and keep the
/// sums in memory, which costs up to half of the speed.
#[inline(always)]
pub fn not_unrolled(iterations: usize) -> usize {
    std::hint::black_box(iterations)
}

/// Four bytes into every 32-bit lane.
#[inline(always)]
pub fn load_splat<T>(four_bytes: &T) -> v128 {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: the reference covers the four bytes; the instruction needs no alignment.
    unsafe { v128_load32_splat(std::ptr::from_ref(four_bytes).cast()) }
}

/// The lowest eight bits of each lane.
#[inline(always)]
pub fn low_bytes(x: [[v128; 2]; 4]) -> [i8; 32] {
    let pick = |a, b| i8x16_shuffle::<0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28>(a, b);
    let eights = x.map(|x| pick(x[0], x[1]));
    let mut out = [0; 32];
    let to = out.as_mut_ptr().cast::<v128>();
    // SAFETY: the array has room for both vectors; the instruction needs no alignment.
    unsafe {
        v128_store(to, i64x2_shuffle::<0, 2>(eights[0], eights[1]));
        v128_store(to.add(1), i64x2_shuffle::<0, 2>(eights[2], eights[3]));
    }
    out
}

/// Sum of the bytes.
#[inline(always)]
pub fn byte_sum(x: &[i8; 32]) -> i32 {
    let from = x.as_ptr().cast::<v128>();
    // SAFETY: the reference covers both halves; the instruction needs no alignment.
    let x = unsafe { [v128_load(from), v128_load(from.add(1))] };
    let eights = i16x8_add(i16x8_extadd_pairwise_i8x16(x[0]), i16x8_extadd_pairwise_i8x16(x[1]));
    let fours = i32x4_extadd_pairwise_i16x8(eights);
    let pairs = i32x4_add(fours, i32x4_shuffle::<2, 3, 0, 1>(fours, fours));
    i32x4_extract_lane::<0>(pairs) + i32x4_extract_lane::<1>(pairs)
}

impl<const RELAXED: bool> Lanes for Wasm<RELAXED> {
    type F = [v128; 2];

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [f32x4_splat(x); 2]
    }
    #[inline(always)]
    fn load(self, x: &[f32; LANES]) -> Self::F {
        let from = x.as_ptr().cast::<v128>();
        // SAFETY: the reference covers both halves; the instruction needs no alignment.
        unsafe { [v128_load(from), v128_load(from.add(1))] }
    }
    #[inline(always)]
    fn store(self, x: Self::F, out: &mut [f32; LANES]) {
        let to = out.as_mut_ptr().cast::<v128>();
        // SAFETY: the reference covers both halves; the instruction needs no alignment.
        unsafe {
            v128_store(to, x[0]);
            v128_store(to.add(1), x[1]);
        }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        [f32x4_add(a[0], b[0]), f32x4_add(a[1], b[1])]
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        [f32x4_sub(a[0], b[0]), f32x4_sub(a[1], b[1])]
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        [f32x4_mul(a[0], b[0]), f32x4_mul(a[1], b[1])]
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        [f32x4_div(a[0], b[0]), f32x4_div(a[1], b[1])]
    }
    #[inline(always)]
    fn select_less(self, x: Self::F, y: Self::F, a: Self::F, b: Self::F) -> Self::F {
        // Not `f32x4_pmax` and the like: see `scalar::less`.
        std::array::from_fn(|i| v128_bitselect(a[i], b[i], f32x4_lt(x[i], y[i])))
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        [f32x4_abs(a[0]), f32x4_abs(a[1])]
    }
    #[inline(always)]
    fn halves_to_floats(self, halves: &[u16; LANES]) -> Self::F {
        let from = halves.as_ptr().cast::<i16>();
        // SAFETY: the reference covers both halves; the instruction needs no alignment.
        let extended = unsafe { [i32x4_load_extend_i16x4(from), i32x4_load_extend_i16x4(from.add(4))] };
        // Mantissa and exponent to their places; of the sign's copies only the topmost stays. The exponent is then
        // 112 too small, which the product puts right, for subnormals too.
        extended.map(|x| {
            let placed = v128_and(i32x4_shl(x, 13), load_splat(&self.constants.half_places));
            f32x4_mul(placed, load_splat(&self.constants.half_scale))
        })
    }
    #[inline(always)]
    fn power_of_two(self, x: Self::F) -> Self::F {
        x.map(|x| i32x4_add(i32x4_shl(x, 23), i32x4_splat(0x3f80_0000)))
    }
    #[inline(always)]
    fn swap_pairs(self, a: Self::F) -> Self::F {
        a.map(|a| i32x4_shuffle::<1, 0, 3, 2>(a, a))
    }
    #[inline(always)]
    fn repeat_each(self, x: &[f32; LANES / 2]) -> Self::F {
        // SAFETY: the reference covers the 16 bytes; the instruction needs no alignment.
        let x = unsafe { v128_load(x.as_ptr().cast()) };
        [i32x4_shuffle::<0, 0, 1, 1>(x, x), i32x4_shuffle::<2, 2, 3, 3>(x, x)]
    }
    #[inline(always)]
    fn sum(self, a: Self::F) -> f32 {
        let half = f32x4_add(a[0], a[1]);
        let pairs = f32x4_add(half, i32x4_shuffle::<2, 3, 0, 1>(half, half));
        f32x4_extract_lane::<0>(pairs) + f32x4_extract_lane::<1>(pairs)
    }
    #[inline(always)]
    fn sums(self, a: [Self::F; 4]) -> [f32; 4] {
        let half = a.map(|a| f32x4_add(a[0], a[1]));
        let pairs = |a, b| f32x4_add(i32x4_shuffle::<0, 1, 4, 5>(a, b), i32x4_shuffle::<2, 3, 6, 7>(a, b));
        let (ab, cd) = (pairs(half[0], half[1]), pairs(half[2], half[3]));
        let sums = f32x4_add(i32x4_shuffle::<0, 2, 4, 6>(ab, cd), i32x4_shuffle::<1, 3, 5, 7>(ab, cd));
        let mut out = [0.0; 4];
        // SAFETY: the array has room for the 16 bytes; the instruction needs no alignment.
        unsafe { v128_store(out.as_mut_ptr().cast(), sums) };
        out
    }
}

/// Adds the products of one pair of columns of eight rows with the activations of every token.
#[inline(always)]
fn multiply<const T: usize>(acc: &mut [[v128; 2]; T], w: [v128; 2], pairs: [[i16; 2]; T]) {
    for t in 0..T {
        let x = load_splat(&pairs[t]);
        for half in 0..2 {
            acc[t][half] = i32x4_add(acc[t][half], i32x4_dot_i16x8(w[half], x));
        }
    }
}

impl Isa for Wasm<false> {
    type Word = [i16; 4];

    #[inline(always)]
    fn low_bytes(self, x: [Self::F; 4]) -> [i8; 32] {
        low_bytes(x)
    }

    #[inline(always)]
    fn byte_sum(self, x: &[i8; 32]) -> i32 {
        byte_sum(x)
    }

    #[inline(always)]
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<[i16; 4], T>, offset: bool) -> [Self::F; T] {
        let constants = self.constants;
        let mut acc = a.offset.map(|sum| [i32x4_splat(if offset { sum } else { 0 }); 2]);
        let (low_words, high_words) = a.words.split_at(4);
        for ((group, low), high) in w.iter().zip(low_words).zip(high_words).take(not_unrolled(4)) {
            let w = group.as_chunks::<16>().0;
            let w = [load(&w[0]), load(&w[1])];
            let low = low.each_ref().map(|word| word.as_chunks::<2>().0);
            let high = high.each_ref().map(|word| word.as_chunks::<2>().0);
            multiply(
                &mut acc,
                w.map(|w| v128_and(w, load_splat(&constants.nibble_0))),
                low.map(|pairs| pairs[0]),
            );
            multiply(
                &mut acc,
                w.map(|w| v128_and(w, load_splat(&constants.nibble_1))),
                high.map(|pairs| pairs[0]),
            );
            multiply(
                &mut acc,
                w.map(|w| v128_and(w, load_splat(&constants.nibble_2))),
                low.map(|pairs| pairs[1]),
            );
            multiply(&mut acc, w.map(|w| u16x8_shr(w, 12)), high.map(|pairs| pairs[1]));
        }
        acc.map(|acc| acc.map(|acc| f32x4_convert_i32x4(i32x4_shr(acc, 8))))
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<[i16; 4], T>) -> [Self::F; T] {
        let constants = self.constants;
        let mut acc = [[i32x4_splat(0); 2]; T];
        let ((w_low, w_high), (a_low, a_high)) = (w.split_at(4), a.words.split_at(4));
        // The factor of each operand depends on the place of the word: 1 * 256, 256 * 1 or 16 * 16.
        for (group, words) in w_low.iter().zip(a_low).take(not_unrolled(4)) {
            let w = group.as_chunks::<16>().0;
            let w = [load(&w[0]), load(&w[1])];
            let words = words.each_ref().map(|word| word.as_chunks::<2>().0);
            multiply(&mut acc, w.map(|w| i16x8_shr(i16x8_shl(w, 8), 8)), words.map(|pairs| pairs[0]));
            multiply(
                &mut acc,
                w.map(|w| v128_and(w, load_splat(&constants.byte_1))),
                words.map(|pairs| pairs[1]),
            );
        }
        for (group, words) in w_high.iter().zip(a_high).take(not_unrolled(4)) {
            let w = group.as_chunks::<16>().0;
            let w = [load(&w[0]), load(&w[1])];
            let words = words.each_ref().map(|word| word.as_chunks::<2>().0);
            multiply(&mut acc, w.map(|w| i16x8_shr(i16x8_shl(w, 8), 4)), words.map(|pairs| pairs[0]));
            multiply(&mut acc, w.map(|w| i16x8_shr(w, 8)), words.map(|pairs| pairs[1]));
        }
        acc.map(|acc| acc.map(|acc| f32x4_convert_i32x4(i32x4_shr(acc, 8))))
    }
}
