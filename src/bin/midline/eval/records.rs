//! What was measured, one JSON line each, appended as soon as it is known: a run that was interrupted continues.

use midline::error::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The records of one model and one program, by key.
pub struct Records {
    path: PathBuf,
    file: File,
    known: BTreeMap<String, Value>,
}

impl Records {
    /// Opens or makes the file. A last line that was cut by an interruption is dropped.
    ///
    /// # Errors
    /// `io`.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| io_error(path, &error);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut known = BTreeMap::new();
        for line in text.lines() {
            if let Ok(record) = serde_json::from_str::<Value>(line)
                && let Some(key) = record["key"].as_str()
            {
                known.insert(key.to_owned(), record);
            }
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), file, known })
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.known.get(key)
    }

    /// Writes a record and remembers it.
    ///
    /// # Errors
    /// `io`.
    pub fn add(&mut self, key: String, mut record: Value) -> Result<()> {
        record["key"] = Value::from(key.as_str());
        let line = format!("{record}\n");
        self.file.write_all(line.as_bytes()).map_err(|error| io_error(&self.path, &error))?;
        // Remembered as it will be read: a float can change its last digit on the way.
        self.known.insert(key, serde_json::from_str(&line).unwrap_or(record));
        Ok(())
    }
}

/// An `io` error that names the file.
pub fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { message: format!("{}: {error}", path.display()) }
}

#[cfg(test)]
mod tests {
    use super::Records;
    use serde_json::json;

    #[test]
    fn an_interrupted_file_continues() {
        let path = std::env::temp_dir().join(format!("midline-records-{}.jsonl", std::process::id()));
        std::fs::write(&path, "{\"key\":\"a\",\"x\":1}\n{\"key\":\"b\",\"x\"").expect("a temporary file");
        let mut records = Records::open(&path).expect("opens");
        assert_eq!(records.get("a").map(|record| record["x"].clone()), Some(json!(1)));
        assert!(records.get("b").is_none());
        records.add("b".into(), json!({ "x": 2 })).expect("writes");
        drop(records);
        let records = Records::open(&path).expect("opens");
        assert_eq!(records.get("b").map(|record| record["x"].clone()), Some(json!(2)));
        std::fs::remove_file(&path).expect("was there");
    }
}
