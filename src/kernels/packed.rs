//! Weights as the kernels read them: eight rows interleaved, every byte in the order of use.

use super::activations::BLOCK;
use super::isa::{Bytes, LANES, Nibbles};
use crate::error::{Error, Result};
use crate::quant::{Format, f16_is_finite, f16_to_f32};
use std::fmt;

/// Eight rows, 32 columns of Q4_0. Scales stay halves: the stream is shorter and they are exact either way.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Q4_0Tile {
    /// One scale a row.
    pub scales: [u16; LANES],
    /// The integers, plus 8.
    pub quants: Nibbles,
}

/// Eight rows, 32 columns of Q4_1.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Q4_1Tile {
    /// One scale a row.
    pub scales: [u16; LANES],
    /// One minimum a row.
    pub minima: [u16; LANES],
    /// The integers.
    pub quants: Nibbles,
}

/// Eight rows, 32 columns of Q8_0.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Q8_0Tile {
    /// One scale a row.
    pub scales: [u16; LANES],
    /// The integers.
    pub quants: Bytes,
}

const _: () = assert!(size_of::<Q4_0Tile>() == LANES * 18);
const _: () = assert!(size_of::<Q4_1Tile>() == LANES * 20);
const _: () = assert!(size_of::<Q8_0Tile>() == LANES * 34);

/// Tiles in the order [row / 8][column / block].
#[derive(Clone)]
pub(super) enum Tiles {
    F32(Vec<[f32; LANES]>),
    F16(Vec<[u16; LANES]>),
    Q4_0(Vec<Q4_0Tile>),
    Q4_1(Vec<Q4_1Tile>),
    Q8_0(Vec<Q8_0Tile>),
}

/// A weight matrix `[rows, cols]`, row-major in its meaning, packed in its storage. Takes the bytes of the file's
/// format plus padding of the rows to a multiple of eight; never more.
///
/// A row in which a half (scale, minimum or F16 weight) is infinite or a NaN multiplies to NaN as a whole.
#[derive(Clone)]
pub struct PackedMatrix {
    format: Format,
    rows: usize,
    cols: usize,
    pub(super) tiles: Tiles,
    /// Rows with a half that is not finite, each once.
    pub(super) non_finite_rows: Vec<usize>,
}

impl fmt::Debug for PackedMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedMatrix({} [{}, {}])", self.format.name(), self.rows, self.cols)
    }
}

impl PackedMatrix {
    /// A matrix of zeros, to be filled by [`PackedMatrix::write_rows`].
    ///
    /// # Errors
    /// [`Error::ModelMemory`] when there is not enough memory; [`Error::ModelShape`] when `cols` is not a whole number
    /// of blocks.
    pub fn allocate(format: Format, rows: usize, cols: usize) -> Result<Self> {
        if !cols.is_multiple_of(format.block_len()) {
            return Err(Error::ModelShape {
                what: format!("columns of a {} matrix", format.name()),
                expected: format!("a multiple of {}", format.block_len()),
                found: cols.to_string(),
            });
        }
        let tiles = rows.div_ceil(LANES).checked_mul(cols / format.block_len());
        let tiles =
            tiles.ok_or(Error::ModelMemory { needed_bytes: u64::MAX, available_bytes: usize::MAX as u64 })?;
        let tiles = match format {
            Format::F32 => Tiles::F32(filled(tiles, [0.0; LANES])?),
            Format::F16 => Tiles::F16(filled(tiles, [0; LANES])?),
            Format::Q4_0 => {
                Tiles::Q4_0(filled(tiles, Q4_0Tile { scales: [0; LANES], quants: [[0; 32]; 4] })?)
            }
            Format::Q4_1 => Tiles::Q4_1(filled(
                tiles,
                Q4_1Tile { scales: [0; LANES], minima: [0; LANES], quants: [[0; 32]; 4] },
            )?),
            Format::Q8_0 => {
                Tiles::Q8_0(filled(tiles, Q8_0Tile { scales: [0; LANES], quants: [[0; 32]; 8] })?)
            }
        };
        Ok(Self { format, rows, cols, tiles, non_finite_rows: Vec::new() })
    }

    /// The format of the weights.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Outputs of the product.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of the product.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Bytes of one row in the file's layout.
    pub fn row_bytes(&self) -> usize {
        self.cols / self.format.block_len() * self.format.block_bytes()
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        match &self.tiles {
            Tiles::F32(tiles) => size_of_val(tiles.as_slice()),
            Tiles::F16(tiles) => size_of_val(tiles.as_slice()),
            Tiles::Q4_0(tiles) => size_of_val(tiles.as_slice()),
            Tiles::Q4_1(tiles) => size_of_val(tiles.as_slice()),
            Tiles::Q8_0(tiles) => size_of_val(tiles.as_slice()),
        }
    }

    /// Packs whole rows in the file's layout, from row `first_row` on. Rows may come in any order and portions.
    ///
    /// # Panics
    /// When `bytes` is not whole rows or they do not fit.
    pub fn write_rows(&mut self, first_row: usize, bytes: &[u8]) {
        if self.row_bytes() == 0 {
            return;
        }
        assert_eq!(bytes.len() % self.row_bytes(), 0, "whole rows");
        assert!(first_row + bytes.len() / self.row_bytes() <= self.rows, "rows of the matrix");
        for (i, bytes) in bytes.chunks_exact(self.row_bytes()).enumerate() {
            let row = first_row + i;
            self.non_finite_rows.retain(|&r| r != row);
            if !self.write_row(row, bytes) {
                self.non_finite_rows.push(row);
            }
        }
    }

    /// False when a half is not finite.
    fn write_row(&mut self, row: usize, bytes: &[u8]) -> bool {
        let per_row = self.cols / self.format.block_len();
        let (first, lane) = (row / LANES * per_row, row % LANES);
        let blocks = bytes.chunks_exact(self.format.block_bytes());
        let half = |block: &[u8], at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
        let mut finite = true;
        match &mut self.tiles {
            Tiles::F32(tiles) => {
                for (tile, block) in tiles[first..].iter_mut().zip(blocks) {
                    tile[lane] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
                }
            }
            Tiles::F16(tiles) => {
                for (tile, block) in tiles[first..].iter_mut().zip(blocks) {
                    tile[lane] = half(block, 0);
                    finite &= f16_is_finite(tile[lane]);
                }
            }
            Tiles::Q4_0(tiles) => {
                for (tile, block) in tiles[first..].iter_mut().zip(blocks) {
                    tile.scales[lane] = half(block, 0);
                    finite &= f16_is_finite(tile.scales[lane]);
                    interleave(&mut tile.quants, lane, &block[2..]);
                }
            }
            Tiles::Q4_1(tiles) => {
                for (tile, block) in tiles[first..].iter_mut().zip(blocks) {
                    (tile.scales[lane], tile.minima[lane]) = (half(block, 0), half(block, 2));
                    finite &= f16_is_finite(tile.scales[lane]) && f16_is_finite(tile.minima[lane]);
                    interleave(&mut tile.quants, lane, &block[4..]);
                }
            }
            Tiles::Q8_0(tiles) => {
                for (tile, block) in tiles[first..].iter_mut().zip(blocks) {
                    tile.scales[lane] = half(block, 0);
                    finite &= f16_is_finite(tile.scales[lane]);
                    interleave(&mut tile.quants, lane, &block[2..]);
                }
            }
        }
        finite
    }

    /// The floats of one row, exactly those of [`crate::quant::dequantise_row`].
    ///
    /// # Panics
    /// When `row` is not a row or `out` has not `cols` places.
    pub fn read_row(&self, row: usize, out: &mut [f32]) {
        assert!(row < self.rows && out.len() == self.cols, "one row of the matrix");
        let per_row = self.cols / self.format.block_len();
        let (first, lane) = (row / LANES * per_row, row % LANES);
        let out_blocks = out.as_chunks_mut::<BLOCK>().0;
        match &self.tiles {
            Tiles::F32(tiles) => {
                out.iter_mut().zip(&tiles[first..]).for_each(|(out, tile)| *out = tile[lane])
            }
            Tiles::F16(tiles) => {
                out.iter_mut().zip(&tiles[first..]).for_each(|(out, tile)| *out = f16_to_f32(tile[lane]));
            }
            Tiles::Q4_0(tiles) => {
                for (out, tile) in out_blocks.iter_mut().zip(&tiles[first..]) {
                    let d = f16_to_f32(tile.scales[lane]);
                    nibbles(&tile.quants, lane, out, |q| (f32::from(q) - 8.0) * d);
                }
            }
            Tiles::Q4_1(tiles) => {
                for (out, tile) in out_blocks.iter_mut().zip(&tiles[first..]) {
                    let (d, m) = (f16_to_f32(tile.scales[lane]), f16_to_f32(tile.minima[lane]));
                    nibbles(&tile.quants, lane, out, |q| f32::from(q) * d + m);
                }
            }
            Tiles::Q8_0(tiles) => {
                for (out, tile) in out_blocks.iter_mut().zip(&tiles[first..]) {
                    let d = f16_to_f32(tile.scales[lane]);
                    for (c, out) in out.iter_mut().enumerate() {
                        *out = f32::from(tile.quants[c / 4][4 * lane + c % 4] as i8) * d;
                    }
                }
            }
        }
    }
}

fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>> {
    let mut tiles = Vec::new();
    let needed_bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    tiles.try_reserve_exact(len).map_err(|_| Error::ModelMemory { needed_bytes, available_bytes: 0 })?;
    tiles.resize(len, value);
    Ok(tiles)
}

/// Four bytes at a time into the lane's place of each group.
fn interleave(groups: &mut [[u8; 32]], lane: usize, quants: &[u8]) {
    for (group, bytes) in groups.iter_mut().zip(quants.as_chunks::<4>().0) {
        group.as_chunks_mut::<4>().0[lane] = *bytes;
    }
}

fn nibbles(quants: &Nibbles, lane: usize, out: &mut [f32; BLOCK], value: impl Fn(u8) -> f32) {
    for (j, out) in out.iter_mut().enumerate() {
        let byte = quants[j % 16 / 4][4 * lane + j % 4];
        *out = value(if j < 16 { byte & 0x0f } else { byte >> 4 });
    }
}
