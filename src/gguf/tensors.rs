//! The tensor table: names, shapes, types and places, checked against the file and against each other.

use super::cursor::Cursor;
use crate::error::{Error, Result};
use crate::quant::Format;
use std::collections::HashSet;

/// `GGML_MAX_DIMS`.
const MAX_DIMS: u32 = 4;

/// One row of the tensor table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorInfo {
    /// Name, unique in the file.
    pub name: String,
    /// Sizes with the fastest-varying dimension first, as in the file: a matrix is `[cols, rows]`.
    pub dims: Vec<u64>,
    /// Element format.
    pub format: Format,
    /// First byte, from the start of the file.
    pub offset: u64,
    /// Length of the data.
    pub bytes: u64,
}

pub(super) fn read_table(cursor: &mut Cursor<'_>, count: u64, alignment: u64) -> Result<Vec<TensorInfo>> {
    let mut tensors = Vec::new();
    let mut names = HashSet::new();
    for _ in 0..count {
        let tensor = read_entry(cursor, alignment)?;
        if !names.insert(tensor.name.clone()) {
            return Err(unusable(&tensor.name, "a unique name", "two tensors of that name"));
        }
        tensors.push(tensor);
    }
    let data_start = cursor.offset().next_multiple_of(alignment);
    for tensor in &mut tensors {
        tensor.offset = data_start.saturating_add(tensor.offset);
    }
    check_places(&tensors, cursor.file_bytes())?;
    Ok(tensors)
}

/// Reads one entry; its offset is still relative to the start of the data.
fn read_entry(cursor: &mut Cursor<'_>, alignment: u64) -> Result<TensorInfo> {
    let name = cursor.string("tensor name")?;
    let n_dims = cursor.u32(&name)?;
    if !(1..=MAX_DIMS).contains(&n_dims) {
        return Err(unusable(&name, "1 to 4 dimensions", &n_dims.to_string()));
    }
    let mut dims = Vec::new();
    let mut elements: u64 = 1;
    for _ in 0..n_dims {
        let dim = cursor.u64(&name)?;
        let product = elements.checked_mul(dim).filter(|product| dim > 0 && *product < 1 << 48);
        elements = product.ok_or_else(|| {
            unusable(&name, "positive dimensions of a product below 2^48", &format!("{dims:?} and {dim}"))
        })?;
        dims.push(dim);
    }
    let number = cursor.u32(&name)?;
    let offset = cursor.u64(&name)?;
    let Some(format) = Format::from_ggml_type(number) else {
        return Err(Error::GgufUnsupportedType { tensor: name, found: number });
    };
    if !dims[0].is_multiple_of(format.block_len() as u64) {
        let expected = format!("rows of a multiple of {} weights", format.block_len());
        return Err(unusable(&name, &expected, &dims[0].to_string()));
    }
    if !offset.is_multiple_of(alignment) {
        return Err(unusable(&name, &format!("an offset aligned to {alignment}"), &offset.to_string()));
    }
    let bytes = elements / format.block_len() as u64 * format.block_bytes() as u64;
    Ok(TensorInfo { name, dims, format, offset, bytes })
}

fn check_places(tensors: &[TensorInfo], file_bytes: u64) -> Result<()> {
    let mut by_offset: Vec<_> = tensors.iter().collect();
    by_offset.sort_by_key(|tensor| tensor.offset);
    for tensor in &by_offset {
        let available_bytes = file_bytes.saturating_sub(tensor.offset);
        if tensor.bytes > available_bytes {
            return Err(Error::GgufTruncated {
                what: format!("data of tensor {}", tensor.name),
                offset: tensor.offset,
                needed_bytes: tensor.bytes,
                available_bytes,
            });
        }
    }
    for pair in by_offset.windows(2) {
        let end = pair[0].offset + pair[0].bytes;
        if pair[1].offset < end {
            let found = format!("byte {}, inside tensor {}", pair[1].offset, pair[0].name);
            return Err(unusable(&pair[1].name, &format!("a start at byte {end} or later"), &found));
        }
    }
    Ok(())
}

fn unusable(tensor: &str, expected: &str, found: &str) -> Error {
    Error::GgufTensor { tensor: tensor.into(), expected: expected.into(), found: found.into() }
}
