#![doc = include_str!("README.md")]
#![deny(warnings)]
#![cfg_attr(all(target_arch = "wasm32", target_feature = "atomics"), feature(stdarch_wasm_atomic_wait))]
#![cfg_attr(feature = "ndarray", allow(deprecated))] // burn-ndarray is deprecated upstream; the customer names it

#[cfg(not(any(feature = "flex", feature = "ndarray")))]
compile_error!("choose a Burn backend: the feature `flex` or `ndarray`");

pub mod engine;
pub mod error;
pub mod generation;
pub mod gguf;
pub mod kernels;
pub mod model;
pub mod postprocess;
pub mod prompt;
pub mod quant;
pub mod tokenizer;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod wire;
