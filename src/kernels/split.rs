//! Kernels on several threads: products split over rows of the weights, attention over groups of heads and queries.
//!
//! No sum is split, therefore the bits are those of one thread.

use super::activations::Activations;
use super::attention::Attention;
use super::isa::LANES;
use super::part::{Part, Parts};
use super::pool::{CHUNKS_A_THREAD, MAX_THREADS, POOL, SMALLEST_CHUNK, share};
use super::{Kernels, PackedMatrix};
use std::ops::Range;

#[cfg(test)]
mod tests;

impl Kernels {
    /// The same on up to `threads` threads, as far as there are so many and a call is large enough. The bits are the
    /// same.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.clamp(1, MAX_THREADS), ..self }
    }

    /// Threads that [`Self::with_threads`] can have at the moment, the caller's included.
    pub fn threads_ready() -> usize {
        POOL.threads()
    }

    /// Starts threads until there are `threads`. In the browser JavaScript starts workers in their place, which call
    /// [`Self::help`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn start_threads(threads: usize) {
        POOL.start(threads);
    }

    /// Makes this thread one that [`Self::with_threads`] counts; never returns.
    pub fn help() -> ! {
        POOL.help()
    }

    /// Calls `product` with a range of the tiles of `w` and the outputs that belong to it, until all were there.
    pub(super) fn split_rows(
        self,
        w: &PackedMatrix,
        a: &Activations,
        out: &mut [f32],
        product: impl Fn(Range<usize>, Part<f32>) + Sync,
    ) {
        let per_row = w.cols() / w.format().block_len();
        let tile_rows = w.rows().div_ceil(LANES);
        let chunks = self.chunks(tile_rows, a.tokens() * w.cols() * LANES);
        let parts = Parts::new(out, w.rows());
        POOL.run(self.threads, chunks, |_, chunk| {
            let tiles = share(tile_rows, chunks, chunk);
            let rows = tiles.start * LANES..tiles.end * LANES;
            // SAFETY: every chunk is run once, and has rows of the weights, columns of the output, of its own.
            let out = unsafe { parts.part(0..a.tokens(), rows) };
            product(tiles.start * per_row..tiles.end * per_row, out);
        });
    }

    /// Into how many chunks `pieces` pieces of work of `operations` multiplications are split.
    fn chunks(self, pieces: usize, operations: usize) -> usize {
        if self.threads == 1 {
            return 1;
        }
        (pieces.saturating_mul(operations) / SMALLEST_CHUNK)
            .min(pieces)
            .clamp(1, self.threads * CHUNKS_A_THREAD)
    }

    /// All tiles of an attention call; `scratch` is resized as needed.
    pub(super) fn attend(self, attention: &Attention, scratch: &mut Vec<f32>, out: &mut [f32]) {
        let threads = if attention.operations() < 2 * SMALLEST_CHUNK { 1 } else { self.threads };
        let scratch_len = attention.scratch_len();
        scratch.resize(scratch.len().max(threads * scratch_len), 0.0);
        let (scratch, parts) = (
            Parts::new(&mut scratch[..threads * scratch_len], scratch_len),
            Parts::new(out, attention.shape.query_len()),
        );
        POOL.run(threads, attention.tiles(), |participant, index| {
            let tile = attention.tile(index);
            // SAFETY: participants have numbers of their own, and every tile is run once and has its own place.
            let (mut scratch, out) = unsafe {
                (
                    scratch.part(participant..participant + 1, 0..scratch_len),
                    parts.part(tile.queries.clone(), tile.heads.clone()),
                )
            };
            attention.run(self, &tile, scratch.row(0), out);
        });
    }
}
