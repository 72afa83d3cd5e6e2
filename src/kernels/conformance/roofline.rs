//! Work to be timed from outside: a kernel at a given size, and what the machine gives at most.

use super::inputs::Random;
use super::peak;
use crate::kernels::{AttentionShape, Kernels, PackedMatrix};
use crate::quant::quantise_row;

/// One kind of work with its operands.
pub struct Workload {
    kernels: Kernels,
    work: Work,
    /// Multiplications and additions of one run.
    pub operations: f64,
    /// Bytes of weights, cache or stream that one run reads.
    pub bytes: f64,
}

enum Work {
    Dots,
    Stream(Vec<u32>),
    Product { w: PackedMatrix, x: Vec<f32>, out: Vec<f32> },
    Quantise { x: Vec<f32>, cols: usize },
    Attention { shape: AttentionShape, kv_len: usize, q: Vec<f32>, cache: Vec<f32>, scratch: Vec<f32> },
}

/// Rounds of integer products in one run.
const DOT_ROUNDS: u32 = 1 << 14;

impl Workload {
    /// `dots` (integer products out of registers; no sizes), `stream` (`rows * cols` bytes from memory), `quantise`
    /// (`tokens` activations of `cols`), `attention` (the last `tokens` of `rows` positions, `cols` floats of 9 query
    /// and 3 key/value heads of 64), or the name of a format: a product of `tokens` activations with `[rows, cols]`.
    ///
    /// # Errors
    /// An unknown name, or sizes that do not fit.
    pub fn new(
        kernels: Kernels,
        what: &str,
        rows: usize,
        cols: usize,
        tokens: usize,
    ) -> Result<Self, String> {
        let mut random = Random::new(7);
        let macs = (rows * cols * tokens) as f64;
        let (work, operations, bytes) = match what {
            "dots" => (Work::Dots, 2.0 * f64::from(DOT_ROUNDS) * peak::PRODUCTS_PER_ROUND as f64, 0.0),
            "stream" => {
                let words: Vec<u32> = (0..rows * cols / 4).map(|i| i as u32).collect();
                (Work::Stream(words), 0.0, (rows * cols) as f64)
            }
            "quantise" => {
                let x = random.floats(tokens * cols, 1.0);
                (Work::Quantise { x, cols }, 0.0, (4 * tokens * cols) as f64)
            }
            "attention" => {
                let shape = AttentionShape { n_heads: 9, n_kv_heads: 3, head_dim: 64, capacity: rows };
                let q = random.floats(tokens * shape.query_len(), 1.0);
                let cache = random.floats(shape.cache_len(), 1.0);
                let seen = (0..tokens).map(|token| rows - token).sum::<usize>() as f64;
                let operations = 4.0 * seen * shape.query_len() as f64;
                let bytes = 8.0 * shape.cache_len() as f64;
                (Work::Attention { shape, kv_len: rows, q, cache, scratch: Vec::new() }, operations, bytes)
            }
            name => {
                let w = matrix(&mut random, name, rows, cols)?;
                let bytes = w.bytes() as f64;
                let x = random.floats(tokens * cols, 1.0);
                (Work::Product { w, x, out: vec![0.0; tokens * rows] }, 2.0 * macs, bytes)
            }
        };
        Ok(Self { kernels, work, operations, bytes })
    }

    /// Does the work so many times; activations of a product are quantised once.
    pub fn run(&mut self, times: u32) -> f32 {
        let kernels = self.kernels;
        match &mut self.work {
            Work::Dots => {
                (0..times).map(|_| peak::dots(kernels, DOT_ROUNDS)).fold(0, i32::wrapping_add) as f32
            }
            Work::Stream(words) => (0..times)
                .map(|_| peak::stream(std::hint::black_box(words)))
                .fold(0, u32::wrapping_add) as f32,
            Work::Product { w, x, out } => {
                let activations = kernels.activations(x, w.cols());
                for _ in 0..times {
                    kernels.matmul(w, &activations, out);
                }
                out[0]
            }
            Work::Quantise { x, cols } => (0..times)
                .map(|_| kernels.activations(std::hint::black_box(x), *cols).tokens())
                .sum::<usize>() as f32,
            Work::Attention { shape, kv_len, q, cache, scratch } => {
                let tokens = q.len() / shape.query_len();
                let first = *kv_len - tokens;
                let slots: Vec<u32> = (first as u32..*kv_len as u32).collect();
                let tails: Vec<&[u32]> = (1..=tokens).map(|len| &slots[..len]).collect();
                let mut out = vec![0.0; q.len()];
                for _ in 0..times {
                    kernels.attention(q, cache, cache, *shape, first, &tails, scratch, &mut out);
                }
                out[0]
            }
        }
    }
}

fn matrix(random: &mut Random, name: &str, rows: usize, cols: usize) -> Result<PackedMatrix, String> {
    let format = super::FORMATS.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
    let format = format.ok_or_else(|| format!("no work is named {name}"))?;
    let mut w = PackedMatrix::allocate(format, rows, cols).map_err(|error| error.to_string())?;
    for row in 0..rows {
        let mut bytes = Vec::new();
        quantise_row(format, &random.floats(cols, 1.0), &mut bytes);
        w.write_rows(row, &bytes);
    }
    Ok(w)
}
