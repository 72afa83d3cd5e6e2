//! Random access to the bytes of a model file.

use crate::error::{Error, Result};

/// A source of bytes at any offset. Implementations do the I/O; the engine does none.
pub trait ReadAt {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// `io` when the source fails or the range passes its end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;

    /// Whether there are no bytes at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ReadAt for [u8] {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let range = usize::try_from(offset)
            .ok()
            .and_then(|start| Some(start..start.checked_add(buffer.len())?))
            .and_then(|range| self.get(range));
        let bytes = range.ok_or_else(|| Error::Io {
            message: format!("read of {} bytes at {offset} passes the end ({})", buffer.len(), self.len()),
        })?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.as_slice().read_at(offset, buffer)
    }
}
