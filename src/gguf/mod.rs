//! GGUF files, versions 2 and 3: header, metadata and tensor table, every length checked against the file.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>. Little-endian only.
//!
//! The reader works over [`ReadAt`], so that a file in the browser's storage, a dropped file and a file on
//! disk are read by ranges and never held as a whole.

mod cursor;
mod metadata;
mod read_at;
mod tensors;

pub use metadata::{Array, Metadata, Value};
pub use read_at::ReadAt;
pub use tensors::TensorInfo;

use crate::error::{Error, Result};
use cursor::Cursor;

/// Tensor data starts at, and tensors are aligned to, this many bytes unless `general.alignment` says otherwise.
const DEFAULT_ALIGNMENT_BYTES: u64 = 32;
/// No published model has more than a few thousand of either.
const MAX_TENSORS: u64 = 1 << 16;
const MAX_METADATA_ENTRIES: u64 = 1 << 16;

/// The parsed head of a GGUF file: everything but the tensor data.
#[derive(Debug, Clone)]
pub struct Gguf {
    /// 2 or 3.
    pub version: u32,
    /// Key/value pairs.
    pub metadata: Metadata,
    /// The tensors, in file order; offsets are from the start of the file.
    pub tensors: Vec<TensorInfo>,
    /// Length of the whole file.
    pub file_bytes: u64,
}

impl Gguf {
    /// Parses the head of a file.
    ///
    /// # Errors
    /// Any `gguf-*` code, or `io` when the source fails.
    pub fn parse(source: &dyn ReadAt) -> Result<Self> {
        let mut cursor = Cursor::new(source);
        let version = read_magic_and_version(&mut cursor)?;
        let tensor_count = cursor.count("tensor count", MAX_TENSORS)?;
        let entry_count = cursor.count("metadata count", MAX_METADATA_ENTRIES)?;
        let metadata = Metadata::read(&mut cursor, entry_count)?;
        let alignment = alignment(&metadata)?;
        let tensors = tensors::read_table(&mut cursor, tensor_count, alignment)?;
        Ok(Self { version, metadata, tensors, file_bytes: source.len() })
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }
}

fn read_magic_and_version(cursor: &mut Cursor<'_>) -> Result<u32> {
    let magic = cursor.peek_up_to(4)?;
    if magic != b"GGUF" {
        return Err(Error::GgufMagic { found: magic });
    }
    cursor.skip(4);
    match cursor.u32("version")? {
        version @ (2 | 3) => Ok(version),
        found => Err(Error::GgufVersion { found }),
    }
}

fn alignment(metadata: &Metadata) -> Result<u64> {
    let key = "general.alignment";
    if metadata.get(key).is_none() {
        return Ok(DEFAULT_ALIGNMENT_BYTES);
    }
    match metadata.usize(key)? as u64 {
        value if value.is_power_of_two() && (8..=1 << 16).contains(&value) => Ok(value),
        value => Err(Error::GgufMetadata {
            key: key.into(),
            expected: "a power of two from 8 to 65536".into(),
            found: value.to_string(),
        }),
    }
}
