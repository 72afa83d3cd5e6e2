//! x86-64 with AVX2, for the command line and the tests.
//!
//! `maddubs` multiplies unsigned by signed bytes and adds pairs in 16 bits, saturating. Nibbles times activations stay
//! below 2 * 15 * 127 a pair and below 2^15 for eight pairs, so a whole block is summed in 16 bits. For signed weights
//! the sign moves to the activation: pairs stay within 2 * 128 * 127 < 2^15.

use super::activations::Block;
use super::isa::{Bytes, Isa, LANES, Lanes, Nibbles, Op};
use core::arch::x86_64::*;

/// Proof that the machine has AVX2.
#[derive(Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    /// The proof, if it can be had. Costs a load after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// Runs a kernel compiled with AVX2.
    pub fn run<O: Op>(self, op: O) -> O::Output {
        #[target_feature(enable = "avx2")]
        fn compiled<O: Op>(isa: Avx2, op: O) -> O::Output {
            op.run(isa)
        }
        // SAFETY: `self` exists only after AVX2 was detected.
        unsafe { compiled(self, op) }
    }
}

impl Lanes for Avx2 {
    type F = __m256;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, x: &[f32; LANES]) -> Self::F {
        // SAFETY: `self` proves AVX2; the reference covers the 32 bytes; no alignment is needed.
        unsafe { _mm256_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: Self::F, out: &mut [f32; LANES]) {
        // SAFETY: `self` proves AVX2; the reference covers the 32 bytes; no alignment is needed.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_div_ps(a, b) }
    }
    #[inline(always)]
    fn select_less(self, x: Self::F, y: Self::F, a: Self::F, b: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_blendv_ps(b, a, _mm256_cmp_ps::<_CMP_LT_OQ>(x, y)) }
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
    }
    #[inline(always)]
    fn halves_to_floats(self, halves: &[u16; LANES]) -> Self::F {
        // Mantissa and exponent to their places; of the sign's copies only the topmost stays. The exponent is then
        // 112 too small, which the product puts right, for subnormals too.
        // SAFETY: `self` proves AVX2; the reference covers the 16 bytes; no alignment is needed.
        unsafe {
            let extended = _mm256_cvtepi16_epi32(_mm_loadu_si128(halves.as_ptr().cast()));
            let placed = _mm256_and_si256(
                _mm256_slli_epi32::<13>(extended),
                _mm256_set1_epi32(0x8fff_ffff_u32 as i32),
            );
            _mm256_mul_ps(
                _mm256_castsi256_ps(placed),
                _mm256_castsi256_ps(_mm256_set1_epi32((127 + 112) << 23)),
            )
        }
    }
    #[inline(always)]
    fn power_of_two(self, x: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let shifted = _mm256_slli_epi32::<23>(_mm256_castps_si256(x));
            _mm256_castsi256_ps(_mm256_add_epi32(shifted, _mm256_set1_epi32(0x3f80_0000)))
        }
    }
    #[inline(always)]
    fn swap_pairs(self, a: Self::F) -> Self::F {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_permute_ps::<0b10_11_00_01>(a) }
    }
    #[inline(always)]
    fn repeat_each(self, x: &[f32; LANES / 2]) -> Self::F {
        // SAFETY: `self` proves AVX2; the reference covers the 16 bytes; no alignment is needed.
        unsafe {
            let twice = _mm256_castps128_ps256(_mm_loadu_ps(x.as_ptr()));
            _mm256_permutevar8x32_ps(twice, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3))
        }
    }
    #[inline(always)]
    fn sum(self, a: Self::F) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let pairs = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)))
        }
    }
}

/// Four bytes into every 32-bit lane. (A closure here would be compiled without AVX2 and called.)
#[inline]
#[target_feature(enable = "avx2")]
fn splat_word(word: [i8; 4]) -> __m256i {
    let [a, b, c, d] = word;
    _mm256_set1_epi32(i32::from_ne_bytes([a as u8, b as u8, c as u8, d as u8]))
}

impl Isa for Avx2 {
    type Word = [i8; 4];

    #[inline(always)]
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<[i8; 4], T>, offset: bool) -> [Self::F; T] {
        // SAFETY: `self` proves AVX2; the reference covers the 32 bytes of a group; no alignment is needed.
        unsafe {
            let mask = _mm256_set1_epi8(0x0f);
            let mut acc = [_mm256_setzero_si256(); T];
            for (g, group) in w.iter().enumerate() {
                let packed = _mm256_loadu_si256(group.as_ptr().cast());
                let low = _mm256_and_si256(packed, mask);
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(packed), mask);
                for (t, acc) in acc.iter_mut().enumerate() {
                    let (x, y) = (splat_word(a.words[g][t]), splat_word(a.words[g + 4][t]));
                    let pairs = _mm256_add_epi16(_mm256_maddubs_epi16(low, x), _mm256_maddubs_epi16(high, y));
                    *acc = _mm256_add_epi16(*acc, pairs);
                }
            }
            let ones = _mm256_set1_epi16(1);
            let mut out = [_mm256_setzero_ps(); T];
            for t in 0..T {
                let sums = _mm256_add_epi32(
                    _mm256_madd_epi16(acc[t], ones),
                    _mm256_set1_epi32(if offset { a.offset[t] } else { 0 }),
                );
                out[t] = _mm256_cvtepi32_ps(sums);
            }
            out
        }
    }

    #[inline(always)]
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<[i8; 4], T>) -> [Self::F; T] {
        // SAFETY: `self` proves AVX2; the reference covers the 32 bytes of a group; no alignment is needed.
        unsafe {
            let ones = _mm256_set1_epi16(1);
            let mut acc = [_mm256_setzero_si256(); T];
            for (group, words) in w.iter().zip(&a.words) {
                let w = _mm256_loadu_si256(group.as_ptr().cast());
                let magnitude = _mm256_abs_epi8(w);
                for t in 0..T {
                    let x = splat_word(words[t]);
                    let pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(x, w));
                    acc[t] = _mm256_add_epi32(acc[t], _mm256_madd_epi16(pairs, ones));
                }
            }
            let mut out = [_mm256_setzero_ps(); T];
            for t in 0..T {
                out[t] = _mm256_cvtepi32_ps(acc[t]);
            }
            out
        }
    }
}
