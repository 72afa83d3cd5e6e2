//! Files as the engine reads them.

use midline::error::{Error, Result};
use midline::gguf::ReadAt;
use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A model on disk, read by ranges.
pub struct ModelFile {
    file: RefCell<File>,
    bytes: u64,
}

impl ModelFile {
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| io_error(path, &error);
        // Looked at before it is opened: opening a pipe waits for a writer.
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::Io { message: format!("{} is not a regular file", path.display()) });
        }
        let file = File::open(path).map_err(failed)?;
        Ok(Self { file: RefCell::new(file), bytes: metadata.len() })
    }
}

impl ReadAt for ModelFile {
    fn len(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let mut file = self.file.borrow_mut();
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(buffer));
        read.map_err(|error| Error::Io { message: format!("reading the model failed: {error}") })
    }
}

/// A text; bytes that are not UTF-8 become replacement characters, as in a browser.
pub fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| io_error(path, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { message: format!("{}: {error}", path.display()) }
}
