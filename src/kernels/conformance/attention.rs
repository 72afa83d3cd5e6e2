//! Attention over sequences that are split, shared and scattered in every way.

use super::inputs::Random;
use super::{Check, canonical};
use crate::kernels::{AttentionShape, Kernels};
use std::cell::RefCell;

/// How the tails of the queries relate.
#[derive(Clone, Copy, Debug)]
enum Tails {
    /// A chunk of a prompt: each is the next slot longer.
    Causal,
    /// The same with slots in disorder.
    Scattered,
    /// Slots of their own, of any number.
    Beams,
    /// The same after a common beginning.
    Forked,
}

pub(super) fn run(check: &mut Check) -> Result<(), String> {
    let mut random = Random::new(5);
    for (n_heads, n_kv_heads, head_dim) in [(1, 1, 3), (2, 1, 8), (9, 3, 64), (4, 4, 20), (4, 2, 48)] {
        for kv_len in [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 131] {
            let shape = AttentionShape { n_heads, n_kv_heads, head_dim, capacity: kv_len + kv_len % 3 };
            compare(check, &mut random, shape, kv_len, &[vec![]])?;
        }
        for (shared_len, n_queries, tails) in [
            (0, 1, Tails::Causal),
            (0, 9, Tails::Causal),
            (3, 4, Tails::Causal),
            (64, 70, Tails::Causal),
            (0, 5, Tails::Scattered),
            (7, 70, Tails::Scattered),
            (1, 2, Tails::Beams),
            (66, 3, Tails::Beams),
            (131, 6, Tails::Beams),
            (0, 4, Tails::Forked),
            (8, 1, Tails::Forked),
            (65, 8, Tails::Forked),
        ] {
            let shape = AttentionShape { n_heads, n_kv_heads, head_dim, capacity: shared_len + 99 };
            let tails = slots(&mut random, tails, shape.capacity, shared_len, n_queries);
            compare(check, &mut random, shape, shared_len, &tails)?;
        }
    }
    Ok(())
}

/// Every query sees at least one slot; some of the tails of beams are empty if they may be.
fn slots(
    random: &mut Random,
    tails: Tails,
    capacity: usize,
    shared_len: usize,
    n_queries: usize,
) -> Vec<Vec<u32>> {
    let mut free: Vec<u32> = (shared_len as u32..capacity as u32).collect();
    if !matches!(tails, Tails::Causal) {
        for i in (1..free.len()).rev() {
            free.swap(i, random.below(i as u64 + 1) as usize);
        }
    }
    let mut own = || {
        let from = random.below(28) as usize;
        let len = random.below(71) + u64::from(shared_len == 0);
        free[from..][..len as usize].to_vec()
    };
    let common = if matches!(tails, Tails::Forked) { own() } else { Vec::new() };
    (1..=n_queries)
        .map(|n| match tails {
            Tails::Causal | Tails::Scattered => free[..n].to_vec(),
            Tails::Beams => own(),
            Tails::Forked => [common.clone(), own()].concat(),
        })
        .collect()
}

/// All queries in one call; against each in a call of its own, first over the same positions in order, then with all
/// positions in the tail.
fn compare(
    check: &mut Check,
    random: &mut Random,
    shape: AttentionShape,
    shared_len: usize,
    tails: &[Vec<u32>],
) -> Result<(), String> {
    let q = random.floats(tails.len() * shape.query_len(), 3.0);
    let mut keys = random.floats(shape.cache_len(), 2.0);
    let values = random.floats(shape.cache_len(), 1.0);
    if shape.capacity == 9 {
        keys[0] = f32::NAN;
    }
    let tails: Vec<&[u32]> = tails.iter().map(Vec::as_slice).collect();
    let differs = RefCell::new(None);
    let what = format!("attention {shape:?} of {} queries, {shared_len} shared slots", tails.len());
    check(&what, &|kernels| {
        let together = attend(kernels, &q, &keys, &values, shape, shared_len, &tails);
        for (i, (q, got)) in q.chunks(shape.query_len()).zip(together.chunks(shape.query_len())).enumerate() {
            let sequence: Vec<u32> = (0..shared_len as u32).chain(tails[i].iter().copied()).collect();
            let in_order = |cache| reorder(cache, shape, &sequence);
            let ordered = AttentionShape { capacity: sequence.len(), ..shape };
            let alone = [
                attend(kernels, q, &in_order(&keys), &in_order(&values), ordered, sequence.len(), &[&[]]),
                attend(kernels, q, &keys, &values, shape, 0, &[&sequence]),
            ];
            if alone.iter().flatten().zip(got.iter().chain(got)).any(|(a, b)| canonical(*a) != canonical(*b))
            {
                let name = kernels.variant().name();
                *differs.borrow_mut() = Some(format!("{what}: {name} gives query {i} something else alone"));
            }
        }
        together
    })?;
    differs.into_inner().map_or(Ok(()), Err)
}

fn attend(
    kernels: Kernels,
    q: &[f32],
    keys: &[f32],
    values: &[f32],
    shape: AttentionShape,
    shared_len: usize,
    tails: &[&[u32]],
) -> Vec<f32> {
    let (mut scratch, mut out) = (vec![f32::NAN; 7], vec![f32::NAN; q.len()]);
    kernels.attention(q, keys, values, shape, shared_len, tails, &mut scratch, &mut out);
    out
}

/// The rows of these slots, one after another.
fn reorder(cache: &[f32], shape: AttentionShape, slots: &[u32]) -> Vec<f32> {
    let row = |head: usize, slot: u32| {
        cache[(head * shape.capacity + slot as usize) * shape.head_dim..][..shape.head_dim].iter().copied()
    };
    (0..shape.n_kv_heads).flat_map(|head| slots.iter().flat_map(move |&slot| row(head, slot))).collect()
}
