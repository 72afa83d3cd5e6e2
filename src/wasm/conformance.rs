//! The kernel self-test as an export, for test builds only.

use crate::kernels::conformance::roofline::Workload;
use crate::kernels::{Kernels, conformance};
use wasm_bindgen::prelude::*;

/// Runs the kernel test runner on the named instruction set and gives the digest of all output bits, in
/// hexadecimal; throws a description of the first difference.
#[wasm_bindgen]
pub fn conformance_digest(variant: &str) -> Result<String, JsValue> {
    let kernels = named(variant)?;
    conformance::run(kernels).map(|digest| format!("{digest:016x}")).map_err(|text| JsValue::from_str(&text))
}

fn named(variant: &str) -> Result<Kernels, JsValue> {
    Kernels::available()
        .find(|kernels| kernels.variant().name() == variant)
        .ok_or_else(|| JsValue::from_str(&format!("this module has no kernels named {variant}")))
}

/// Work of the kernels to be timed by the caller: see `kernels::conformance::roofline`.
#[wasm_bindgen]
pub struct KernelWork {
    workload: Workload,
}

#[wasm_bindgen]
impl KernelWork {
    /// `what` is `dots`, `stream`, `quantise`, `attention` or the name of a format; throws what is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(
        variant: &str,
        what: &str,
        rows: usize,
        cols: usize,
        tokens: usize,
    ) -> Result<KernelWork, JsValue> {
        let workload = Workload::new(named(variant)?, what, rows, cols, tokens);
        Ok(Self { workload: workload.map_err(|text| JsValue::from_str(&text))? })
    }

    /// Multiplications and additions of one run.
    pub fn operations(&self) -> f64 {
        self.workload.operations
    }

    /// Bytes of weights, cache or stream that one run reads.
    pub fn bytes(&self) -> f64 {
        self.workload.bytes
    }

    /// Runs the work so many times; the number it gives means nothing.
    pub fn run(&mut self, times: u32) -> f32 {
        self.workload.run(times)
    }
}
