//! The kernels behind the operations against the plain Burn compositions, on shapes that fit no tile.

use super::LlamaConfig;
use super::arithmetic::Arithmetic;
use super::host::HostBackend;
use super::kv_cache::KvCache;
use super::llama::Host;
use super::ops::{AttentionContext, GateUpWeights, LlamaOps, QkvWeights};
use super::placement::{Branches, Placement};
use super::reference;
use super::rope::Rope;
use crate::kernels::{Kernels, PackedMatrix};
use crate::quant::{Format, quantise_row};
use burn::backend::tensor::FloatTensor;
use std::sync::Arc;

type Tensor = FloatTensor<Host>;

/// A small generator: xorshift, values in -1..1.
struct Random(u64);

impl Random {
    fn value(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn tensor(&mut self, rows: usize, cols: usize) -> Tensor {
        Host::from_values((0..rows * cols).map(|_| self.value()).collect(), [rows, cols])
    }

    fn matrix(&mut self, format: Format, rows: usize, cols: usize) -> PackedMatrix {
        let mut matrix = PackedMatrix::allocate(format, rows, cols).expect("small");
        for row in 0..rows {
            let values: Vec<f32> = (0..cols).map(|_| self.value()).collect();
            let mut bytes = Vec::new();
            quantise_row(format, &values, &mut bytes);
            matrix.write_rows(row, &bytes);
        }
        matrix
    }
}

fn kernels() -> Arithmetic {
    Arithmetic::Kernels(Kernels::detect())
}

/// What the kernels make of activations before a product with weights of that format.
fn rounded(x: &Tensor, format: Format) -> Tensor {
    match format {
        Format::F32 | Format::F16 => x.clone(),
        Format::Q4_0 | Format::Q4_1 | Format::Q8_0 => reference::round_to_int8::<Host>(x.clone()),
    }
}

fn values(x: &Tensor) -> Vec<f32> {
    Host::with_values(x, <[f32]>::to_vec)
}

/// Largest difference, as a share of the largest value.
fn assert_close(fast: &Tensor, plain: &Tensor, tolerance: f32, what: &str) {
    let (fast, plain) = (values(fast), values(plain));
    assert_eq!(fast.len(), plain.len(), "{what}");
    let largest = plain.iter().fold(0.0_f32, |top, value| top.max(value.abs())).max(1e-6);
    let difference = fast.iter().zip(&plain).fold(0.0_f32, |top, (a, b)| top.max((a - b).abs()));
    assert!(difference <= tolerance * largest, "{what}: {difference} of {largest}");
}

const FORMATS: [Format; 5] = [Format::F32, Format::F16, Format::Q4_0, Format::Q4_1, Format::Q8_0];

#[test]
fn products_equal_their_definition() {
    let mut random = Random(1);
    let kernels = kernels();
    for format in FORMATS {
        for (seq_len, rows, cols) in [(1, 1, 32), (1, 9, 96), (3, 33, 32), (5, 7, 160), (13, 65, 64)] {
            let x = random.tensor(seq_len, cols);
            let what = format!("{format:?} [{seq_len}, {cols}] x [{rows}, {cols}]");
            let weight = random.matrix(format, rows, cols);
            let plain = reference::linear::<Host>(rounded(&x, format), &weight);
            assert_close(&Host::llama_linear(kernels, x.clone(), &weight), &plain, 1e-4, &what);

            let residual = random.tensor(seq_len, rows);
            let fast = Host::llama_linear_add(kernels, x.clone(), &weight, residual.clone());
            let sum = <Host as burn::backend::ops::FloatTensorOps<Host>>::float_add(residual, plain);
            assert_close(&fast, &sum, 1e-4, &what);

            let weights = GateUpWeights { gate: random.matrix(format, rows, cols), up: weight };
            let fast = Host::llama_gate_up(kernels, x.clone(), &weights);
            assert_close(&fast, &reference::gate_up::<Host>(rounded(&x, format), &weights), 1e-4, &what);

            let weights = QkvWeights {
                query: random.matrix(format, rows, cols),
                key: random.matrix(format, 2 * rows, cols),
                value: random.matrix(Format::Q8_0, 2 * rows, cols),
            };
            let (query, key, value) = Host::llama_qkv(kernels, x.clone(), &weights);
            for (fast, weight) in [(query, &weights.query), (key, &weights.key), (value, &weights.value)] {
                assert_close(
                    &fast,
                    &reference::linear::<Host>(rounded(&x, weight.format()), weight),
                    1e-4,
                    &what,
                );
            }
        }
    }
}

#[test]
fn rms_norm_equals_its_definition() {
    let mut random = Random(2);
    for (seq_len, d_model) in [(1, 1), (1, 7), (3, 33), (4, 64), (5, 576)] {
        let x = random.tensor(seq_len, d_model);
        let gain = (0..d_model).map(|_| random.value()).collect();
        let gain = Host::from_values(gain, [d_model]);
        for eps in [1e-6, 1e-5, 1.0] {
            let fast = Host::llama_rms_norm(kernels(), x.clone(), &gain, eps);
            let plain = reference::rms_norm::<Host>(x.clone(), gain.clone(), eps);
            assert_close(&fast, &plain, 1e-5, &format!("[{seq_len}, {d_model}] eps {eps}"));
        }
    }
}

fn config(n_heads: usize, n_kv_heads: usize, head_dim: usize) -> LlamaConfig {
    LlamaConfig {
        d_model: n_heads * head_dim,
        d_ff: 1,
        n_layers: 2,
        n_heads,
        n_kv_heads,
        head_dim,
        rope_dim: head_dim,
        rope_base: 10_000.0,
        rope_linear_factor: 1.0,
        rms_eps: 1e-5,
        context_length: 64,
        vocab_size: 1,
    }
}

#[test]
fn attention_equals_its_definition_in_every_chunk() {
    let mut random = Random(3);
    for (n_heads, n_kv_heads, head_dim) in [(1, 1, 2), (4, 2, 16), (6, 2, 32), (3, 3, 6), (9, 3, 64)] {
        let config = config(n_heads, n_kv_heads, head_dim);
        let capacity = 37;
        let context = AttentionContext {
            layer: 1,
            n_heads,
            n_kv_heads,
            head_dim,
            rope: Arc::new(Rope::new(&config, capacity, &[]).expect("small")),
        };
        let mut fast_cache = KvCache::new(&config, capacity).expect("small");
        let mut plain_cache = KvCache::new(&config, capacity).expect("small");
        for seq_len in [1, 5, 7, 1, 16, 2] {
            let query = random.tensor(seq_len, config.q_dim());
            let [key, value] =
                [random.tensor(seq_len, config.kv_dim()), random.tensor(seq_len, config.kv_dim())];
            let (q, k, v) = (query.clone(), key.clone(), value.clone());
            let placement = Placement::chunk(&fast_cache, seq_len).expect("fits");
            let fast = Host::llama_attention(kernels(), q, k, v, &mut fast_cache, &placement, &context);
            let plain =
                reference::attention::<Host>(query, key, value, &mut plain_cache, &placement, &context);
            assert_close(
                &fast,
                &plain,
                1e-5,
                &format!("{n_heads}/{n_kv_heads} heads of {head_dim}, {seq_len} tokens"),
            );
            fast_cache.commit(seq_len);
            plain_cache.commit(seq_len);
        }
    }
}

#[test]
fn branches_see_the_shared_text_and_their_own_tail() {
    let mut random = Random(5);
    let config = config(4, 2, 8);
    let rope = Arc::new(Rope::new(&config, 32, &[]).expect("small"));
    let context = AttentionContext { layer: 0, n_heads: 4, n_kv_heads: 2, head_dim: 8, rope };
    let mut fast_cache = KvCache::new(&config, 32).expect("small");
    let mut plain_cache = KvCache::new(&config, 32).expect("small");
    let mut branches = Branches::default();
    let shared = Placement::chunk(&fast_cache, 5).expect("fits");
    let mut placements = vec![shared];
    for (index, parents) in [vec![], vec![0, 0, 0], vec![2, 0, 2], vec![1, 1]].iter().enumerate() {
        if index > 0 {
            placements.push(branches.grow(parents, &fast_cache).expect("fits"));
        }
        let placement = &placements[index];
        let seq_len = placement.positions.len();
        let query = random.tensor(seq_len, config.q_dim());
        let [key, value] = [random.tensor(seq_len, config.kv_dim()), random.tensor(seq_len, config.kv_dim())];
        let (q, k, v) = (query.clone(), key.clone(), value.clone());
        let fast = Host::llama_attention(kernels(), q, k, v, &mut fast_cache, placement, &context);
        let plain = reference::attention::<Host>(query, key, value, &mut plain_cache, placement, &context);
        assert_close(&fast, &plain, 1e-5, &format!("step {index}"));
        if index == 0 {
            fast_cache.commit(5);
            plain_cache.commit(5);
        }
    }
    // The history of a branch: the slots of its ancestors, in order.
    assert_eq!(placements[3].tails, [vec![5, 9, 11], vec![5, 9, 12]]);
    assert_eq!(placements[3].positions, [7, 7]);
    let error = branches.grow(&[0; 30], &fast_cache).expect_err("no room");
    assert_eq!(error.code(), "kv-full");
}

#[test]
fn strided_inputs_are_read_in_their_order() {
    use burn::backend::ops::FloatTensorOps;
    let mut random = Random(4);
    let weight = random.matrix(Format::Q4_0, 5, 32);
    let transposed = <Host as FloatTensorOps<Host>>::float_transpose(random.tensor(32, 3));
    let fast = Host::llama_linear(kernels(), transposed.clone(), &weight);
    assert_close(
        &fast,
        &reference::linear::<Host>(rounded(&transposed, Format::Q4_0), &weight),
        1e-4,
        "a transposed input",
    );
}

#[test]
fn rope_turns_by_the_stated_angle() {
    let rope = Rope::new(&config(1, 1, 4), 8, &[1.0, 2.0]).expect("small");
    let (cos, sin) = rope.at(3);
    let angles = [3.0_f64, 3.0 * 10_000_f64.powf(-0.5) / 2.0];
    for (pair, angle) in angles.into_iter().enumerate() {
        assert!((f64::from(cos[pair]) - angle.cos()).abs() < 1e-7);
        assert!((f64::from(sin[pair]) - angle.sin()).abs() < 1e-7);
    }
}
