//! Helper threads: workers that instantiate this module with the same memory and call [`help`].

use crate::kernels::Kernels;
use wasm_bindgen::prelude::*;

/// Makes this worker a helper of the kernels; never returns.
#[wasm_bindgen]
pub fn help() {
    Kernels::help()
}

/// Threads that the kernels can use at the moment, the engine's own included.
#[wasm_bindgen(js_name = threadsReady)]
pub fn threads_ready() -> usize {
    Kernels::threads_ready()
}
