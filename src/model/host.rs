//! The operations on backends whose tensors are plain memory: slices in, kernels, slices out.

use super::kv_cache::KvCache;
use super::ops::{AttentionContext, GateUpWeights, QkvWeights};
use crate::kernels::{AttentionShape, Kernels, PackedMatrix};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata};

/// A backend whose float tensors are f32 in host memory.
pub trait HostBackend: Backend {
    /// Shows the values of a tensor in row-major order; copies only when a view is strided.
    fn with_values<R>(x: &FloatTensor<Self>, use_values: impl FnOnce(&[f32]) -> R) -> R;
    /// Wraps values without a copy; the product of `shape` is their number.
    fn from_values<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Self>;
}

#[cfg(feature = "flex")]
mod flex {
    use super::HostBackend;
    use burn::backend::Flex;
    use burn::backend::flex::{FlexTensor, Layout};
    use burn::backend::tensor::FloatTensor;
    use burn::tensor::{Bytes, DType, Shape};

    impl HostBackend for Flex {
        fn with_values<R>(x: &FloatTensor<Self>, use_values: impl FnOnce(&[f32]) -> R) -> R {
            match x.as_slice::<f32>() {
                Some(values) => use_values(values),
                None => use_values(x.to_contiguous().as_slice::<f32>().unwrap_or_default()),
            }
        }

        fn from_values<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Self> {
            FlexTensor::new(Bytes::from_elems(values), Layout::contiguous(Shape::from(shape)), DType::F32)
        }
    }
}

#[cfg(feature = "ndarray")]
mod ndarray {
    use super::HostBackend;
    use burn::backend::NdArray;
    use burn::backend::ndarray::NdArrayTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::tensor::TensorData;

    impl HostBackend for NdArray {
        fn with_values<R>(x: &FloatTensor<Self>, use_values: impl FnOnce(&[f32]) -> R) -> R {
            let NdArrayTensor::F32(storage) = x else {
                unreachable!("activations are created as f32 only");
            };
            let view = storage.view();
            let contiguous = view.as_standard_layout();
            use_values(contiguous.as_slice().unwrap_or_default())
        }

        fn from_values<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Self> {
            NdArrayTensor::from_data(TensorData::new(values, shape))
        }
    }
}

pub(super) fn rms_norm<B: HostBackend>(
    kernels: Kernels,
    x: &FloatTensor<B>,
    weight: &FloatTensor<B>,
    eps: f32,
) -> FloatTensor<B> {
    let [seq_len, d_model] = x.shape().dims();
    let mut out = vec![0.0; seq_len * d_model];
    B::with_values(x, |x| B::with_values(weight, |weight| kernels.rms_norm(x, weight, eps, &mut out)));
    B::from_values(out, [seq_len, d_model])
}

pub(super) fn linear<B: HostBackend>(
    kernels: Kernels,
    x: &FloatTensor<B>,
    weight: &PackedMatrix,
) -> FloatTensor<B> {
    let [seq_len, cols] = x.shape().dims();
    let mut out = vec![0.0; seq_len * weight.rows()];
    B::with_values(x, |x| kernels.matmul(weight, &kernels.activations(x, cols), &mut out));
    B::from_values(out, [seq_len, weight.rows()])
}

pub(super) fn linear_add<B: HostBackend>(
    kernels: Kernels,
    x: &FloatTensor<B>,
    weight: &PackedMatrix,
    residual: &FloatTensor<B>,
) -> FloatTensor<B> {
    let [seq_len, cols] = x.shape().dims();
    let mut out = B::with_values(residual, <[f32]>::to_vec);
    B::with_values(x, |x| kernels.matmul_add(weight, &kernels.activations(x, cols), &mut out));
    B::from_values(out, [seq_len, weight.rows()])
}

pub(super) fn qkv<B: HostBackend>(
    kernels: Kernels,
    x: &FloatTensor<B>,
    weights: &QkvWeights,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let [seq_len, cols] = x.shape().dims();
    let [query, key, value] = B::with_values(x, |x| {
        let activations = kernels.activations(x, cols);
        [&weights.query, &weights.key, &weights.value].map(|weight| {
            let mut out = vec![0.0; seq_len * weight.rows()];
            kernels.matmul(weight, &activations, &mut out);
            B::from_values(out, [seq_len, weight.rows()])
        })
    });
    (query, key, value)
}

pub(super) fn attention<B: HostBackend>(
    kernels: Kernels,
    [query, key, value]: [&FloatTensor<B>; 3],
    cache: &mut KvCache,
    context: &AttentionContext,
) -> FloatTensor<B> {
    let [seq_len, q_dim] = query.shape().dims();
    let [_, kv_dim] = key.shape().dims::<2>();
    let AttentionContext { layer, n_heads, n_kv_heads, head_dim, .. } = *context;
    let start = cache.len();
    let mut queries = B::with_values(query, <[f32]>::to_vec);
    let mut keys = B::with_values(key, <[f32]>::to_vec);
    B::with_values(value, |values| {
        for token in 0..seq_len {
            let (cos, sin) = context.rope.at(start + token);
            let row = &mut keys[token * kv_dim..(token + 1) * kv_dim];
            kernels.rope(row, head_dim, cos, sin);
            kernels.rope(&mut queries[token * q_dim..(token + 1) * q_dim], head_dim, cos, sin);
            cache.write(layer, start + token, row, &values[token * kv_dim..(token + 1) * kv_dim]);
        }
    });
    let mut out = vec![0.0; seq_len * q_dim];
    let shape = AttentionShape { n_heads, n_kv_heads, head_dim, capacity: cache.capacity() };
    let own: Vec<u32> = (start..start + seq_len).map(|position| position as u32).collect();
    let tails: Vec<&[u32]> = (1..=seq_len).map(|len| &own[..len]).collect();
    let (keys, values) = cache.layer(layer);
    kernels.attention(&queries, keys, values, shape, start, &tails, &mut Vec::new(), &mut out);
    B::from_values(out, [seq_len, q_dim])
}

pub(super) fn gate_up<B: HostBackend>(
    kernels: Kernels,
    x: &FloatTensor<B>,
    weights: &GateUpWeights,
) -> FloatTensor<B> {
    let [seq_len, cols] = x.shape().dims();
    let d_ff = weights.gate.rows();
    let mut gate = vec![0.0; seq_len * d_ff];
    let mut up = vec![0.0; seq_len * d_ff];
    let mut out = vec![0.0; seq_len * d_ff];
    B::with_values(x, |x| {
        let activations = kernels.activations(x, cols);
        kernels.matmul(&weights.gate, &activations, &mut gate);
        kernels.matmul(&weights.up, &activations, &mut up);
    });
    kernels.silu_mul(&gate, &up, &mut out);
    B::from_values(out, [seq_len, d_ff])
}
