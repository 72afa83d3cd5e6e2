//! From floats to blocks, byte for byte as the reference quantisers of ggml write them.

use super::{Format, f32_to_f16};

/// Appends the encoding of `x`, which is a whole number of blocks, to `out`. For tests and tools.
///
/// The rounding is that of the reference: Q4_0 maps the value of largest magnitude to -8, Q4_1 spans
/// minimum to maximum with 15 steps, Q8_0 maps the largest magnitude to 127 and rounds halves away from zero.
/// The integers are chosen with the `f32` scale although the stored one is its half-precision neighbour.
///
/// # Panics
/// When `x.len()` is not a multiple of the block length.
pub fn quantise_row(format: Format, x: &[f32], out: &mut Vec<u8>) {
    assert_eq!(x.len() % format.block_len(), 0, "{} rows are whole blocks", format.name());
    for block in x.chunks_exact(format.block_len()) {
        match format {
            Format::F32 => out.extend(block[0].to_le_bytes()),
            Format::F16 => push_half(out, block[0]),
            Format::Q4_0 => q4_0(block, out),
            Format::Q4_1 => q4_1(block, out),
            Format::Q8_0 => q8_0(block, out),
        }
    }
}

fn q4_0(block: &[f32], out: &mut Vec<u8>) {
    let mut extreme = 0.0_f32;
    for &x in block {
        if x.abs() > extreme.abs() {
            extreme = x;
        }
    }
    let scale = extreme / -8.0;
    let inverse = inverse_or_zero(scale);
    push_half(out, scale);
    push_nibbles(out, block, |x| x * inverse + 8.5);
}

fn q4_1(block: &[f32], out: &mut Vec<u8>) {
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for &x in block {
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    let scale = (high - low) / 15.0;
    let inverse = inverse_or_zero(scale);
    push_half(out, scale);
    push_half(out, low);
    push_nibbles(out, block, |x| (x - low) * inverse + 0.5);
}

fn q8_0(block: &[f32], out: &mut Vec<u8>) {
    let mut largest = 0.0_f32;
    for &x in block {
        largest = if x.abs() > largest { x.abs() } else { largest };
    }
    let scale = largest / 127.0;
    let inverse = inverse_or_zero(scale);
    push_half(out, scale);
    out.extend(block.iter().map(|x| (x * inverse).round() as i8 as u8));
}

fn inverse_or_zero(scale: f32) -> f32 {
    if scale == 0.0 { 0.0 } else { 1.0 / scale }
}

fn push_half(out: &mut Vec<u8>, value: f32) {
    out.extend(f32_to_f16(value).to_le_bytes());
}

/// Truncates `level(x)` to 0..=15 and packs weights `j` and `j + 16` into byte `j`.
fn push_nibbles(out: &mut Vec<u8>, block: &[f32], level: impl Fn(f32) -> f32) {
    let nibble = |x: f32| (level(x) as i8).clamp(0, 15) as u8;
    let (low, high) = block.split_at(16);
    out.extend(low.iter().zip(high).map(|(&low, &high)| nibble(low) | nibble(high) << 4));
}
