//! The operations of a LLaMA block as a Burn backend extension.
//!
//! Every operation has a default body composed from plain Burn operations ([`super::reference`]): the readable
//! definition, the oracle of the tests, and what a new backend starts with. The CPU backends override all of
//! them with the integer kernels; see [`super::host`].

use super::host;
use super::kv_cache::KvCache;
use super::reference;
use super::rope::Rope;
use crate::kernels::{Kernels, PackedMatrix};
#[cfg(feature = "flex")]
use burn::backend::Flex;
#[cfg(feature = "ndarray")]
use burn::backend::NdArray;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, backend_extension};
use std::sync::Arc;

/// Projections of queries, keys and values, `[q_dim | kv_dim, d_model]`.
#[derive(Debug)]
pub struct QkvWeights {
    /// `[q_dim, d_model]`.
    pub query: PackedMatrix,
    /// `[kv_dim, d_model]`.
    pub key: PackedMatrix,
    /// `[kv_dim, d_model]`.
    pub value: PackedMatrix,
}

/// The two input projections of the gated feed-forward layer, `[d_ff, d_model]` each.
#[derive(Debug)]
pub struct GateUpWeights {
    /// Goes through SiLU.
    pub gate: PackedMatrix,
    /// Multiplied with it.
    pub up: PackedMatrix,
}

/// What attention needs beside its inputs.
#[derive(Debug, Clone)]
pub struct AttentionContext {
    /// Which layer of the cache.
    pub layer: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Key/value heads.
    pub n_kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Angles of every position.
    pub rope: Arc<Rope>,
}

/// Operations on activations `[seq_len, width]`, 32-bit floats.
#[cfg_attr(all(feature = "flex", feature = "ndarray"), backend_extension(Flex, NdArray))]
#[cfg_attr(all(feature = "flex", not(feature = "ndarray")), backend_extension(Flex))]
#[cfg_attr(all(feature = "ndarray", not(feature = "flex")), backend_extension(NdArray))]
pub trait LlamaOps: Backend {
    /// `x / sqrt(mean(x^2) + eps) * weight` a row. Shapes: `[seq_len, d_model]`, `[d_model]`.
    fn llama_rms_norm(
        kernels: Kernels,
        x: FloatTensor<Self>,
        weight: &FloatTensor<Self>,
        eps: f32,
    ) -> FloatTensor<Self> {
        let _ = kernels;
        reference::rms_norm::<Self>(x, weight.clone(), eps)
    }

    /// `x * W^T`. Shapes: `[seq_len, cols]` and `[rows, cols]` give `[seq_len, rows]`.
    fn llama_linear(kernels: Kernels, x: FloatTensor<Self>, weight: &PackedMatrix) -> FloatTensor<Self> {
        let _ = kernels;
        reference::linear::<Self>(x, weight)
    }

    /// `residual + x * W^T`.
    fn llama_linear_add(
        kernels: Kernels,
        x: FloatTensor<Self>,
        weight: &PackedMatrix,
        residual: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let _ = kernels;
        Self::float_add(residual, reference::linear::<Self>(x, weight))
    }

    /// Queries, keys and values of `x`.
    fn llama_qkv(
        kernels: Kernels,
        x: FloatTensor<Self>,
        weights: &QkvWeights,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let _ = kernels;
        (
            reference::linear::<Self>(x.clone(), &weights.query),
            reference::linear::<Self>(x.clone(), &weights.key),
            reference::linear::<Self>(x, &weights.value),
        )
    }

    /// Rotates queries and keys, stores keys and values after the committed positions of the cache, and attends
    /// causally over all of them. Shapes: `[seq_len, q_dim]`, `[seq_len, kv_dim]` twice; gives `[seq_len, q_dim]`.
    /// The caller has checked that the cache has room, and commits.
    fn llama_attention(
        kernels: Kernels,
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        value: FloatTensor<Self>,
        cache: &mut KvCache,
        context: &AttentionContext,
    ) -> FloatTensor<Self> {
        let _ = kernels;
        reference::attention::<Self>(query, key, value, cache, context)
    }

    /// `silu(x * Wg^T) * (x * Wu^T)`, the gated half of SwiGLU. Gives `[seq_len, d_ff]`.
    fn llama_gate_up(kernels: Kernels, x: FloatTensor<Self>, weights: &GateUpWeights) -> FloatTensor<Self> {
        let _ = kernels;
        reference::gate_up::<Self>(x, weights)
    }
}

/// Binds the kernels to a backend whose tensors lie in ordinary memory.
macro_rules! bind_kernels {
    ($backend:ty) => {
        impl LlamaOps for $backend {
            fn llama_rms_norm(
                kernels: Kernels,
                x: FloatTensor<Self>,
                weight: &FloatTensor<Self>,
                eps: f32,
            ) -> FloatTensor<Self> {
                host::rms_norm::<Self>(kernels, &x, weight, eps)
            }

            fn llama_linear(
                kernels: Kernels,
                x: FloatTensor<Self>,
                weight: &PackedMatrix,
            ) -> FloatTensor<Self> {
                host::linear::<Self>(kernels, &x, weight)
            }

            fn llama_linear_add(
                kernels: Kernels,
                x: FloatTensor<Self>,
                weight: &PackedMatrix,
                residual: FloatTensor<Self>,
            ) -> FloatTensor<Self> {
                host::linear_add::<Self>(kernels, &x, weight, &residual)
            }

            fn llama_qkv(
                kernels: Kernels,
                x: FloatTensor<Self>,
                weights: &QkvWeights,
            ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
                host::qkv::<Self>(kernels, &x, weights)
            }

            fn llama_attention(
                kernels: Kernels,
                query: FloatTensor<Self>,
                key: FloatTensor<Self>,
                value: FloatTensor<Self>,
                cache: &mut KvCache,
                context: &AttentionContext,
            ) -> FloatTensor<Self> {
                host::attention::<Self>(kernels, [&query, &key, &value], cache, context)
            }

            fn llama_gate_up(
                kernels: Kernels,
                x: FloatTensor<Self>,
                weights: &GateUpWeights,
            ) -> FloatTensor<Self> {
                host::gate_up::<Self>(kernels, &x, weights)
            }
        }
    };
}

#[cfg(feature = "flex")]
bind_kernels!(Flex);
#[cfg(feature = "ndarray")]
bind_kernels!(NdArray);
