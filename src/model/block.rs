//! One transformer block: attention and gated feed-forward, each normalised before and added after.

use super::arithmetic::Arithmetic;
use super::kv_cache::KvCache;
use super::ops::{AttentionContext, GateUpWeights, LlamaOps, QkvWeights};
use super::placement::Placement;
use crate::kernels::PackedMatrix;
use burn::backend::Dispatch;
use burn::module::{Module, Param};
use burn::tensor::Tensor;
use std::sync::Arc;

/// Normalisation by the root mean square, with a learned gain.
#[derive(Module, Debug)]
pub struct RmsNorm {
    /// The gain, `[d_model]`.
    pub weight: Param<Tensor<1>>,
    /// Added to the mean square.
    pub eps: f64,
}

impl RmsNorm {
    /// # Shapes
    /// `[seq_len, d_model]` to the same.
    pub fn forward(&self, arithmetic: Arithmetic, x: Tensor<2>) -> Tensor<2> {
        let weight = self.weight.val().into_dispatch();
        let x = x.into_dispatch();
        Tensor::from_dispatch(<Dispatch as LlamaOps>::llama_rms_norm(arithmetic, x, &weight, self.eps as f32))
    }
}

/// One block.
#[derive(Module, Debug)]
pub struct Block {
    /// Before attention.
    pub attention_norm: RmsNorm,
    /// Before the feed-forward layer.
    pub ffn_norm: RmsNorm,
    /// Query, key and value projections.
    #[module(skip)]
    pub qkv: Arc<QkvWeights>,
    /// Attention output, `[d_model, q_dim]`.
    #[module(skip)]
    pub output: Arc<PackedMatrix>,
    /// Feed-forward input.
    #[module(skip)]
    pub gate_up: Arc<GateUpWeights>,
    /// Feed-forward output, `[d_model, d_ff]`.
    #[module(skip)]
    pub down: Arc<PackedMatrix>,
    /// Head layout and angles.
    #[module(skip)]
    pub attention: Arc<AttentionContext>,
}

impl Block {
    /// # Shapes
    /// `[seq_len, d_model]` to the same; `placement` says where the tokens stand in the cache.
    pub fn forward(
        &self,
        arithmetic: Arithmetic,
        x: Tensor<2>,
        cache: &mut KvCache,
        placement: &Placement,
    ) -> Tensor<2> {
        let normed = self.attention_norm.forward(arithmetic, x.clone()).into_dispatch();
        let (query, key, value) = <Dispatch as LlamaOps>::llama_qkv(arithmetic, normed, &self.qkv);
        let mixed = <Dispatch as LlamaOps>::llama_attention(
            arithmetic,
            query,
            key,
            value,
            cache,
            placement,
            &self.attention,
        );
        let x = linear_add(arithmetic, mixed, &self.output, x);

        let normed = self.ffn_norm.forward(arithmetic, x.clone()).into_dispatch();
        let hidden = <Dispatch as LlamaOps>::llama_gate_up(arithmetic, normed, &self.gate_up);
        linear_add(arithmetic, hidden, &self.down, x)
    }
}

fn linear_add(
    arithmetic: Arithmetic,
    x: burn::backend::DispatchTensor,
    weight: &PackedMatrix,
    residual: Tensor<2>,
) -> Tensor<2> {
    let residual = residual.into_dispatch();
    Tensor::from_dispatch(<Dispatch as LlamaOps>::llama_linear_add(arithmetic, x, weight, residual))
}
