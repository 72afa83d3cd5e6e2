//! From blocks to floats: the exact meaning of every format.

use super::{Format, f16_to_f32};

/// Decodes whole blocks: `bytes` holds `out.len()` weights.
///
/// With `d` the scale, `m` the minimum and `q` the stored integer of a weight:
/// Q4_0 `(q - 8) * d`, Q4_1 `q * d + m`, Q8_0 `q * d`, each product and sum rounded to `f32`.
/// In the 4-bit formats byte `j` of a block holds weight `j` (low nibble) and weight `j + 16` (high nibble).
///
/// # Panics
/// When `out.len()` is not a whole number of blocks or `bytes` has another length than they need.
pub fn dequantise_row(format: Format, bytes: &[u8], out: &mut [f32]) {
    assert_eq!(out.len() % format.block_len(), 0, "{} rows are whole blocks", format.name());
    assert_eq!(bytes.len(), out.len() / format.block_len() * format.block_bytes(), "bytes of a row");
    let blocks = bytes.chunks_exact(format.block_bytes()).zip(out.chunks_exact_mut(format.block_len()));
    for (block, out) in blocks {
        match format {
            Format::F32 => out[0] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]),
            Format::F16 => out[0] = half_at(block, 0),
            Format::Q4_0 => {
                let d = half_at(block, 0);
                nibbles(&block[2..], out, |q| (f32::from(q) - 8.0) * d);
            }
            Format::Q4_1 => {
                let (d, m) = (half_at(block, 0), half_at(block, 2));
                nibbles(&block[4..], out, |q| f32::from(q) * d + m);
            }
            Format::Q8_0 => {
                let d = half_at(block, 0);
                for (out, &q) in out.iter_mut().zip(&block[2..]) {
                    *out = f32::from(q as i8) * d;
                }
            }
        }
    }
}

fn half_at(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[at], block[at + 1]]))
}

fn nibbles(packed: &[u8], out: &mut [f32], value: impl Fn(u8) -> f32) {
    for (j, &byte) in packed.iter().enumerate() {
        out[j] = value(byte & 0x0f);
        out[j + 16] = value(byte >> 4);
    }
}
