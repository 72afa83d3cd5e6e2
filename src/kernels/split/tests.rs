//! The same bits on any number of threads.

use super::super::conformance::{self, DIGEST, inputs::Random};
use super::super::pool::MAX_THREADS;
use super::super::{AttentionShape, Kernels, PackedMatrix};
use crate::quant::{Format, quantise_row};

/// The best kernels of this machine on one thread and more, on more than there are, and on more than there may be.
fn all() -> impl Iterator<Item = Kernels> {
    Kernels::start_threads(4);
    while Kernels::threads_ready() < 4 {
        std::thread::yield_now();
    }
    [1, 2, 3, 4, 5, MAX_THREADS + 1].into_iter().map(|threads| Kernels::detect().with_threads(threads))
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn the_digest_is_that_of_one_thread() {
    for kernels in all().take(4) {
        assert_eq!(conformance::run(kernels), Ok(DIGEST), "{kernels:?}");
    }
}

/// Shapes that do not divide by anything, none and one of rows and tokens, and large enough to be split, one by a token.
#[test]
fn products_have_the_bits_of_one_thread() {
    let mut random = Random::new(11);
    for format in [Format::Q4_0, Format::Q4_1, Format::Q8_0, Format::F16, Format::F32] {
        for (rows, cols) in [(0, 32), (1, 2048), (7, 1024), (61, 608), (321, 96), (449, 608)] {
            let mut bytes = Vec::new();
            quantise_row(format, &random.floats(rows * cols, 1.0), &mut bytes);
            let mut w = PackedMatrix::allocate(format, rows, cols).unwrap();
            w.write_rows(0, &bytes);
            for tokens in [0, 1, 3, 18] {
                let (x, start) = (random.floats(tokens * cols, 1.0), random.floats(tokens * rows, 1.0));
                let mut expected = None;
                for kernels in all() {
                    let a = kernels.activations(&x, cols);
                    for _ in 0..3 {
                        let mut out = start.clone();
                        kernels.matmul_add(&w, &a, &mut out);
                        assert_eq!(*expected.get_or_insert_with(|| bits(&out)), bits(&out), "{kernels:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn attention_has_the_bits_of_one_thread() {
    let mut random = Random::new(12);
    for (n_heads, n_kv_heads, head_dim) in [(1, 1, 64), (6, 2, 32), (9, 3, 64), (5, 5, 7)] {
        let shape = AttentionShape { n_heads, n_kv_heads, head_dim, capacity: 301 };
        let (keys, values) = (random.floats(shape.cache_len(), 1.0), random.floats(shape.cache_len(), 1.0));
        for (n_queries, shared_len) in [(0, 7), (1, 300), (4, 200), (31, 150)] {
            let q = random.floats(n_queries * shape.query_len(), 1.0);
            let slots: Vec<u32> = (shared_len..).take(n_queries).collect();
            let tails: Vec<&[u32]> = (1..=n_queries).map(|n| &slots[..n]).collect();
            let mut expected = None;
            let mut scratch = Vec::new();
            for kernels in all() {
                let mut out = vec![f32::NAN; q.len()];
                let shared_len = shared_len as usize;
                kernels.attention(&q, &keys, &values, shape, shared_len, &tails, &mut scratch, &mut out);
                assert_eq!(*expected.get_or_insert_with(|| bits(&out)), bits(&out), "{kernels:?}, {shape:?}");
            }
        }
    }
}
