//! The kernel self-test as an export, for test builds only.

use crate::kernels::{Kernels, conformance};
use wasm_bindgen::prelude::*;

/// Runs the kernel test runner on the named instruction set and gives the digest of all output bits, in
/// hexadecimal; throws a description of the first difference.
#[wasm_bindgen]
pub fn conformance_digest(variant: &str) -> Result<String, JsValue> {
    let kernels = Kernels::available()
        .find(|kernels| kernels.variant().name() == variant)
        .ok_or_else(|| JsValue::from_str(&format!("this module has no kernels named {variant}")))?;
    conformance::run(kernels).map(|digest| format!("{digest:016x}")).map_err(|text| JsValue::from_str(&text))
}
