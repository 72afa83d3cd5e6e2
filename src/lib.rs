//! Midline: code completion inside the browser page.
#![doc = include_str!("README.md")]
#![deny(warnings)]
#![cfg_attr(feature = "ndarray", allow(deprecated))] // burn-ndarray is deprecated upstream; the customer names it

pub mod error;
pub mod gguf;
pub mod quant;
pub mod tokenizer;
