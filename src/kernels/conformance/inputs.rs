//! Reproducible inputs that look for trouble.

use crate::quant::{Format, f32_to_f16};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Uniform in -1..1.
    fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn floats(&mut self, len: usize, scale: f32) -> Vec<f32> {
        (0..len).map(|_| self.signed() * scale).collect()
    }

    /// Mostly ordinary values; every block of 32 may instead be zero, constant, half-way between integers, wildly
    /// scaled, or (seldom) hold an infinity or a NaN.
    pub fn activations(&mut self, len: usize) -> Vec<f32> {
        let mut x = self.floats(len, 1.0);
        for block in x.chunks_mut(32) {
            match self.below(200) {
                0..4 => block.fill(0.0),
                4..8 => block.fill(-3.0),
                8..12 => {
                    block[0] = 127.0;
                    block[1..].iter_mut().for_each(|x| *x = (*x * 120.0).trunc() + 0.5);
                }
                12..30 => {
                    let scale = f32::from_bits((self.below(250) as u32 + 1) << 23);
                    block.iter_mut().for_each(|x| *x *= scale);
                }
                30 => block[0] = f32::INFINITY,
                31 => block[0] = f32::NAN,
                32..36 => block.iter_mut().for_each(|x| *x = f32::from_bits(x.to_bits() & 0x8000_ffff)),
                _ => {}
            }
        }
        x
    }

    /// Sometimes replaces the scale or all integers of a quantised block by extreme ones.
    pub fn disturb(&mut self, block: &mut [u8], format: Format) {
        let header = block.len() - if format == Format::Q8_0 { 32 } else { 16 };
        match self.below(16) {
            0 => block[..2].copy_from_slice(&(self.below(0x7c00) as u16 | 0x8000).to_le_bytes()),
            1 => block[..2].copy_from_slice(&(self.below(0x400) as u16).to_le_bytes()),
            2 => block[..2].copy_from_slice(&f32_to_f16(65504.0).to_le_bytes()),
            3 => block[header..].fill(0x80),
            4 => block[header..].fill(0xff),
            5 => block[header..].fill(0x7f),
            6 => block[header..].fill(0x00),
            _ => {}
        }
    }
}
