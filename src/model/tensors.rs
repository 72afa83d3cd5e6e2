//! The tensors that a LLaMA has, and no others: names and shapes, checked before anything is loaded.

use super::LlamaConfig;
use crate::error::{Error, Result};
use crate::gguf::{Gguf, TensorInfo};
use std::collections::HashMap;

/// Checks the whole tensor table.
///
/// # Errors
/// `gguf-tensor` for a tensor that is missing or has no place in a LLaMA, `model-shape` for one of another shape.
pub(super) fn check(gguf: &Gguf, config: &LlamaConfig) -> Result<()> {
    let mut table: HashMap<&str, &TensorInfo> =
        gguf.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    for (name, dims) in required(config) {
        let tensor = table.remove(name.as_str()).ok_or_else(|| Error::GgufTensor {
            tensor: name.clone(),
            expected: format!("a tensor of shape {dims:?}"),
            found: "no such tensor".into(),
        })?;
        check_shape(tensor, &dims)?;
    }
    for (name, dims) in optional(config) {
        if let Some(tensor) = table.remove(name) {
            check_shape(tensor, &dims)?;
        }
    }
    // A tensor that no part of the model asks for means another architecture, and wrong results.
    match table.keys().min() {
        None => Ok(()),
        Some(name) => Err(Error::GgufTensor {
            tensor: (*name).to_owned(),
            expected: "only tensors of a LLaMA without biases or experts".into(),
            found: "a tensor with no place in it".into(),
        }),
    }
}

/// Names and shapes, fastest dimension first as in the file.
fn required(config: &LlamaConfig) -> impl Iterator<Item = (String, Vec<usize>)> {
    let LlamaConfig { d_model, d_ff, n_layers, vocab_size, .. } = *config;
    let (q_dim, kv_dim) = (config.q_dim(), config.kv_dim());
    let block = move |layer| {
        let parts: [(&str, Vec<usize>); 9] = [
            ("attn_norm", vec![d_model]),
            ("attn_q", vec![d_model, q_dim]),
            ("attn_k", vec![d_model, kv_dim]),
            ("attn_v", vec![d_model, kv_dim]),
            ("attn_output", vec![q_dim, d_model]),
            ("ffn_norm", vec![d_model]),
            ("ffn_gate", vec![d_model, d_ff]),
            ("ffn_up", vec![d_model, d_ff]),
            ("ffn_down", vec![d_ff, d_model]),
        ];
        parts.map(|(part, dims)| (format!("blk.{layer}.{part}.weight"), dims))
    };
    [
        ("token_embd.weight".to_owned(), vec![d_model, vocab_size]),
        ("output_norm.weight".to_owned(), vec![d_model]),
    ]
    .into_iter()
    .chain((0..n_layers).flat_map(block))
}

/// The output projection of models that do not share the embedding, and the rotary divisors of LLaMA 3.
fn optional(config: &LlamaConfig) -> [(&'static str, Vec<usize>); 2] {
    [
        ("output.weight", vec![config.d_model, config.vocab_size]),
        ("rope_freqs.weight", vec![config.rope_dim / 2]),
    ]
}

/// Missing trailing dimensions count as 1.
fn check_shape(tensor: &TensorInfo, dims: &[usize]) -> Result<()> {
    let dim = |dims: &[u64], index: usize| dims.get(index).copied().unwrap_or(1);
    let expected: Vec<u64> = dims.iter().map(|dim| *dim as u64).collect();
    if (0..4).all(|index| dim(&tensor.dims, index) == dim(&expected, index)) {
        return Ok(());
    }
    Err(Error::ModelShape {
        what: format!("tensor {}", tensor.name),
        expected: format!("{dims:?}"),
        found: format!("{:?}", tensor.dims),
    })
}
