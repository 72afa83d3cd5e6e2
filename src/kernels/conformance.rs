//! One runner for all variants: the same awkward inputs through every kernel, each result compared with the scalar
//! twin's. Compiled for native tests and, with the feature `conformance`, into the wasm module.
//!
//! The digest of all results is [`DIGEST`].

use super::{Kernels, PackedMatrix, Variant};
use crate::quant::{Format, f32_to_f16, quantise_row};

mod attention;
pub(super) mod inputs;
mod peak;
pub mod roofline;

use inputs::Random;

const FORMATS: [Format; 5] = [Format::Q4_0, Format::Q4_1, Format::Q8_0, Format::F16, Format::F32];
const ROWS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 33];
const COLS: [usize; 5] = [32, 64, 96, 576, 1536];
const TOKENS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13];

/// The digest of every variant on every machine. A change of a kernel's order of operations or of the inputs below
/// changes it; nothing else may.
pub const DIGEST: u64 = 0x74f2_79bd_0b35_77e6;

/// FNV-1a over the bits of floats, every NaN counted as the same one.
struct Digest(u64);

impl Digest {
    fn add(&mut self, x: f32) {
        for byte in canonical(x).to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The bits of a float; one value for all NaN.
fn canonical(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// Runs every kernel of `kernels` and of the scalar twin.
///
/// # Errors
/// What differs first: kernel, sizes, place and both values.
pub fn run(kernels: Kernels) -> Result<u64, String> {
    let scalar = Kernels { variant: Variant::Scalar, threads: 1 };
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for case in [matrices, norms, gates, rotations, attention::run, reductions] {
        case(&mut |what, kernel| {
            let (got, want) = (kernel(kernels), kernel(scalar));
            assert_eq!(got.len(), want.len());
            for (i, (&got, &want)) in got.iter().zip(&want).enumerate() {
                if canonical(got) != canonical(want) {
                    let name = kernels.variant().name();
                    return Err(format!("{what}, output {i}: {name} gives {got:e}, scalar {want:e}"));
                }
                digest.add(got);
            }
            Ok(())
        })?;
    }
    Ok(digest.0)
}

/// Compares one kernel call, described by the text.
type Check<'a> = dyn FnMut(&str, &dyn Fn(Kernels) -> Vec<f32>) -> Result<(), String> + 'a;

fn matrices(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(1);
    for format in FORMATS {
        for cols in COLS {
            for rows in ROWS {
                let w = matrix(&mut random, format, rows, cols);
                // Every number of tokens for some number of rows, and a few of them for all.
                let all = rows == 9 || rows == 33 && cols < 576;
                for tokens in TOKENS.into_iter().filter(|t| all || [1, 3, 4].contains(t)) {
                    let x = random.activations(tokens * cols);
                    let start = random.floats(tokens * rows, 1.0);
                    check(&format!("{} [{rows}, {cols}] x {tokens} tokens", format.name()), &|kernels| {
                        let a = kernels.activations(&x, cols);
                        let mut out = vec![f32::NAN; tokens * rows];
                        kernels.matmul(&w, &a, &mut out);
                        let mut sum = start.clone();
                        kernels.matmul_add(&w, &a, &mut sum);
                        out.extend(sum);
                        out
                    })?;
                }
            }
        }
    }
    for cols in [1, 7, 40] {
        let w = matrix(&mut random, Format::F32, 11, cols);
        let x = random.floats(5 * cols, 1.0);
        check(&format!("F32 [11, {cols}] x 5 tokens"), &|kernels| {
            let mut out = vec![0.0; 55];
            kernels.matmul(&w, &kernels.activations(&x, cols), &mut out);
            out
        })?;
    }
    Ok(())
}

/// Random weights; some blocks are zero, all-extreme or of a wild scale, one row may be not finite.
fn matrix(random: &mut Random, format: Format, rows: usize, cols: usize) -> PackedMatrix {
    let mut bytes = Vec::new();
    let mut weights = random.activations(rows * cols);
    weights.iter_mut().filter(|x| x.is_nan() || x.abs() >= 6e4).for_each(|x| *x = 6e4);
    quantise_row(format, &weights, &mut bytes);
    if !matches!(format, Format::F32 | Format::F16) {
        for block in bytes.chunks_exact_mut(format.block_bytes()) {
            random.disturb(block, format);
        }
    }
    if rows == 9 && format != Format::F32 {
        let last = bytes.len() - format.block_bytes();
        bytes[last..last + 2].copy_from_slice(&f32_to_f16(f32::INFINITY).to_le_bytes());
    }
    let mut w = PackedMatrix::allocate(format, rows, cols).expect("small");
    for (i, part) in bytes.chunks(3 * w.row_bytes()).enumerate() {
        w.write_rows(3 * i, part);
    }
    w
}

fn norms(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(2);
    for cols in [1, 5, 8, 33, 64, 576] {
        for scale in [1e-30, 1.0, 1e12] {
            let (x, weight) = (random.floats(3 * cols, scale), random.floats(cols, 2.0));
            check(&format!("rms_norm of {cols} columns, scale {scale:e}"), &|kernels| {
                let mut out = vec![0.0; x.len()];
                kernels.rms_norm(&x, &weight, 1e-5, &mut out);
                out
            })?;
        }
    }
    Ok(())
}

fn gates(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(3);
    for len in [1, 7, 8, 9, 1536] {
        for scale in [1e-20, 1.0, 30.0, 1e5] {
            let (mut gate, up) = (random.floats(len, scale), random.floats(len, 1.0));
            if len == 9 {
                gate[..6].copy_from_slice(&[0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX]);
            }
            check(&format!("silu_mul of {len}, scale {scale:e}"), &|kernels| {
                let mut out = vec![0.0; len];
                kernels.silu_mul(&gate, &up, &mut out);
                out
            })?;
        }
    }
    Ok(())
}

fn rotations(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(4);
    for head_dim in [2, 6, 8, 10, 64] {
        let (cos, sin) = (random.floats(head_dim / 2, 1.0), random.floats(head_dim / 2, 1.0));
        let x = random.floats(3 * head_dim, 4.0);
        check(&format!("rope of head_dim {head_dim}"), &|kernels| {
            let mut x = x.clone();
            kernels.rope(&mut x, head_dim, &cos, &sin);
            x
        })?;
    }
    Ok(())
}

fn reductions(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(6);
    for len in [0, 1, 7, 8, 9, 255, 256, 257, 5000] {
        for scale in [1.0, 40.0, 1e4] {
            let mut x = random.floats(len, scale);
            if len == 257 {
                (x[3], x[90], x[91]) = (f32::NAN, 2.0 * scale, 2.0 * scale);
            }
            check(&format!("argmax and log_sum_exp of {len}, scale {scale:e}"), &|kernels| {
                vec![kernels.argmax(&x) as f32, kernels.log_sum_exp(&x)]
            })?;
        }
    }
    Ok(())
}
