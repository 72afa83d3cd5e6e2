//! Matrix products: tiles of eight rows times groups of up to four tokens.
//!
//! The sum of an output is sequential over its blocks (quantised formats) or columns (float formats), starting at 0:
//! - Q4_0, Q8_0: `acc + float(integers) * (weight scale * activation scale)`;
//! - Q4_1: `acc + (float(integers) * (weight scale * activation scale) + minimum * activation sum)`;
//! - F32, F16: `acc + weight * x`.
//!
//! A tile of weights is read for all tokens before the next one, so that it comes from memory once.

use super::activations::{Activations, BLOCK, Block, Groups, Rest, Word};
use super::isa::{Isa, LANES, Op};
use super::packed::{Q4_0Tile, Q4_1Tile, Q8_0Tile};
use super::part::Part;

/// Tiles of rows that are read side by side for one token.
const STREAMS: usize = 2;

/// `out[tokens, rows] = x[tokens, cols] * w[rows, cols]^T`, or `+=`, for some of the rows of the weights.
pub struct Product<'a> {
    /// `[tokens, cols]`.
    pub a: &'a Activations<'a>,
    /// `[tokens, rows]`.
    pub out: Part<'a, f32>,
    /// Whether the products are added to `out`.
    pub add: bool,
}

impl Product<'_> {
    #[inline(always)]
    fn write<S: Isa>(&mut self, isa: S, token: usize, row: usize, acc: S::F) {
        let out = &mut self.out.row(token)[row..];
        if let Some(out) = out.first_chunk_mut() {
            isa.store(if self.add { isa.add(isa.load(out), acc) } else { acc }, out);
        } else {
            let mut lanes = [0.0; LANES];
            isa.store(acc, &mut lanes);
            for (out, lane) in out.iter_mut().zip(lanes) {
                *out = if self.add { *out + lane } else { lane };
            }
        }
    }
}

/// The product with weights of a quantised format. One function per format: engines compile functions as a whole.
pub struct Blocks<'a, B> {
    /// Tiles in the order [row / 8][column / 32].
    pub tiles: &'a [B],
    /// The other operands.
    pub product: Product<'a>,
}

/// The product with weights of a float format.
pub struct Floats<'a, C> {
    /// Tiles in the order [row / 8][column].
    pub tiles: &'a [C],
    /// The other operands.
    pub product: Product<'a>,
}

/// Eight rows, 32 columns of a quantised format.
pub trait BlockTile {
    /// Adds the products of one block to the accumulators.
    fn accumulate<S: Isa, const T: usize>(&self, isa: S, a: &Block<S::Word, T>, acc: &mut [S::F; T]);
}

impl BlockTile for Q4_0Tile {
    #[inline(always)]
    fn accumulate<S: Isa, const T: usize>(&self, isa: S, a: &Block<S::Word, T>, acc: &mut [S::F; T]) {
        let dots = isa.dot_nibbles(&self.quants, a, true);
        let scales = isa.halves_to_floats(&self.scales);
        for t in 0..T {
            let scales = isa.mul(scales, isa.splat(a.scale[t]));
            acc[t] = isa.add(acc[t], isa.mul(dots[t], scales));
        }
    }
}

impl BlockTile for Q4_1Tile {
    #[inline(always)]
    fn accumulate<S: Isa, const T: usize>(&self, isa: S, a: &Block<S::Word, T>, acc: &mut [S::F; T]) {
        let dots = isa.dot_nibbles(&self.quants, a, false);
        let (scales, minima) = (isa.halves_to_floats(&self.scales), isa.halves_to_floats(&self.minima));
        for t in 0..T {
            let scales = isa.mul(scales, isa.splat(a.scale[t]));
            let offset = isa.mul(minima, isa.splat(a.sum[t]));
            acc[t] = isa.add(acc[t], isa.add(isa.mul(dots[t], scales), offset));
        }
    }
}

impl BlockTile for Q8_0Tile {
    #[inline(always)]
    fn accumulate<S: Isa, const T: usize>(&self, isa: S, a: &Block<S::Word, T>, acc: &mut [S::F; T]) {
        let dots = isa.dot_bytes(&self.quants, a);
        let scales = isa.halves_to_floats(&self.scales);
        for t in 0..T {
            let scales = isa.mul(scales, isa.splat(a.scale[t]));
            acc[t] = isa.add(acc[t], isa.mul(dots[t], scales));
        }
    }
}

impl<B: BlockTile> Op for Blocks<'_, B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let Self { tiles, mut product } = self;
        let a = product.a;
        let groups: &Groups<S::Word> =
            S::Word::groups(&a.storage).expect("the product's variant made the activations");
        let per_row = a.cols / BLOCK;
        let mut done = 0;
        if let ([], Rest::One(group)) = (&groups.fours[..], &groups.rest) {
            for (i, rows) in tiles.chunks_exact(STREAMS * per_row).enumerate() {
                one_token(isa, rows, group, i * STREAMS * LANES, &mut product);
                done += STREAMS;
            }
        }
        for (i, tiles) in tiles.chunks_exact(per_row).enumerate().skip(done) {
            let row = i * LANES;
            let mut token = 0;
            for group in groups.fours.chunks_exact(per_row) {
                block_tile(isa, tiles, group, token, row, &mut product);
                token += 4;
            }
            match &groups.rest {
                Rest::None => {}
                Rest::One(group) => block_tile(isa, tiles, group, token, row, &mut product),
                Rest::Two(group) => block_tile(isa, tiles, group, token, row, &mut product),
                Rest::Three(group) => block_tile(isa, tiles, group, token, row, &mut product),
            }
        }
    }
}

/// `STREAMS` tiles of rows times one token. A processor fetches a few lines ahead of each place that is read, which is
/// not enough for the latency of the memory when there is only one place.
#[inline(always)]
fn one_token<S: Isa, B: BlockTile>(
    isa: S,
    tiles: &[B],
    group: &[Block<S::Word, 1>],
    row: usize,
    product: &mut Product,
) {
    let mut rest = tiles;
    let streams: [&[B]; STREAMS] = std::array::from_fn(|_| {
        let stream;
        (stream, rest) = rest.split_at(group.len());
        stream
    });
    let mut acc = [[isa.splat(0.0)]; STREAMS];
    for (c, a) in group.iter().enumerate() {
        for (stream, acc) in streams.iter().zip(&mut acc) {
            stream[c].accumulate(isa, a, acc);
        }
    }
    for (stream, [acc]) in acc.into_iter().enumerate() {
        product.write(isa, 0, row + stream * LANES, acc);
    }
}

#[inline(always)]
fn block_tile<S: Isa, B: BlockTile, const T: usize>(
    isa: S,
    tiles: &[B],
    group: &[Block<S::Word, T>],
    token: usize,
    row: usize,
    product: &mut Product,
) {
    let mut acc = [isa.splat(0.0); T];
    for (tile, a) in tiles.iter().zip(group) {
        tile.accumulate(isa, a, &mut acc);
    }
    for (t, acc) in acc.into_iter().enumerate() {
        product.write(isa, token + t, row, acc);
    }
}

/// Eight rows of one column.
pub trait FloatTile {
    /// The weights as floats.
    fn load<S: Isa>(&self, isa: S) -> S::F;
}

impl FloatTile for [f32; LANES] {
    #[inline(always)]
    fn load<S: Isa>(&self, isa: S) -> S::F {
        isa.load(self)
    }
}

impl FloatTile for [u16; LANES] {
    #[inline(always)]
    fn load<S: Isa>(&self, isa: S) -> S::F {
        isa.halves_to_floats(self)
    }
}

impl<C: FloatTile> Op for Floats<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<S: Isa>(self, isa: S) {
        let Self { tiles, mut product } = self;
        let a = product.a;
        for (i, tiles) in tiles.chunks_exact(a.cols).enumerate() {
            let row = i * LANES;
            let fours = a.x.chunks_exact(4 * a.cols);
            let rest = fours.remainder().chunks_exact(a.cols);
            for (g, x) in fours.enumerate() {
                float_tile::<S, C, 4>(isa, tiles, x, 4 * g, row, &mut product);
            }
            let first = a.tokens() / 4 * 4;
            for (t, x) in rest.enumerate() {
                float_tile::<S, C, 1>(isa, tiles, x, first + t, row, &mut product);
            }
        }
    }
}

#[inline(always)]
fn float_tile<S: Isa, C: FloatTile, const T: usize>(
    isa: S,
    tiles: &[C],
    x: &[f32],
    token: usize,
    row: usize,
    product: &mut Product,
) {
    let cols = tiles.len();
    let x: [&[f32]; T] = std::array::from_fn(|t| &x[t * cols..][..cols]);
    let mut acc = [isa.splat(0.0); T];
    for (c, tile) in tiles.iter().enumerate() {
        let w = tile.load(isa);
        for t in 0..T {
            acc[t] = isa.add(acc[t], isa.mul(w, isa.splat(x[t][c])));
        }
    }
    for (t, acc) in acc.into_iter().enumerate() {
        product.write(isa, token + t, row, acc);
    }
}
