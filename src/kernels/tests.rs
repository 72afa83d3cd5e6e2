//! The scalar twin against `f64` arithmetic, the packing against the reference decoder, and all variants against
//! the twin.

use super::conformance::{self, inputs::Random};
use super::*;
use crate::quant::{Format, dequantise_row, quantise_row};

const FORMATS: [Format; 5] = [Format::F32, Format::F16, Format::Q4_0, Format::Q4_1, Format::Q8_0];

fn scalar() -> Kernels {
    Kernels::with_variant(Variant::Scalar).expect("always there")
}

fn packed(format: Format, rows: usize, cols: usize, x: &[f32]) -> (PackedMatrix, Vec<u8>) {
    let mut bytes = Vec::new();
    quantise_row(format, x, &mut bytes);
    let mut w = PackedMatrix::allocate(format, rows, cols).expect("small");
    w.write_rows(0, &bytes);
    (w, bytes)
}

#[test]
fn all_variants_conform() {
    for kernels in Kernels::available() {
        let digest = conformance::run(kernels).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        assert_eq!(digest, conformance::DIGEST, "{}: {digest:#018x}", kernels.variant().name());
    }
}

#[test]
fn packed_rows_read_back_as_the_reference_decodes_them() {
    let mut random = Random::new(11);
    for format in FORMATS {
        let (rows, cols) = (19, 96);
        let x = random.floats(rows * cols, 3.0);
        let (w, bytes) = packed(format, rows, cols, &x);
        let mut want = vec![0.0; rows * cols];
        dequantise_row(format, &bytes, &mut want);
        for row in 0..rows {
            let mut got = vec![0.0; cols];
            w.read_row(row, &mut got);
            assert_eq!(got, want[row * cols..][..cols], "{format:?} row {row}");
        }
        assert_eq!(w.bytes(), bytes.len() / rows * 24, "no more than the file's bytes and padded rows");
        assert_eq!(format!("{w:?}"), format!("PackedMatrix({} [19, 96])", format.name()));
    }
}

#[test]
fn rows_may_arrive_in_any_order() {
    let mut random = Random::new(12);
    let x = random.floats(20 * 64, 1.0);
    for format in FORMATS {
        let (whole, bytes) = packed(format, 20, 64, &x);
        let mut w = PackedMatrix::allocate(format, 20, 64).expect("small");
        let row_bytes = w.row_bytes();
        for (from, to) in [(13, 20), (0, 1), (5, 13), (1, 5)] {
            w.write_rows(from, &bytes[from * row_bytes..to * row_bytes]);
        }
        let product = |w: &PackedMatrix| {
            let mut out = vec![0.0; 20];
            scalar().matmul(w, &scalar().activations(&x[..64], 64), &mut out);
            out
        };
        assert_eq!(product(&w), product(&whole));
    }
}

#[test]
fn a_row_that_is_not_finite_is_nan_until_it_is_written_again() {
    let (mut w, mut bytes) = packed(Format::Q4_0, 9, 32, &[1.0; 9 * 32]);
    let good = bytes[3 * 18..4 * 18].to_vec();
    bytes[3 * 18 + 1] = 0x7c;
    w.write_rows(3, &bytes[3 * 18..4 * 18]);
    let k = scalar();
    let product = |w: &PackedMatrix| {
        let mut out = vec![0.0; 18];
        k.matmul(w, &k.activations(&[1.0; 64], 32), &mut out);
        out
    };
    let out = product(&w);
    assert!((0..18).all(|i| out[i].is_nan() == (i % 9 == 3)));
    w.write_rows(3, &good);
    assert!(product(&w).iter().all(|x| (x - 32.0).abs() < 0.3));
}

#[test]
fn impossible_sizes_are_errors() {
    let shape = PackedMatrix::allocate(Format::Q4_1, 8, 40).expect_err("not whole blocks");
    assert_eq!(shape.code(), "model-shape");
    let memory = PackedMatrix::allocate(Format::F32, usize::MAX / 64, 64).expect_err("too large");
    assert_eq!(memory.code(), "model-memory");
}

/// Rounding the activations moves each by at most half a step of `max / 127`; the sum itself adds rounding errors.
#[test]
fn products_stay_within_the_bound_of_quantised_activations() {
    let mut random = Random::new(13);
    let (rows, cols, tokens) = (13, 256, 5);
    for format in FORMATS {
        let (w, _) = packed(format, rows, cols, &random.floats(rows * cols, 1.0));
        let x = random.floats(tokens * cols, 2.0);
        let mut out = vec![0.0; tokens * rows];
        scalar().matmul(&w, &scalar().activations(&x, cols), &mut out);
        let mut row = vec![0.0; cols];
        for r in 0..rows {
            w.read_row(r, &mut row);
            for t in 0..tokens {
                let x = &x[t * cols..][..cols];
                let exact: f64 = row.iter().zip(x).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
                let magnitude: f64 = row.iter().zip(x).map(|(w, x)| f64::from((w * x).abs())).sum();
                let step = match format {
                    Format::F32 | Format::F16 => 0.0,
                    _ => row.chunks(32).zip(x.chunks(32)).map(|(w, x)| half_step(w, x)).sum(),
                };
                let error = (f64::from(out[t * rows + r]) - exact).abs();
                assert!(error <= step + magnitude * 3e-5, "{format:?} [{t}, {r}]: {error} > {step}");
            }
        }
    }
}

fn half_step(w: &[f32], x: &[f32]) -> f64 {
    let largest = x.iter().fold(0.0_f32, |a, x| a.max(x.abs()));
    let weights: f64 = w.iter().map(|w| f64::from(w.abs())).sum();
    f64::from(largest) / 254.0 * 1.0001 * weights
}

#[test]
fn integer_activations_and_weights_multiply_exactly() {
    // Scales of 1 and activations with a largest magnitude of 127 make every step of the product exact.
    let mut random = Random::new(14);
    let (rows, cols, tokens) = (10, 96, 7);
    let x: Vec<f32> = (0..tokens * cols)
        .map(|i| if i % 32 == 0 { 127.0 } else { random.below(255) as f32 - 127.0 })
        .collect();
    for (format, header) in [(Format::Q4_0, 2), (Format::Q4_1, 4), (Format::Q8_0, 2)] {
        let mut bytes = vec![0_u8; rows * cols / 32 * format.block_bytes()];
        for block in bytes.chunks_mut(format.block_bytes()) {
            block[..2].copy_from_slice(&[0x00, 0x3c]); // 1.0
            block[2..header].copy_from_slice(&[0x00, 0xc7][..header - 2]); // -7.0
            block[header..].fill_with(|| random.next() as u8);
        }
        let mut w = PackedMatrix::allocate(format, rows, cols).expect("small");
        w.write_rows(0, &bytes);
        let mut weights = vec![0.0; rows * cols];
        dequantise_row(format, &bytes, &mut weights);
        for kernels in Kernels::available() {
            let mut out = vec![0.0; tokens * rows];
            kernels.matmul(&w, &kernels.activations(&x, cols), &mut out);
            for t in 0..tokens {
                for r in 0..rows {
                    let products = weights[r * cols..][..cols].iter().zip(&x[t * cols..][..cols]);
                    assert_eq!(out[t * rows + r], products.map(|(w, x)| w * x).sum::<f32>(), "{format:?}");
                }
            }
        }
    }
}

#[test]
fn matmul_add_adds() {
    let mut random = Random::new(15);
    let (w, _) = packed(Format::Q4_1, 9, 64, &random.floats(9 * 64, 1.0));
    let x = random.floats(3 * 64, 1.0);
    let start = random.floats(27, 1.0);
    let a = scalar().activations(&x, 64);
    let (mut product, mut sum) = (vec![0.0; 27], start.clone());
    scalar().matmul(&w, &a, &mut product);
    scalar().matmul_add(&w, &a, &mut sum);
    for i in 0..27 {
        assert_eq!(sum[i], start[i] + product[i]);
    }
}

#[test]
fn norm_gate_and_rotation_match_f64() {
    let mut random = Random::new(16);
    let (x, weight) = (random.floats(2 * 100, 3.0), random.floats(100, 1.0));
    let mut out = vec![0.0; 200];
    scalar().rms_norm(&x, &weight, 1e-5, &mut out);
    for (x, out) in x.chunks(100).zip(out.chunks(100)) {
        let mean = x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 100.0;
        for ((x, w), out) in x.iter().zip(&weight).zip(out) {
            let exact = f64::from(*x) / (mean + 1e-5).sqrt() * f64::from(*w);
            assert!((f64::from(*out) - exact).abs() <= exact.abs() * 5e-7);
        }
    }
    let (gate, up) = (random.floats(1001, 20.0), random.floats(1001, 1.0));
    let mut out = vec![0.0; 1001];
    scalar().silu_mul(&gate, &up, &mut out);
    for ((gate, up), out) in gate.iter().zip(&up).zip(&out) {
        let exact = f64::from(*gate) / (1.0 + (-f64::from(*gate)).exp()) * f64::from(*up);
        assert!((f64::from(*out) - exact).abs() <= exact.abs() * 5e-7, "{gate} {out} {exact}");
    }
    let angles = [0.3_f64, 1.0, -2.0, 0.0, 4.0];
    let (cos, sin) = (angles.map(|a| a.cos() as f32), angles.map(|a| a.sin() as f32));
    let x = random.floats(20, 1.0);
    let mut turned = x.clone();
    scalar().rope(&mut turned, 10, &cos, &sin);
    for i in 0..10 {
        let (a, b) = (f64::from(x[2 * i]), f64::from(x[2 * i + 1]));
        let (s, c) = angles[i % 5].sin_cos();
        assert!((f64::from(turned[2 * i]) - (a * c - b * s)).abs() < 3e-7);
        assert!((f64::from(turned[2 * i + 1]) - (b * c + a * s)).abs() < 3e-7);
    }
}

#[test]
fn attention_matches_f64() {
    let mut random = Random::new(17);
    for (n_heads, n_kv_heads, head_dim, shared_len, tail_lens) in [
        (6, 2, 64, 150, &[0, 1, 4, 7, 9][..]),
        (2, 2, 12, 0, &[1, 2, 3]),
        (4, 1, 20, 67, &[2]),
        (3, 3, 32, 1, &[8, 8, 0, 5]),
    ] {
        let capacity = 160;
        let shape = AttentionShape { n_heads, n_kv_heads, head_dim, capacity };
        // Slots from the end of the cache backwards, the same ones for all.
        let slots: Vec<u32> = (150..160).rev().collect();
        let tails: Vec<&[u32]> = tail_lens.iter().map(|&len| &slots[..len]).collect();
        let all_q = random.floats(tails.len() * shape.query_len(), 2.0);
        let (keys, values) = (random.floats(shape.cache_len(), 2.0), random.floats(shape.cache_len(), 1.0));
        let mut out = vec![0.0; all_q.len()];
        scalar().attention(&all_q, &keys, &values, shape, shared_len, &tails, &mut Vec::new(), &mut out);
        for (row, (q, out)) in all_q.chunks(head_dim).zip(out.chunks(head_dim)).enumerate() {
            let (query, head) = (row / n_heads, row % n_heads / (n_heads / n_kv_heads));
            let slots: Vec<usize> =
                (0..shared_len).chain(tails[query].iter().map(|&slot| slot as usize)).collect();
            let at = |slot: usize, d: usize| (head * capacity + slot) * head_dim + d;
            let score = |&slot: &usize| {
                let dot: f64 = (0..head_dim).map(|d| f64::from(q[d]) * f64::from(keys[at(slot, d)])).sum();
                dot / (head_dim as f64).sqrt()
            };
            let scores: Vec<f64> = slots.iter().map(score).collect();
            let largest = scores.iter().fold(f64::MIN, |a, &b| a.max(b));
            let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let total: f64 = weights.iter().sum();
            for (d, out) in out.iter().enumerate() {
                let mixed: f64 =
                    slots.iter().zip(&weights).map(|(&slot, w)| w * f64::from(values[at(slot, d)])).sum();
                assert!((f64::from(*out) - mixed / total).abs() < 3e-6, "{shape:?}, query {query}");
            }
        }
    }
}

#[test]
fn attention_refuses_slots_outside_of_the_cache_and_queries_that_see_nothing() {
    let shape = AttentionShape { n_heads: 1, n_kv_heads: 1, head_dim: 8, capacity: 4 };
    let attend = |shared_len: usize, tails: &[&[u32]]| {
        let (q, cache) = (vec![0.5; tails.len() * 8], [0.5; 32]);
        let mut out = vec![0.0; q.len()];
        std::panic::catch_unwind(move || {
            let scratch = &mut Vec::new();
            scalar().attention(&q, &cache, &cache, shape, shared_len, tails, scratch, &mut out);
            out
        })
    };
    assert_eq!(attend(4, &[&[3, 3]]).expect("fits"), [0.5; 8]);
    assert!(attend(0, &[]).expect("no query").is_empty());
    assert!(attend(0, &[&[4]]).is_err());
    assert!(attend(5, &[&[]]).is_err());
    assert!(attend(0, &[&[1], &[]]).is_err());
}

#[test]
fn reductions_match_f64_and_know_odd_values() {
    let mut random = Random::new(18);
    let x = random.floats(3001, 30.0);
    let exact = x.iter().map(|x| f64::from(*x).exp()).sum::<f64>().ln();
    assert!((f64::from(scalar().log_sum_exp(&x)) - exact).abs() < 4e-6);
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for k in Kernels::available() {
        assert_eq!(k.argmax(&x), (0..3001).rev().max_by(|&a, &b| x[a].total_cmp(&x[b])).expect("some"));
        assert_eq!(k.argmax(&[]), 0);
        assert_eq!(k.argmax(&[nan, nan]), 0);
        assert_eq!(k.argmax(&[nan, -inf, -inf]), 1);
        assert_eq!(k.argmax(&[1.0, nan, 3.0, 3.0, 2.0, nan, 0.0, 3.0, 3.0]), 2);
        assert_eq!(k.argmax(&[-0.0, 0.0]), 0);
        assert_eq!(k.log_sum_exp(&[]), -inf);
        assert_eq!(k.log_sum_exp(&[2.5]), 2.5);
        assert_eq!(k.log_sum_exp(&[inf, 1.0]), inf);
        assert_eq!(k.log_sum_exp(&[-inf, -inf]), -inf);
        assert!(k.log_sum_exp(&[1.0, nan]).is_nan());
    }
}

#[test]
fn a_block_that_is_not_finite_makes_its_token_nan_and_no_other() {
    let (w, _) = packed(Format::Q8_0, 3, 64, &[1.0; 192]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = [1.0; 3 * 64];
        x[64 + 40] = bad;
        for k in Kernels::available() {
            let mut out = [0.0; 9];
            k.matmul(&w, &k.activations(&x, 64), &mut out);
            assert!((0..9).all(|i| out[i].is_nan() == (3..6).contains(&i)), "{out:?}");
        }
    }
}

#[test]
fn work_for_the_roofline_counts_what_it_does() {
    use conformance::roofline::Workload;
    let kernels = Kernels::detect();
    let work = |what: &str, rows, cols, tokens| Workload::new(kernels, what, rows, cols, tokens);
    for (what, operations, bytes) in [
        ("Q8_0", 2.0 * 16.0 * 64.0 * 3.0, 16.0 * 2.0 * 34.0),
        ("attention", 4.0 * (16.0 + 15.0 + 14.0) * 576.0, 2.0 * 3.0 * 16.0 * 64.0 * 4.0),
        ("stream", 0.0, 16.0 * 64.0),
        ("quantise", 0.0, 3.0 * 64.0 * 4.0),
    ] {
        let mut work = work(what, 16, 64, 3).expect("a known name");
        assert_eq!((work.operations, work.bytes), (operations, bytes), "{what}");
        assert!(work.run(2).is_finite());
    }
    assert!(work("dots", 0, 0, 0).expect("a known name").operations > 0.0);
    assert!(work("Q9_9", 16, 64, 3).is_err());
}
