//! The LLaMA family in Burn: configuration, operations, cache, blocks, loading.
//!
//! Shapes use one vocabulary: `seq_len` new tokens, `kv_len` cached positions, `d_model`, `d_ff`, `n_heads`,
//! `n_kv_heads`, `head_dim`, `vocab_size`. Matrices are row-major `[rows = outputs, cols = inputs]`.

mod arithmetic;
mod block;
mod config;
mod host;
mod kv_cache;
mod llama;
mod loader;
mod ops;
mod placement;
mod reference;
mod rope;
mod tensors;

pub use arithmetic::Arithmetic;
pub use config::LlamaConfig;
pub use kv_cache::KvCache;
pub use llama::{Llama, Logits};
pub use loader::{LoadOptions, load};
pub use placement::Branches;

#[cfg(test)]
mod tests;
