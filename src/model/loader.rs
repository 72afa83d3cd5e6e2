//! From a GGUF file to a model: everything is checked first, then rows are streamed into their packed place.

use super::LlamaConfig;
use super::arithmetic::Arithmetic;
use super::block::{Block, RmsNorm};
use super::kv_cache::KvCache;
use super::llama::{Host, Llama};
use super::ops::{AttentionContext, GateUpWeights, QkvWeights};
use super::rope::Rope;
use super::tensors;
use crate::error::{Error, Result};
use crate::gguf::{Gguf, ReadAt, TensorInfo};
use crate::kernels::PackedMatrix;
use crate::quant::{Format, dequantise_row};
use burn::module::{Param, ParamId};
use burn::tensor::Tensor;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows are read in pieces of about this size, so that nothing is held twice.
const PIECE_BYTES: usize = 1 << 20;

/// How to load.
pub struct LoadOptions<'a> {
    /// Positions of the cache and of the rotary tables.
    pub capacity: usize,
    /// Weights, cache and scratch may take this much.
    pub memory_limit_bytes: u64,
    /// Kernels or plain operations.
    pub arithmetic: Arithmetic,
    /// Called with the bytes of weights read so far.
    pub on_progress: &'a mut dyn FnMut(u64),
}

/// Loads the weights and allocates the cache.
///
/// The tensor table and the memory are checked before anything is allocated.
///
/// # Errors
/// `model-shape`, `model-memory`, `gguf-tensor`, `io`.
pub fn load(
    gguf: &Gguf,
    source: &dyn ReadAt,
    config: LlamaConfig,
    options: LoadOptions<'_>,
) -> Result<(Llama, KvCache)> {
    tensors::check(gguf, &config)?;
    let needed_bytes = gguf.tensors.iter().map(|tensor| tensor.bytes).sum::<u64>()
        + KvCache::bytes_for(&config, options.capacity)
        + Rope::bytes_for(&config, options.capacity);
    if needed_bytes > options.memory_limit_bytes {
        return Err(Error::ModelMemory { needed_bytes, available_bytes: options.memory_limit_bytes });
    }
    let capacity = options.capacity;
    let model = Loader::new(gguf, source, options).model(config)?;
    let cache = KvCache::new(&model.config, capacity)?;
    Ok((model, cache))
}

struct Loader<'a, 'o> {
    tensors: HashMap<&'a str, &'a TensorInfo>,
    source: &'a dyn ReadAt,
    options: LoadOptions<'o>,
    read_bytes: u64,
    next_param: u64,
}

impl<'a, 'o> Loader<'a, 'o> {
    fn new(gguf: &'a Gguf, source: &'a dyn ReadAt, options: LoadOptions<'o>) -> Self {
        let tensors = gguf.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
        Self { tensors, source, options, read_bytes: 0, next_param: 0 }
    }

    fn model(&mut self, config: LlamaConfig) -> Result<Llama> {
        let LlamaConfig { d_model, vocab_size, n_layers, .. } = config;
        let divisors = self.rope_divisors(&config)?;
        let rope = Arc::new(Rope::new(&config, self.options.capacity, &divisors)?);
        let embedding = Arc::new(self.matrix("token_embd.weight", vocab_size, d_model)?);
        let output = match self.tensors.contains_key("output.weight") {
            true => Arc::new(self.matrix("output.weight", vocab_size, d_model)?),
            false => embedding.clone(),
        };
        let output_norm = self.norm("output_norm.weight", &config)?;
        let blocks = (0..n_layers).map(|layer| self.block(layer, &config, &rope)).collect::<Result<_>>()?;
        let arithmetic = self.options.arithmetic;
        Ok(Llama { embedding, blocks, output_norm, output, config: Arc::new(config), arithmetic })
    }

    fn block(&mut self, layer: usize, config: &LlamaConfig, rope: &Arc<Rope>) -> Result<Block> {
        let LlamaConfig { d_model, d_ff, n_heads, n_kv_heads, head_dim, .. } = *config;
        let (q_dim, kv_dim) = (config.q_dim(), config.kv_dim());
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        Ok(Block {
            attention_norm: self.norm(&name("attn_norm"), config)?,
            ffn_norm: self.norm(&name("ffn_norm"), config)?,
            qkv: Arc::new(QkvWeights {
                query: self.matrix(&name("attn_q"), q_dim, d_model)?,
                key: self.matrix(&name("attn_k"), kv_dim, d_model)?,
                value: self.matrix(&name("attn_v"), kv_dim, d_model)?,
            }),
            output: Arc::new(self.matrix(&name("attn_output"), d_model, q_dim)?),
            gate_up: Arc::new(GateUpWeights {
                gate: self.matrix(&name("ffn_gate"), d_ff, d_model)?,
                up: self.matrix(&name("ffn_up"), d_ff, d_model)?,
            }),
            down: Arc::new(self.matrix(&name("ffn_down"), d_model, d_ff)?),
            attention: Arc::new(AttentionContext {
                layer,
                n_heads,
                n_kv_heads,
                head_dim,
                rope: rope.clone(),
            }),
        })
    }

    fn tensor(&self, name: &str) -> Result<&'a TensorInfo> {
        let missing =
            || Error::Internal { message: format!("tensor {name} passed the check and is missing") };
        self.tensors.get(name).copied().ok_or_else(missing)
    }

    /// A matrix `[rows, cols]`, streamed into its packed form.
    fn matrix(&mut self, name: &str, rows: usize, cols: usize) -> Result<PackedMatrix> {
        let tensor = self.tensor(name)?;
        let mut matrix = PackedMatrix::allocate(tensor.format, rows, cols)?;
        let row_bytes = row_bytes(tensor.format, cols);
        let rows_per_piece = (PIECE_BYTES / row_bytes).max(1);
        let mut piece = Vec::new();
        for first_row in (0..rows).step_by(rows_per_piece) {
            let count = rows_per_piece.min(rows - first_row);
            piece.resize(count * row_bytes, 0);
            self.source.read_at(tensor.offset + (first_row * row_bytes) as u64, &mut piece)?;
            matrix.write_rows(first_row, &piece);
            self.progress(piece.len());
        }
        Ok(matrix)
    }

    /// A vector as floats.
    fn vector(&mut self, name: &str, len: usize) -> Result<Vec<f32>> {
        let tensor = self.tensor(name)?;
        let mut bytes = vec![0; tensor.bytes as usize];
        self.source.read_at(tensor.offset, &mut bytes)?;
        self.progress(bytes.len());
        let mut values = vec![0.0; len];
        dequantise_row(tensor.format, &bytes, &mut values);
        Ok(values)
    }

    fn norm(&mut self, name: &str, config: &LlamaConfig) -> Result<RmsNorm> {
        let values = self.vector(name, config.d_model)?;
        self.next_param += 1;
        let weight = Param::initialized(ParamId::from(self.next_param), vector_tensor(values));
        Ok(RmsNorm { weight, eps: f64::from(config.rms_eps) })
    }

    /// Per-pair divisors of the rotary speeds, in files of the LLaMA 3 family.
    fn rope_divisors(&mut self, config: &LlamaConfig) -> Result<Vec<f32>> {
        let name = "rope_freqs.weight";
        if !self.tensors.contains_key(name) {
            return Ok(Vec::new());
        }
        let divisors = self.vector(name, config.rope_dim / 2)?;
        match divisors.iter().find(|divisor| !(divisor.is_finite() && **divisor > 0.0)) {
            None => Ok(divisors),
            Some(found) => Err(Error::GgufTensor {
                tensor: name.into(),
                expected: "positive finite values".into(),
                found: found.to_string(),
            }),
        }
    }

    fn progress(&mut self, bytes: usize) {
        self.read_bytes += bytes as u64;
        (self.options.on_progress)(self.read_bytes);
    }
}

fn row_bytes(format: Format, cols: usize) -> usize {
    cols / format.block_len() * format.block_bytes()
}

fn vector_tensor(values: Vec<f32>) -> Tensor<1> {
    use super::host::HostBackend;
    let len = values.len();
    Tensor::from_primitive::<Host>(Host::from_values(values, [len]))
}
