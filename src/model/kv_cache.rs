//! Keys and values of the tokens seen so far. The cache alone owns positions; a full cache is an error.

use super::LlamaConfig;
use crate::error::{Error, Result};

/// Rotated keys and values of all layers, `[n_kv_heads][capacity][head_dim]` a layer, 32-bit floats.
pub struct KvCache {
    layers: Vec<Layer>,
    capacity: usize,
    len: usize,
    n_kv_heads: usize,
    head_dim: usize,
}

struct Layer {
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl std::fmt::Debug for KvCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KvCache")
            .field("len", &self.len)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl KvCache {
    /// An empty cache of `capacity` positions.
    ///
    /// # Errors
    /// `model-memory` when it cannot be allocated.
    pub fn new(config: &LlamaConfig, capacity: usize) -> Result<Self> {
        let floats = config.kv_dim().saturating_mul(capacity);
        let side = || {
            let mut buffer = Vec::new();
            buffer.try_reserve_exact(floats).map_err(|_| Error::ModelMemory {
                needed_bytes: Self::bytes_for(config, capacity),
                available_bytes: 0,
            })?;
            buffer.resize(floats, 0.0);
            Ok(buffer)
        };
        let layer = |_| Ok(Layer { keys: side()?, values: side()? });
        let layers = (0..config.n_layers).map(layer).collect::<Result<_>>()?;
        Ok(Self { layers, capacity, len: 0, n_kv_heads: config.n_kv_heads, head_dim: config.head_dim })
    }

    /// Bytes of a cache of that capacity.
    pub fn bytes_for(config: &LlamaConfig, capacity: usize) -> u64 {
        let floats = 2 * config.n_layers as u64 * config.kv_dim() as u64;
        floats.saturating_mul(capacity as u64).saturating_mul(size_of::<f32>() as u64)
    }

    /// Positions in use; the next token gets this position.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no position is in use.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Positions in all.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Forgets every position from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Fails unless `seq_len` more positions are free.
    pub(super) fn require_free(&self, seq_len: usize) -> Result<()> {
        let requested = self.len + seq_len;
        if requested > self.capacity {
            return Err(Error::KvFull { capacity: self.capacity, requested });
        }
        Ok(())
    }

    /// Makes `seq_len` written positions count. Until then a failed forward pass has changed nothing.
    pub(super) fn commit(&mut self, seq_len: usize) {
        self.len += seq_len;
        debug_assert!(self.len <= self.capacity);
    }

    /// Stores the keys and values, `[n_kv_heads * head_dim]` each, of one token at a position not yet committed.
    pub(super) fn write(&mut self, layer: usize, position: usize, keys: &[f32], values: &[f32]) {
        let Self { capacity, head_dim, n_kv_heads, .. } = *self;
        let layer = &mut self.layers[layer];
        for head in 0..n_kv_heads {
            let from = head * head_dim..(head + 1) * head_dim;
            let start = (head * capacity + position) * head_dim;
            layer.keys[start..start + head_dim].copy_from_slice(&keys[from.clone()]);
            layer.values[start..start + head_dim].copy_from_slice(&values[from]);
        }
    }

    /// All keys and all values of a layer.
    pub(super) fn layer(&self, layer: usize) -> (&[f32], &[f32]) {
        (&self.layers[layer].keys, &self.layers[layer].values)
    }
}
