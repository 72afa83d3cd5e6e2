//! The operations composed from plain Burn operations: definitions, oracles, and the start for a new backend.
//!
//! Nothing is rounded but the weights. The kernels also round the activations of quantised products; the tests
//! apply [`round_to_int8`] first, so that both sides then differ by summation order only.

use super::kv_cache::KvCache;
use super::ops::{AttentionContext, GateUpWeights, QkvWeights};
use super::placement::Placement;
use crate::kernels::PackedMatrix;
use burn::backend::tensor::{Device, FloatTensor};
use burn::backend::{Backend, TensorMetadata, read_sync};
use burn::tensor::{Shape, Slice, TensorData};

/// `x / sqrt(mean(x^2) + eps) * weight` a row (Zhang and Sennrich, <https://arxiv.org/abs/1910.07467>).
pub fn rms_norm<B: Backend>(x: FloatTensor<B>, weight: FloatTensor<B>, eps: f32) -> FloatTensor<B> {
    let d_model = x.shape()[1];
    let mean_square = B::float_mean_dim(B::float_mul(x.clone(), x.clone()), 1);
    let root = B::float_sqrt(B::float_add_scalar(mean_square, eps.into()));
    B::float_mul(B::float_div(x, root), B::float_reshape(weight, Shape::from([1, d_model])))
}

/// `x * W^T` with the weights dequantised.
pub fn linear<B: Backend>(x: FloatTensor<B>, weight: &PackedMatrix) -> FloatTensor<B> {
    let (rows, cols) = (weight.rows(), weight.cols());
    let mut values = vec![0.0; rows * cols];
    for (row, out) in values.chunks_exact_mut(cols).enumerate() {
        weight.read_row(row, out);
    }
    let dense = B::float_from_data(TensorData::new(values, [rows, cols]), &x.device());
    B::float_matmul(x, B::float_transpose(dense))
}

/// `residual + x * W^T`.
pub fn linear_add<B: Backend>(
    x: FloatTensor<B>,
    weight: &PackedMatrix,
    residual: FloatTensor<B>,
) -> FloatTensor<B> {
    B::float_add(residual, linear::<B>(x, weight))
}

/// Queries, keys and values of `x`.
pub fn qkv<B: Backend>(
    x: FloatTensor<B>,
    weights: &QkvWeights,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let query = linear::<B>(x.clone(), &weights.query);
    let key = linear::<B>(x.clone(), &weights.key);
    (query, key, linear::<B>(x, &weights.value))
}

/// Every block of 32 values rounded to multiples of `max|x| / 127`: what the kernels do to the activations of
/// quantised products.
#[cfg(test)]
pub fn round_to_int8<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let shape = x.shape();
    let blocks = B::float_reshape(x, Shape::from([shape.num_elements() / 32, 32]));
    let scale = B::float_div_scalar(B::float_max_abs_dim(blocks.clone(), 1), 127.0_f32.into());
    // A block of zeros has the scale 0 and must stay zero: 0 / tiny = 0.
    let divisor = B::float_clamp_min(scale.clone(), f32::MIN_POSITIVE.into());
    let levels = B::float_round(B::float_div(blocks, divisor));
    B::float_reshape(B::float_mul(levels, scale), shape)
}

/// `silu(x * Wg^T) * (x * Wu^T)` (Shazeer, <https://arxiv.org/abs/2002.05202>).
pub fn gate_up<B: Backend>(x: FloatTensor<B>, weights: &GateUpWeights) -> FloatTensor<B> {
    let gate = linear::<B>(x.clone(), &weights.gate);
    let up = linear::<B>(x, &weights.up);
    let denominator = B::float_add_scalar(B::float_exp(B::float_neg(gate.clone())), 1.0_f32.into());
    B::float_mul(B::float_div(gate, denominator), up)
}

/// Grouped-query attention over the cache; see [`super::ops::LlamaOps::llama_attention`].
pub fn attention<B: Backend>(
    query: FloatTensor<B>,
    key: FloatTensor<B>,
    value: FloatTensor<B>,
    cache: &mut KvCache,
    placement: &Placement,
    context: &AttentionContext,
) -> FloatTensor<B> {
    let AttentionContext { layer, n_heads, n_kv_heads, head_dim, .. } = *context;
    let device = query.device();
    let seq_len = query.shape()[0];
    let slots = placement.slots();
    let query = rotate::<B>(query, n_heads, &placement.positions, context);
    let key = rotate::<B>(key, n_kv_heads, &placement.positions, context);
    let rows = |x: FloatTensor<B>| {
        let data = read_sync(B::float_into_data(x)).expect("host tensors are read at once");
        data.try_to_vec::<f32>().expect("activations are f32")
    };
    let (keys, values) = (rows(key), rows(value));
    let kv_dim = n_kv_heads * head_dim;
    for token in 0..seq_len {
        let range = token * kv_dim..(token + 1) * kv_dim;
        cache.write(layer, placement.slot(token), &keys[range.clone()], &values[range]);
    }

    // Each key/value head is repeated for the query heads that it serves: [n_heads, slots, head_dim].
    let capacity = cache.capacity();
    let heads = |side: &[f32]| {
        let mut repeated = Vec::new();
        for head in 0..n_heads {
            let first = head / (n_heads / n_kv_heads) * capacity * head_dim;
            repeated.extend_from_slice(&side[first..first + slots * head_dim]);
        }
        B::float_from_data(TensorData::new(repeated, [n_heads, slots, head_dim]), &device)
    };
    let (keys, values) = cache.layer(layer);
    let (keys, values) = (heads(keys), heads(values));
    let query = B::float_reshape(query, Shape::from([seq_len, n_heads, head_dim]));
    let query = B::float_swap_dims(query, 0, 1);

    let scale = 1.0 / (head_dim as f32).sqrt();
    let scores = B::float_mul_scalar(B::float_matmul(query, B::float_transpose(keys)), scale.into());
    let scores = B::float_add(scores, view_mask::<B>(placement, &device));
    let top = B::float_max_dim(scores.clone(), 2);
    let weights = B::float_exp(B::float_sub(scores, top));
    let weights = B::float_div(weights.clone(), B::float_sum_dim(weights, 2));
    let mixed = B::float_swap_dims(B::float_matmul(weights, values), 0, 1);
    B::float_reshape(mixed, Shape::from([seq_len, n_heads * head_dim]))
}

/// 0 where a token sees a slot, a very negative number elsewhere. Shape `[1, seq_len, slots]`.
fn view_mask<B: Backend>(placement: &Placement, device: &Device<B>) -> FloatTensor<B> {
    let slots = placement.slots();
    let row = |tail: &Vec<u32>| {
        let tail = tail.clone();
        let sees = move |slot: usize| slot < placement.shared_len || tail.contains(&(slot as u32));
        (0..slots).map(move |slot| if sees(slot) { 0.0 } else { -1e30_f32 })
    };
    let mask: Vec<f32> = placement.tails.iter().flat_map(row).collect();
    let shape = [1, placement.tails.len(), slots];
    B::float_from_data(TensorData::new(mask, shape), device)
}

/// Rotary embedding of `[seq_len, heads * head_dim]`.
fn rotate<B: Backend>(
    x: FloatTensor<B>,
    heads: usize,
    positions: &[usize],
    context: &AttentionContext,
) -> FloatTensor<B> {
    let shape = x.shape();
    let (seq_len, pairs) = (shape[0], context.head_dim / 2);
    let device = x.device();
    let (mut cos, mut sin) = (Vec::new(), Vec::new());
    for position in positions {
        let (position_cos, position_sin) = context.rope.at(*position);
        cos.extend_from_slice(position_cos);
        sin.extend_from_slice(position_sin);
    }
    let angles = |values| B::float_from_data(TensorData::new(values, [seq_len, 1, pairs, 1]), &device);
    let (cos, sin) = (angles(cos), angles(sin));
    let x = B::float_reshape(x, Shape::from([seq_len, heads, pairs, 2]));
    let part = |index: usize| {
        let all = |len: usize| Slice::from(0..len);
        let slices = [all(seq_len), all(heads), all(pairs), Slice::from(index..index + 1)];
        B::float_slice(x.clone(), &slices)
    };
    let (even, odd) = (part(0), part(1));
    let product = |a: &FloatTensor<B>, b: &FloatTensor<B>| B::float_mul(a.clone(), b.clone());
    let rotated_even = B::float_sub(product(&even, &cos), product(&odd, &sin));
    let rotated_odd = B::float_add(product(&even, &sin), product(&odd, &cos));
    B::float_reshape(B::float_cat(vec![rotated_even, rotated_odd], 3), shape)
}
