//! What the machine gives at most: integer products out of registers, and a stream out of memory.

use crate::kernels::{Kernels, Variant};

/// Products of one round.
pub const PRODUCTS_PER_ROUND: usize = CHAINS * 16;

/// Independent sums: enough to hide the latency of the product, few enough for the registers.
const CHAINS: usize = 10;

/// `rounds` rounds of the block products' own instruction, without a load. The result depends on all of them.
pub fn dots(kernels: Kernels, rounds: u32) -> i32 {
    match kernels.variant() {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
        Variant::Relaxed => wasm::relaxed(rounds),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Variant::Simd128 => wasm::plain(rounds),
        #[cfg(target_arch = "x86_64")]
        Variant::Avx2 => x86::avx2(rounds),
        _ => scalar(rounds),
    }
}

/// The sum of all words: as many additions as bytes / 4, sixteen of them in flight.
pub fn stream(words: &[u32]) -> u32 {
    let mut sums = [0_u32; 16];
    for sixteen in words.as_chunks::<16>().0 {
        for (sum, word) in sums.iter_mut().zip(sixteen) {
            *sum = sum.wrapping_add(*word);
        }
    }
    sums.iter().fold(0, |a, b| a.wrapping_add(*b))
}

fn scalar(rounds: u32) -> i32 {
    let (mut acc, factor) = ([0_i32; PRODUCTS_PER_ROUND], std::hint::black_box(3));
    for round in 0..rounds {
        for acc in &mut acc {
            *acc = acc.wrapping_add(factor * (round & 1) as i32);
        }
    }
    acc.iter().fold(0, |a, b| a.wrapping_add(*b))
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::CHAINS;
    use core::arch::wasm32::*;

    fn total(acc: [v128; CHAINS]) -> i32 {
        let sum = acc.iter().fold(i32x4_splat(0), |a, b| i32x4_add(a, *b));
        i32x4_extract_lane::<0>(sum)
    }

    #[cfg(feature = "relaxed-simd")]
    #[target_feature(enable = "relaxed-simd")]
    fn relaxed_rounds(rounds: u32) -> i32 {
        let (w, x) = (u8x16_splat(std::hint::black_box(0x85)), u8x16_splat(std::hint::black_box(0x13)));
        let mut acc = [i32x4_splat(0); CHAINS];
        for _ in 0..rounds {
            for acc in &mut acc {
                *acc = i32x4_relaxed_dot_i8x16_i7x16_add(w, x, *acc);
            }
        }
        total(acc)
    }

    #[cfg(feature = "relaxed-simd")]
    pub fn relaxed(rounds: u32) -> i32 {
        relaxed_rounds(rounds)
    }

    /// Two products of eight and their additions stand for sixteen.
    pub fn plain(rounds: u32) -> i32 {
        let w: [v128; CHAINS] = std::hint::black_box(std::array::from_fn(|i| i16x8_splat(i as i16 - 4)));
        let mut acc = [i32x4_splat(0); CHAINS];
        for round in 0..2 * rounds {
            // Another factor in every round, so that no product can be taken out of the loop.
            let x = i16x8_splat(round as i16);
            for (acc, w) in acc.iter_mut().zip(w) {
                *acc = i32x4_add(*acc, i32x4_dot_i16x8(w, x));
            }
        }
        total(acc)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::CHAINS;
    use core::arch::x86_64::*;

    /// One product of 32 a chain stands for two of sixteen.
    #[target_feature(enable = "avx2")]
    fn rounds(rounds: u32) -> i32 {
        let (w, x) = (_mm256_set1_epi8(std::hint::black_box(13)), _mm256_set1_epi8(std::hint::black_box(-5)));
        let mut acc = [_mm256_setzero_si256(); CHAINS];
        for _ in 0..rounds.div_ceil(2) {
            for acc in &mut acc {
                *acc = _mm256_add_epi16(*acc, _mm256_maddubs_epi16(_mm256_xor_si256(w, *acc), x));
            }
        }
        let sum = acc.iter().fold(_mm256_setzero_si256(), |a, b| _mm256_add_epi16(a, *b));
        _mm256_cvtsi256_si32(sum)
    }

    pub fn avx2(count: u32) -> i32 {
        assert!(is_x86_feature_detected!("avx2"), "the variant was detected");
        // SAFETY: AVX2 is there.
        unsafe { rounds(count) }
    }
}
