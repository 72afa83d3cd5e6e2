//! Block formats of weights: layout and exact (de)quantisation. Readable and slow; speed lives in `kernels`.

mod dequantise;
mod format;
mod half;
mod quantise;
#[cfg(test)]
mod tests;

pub use dequantise::dequantise_row;
pub use format::Format;
pub use half::{f16_is_finite, f16_to_f32, f32_to_f16};
pub use quantise::quantise_row;
