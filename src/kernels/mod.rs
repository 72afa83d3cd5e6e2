//! Speed: matrix products with packed weights, attention and the small functions around them.
//!
//! [`Kernels`] is the only door. Its methods are safe; they pick the variant's instance of a kernel. All variants give
//! the same bits on all machines: see `isa.rs` for how, and `conformance.rs` for the proof. Infinities and NaN in the
//! inputs propagate; only the sign and payload of a NaN may differ.

mod activations;
mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod elementwise;
mod isa;
mod math;
mod matmul;
mod packed;
mod part;
mod pool;
mod reduce;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod split;
#[cfg(test)]
mod tests;

pub use activations::Activations;
pub use attention::AttentionShape;
pub use packed::PackedMatrix;
pub use pool::{Governor, MAX_THREADS, Work};

use activations::{BLOCK, Quantise, Storage};
use isa::Op;
use matmul::{Blocks, Floats, Product};
use packed::Tiles;
use scalar::Scalar;

/// Which instructions the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// None in particular.
    Scalar,
    /// WebAssembly's 128-bit SIMD.
    Simd128,
    /// The same with the relaxed 8-bit product.
    Relaxed,
    /// x86-64 AVX2.
    Avx2,
}

impl Variant {
    /// All of them, slowest first.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Simd128, Self::Relaxed, Self::Avx2];

    /// `"scalar"`, `"simd128"`, `"relaxed"` or `"avx2"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Simd128 => "simd128",
            Self::Relaxed => "relaxed",
            Self::Avx2 => "avx2",
        }
    }

    fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            Self::Relaxed => {
                cfg!(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::Avx2::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 => false,
        }
    }
}

/// The kernels of one variant, on one thread or more.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    variant: Variant,
    threads: usize,
}

impl Kernels {
    /// The fastest variant that this build has and this machine runs.
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self { variant: Variant::Scalar, threads: 1 })
    }

    /// A particular variant, if it is available.
    pub fn with_variant(variant: Variant) -> Option<Self> {
        variant.is_available().then_some(Self { variant, threads: 1 })
    }

    /// All variants that this build has and this machine runs, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Variant::ALL.into_iter().filter_map(Self::with_variant)
    }

    /// The variant.
    pub fn variant(self) -> Variant {
        self.variant
    }

    /// Quantises `x` `[tokens, cols]` for products; `x` itself stays in use for float weights. When `cols` is not a
    /// multiple of 32, only float weights fit.
    ///
    /// # Panics
    /// When `x` is not whole rows.
    pub fn activations<'a>(self, x: &'a [f32], cols: usize) -> Activations<'a> {
        assert!(x.is_empty() || cols > 0 && x.len().is_multiple_of(cols), "whole rows of {cols} activations");
        let storage = if cols > 0 && cols.is_multiple_of(BLOCK) {
            self.run(Quantise { x, cols })
        } else {
            Storage::Floats
        };
        Activations { x, cols, storage, variant: self.variant }
    }

    /// `out[tokens, rows] = x[tokens, cols] * w[rows, cols]^T`
    ///
    /// # Panics
    /// When the sizes do not fit or another variant made `a`.
    pub fn matmul(self, w: &PackedMatrix, a: &Activations, out: &mut [f32]) {
        self.product(w, a, out, false);
    }

    /// `out[tokens, rows] += x[tokens, cols] * w[rows, cols]^T`
    ///
    /// # Panics
    /// When the sizes do not fit or another variant made `a`.
    pub fn matmul_add(self, w: &PackedMatrix, a: &Activations, out: &mut [f32]) {
        self.product(w, a, out, true);
    }

    fn product(self, w: &PackedMatrix, a: &Activations, out: &mut [f32], add: bool) {
        assert_eq!(a.variant, self.variant, "activations of the same variant");
        assert_eq!(a.cols, w.cols(), "columns of activations and weights");
        assert_eq!(out.len(), a.tokens() * w.rows(), "outputs are [tokens, rows]");
        if w.cols() == 0 {
            if !add {
                out.fill(0.0);
            }
            return;
        }
        match &w.tiles {
            Tiles::F32(tiles) => self.split_rows(w, a, out, |part, out| {
                self.run(Floats { tiles: &tiles[part], product: Product { a, out, add } });
            }),
            Tiles::F16(tiles) => self.split_rows(w, a, out, |part, out| {
                self.run(Floats { tiles: &tiles[part], product: Product { a, out, add } });
            }),
            Tiles::Q4_0(tiles) => self.split_rows(w, a, out, |part, out| {
                self.run(Blocks { tiles: &tiles[part], product: Product { a, out, add } });
            }),
            Tiles::Q4_1(tiles) => self.split_rows(w, a, out, |part, out| {
                self.run(Blocks { tiles: &tiles[part], product: Product { a, out, add } });
            }),
            Tiles::Q8_0(tiles) => self.split_rows(w, a, out, |part, out| {
                self.run(Blocks { tiles: &tiles[part], product: Product { a, out, add } });
            }),
        }
        for &row in &w.non_finite_rows {
            out.iter_mut().skip(row).step_by(w.rows()).for_each(|out| *out = f32::NAN);
        }
    }

    /// RMS normalisation of any number of rows: `x / sqrt(mean(x^2) + eps) * weight`. `x` and `out` are
    /// `[rows, weight.len()]`.
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn rms_norm(self, x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
        assert_eq!(x.len(), out.len(), "as many outputs as inputs");
        assert!(x.is_empty() || !weight.is_empty() && x.len().is_multiple_of(weight.len()), "whole rows");
        if !x.is_empty() {
            self.run(elementwise::RmsNorm { x, weight, eps, out });
        }
    }

    /// `out = silu(gate) * up`, with `silu(x) = x / (1 + e^-x)`.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn silu_mul(self, gate: &[f32], up: &[f32], out: &mut [f32]) {
        assert!(gate.len() == up.len() && gate.len() == out.len(), "equal lengths");
        self.run(elementwise::SiluMul { gate, up, out });
    }

    /// Rotary embedding of one token, in place: the pairs `(x[2i], x[2i + 1])` of every head of `x`
    /// `[n_heads, head_dim]` are rotated by the angles whose cosines and sines are `cos` and `sin` `[head_dim / 2]`.
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn rope(self, x: &mut [f32], head_dim: usize, cos: &[f32], sin: &[f32]) {
        assert!(head_dim > 0 && head_dim == 2 * cos.len() && head_dim == 2 * sin.len(), "one angle a pair");
        assert!(x.len().is_multiple_of(head_dim), "whole heads");
        self.run(elementwise::Rope { x, cos, sin });
    }

    /// Attention of several query tokens, `q` and `out` `[n_queries, n_heads, head_dim]`, over slots of a cache, `keys`
    /// and `values` `[n_kv_heads, capacity, head_dim]`. Query `i` sees the slots `0..shared_len` and then `tails[i]`,
    /// in this order. Its result depends on that sequence only: not on where the tail begins, not on other queries.
    /// `scratch` is resized as needed and worth keeping.
    ///
    /// # Panics
    /// When the sizes do not fit, a slot is not below `capacity` or a query sees nothing.
    #[allow(clippy::too_many_arguments)]
    pub fn attention(
        self,
        q: &[f32],
        keys: &[f32],
        values: &[f32],
        shape: AttentionShape,
        shared_len: usize,
        tails: &[&[u32]],
        scratch: &mut Vec<f32>,
        out: &mut [f32],
    ) {
        assert!(
            shape.n_heads > 0 && shape.n_kv_heads > 0 && shape.n_heads.is_multiple_of(shape.n_kv_heads),
            "whole groups of heads"
        );
        assert!(shape.head_dim > 0, "heads have floats");
        assert!(
            q.len() == tails.len() * shape.query_len() && out.len() == q.len(),
            "queries and outputs are [n_queries, n_heads, head_dim]"
        );
        assert!(
            keys.len() == shape.cache_len() && values.len() == keys.len(),
            "keys and values fill the cache"
        );
        assert!(shared_len <= shape.capacity, "shared slots within the cache");
        for tail in tails {
            assert!(shared_len + tail.len() > 0, "every query sees something");
            assert!(tail.iter().all(|&slot| (slot as usize) < shape.capacity), "slots within the cache");
        }
        self.attend(&attention::Attention { q, keys, values, shape, shared_len, tails }, scratch, out);
    }

    /// Index of the largest value, the first of equals. A NaN is never the largest; 0 when there is nothing else.
    pub fn argmax(self, x: &[f32]) -> usize {
        self.run(reduce::Argmax(x))
    }

    /// `ln(sum(e^x))`, negative infinity for no values. Values more than 87 below the largest are left out.
    pub fn log_sum_exp(self, x: &[f32]) -> f32 {
        self.run(reduce::LogSumExp(x))
    }

    fn run<O: Op>(self, op: O) -> O::Output {
        match self.variant {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Variant::Simd128 => op.run(simd128::Wasm::<false>::new()),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
            Variant::Relaxed => relaxed::run(op),
            #[cfg(target_arch = "x86_64")]
            Variant::Avx2 if let Some(isa) = avx2::Avx2::detect() => isa.run(op),
            _ => op.run(Scalar),
        }
    }
}
