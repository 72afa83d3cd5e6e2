//! The whole model: embedding, blocks, final norm, output projection for the requested positions only.

use super::LlamaConfig;
use super::arithmetic::Arithmetic;
use super::block::{Block, RmsNorm};
use super::host::HostBackend;
use super::kv_cache::KvCache;
use super::ops::LlamaOps;
use super::placement::{Branches, Placement};
use crate::error::{Error, Result};
use crate::kernels::PackedMatrix;
use burn::backend::Dispatch;
use burn::module::Module;
use burn::tensor::Tensor;
use std::sync::Arc;

/// The backend that tensors are created on.
#[cfg(feature = "flex")]
pub(super) type Host = burn::backend::Flex;
#[cfg(all(feature = "ndarray", not(feature = "flex")))]
pub(super) type Host = burn::backend::NdArray;

/// Which positions of a chunk get logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logits {
    /// None: the chunk only fills the cache.
    None,
    /// The last position.
    Last,
    /// Every position.
    All,
}

/// A LLaMA with packed weights.
#[derive(Module, Debug)]
pub struct Llama {
    /// Token embedding, `[vocab_size, d_model]`.
    #[module(skip)]
    pub embedding: Arc<PackedMatrix>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Before the output projection.
    pub output_norm: RmsNorm,
    /// Output projection, `[vocab_size, d_model]`; the embedding itself when tied.
    #[module(skip)]
    pub output: Arc<PackedMatrix>,
    /// Hyper-parameters.
    #[module(skip)]
    pub config: Arc<LlamaConfig>,
    /// Kernels or plain operations.
    #[module(skip)]
    pub arithmetic: Arithmetic,
}

impl Llama {
    /// Runs `tokens` after the positions in the cache and adds them to it. Gives the logits of the wanted
    /// positions, `[wanted, vocab_size]` row by row. On an error the cache is as before.
    ///
    /// The result does not depend on how a sequence is cut into chunks, to the bit.
    ///
    /// # Errors
    /// `kv-full`; `request-invalid` for an id outside the vocabulary.
    pub fn forward(&self, tokens: &[u32], cache: &mut KvCache, wanted: Logits) -> Result<Vec<f32>> {
        if tokens.is_empty() {
            return Ok(Vec::new());
        }
        let placement = Placement::chunk(cache, tokens.len())?;
        let x = self.pass(tokens, cache, &placement)?;
        cache.commit(tokens.len());
        match wanted {
            Logits::None => Ok(Vec::new()),
            Logits::Last => Ok(self.logits(last_row(x))),
            Logits::All => Ok(self.logits(x)),
        }
    }

    /// Runs one token for each branch, all in one batch. Branch `i` continues what branch `parents[i]` was before;
    /// in the first step every branch continues the cached text. Gives `[branches, vocab_size]` logits, the same to
    /// the bit as if each branch had run alone. The cached positions stay as they are.
    ///
    /// # Errors
    /// `kv-full` when the slots behind the cached positions are used up; `request-invalid` for an id outside the
    /// vocabulary. The branches are then to be dropped.
    pub fn forward_branches(
        &self,
        tokens: &[u32],
        parents: &[usize],
        cache: &mut KvCache,
        branches: &mut Branches,
    ) -> Result<Vec<f32>> {
        debug_assert_eq!(tokens.len(), parents.len());
        let placement = branches.grow(parents, cache)?;
        let x = self.pass(tokens, cache, &placement)?;
        Ok(self.logits(x))
    }

    fn pass(&self, tokens: &[u32], cache: &mut KvCache, placement: &Placement) -> Result<Tensor<2>> {
        let mut x = self.embed(tokens)?;
        for block in &self.blocks {
            x = block.forward(self.arithmetic, x, cache, placement);
        }
        Ok(x)
    }

    fn embed(&self, tokens: &[u32]) -> Result<Tensor<2>> {
        let LlamaConfig { d_model, vocab_size, .. } = *self.config;
        let mut values = vec![0.0; tokens.len() * d_model];
        for (token, out) in tokens.iter().zip(values.chunks_exact_mut(d_model)) {
            if *token as usize >= vocab_size {
                return Err(Error::RequestInvalid {
                    field: "tokens".into(),
                    expected: format!("ids below {vocab_size}"),
                    found: token.to_string(),
                });
            }
            self.embedding.read_row(*token as usize, out);
        }
        Ok(tensor(values, [tokens.len(), d_model]))
    }

    fn logits(&self, x: Tensor<2>) -> Vec<f32> {
        let normed = self.output_norm.forward(self.arithmetic, x).into_dispatch();
        let logits = <Dispatch as LlamaOps>::llama_linear(self.arithmetic, normed, &self.output);
        with_values(Tensor::from_dispatch(logits), <[f32]>::to_vec)
    }
}

/// A tensor on the host backend.
pub(super) fn tensor(values: Vec<f32>, shape: [usize; 2]) -> Tensor<2> {
    Tensor::from_primitive::<Host>(Host::from_values(values, shape))
}

fn with_values<R>(x: Tensor<2>, use_values: impl FnOnce(&[f32]) -> R) -> R {
    let primitive =
        x.try_into_primitive::<Host>().expect("all tensors of the model are created on the host backend");
    Host::with_values(&primitive, use_values)
}

/// The last row, copied out: a Burn slice would link its arithmetic for every element type.
fn last_row(x: Tensor<2>) -> Tensor<2> {
    let [seq_len, d_model] = x.dims();
    if seq_len == 1 {
        return x;
    }
    with_values(x, |values| tensor(values[(seq_len - 1) * d_model..].to_vec(), [1, d_model]))
}
