//! The operations of a LLaMA block as a Burn backend extension.
//!
//! Every operation has a default body composed from plain Burn operations ([`super::reference`]): the readable
//! definition, the oracle of the tests, and what a new backend starts with. The CPU backends override all of
//! them with the integer kernels; see [`super::host`].

use super::arithmetic::Arithmetic;
use super::host;
use super::kv_cache::KvCache;
use super::placement::Placement;
use super::reference;
use super::rope::Rope;
use crate::kernels::PackedMatrix;
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

/// Operations on activations `[seq_len, width]`, 32-bit floats. `arithmetic` chooses between kernels and plain
/// operations where a backend has both.
#[cfg_attr(all(feature = "flex", feature = "ndarray"), backend_extension(Flex, NdArray))]
#[cfg_attr(all(feature = "flex", not(feature = "ndarray")), backend_extension(Flex))]
#[cfg_attr(all(feature = "ndarray", not(feature = "flex")), backend_extension(NdArray))]
pub trait LlamaOps: Backend {
    /// `x / sqrt(mean(x^2) + eps) * weight` a row. Shapes: `[seq_len, d_model]`, `[d_model]`.
    fn llama_rms_norm(
        arithmetic: Arithmetic,
        x: FloatTensor<Self>,
        weight: &FloatTensor<Self>,
        eps: f32,
    ) -> FloatTensor<Self> {
        let _ = arithmetic;
        reference::rms_norm::<Self>(x, weight.clone(), eps)
    }

    /// `x * W^T`. Shapes: `[seq_len, cols]` and `[rows, cols]` give `[seq_len, rows]`.
    fn llama_linear(
        arithmetic: Arithmetic,
        x: FloatTensor<Self>,
        weight: &PackedMatrix,
    ) -> FloatTensor<Self> {
        let _ = arithmetic;
        reference::linear::<Self>(x, weight)
    }

    /// `residual + x * W^T`.
    fn llama_linear_add(
        arithmetic: Arithmetic,
        x: FloatTensor<Self>,
        weight: &PackedMatrix,
        residual: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let _ = arithmetic;
        reference::linear_add::<Self>(x, weight, residual)
    }

    /// Queries, keys and values of `x`.
    fn llama_qkv(
        arithmetic: Arithmetic,
        x: FloatTensor<Self>,
        weights: &QkvWeights,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let _ = arithmetic;
        reference::qkv::<Self>(x, weights)
    }

    /// Rotates queries and keys by their positions, stores keys and values in their slots of the cache, and attends
    /// to what each token sees. Shapes: `[seq_len, q_dim]`, `[seq_len, kv_dim]` twice; gives `[seq_len, q_dim]`.
    /// The caller has checked that the cache has room, and commits.
    fn llama_attention(
        arithmetic: Arithmetic,
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        value: FloatTensor<Self>,
        cache: &mut KvCache,
        placement: &Placement,
        context: &AttentionContext,
    ) -> FloatTensor<Self> {
        let _ = arithmetic;
        reference::attention::<Self>(query, key, value, cache, placement, context)
    }

    /// `silu(x * Wg^T) * (x * Wu^T)`, the gated half of SwiGLU. Gives `[seq_len, d_ff]`.
    fn llama_gate_up(
        arithmetic: Arithmetic,
        x: FloatTensor<Self>,
        weights: &GateUpWeights,
    ) -> FloatTensor<Self> {
        let _ = arithmetic;
        reference::gate_up::<Self>(x, weights)
    }
}

/// Binds the kernels to a backend whose tensors lie in ordinary memory.
macro_rules! bind_kernels {
    ($backend:ty) => {
        impl LlamaOps for $backend {
            fn llama_rms_norm(
                arithmetic: Arithmetic,
                x: FloatTensor<Self>,
                weight: &FloatTensor<Self>,
                eps: f32,
            ) -> FloatTensor<Self> {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => host::rms_norm::<Self>(kernels, &x, weight, eps),
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => reference::rms_norm::<Self>(x, weight.clone(), eps),
                }
            }

            fn llama_linear(
                arithmetic: Arithmetic,
                x: FloatTensor<Self>,
                weight: &PackedMatrix,
            ) -> FloatTensor<Self> {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => host::linear::<Self>(kernels, &x, weight),
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => reference::linear::<Self>(x, weight),
                }
            }

            fn llama_linear_add(
                arithmetic: Arithmetic,
                x: FloatTensor<Self>,
                weight: &PackedMatrix,
                residual: FloatTensor<Self>,
            ) -> FloatTensor<Self> {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => host::linear_add::<Self>(kernels, &x, weight, &residual),
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => reference::linear_add::<Self>(x, weight, residual),
                }
            }

            fn llama_qkv(
                arithmetic: Arithmetic,
                x: FloatTensor<Self>,
                weights: &QkvWeights,
            ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => host::qkv::<Self>(kernels, &x, weights),
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => reference::qkv::<Self>(x, weights),
                }
            }

            fn llama_attention(
                arithmetic: Arithmetic,
                query: FloatTensor<Self>,
                key: FloatTensor<Self>,
                value: FloatTensor<Self>,
                cache: &mut KvCache,
                placement: &Placement,
                context: &AttentionContext,
            ) -> FloatTensor<Self> {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => {
                        host::attention::<Self>(kernels, [&query, &key, &value], cache, placement, context)
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => {
                        reference::attention::<Self>(query, key, value, cache, placement, context)
                    }
                }
            }

            fn llama_gate_up(
                arithmetic: Arithmetic,
                x: FloatTensor<Self>,
                weights: &GateUpWeights,
            ) -> FloatTensor<Self> {
                match arithmetic {
                    Arithmetic::Kernels(kernels) => host::gate_up::<Self>(kernels, &x, weights),
                    #[cfg(not(target_arch = "wasm32"))]
                    Arithmetic::Plain => reference::gate_up::<Self>(x, weights),
                }
            }
        }
    };
}

#[cfg(feature = "flex")]
bind_kernels!(Flex);
#[cfg(feature = "ndarray")]
bind_kernels!(NdArray);
