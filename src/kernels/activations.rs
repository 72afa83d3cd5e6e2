//! Activations as 8-bit integers, 32 columns to a block, laid out for the block products.

use super::Variant;
use super::isa::{Isa, LANES, Op};
use super::math::max_lane;

/// Columns that share a scale.
pub const BLOCK: usize = 32;

/// Blocks whose largest magnitude is below this are taken as zero, so that no scale is subnormal.
const SMALLEST: f32 = f32::from_bits((127 - 90) << 23);

/// Adding and subtracting 1.5 * 2^23 rounds a small float to an integer, ties to even, held in its low bits.
const ROUNDER: f32 = 12_582_912.0;

/// How four neighbouring quantised activations are stored.
pub trait Word: Copy + Default {
    /// A sum of products that begins at `sum`, as the instance keeps sums.
    fn start(sum: i32) -> i32;
    /// Stores four integers in -127..=127; `index` is the word's place (0..8) in its block.
    fn new(quants: [i8; 4], index: usize) -> Self;
    /// The activations of this layout.
    fn groups(storage: &Storage) -> Option<&Groups<Self>>;
    /// The reverse of [`Word::groups`].
    fn storage(groups: Groups<Self>) -> Storage;
}

impl Word for [i8; 4] {
    #[inline(always)]
    fn start(sum: i32) -> i32 {
        sum
    }
    #[inline(always)]
    fn new(quants: [i8; 4], _index: usize) -> Self {
        quants
    }
    #[inline(always)]
    fn groups(storage: &Storage) -> Option<&Groups<Self>> {
        if let Storage::Narrow(groups) = storage { Some(groups) } else { None }
    }
    fn storage(groups: Groups<Self>) -> Storage {
        Storage::Narrow(groups)
    }
}

/// Four integers for products whose sums are kept as the bits of floats (see `relaxed::SHIFTER`).
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
#[derive(Clone, Copy, Default)]
pub struct ShiftedWord(pub [i8; 4]);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
impl Word for ShiftedWord {
    #[inline(always)]
    fn start(sum: i32) -> i32 {
        sum + super::relaxed::SHIFTER
    }
    #[inline(always)]
    fn new(quants: [i8; 4], _index: usize) -> Self {
        Self(quants)
    }
    #[inline(always)]
    fn groups(storage: &Storage) -> Option<&Groups<Self>> {
        if let Storage::Shifted(groups) = storage { Some(groups) } else { None }
    }
    fn storage(groups: Groups<Self>) -> Storage {
        Storage::Shifted(groups)
    }
}

/// For products of 16-bit lanes: columns 0, 2, 1, 3, each multiplied so that a nibble masked out of a 16-bit lane
/// without a shift contributes 256 times its product (see `simd128`).
impl Word for [i16; 4] {
    #[inline(always)]
    fn start(sum: i32) -> i32 {
        sum << 8
    }
    #[inline(always)]
    fn new(quants: [i8; 4], index: usize) -> Self {
        let [a, b, c, d] = quants.map(i16::from);
        if index < 4 { [a * 256, c * 256, b, d] } else { [a * 16, c * 16, b * 256, d * 256] }
    }
    #[inline(always)]
    fn groups(storage: &Storage) -> Option<&Groups<Self>> {
        if let Storage::Wide(groups) = storage { Some(groups) } else { None }
    }
    fn storage(groups: Groups<Self>) -> Storage {
        Storage::Wide(groups)
    }
}

/// 32 columns of `T` tokens.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Block<W: Word, const T: usize> {
    /// `words[k][t]` holds columns `4 * k..4 * k + 4` of token `t`.
    pub words: [[W; T]; 8],
    /// [`Word::start`] of `-8 * (sum of the integers)`: the offset of Q4_0, folded.
    pub offset: [i32; T],
    /// [`Word::start`] of the sum of the magnitudes of the negative integers.
    pub negative: [i32; T],
    /// An activation is `integer * scale`.
    pub scale: [f32; T],
    /// `(sum of the integers) * scale`, for the minimum of Q4_1.
    pub sum: [f32; T],
}

impl<W: Word, const T: usize> Default for Block<W, T> {
    fn default() -> Self {
        Self {
            words: [[W::default(); T]; 8],
            offset: [0; T],
            negative: [0; T],
            scale: [0.0; T],
            sum: [0.0; T],
        }
    }
}

/// The tokens in groups of four and one smaller group, each as one block after another.
#[derive(Clone)]
pub struct Groups<W: Word> {
    /// Groups of four tokens, `cols / 32` blocks each.
    pub fours: Vec<Block<W, 4>>,
    /// The tokens that are left.
    pub rest: Rest<W>,
}

/// Zero to three tokens.
#[derive(Clone)]
pub enum Rest<W: Word> {
    /// No token is left.
    None,
    /// One token.
    One(Vec<Block<W, 1>>),
    /// Two tokens.
    Two(Vec<Block<W, 2>>),
    /// Three tokens.
    Three(Vec<Block<W, 3>>),
}

/// One of the layouts.
#[derive(Clone)]
pub enum Storage {
    /// Nothing quantised: the columns are not whole blocks, so only float weights fit.
    Floats,
    /// 8-bit words.
    Narrow(Groups<[i8; 4]>),
    /// 8-bit words, sums that begin at a float's bits.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128", feature = "relaxed-simd"))]
    Shifted(Groups<ShiftedWord>),
    /// 16-bit words.
    Wide(Groups<[i16; 4]>),
}

/// Input of a matrix product, made by [`super::Kernels::activations`]: `x` `[tokens, cols]` and its integers.
///
/// Per block of 32 columns with largest magnitude `m`: scale `m / 127`, integers `x * (127 / m)` rounded to nearest,
/// ties to even. A block with `m < 2^-90` counts as zero. A block with an infinity or a NaN has zero integers and a
/// NaN scale, so that every product with it is NaN.
#[derive(Clone)]
pub struct Activations<'a> {
    /// The floats, `[tokens, cols]`.
    pub(super) x: &'a [f32],
    pub(super) cols: usize,
    pub(super) storage: Storage,
    pub(super) variant: Variant,
}

impl Activations<'_> {
    /// Rows of the input.
    pub fn tokens(&self) -> usize {
        self.x.len().checked_div(self.cols).unwrap_or(0)
    }

    /// Columns of the input.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

/// The quantiser.
pub struct Quantise<'a> {
    /// `[tokens, cols]`.
    pub x: &'a [f32],
    /// A multiple of [`BLOCK`].
    pub cols: usize,
}

impl Op for Quantise<'_> {
    type Output = Storage;
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) -> Storage {
        let (fours, rest) = self.x.split_at(self.x.len() / (4 * self.cols) * (4 * self.cols));
        let rest = match rest.len() / self.cols {
            0 => Rest::None,
            1 => Rest::One(groups(isa, rest, self.cols)),
            2 => Rest::Two(groups(isa, rest, self.cols)),
            _ => Rest::Three(groups(isa, rest, self.cols)),
        };
        S::Word::storage(Groups { fours: groups(isa, fours, self.cols), rest })
    }
}

#[inline(always)]
fn groups<S: Isa, const T: usize>(isa: S, x: &[f32], cols: usize) -> Vec<Block<S::Word, T>> {
    let mut blocks = Vec::with_capacity(x.len() / T / BLOCK);
    for x in x.chunks_exact(T * cols) {
        for column in (0..cols).step_by(BLOCK) {
            let mut block = Block::default();
            for (t, x) in x.chunks_exact(cols).enumerate() {
                let x = x[column..].first_chunk().expect("whole blocks");
                quantise(isa, x, &mut block, t);
            }
            blocks.push(block);
        }
    }
    blocks
}

#[inline(always)]
fn quantise<S: Isa, const T: usize>(isa: S, x: &[f32; BLOCK], block: &mut Block<S::Word, T>, t: usize) {
    let vectors = x.as_chunks::<LANES>().0;
    let mut largest = isa.splat(0.0);
    let mut probe = isa.splat(0.0);
    for x in vectors {
        let x = isa.load(x);
        largest = isa.max(largest, isa.abs(x));
        probe = isa.add(probe, isa.mul(x, isa.splat(0.0))); // NaN as soon as x is not finite
    }
    let largest = max_lane(isa, largest);
    let finite = isa.sum(probe) == 0.0;

    let (mut quants, mut scale) = ([0; BLOCK], if finite { 0.0 } else { f32::NAN });
    if finite && largest >= SMALLEST {
        scale = largest / 127.0;
        let inverse = isa.splat(127.0 / largest);
        let rounder = isa.splat(ROUNDER);
        let mut shifted = [rounder; BLOCK / LANES];
        for (shifted, x) in shifted.iter_mut().zip(vectors) {
            *shifted = isa.add(isa.mul(isa.load(x), inverse), rounder);
        }
        quants = isa.low_bytes(shifted);
    }
    for (k, quants) in quants.as_chunks::<4>().0.iter().enumerate() {
        block.words[k][t] = S::Word::new(*quants, k);
    }
    let sum = isa.byte_sum(&quants);
    block.offset[t] = S::Word::start(-8 * sum);
    block.negative[t] = S::Word::start((isa.byte_sum(&quants.map(i8::abs)) - sum) / 2);
    block.scale[t] = scale;
    block.sum[t] = sum as f32 * scale;
}
