//! Hyper-parameters from GGUF metadata, checked against each other before anything is allocated.

use crate::error::{Error, Result};
use crate::gguf::Metadata;

/// Larger than any published LLaMA; keeps products of two dimensions far from overflow.
const MAX_DIMENSION: usize = 1 << 20;
const MAX_LAYERS: usize = 1 << 10;

/// Hyper-parameters of a LLaMA.
#[derive(Debug, Clone, PartialEq)]
pub struct LlamaConfig {
    /// Width of the residual stream.
    pub d_model: usize,
    /// Width of the gated feed-forward layer.
    pub d_ff: usize,
    /// Number of blocks.
    pub n_layers: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Key/value heads; each serves `n_heads / n_kv_heads` query heads.
    pub n_kv_heads: usize,
    /// Width of a head, even.
    pub head_dim: usize,
    /// Leading values of a head that are rotated, even, at most `head_dim`.
    pub rope_dim: usize,
    /// Base of the rotary frequencies.
    pub rope_base: f32,
    /// Positions are divided by this (linear scaling); 1 for most models.
    pub rope_linear_factor: f32,
    /// Added to the mean square in RMSNorm.
    pub rms_eps: f32,
    /// Positions the model was trained for.
    pub context_length: usize,
    /// Rows of the embedding.
    pub vocab_size: usize,
}

impl LlamaConfig {
    /// Reads the `llama.*` keys; the vocabulary is as large as the tokenizer's table.
    ///
    /// # Errors
    /// `model-architecture`, `gguf-metadata` or `model-shape`.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self> {
        let architecture = metadata.string("general.architecture")?;
        if architecture != "llama" {
            return Err(Error::ModelArchitecture { found: architecture.to_owned() });
        }
        let size = |key: &str| dimension(metadata, key, MAX_DIMENSION);
        let d_model = size("llama.embedding_length")?;
        let n_heads = size("llama.attention.head_count")?;
        let n_kv_heads = metadata
            .or("llama.attention.head_count_kv", n_heads, |m, key| dimension(m, key, MAX_DIMENSION))?;
        require(n_heads.is_multiple_of(n_kv_heads), "llama.attention.head_count_kv", || {
            (format!("a divisor of {n_heads} query heads"), n_kv_heads.to_string())
        })?;
        let head_dim = head_dim(metadata, d_model, n_heads)?;
        let rope_dim = metadata.or("llama.rope.dimension_count", head_dim, Metadata::usize)?;
        require(rope_dim.is_multiple_of(2) && rope_dim <= head_dim, "llama.rope.dimension_count", || {
            (format!("an even number up to {head_dim}"), rope_dim.to_string())
        })?;
        let config = Self {
            d_model,
            d_ff: size("llama.feed_forward_length")?,
            n_layers: dimension(metadata, "llama.block_count", MAX_LAYERS)?,
            n_heads,
            n_kv_heads,
            head_dim,
            rope_dim,
            rope_base: positive(metadata, "llama.rope.freq_base", 10_000.0)?,
            rope_linear_factor: rope_linear_factor(metadata)?,
            rms_eps: metadata.f32("llama.attention.layer_norm_rms_epsilon")?,
            context_length: dimension(metadata, "llama.context_length", u32::MAX as usize)?,
            vocab_size: metadata.strings("tokenizer.ggml.tokens")?.len(),
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        require(self.rms_eps >= 0.0, "llama.attention.layer_norm_rms_epsilon", || {
            ("a non-negative float".into(), self.rms_eps.to_string())
        })?;
        require(self.vocab_size > 0, "tokenizer.ggml.tokens", || ("a vocabulary".into(), "no token".into()))?;
        // In 64 bits: on wasm32 the product of two accepted numbers can wrap.
        let width = self.n_heads as u64 * self.head_dim as u64;
        require(width <= MAX_DIMENSION as u64, "attention width (heads times head length)", || {
            (format!("at most {MAX_DIMENSION}"), width.to_string())
        })
    }

    /// Width of all query heads together.
    pub fn q_dim(&self) -> usize {
        self.n_heads * self.head_dim
    }

    /// Width of all key (or value) heads together.
    pub fn kv_dim(&self) -> usize {
        self.n_kv_heads * self.head_dim
    }
}

fn head_dim(metadata: &Metadata, d_model: usize, n_heads: usize) -> Result<usize> {
    let key = "llama.attention.key_length";
    let head_dim = metadata.or(key, d_model / n_heads, Metadata::usize)?;
    let derived = metadata.get(key).is_none();
    require(!derived || d_model.is_multiple_of(n_heads), "llama.attention.head_count", || {
        (format!("a divisor of the width {d_model}"), n_heads.to_string())
    })?;
    let fits = head_dim > 0 && head_dim <= MAX_DIMENSION && head_dim.is_multiple_of(2);
    require(fits, key, || ("a positive even number".into(), head_dim.to_string()))?;
    let value_length = metadata.or("llama.attention.value_length", head_dim, Metadata::usize)?;
    require(value_length == head_dim, "llama.attention.value_length", || {
        (format!("the key length {head_dim}"), value_length.to_string())
    })?;
    Ok(head_dim)
}

fn rope_linear_factor(metadata: &Metadata) -> Result<f32> {
    let key = "llama.rope.scaling.type";
    let kind = metadata.or(key, String::from("none"), |m, key| m.string(key).map(str::to_owned))?;
    match kind.as_str() {
        "none" => Ok(1.0),
        "linear" => positive(metadata, "llama.rope.scaling.factor", 1.0),
        other => Err(Error::GgufMetadata {
            key: key.into(),
            expected: "none or linear".into(),
            found: other.to_owned(),
        }),
    }
}

fn positive(metadata: &Metadata, key: &str, default: f32) -> Result<f32> {
    let value = metadata.or(key, default, Metadata::f32)?;
    require(value > 0.0, key, || ("a positive float".into(), value.to_string()))?;
    Ok(value)
}

fn dimension(metadata: &Metadata, key: &str, limit: usize) -> Result<usize> {
    let value = metadata.usize(key)?;
    require((1..=limit).contains(&value), key, || (format!("1 to {limit}"), value.to_string()))?;
    Ok(value)
}

fn require(holds: bool, what: &str, expected_found: impl FnOnce() -> (String, String)) -> Result<()> {
    if holds {
        return Ok(());
    }
    let (expected, found) = expected_found();
    Err(Error::ModelShape { what: what.to_owned(), expected, found })
}
