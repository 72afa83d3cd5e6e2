//! Rotary position embedding: the angles, as tables.
//!
//! Pair `i` of a head at position `p` turns by `p / factor * base^(-2i / rope_dim) / divisor[i]`
//! (Su et al., RoFormer, <https://arxiv.org/abs/2104.09864>). Pairs are neighbours `(x[2i], x[2i + 1])`, as in every
//! GGUF file of architecture `llama`.

use super::LlamaConfig;
use crate::error::{Error, Result};

/// Cosines and sines for every position of a context.
#[derive(Clone)]
pub struct Rope {
    cos: Vec<f32>,
    sin: Vec<f32>,
    pairs: usize,
}

impl std::fmt::Debug for Rope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rope").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}

impl Rope {
    /// Tables for positions `0..capacity`. `divisors` holds one value a rotated pair, or is empty.
    ///
    /// # Errors
    /// `model-memory` when they cannot be allocated.
    pub fn new(config: &LlamaConfig, capacity: usize, divisors: &[f32]) -> Result<Self> {
        let pairs = config.head_dim / 2;
        let angular_speed: Vec<f64> = (0..pairs)
            .map(|pair| {
                if pair >= config.rope_dim / 2 {
                    return 0.0; // not rotated
                }
                let exponent = -2.0 * pair as f64 / config.rope_dim as f64;
                let speed = libm::pow(f64::from(config.rope_base), exponent);
                let divisor = divisors.get(pair).map_or(1.0, |divisor| f64::from(*divisor));
                speed / f64::from(config.rope_linear_factor) / divisor
            })
            .collect();
        let table = |f: fn(f64) -> f64| -> Result<Vec<f32>> {
            let row = |position| angular_speed.iter().map(move |speed| f(position as f64 * speed) as f32);
            let mut values = Vec::new();
            values.try_reserve_exact(capacity.saturating_mul(pairs)).map_err(|_| Error::ModelMemory {
                needed_bytes: Self::bytes_for(config, capacity),
                available_bytes: 0,
            })?;
            values.extend((0..capacity).flat_map(row));
            Ok(values)
        };
        Ok(Self { cos: table(libm::cos)?, sin: table(libm::sin)?, pairs })
    }

    /// Bytes of the tables for that capacity.
    pub fn bytes_for(config: &LlamaConfig, capacity: usize) -> u64 {
        (config.head_dim as u64).saturating_mul(capacity as u64).saturating_mul(size_of::<f32>() as u64)
    }

    /// Cosines and sines of one position, `head_dim / 2` each.
    pub fn at(&self, position: usize) -> (&[f32], &[f32]) {
        let range = position * self.pairs..(position + 1) * self.pairs;
        (&self.cos[range.clone()], &self.sin[range])
    }
}
