//! The one error type. Every variant has a stable code for JavaScript and says what was expected and found.

use std::fmt;

/// Result with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong below the public API.
///
/// The code of a variant ([`Error::code`]) never changes; the wording of the message may.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The file does not start with `GGUF`.
    GgufMagic {
        /// The first four bytes, or fewer when the file is shorter.
        found: Vec<u8>,
    },
    /// A GGUF version that this reader does not know.
    GgufVersion {
        /// The version in the file.
        found: u32,
    },
    /// The file ends inside a structure.
    GgufTruncated {
        /// What was being read.
        what: String,
        /// Where it starts, in bytes from the start of the file.
        offset: u64,
        /// Bytes that it needs.
        needed_bytes: u64,
        /// Bytes that are left.
        available_bytes: u64,
    },
    /// A count or length beyond what any real file has.
    GgufLimit {
        /// What is too large.
        what: String,
        /// The largest accepted value.
        limit: u64,
        /// The value in the file.
        found: u64,
    },
    /// A metadata key is missing, of the wrong type or of an unusable value.
    GgufMetadata {
        /// The key.
        key: String,
        /// What was expected.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// A tensor is missing, misplaced or overlaps another.
    GgufTensor {
        /// The tensor's name.
        tensor: String,
        /// What was expected.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// A tensor type that has no kernel here.
    GgufUnsupportedType {
        /// The tensor's name.
        tensor: String,
        /// The `ggml_type` number in the file.
        found: u32,
    },
    /// Not a LLaMA.
    ModelArchitecture {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A tensor or a hyper-parameter does not fit the others.
    ModelShape {
        /// Tensor name or metadata key.
        what: String,
        /// The expected shape or relation.
        expected: String,
        /// The found one.
        found: String,
    },
    /// The model, its cache and its scratch do not fit into memory.
    ModelMemory {
        /// Bytes that would be needed.
        needed_bytes: u64,
        /// Bytes that may be used.
        available_bytes: u64,
    },
    /// A tokenizer model or pre-tokenizer that is not implemented.
    TokenizerUnsupported {
        /// What is implemented.
        expected: String,
        /// What the file names.
        found: String,
    },
    /// Tokenizer tables that contradict each other.
    TokenizerInvalid {
        /// Which table or entry.
        what: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A field of a request is unusable.
    RequestInvalid {
        /// The field.
        field: String,
        /// What was expected.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A prompt format that the model's vocabulary cannot express.
    FormatUnavailable {
        /// The requested format.
        format: String,
        /// The formats that the model has.
        available: String,
    },
    /// The key/value cache cannot take the tokens.
    KvFull {
        /// Positions in the cache.
        capacity: usize,
        /// Positions that were asked for.
        requested: usize,
    },
    /// Another completion is running in this engine.
    Busy,
    /// The completion was cancelled.
    Aborted,
    /// Reading the model file failed.
    Io {
        /// The reason given by the source.
        message: String,
    },
    /// A broken invariant: a bug in Midline.
    Internal {
        /// What was violated.
        message: String,
    },
}

impl Error {
    /// Stable identifier, the same in every release.
    pub fn code(&self) -> &'static str {
        match self {
            Self::GgufMagic { .. } => "gguf-magic",
            Self::GgufVersion { .. } => "gguf-version",
            Self::GgufTruncated { .. } => "gguf-truncated",
            Self::GgufLimit { .. } => "gguf-limit",
            Self::GgufMetadata { .. } => "gguf-metadata",
            Self::GgufTensor { .. } => "gguf-tensor",
            Self::GgufUnsupportedType { .. } => "gguf-unsupported-type",
            Self::ModelArchitecture { .. } => "model-architecture",
            Self::ModelShape { .. } => "model-shape",
            Self::ModelMemory { .. } => "model-memory",
            Self::TokenizerUnsupported { .. } => "tokenizer-unsupported",
            Self::TokenizerInvalid { .. } => "tokenizer-invalid",
            Self::RequestInvalid { .. } => "request-invalid",
            Self::FormatUnavailable { .. } => "format-unavailable",
            Self::KvFull { .. } => "kv-full",
            Self::Busy => "busy",
            Self::Aborted => "aborted",
            Self::Io { .. } => "io",
            Self::Internal { .. } => "internal",
        }
    }

    /// Where the fault lies: a key, a tensor, a field or a structure. Empty when there is no such place.
    fn place(&self) -> String {
        match self {
            Self::GgufTruncated { what, offset, .. } => format!("{what} at byte {offset}"),
            Self::GgufLimit { what, .. } => what.clone(),
            Self::GgufMetadata { key, .. } => format!("metadata key {key}"),
            Self::GgufTensor { tensor, .. } | Self::GgufUnsupportedType { tensor, .. } => {
                format!("tensor {tensor}")
            }
            Self::ModelShape { what, .. } | Self::TokenizerInvalid { what, .. } => what.clone(),
            Self::RequestInvalid { field, .. } => format!("field {field}"),
            _ => String::new(),
        }
    }

    /// What was expected, where that can be said.
    pub fn expected(&self) -> Option<String> {
        Some(match self {
            Self::GgufMagic { .. } => "the bytes GGUF".into(),
            Self::GgufVersion { .. } => "version 2 or 3".into(),
            Self::GgufTruncated { needed_bytes, .. } => format!("{needed_bytes} bytes"),
            Self::GgufLimit { limit, .. } => format!("at most {limit}"),
            Self::GgufMetadata { expected, .. }
            | Self::GgufTensor { expected, .. }
            | Self::ModelShape { expected, .. }
            | Self::TokenizerUnsupported { expected, .. }
            | Self::TokenizerInvalid { expected, .. }
            | Self::RequestInvalid { expected, .. } => expected.clone(),
            Self::GgufUnsupportedType { .. } => "F32 (0), F16 (1), Q4_0 (2), Q4_1 (3) or Q8_0 (8)".into(),
            Self::ModelArchitecture { .. } => "llama".into(),
            Self::ModelMemory { available_bytes, .. } => format!("at most {available_bytes} bytes"),
            Self::FormatUnavailable { available, .. } => available.clone(),
            Self::KvFull { capacity, .. } => format!("at most {capacity} positions"),
            Self::Busy | Self::Aborted | Self::Io { .. } | Self::Internal { .. } => return None,
        })
    }

    /// What was found, where that can be said.
    pub fn found(&self) -> Option<String> {
        Some(match self {
            Self::GgufMagic { found } => {
                if found.is_empty() {
                    "an empty file".into()
                } else {
                    format!("the bytes {found:02x?}")
                }
            }
            Self::GgufVersion { found } => format!("version {found}"),
            Self::GgufTruncated { available_bytes, .. } => format!("{available_bytes} bytes"),
            Self::GgufLimit { found, .. } => found.to_string(),
            Self::GgufMetadata { found, .. }
            | Self::GgufTensor { found, .. }
            | Self::ModelArchitecture { found }
            | Self::ModelShape { found, .. }
            | Self::TokenizerUnsupported { found, .. }
            | Self::TokenizerInvalid { found, .. }
            | Self::RequestInvalid { found, .. } => found.clone(),
            Self::GgufUnsupportedType { found, .. } => format!("type {found}"),
            Self::ModelMemory { needed_bytes, .. } => format!("{needed_bytes} bytes"),
            Self::FormatUnavailable { format, .. } => format.clone(),
            Self::KvFull { requested, .. } => format!("{requested} positions"),
            Self::Busy | Self::Aborted | Self::Io { .. } | Self::Internal { .. } => return None,
        })
    }

    fn summary(&self) -> &str {
        match self {
            Self::GgufMagic { .. } => "not a GGUF file",
            Self::GgufVersion { .. } => "unsupported GGUF version",
            Self::GgufTruncated { .. } => "the GGUF file is cut short",
            Self::GgufLimit { .. } => "implausible size in the GGUF file",
            Self::GgufMetadata { .. } => "unusable GGUF metadata",
            Self::GgufTensor { .. } => "unusable GGUF tensor",
            Self::GgufUnsupportedType { .. } => "unsupported tensor type",
            Self::ModelArchitecture { .. } => "unsupported model architecture",
            Self::ModelShape { .. } => "inconsistent model shape",
            Self::ModelMemory { .. } => "the model does not fit into memory",
            Self::TokenizerUnsupported { .. } => "unsupported tokenizer",
            Self::TokenizerInvalid { .. } => "inconsistent tokenizer",
            Self::RequestInvalid { .. } => "invalid request",
            Self::FormatUnavailable { .. } => "the model does not have this prompt format",
            Self::KvFull { .. } => "the key/value cache is full",
            Self::Busy => "another completion is running",
            Self::Aborted => "the completion was cancelled",
            Self::Io { message } | Self::Internal { message } => message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary())?;
        let place = self.place();
        if !place.is_empty() {
            write!(f, ": {place}")?;
        }
        if let (Some(expected), Some(found)) = (self.expected(), self.found()) {
            write!(f, " (expected {expected}, found {found})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
