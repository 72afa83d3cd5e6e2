//! Sequential, bounds-checked reading of the head of a file, in pieces of 64 KiB.

use super::ReadAt;
use crate::error::{Error, Result};

const PIECE_BYTES: u64 = 64 * 1024;
/// Longest string accepted: chat templates reach some ten thousand bytes.
const MAX_STRING_BYTES: u64 = 1 << 24;

pub(super) struct Cursor<'a> {
    source: &'a dyn ReadAt,
    offset: u64,
    piece: Vec<u8>,
    piece_start: u64,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a dyn ReadAt) -> Self {
        Self { source, offset: 0, piece: Vec::new(), piece_start: 0 }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub fn file_bytes(&self) -> u64 {
        self.source.len()
    }

    pub fn remaining_bytes(&self) -> u64 {
        self.source.len().saturating_sub(self.offset)
    }

    /// The next bytes, fewer when the file ends; the cursor stays.
    pub fn peek_up_to(&mut self, count: u64) -> Result<Vec<u8>> {
        let count = count.min(self.remaining_bytes());
        let start = self.offset;
        let bytes = self.take("magic", count)?;
        self.offset = start;
        Ok(bytes)
    }

    pub fn skip(&mut self, count: u64) {
        self.offset += count;
    }

    /// Fails unless `needed_bytes` are left.
    pub fn require(&self, what: &str, needed_bytes: u64) -> Result<()> {
        let available_bytes = self.remaining_bytes();
        if needed_bytes > available_bytes {
            let what = what.to_owned();
            return Err(Error::GgufTruncated { what, offset: self.offset, needed_bytes, available_bytes });
        }
        Ok(())
    }

    pub fn take(&mut self, what: &str, count: u64) -> Result<Vec<u8>> {
        self.require(what, count)?;
        let mut bytes = vec![0; count as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Fills `bytes`; the caller has checked that so many are left.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        let count = bytes.len() as u64;
        if count >= PIECE_BYTES {
            self.source.read_at(self.offset, bytes)?;
        } else {
            let piece_end = self.piece_start + self.piece.len() as u64;
            if self.offset < self.piece_start || self.offset + count > piece_end {
                self.piece.resize(PIECE_BYTES.min(self.remaining_bytes()) as usize, 0);
                self.source.read_at(self.offset, &mut self.piece)?;
                self.piece_start = self.offset;
            }
            let start = (self.offset - self.piece_start) as usize;
            bytes.copy_from_slice(&self.piece[start..start + bytes.len()]);
        }
        self.offset += count;
        Ok(())
    }

    pub fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        self.require(what, N as u64)?;
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub fn count(&mut self, what: &str, limit: u64) -> Result<u64> {
        let found = self.u64(what)?;
        if found > limit { Err(Error::GgufLimit { what: what.to_owned(), limit, found }) } else { Ok(found) }
    }

    pub fn string(&mut self, what: &str) -> Result<String> {
        let length = self.count(what, MAX_STRING_BYTES)?;
        let bytes = self.take(what, length)?;
        String::from_utf8(bytes).map_err(|error| Error::GgufMetadata {
            key: what.to_owned(),
            expected: "UTF-8 text".into(),
            found: format!("an invalid byte at {}", error.utf8_error().valid_up_to()),
        })
    }
}
