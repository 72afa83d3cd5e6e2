//! Facts about a loaded model.

/// What a user may want to know about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// `general.name`, or the architecture when the file has no name.
    pub name: String,
    /// Always `llama` today.
    pub architecture: String,
    /// Number of weights.
    pub parameters: u64,
    /// Positions of the cache of this engine.
    pub context_tokens: usize,
    /// Entries of the vocabulary.
    pub vocab_size: usize,
    /// Bytes of the weights in the file.
    pub weights_bytes: u64,
    /// Bytes of the key/value cache.
    pub kv_bytes: u64,
    /// Prompt formats the vocabulary can express.
    pub formats: Vec<&'static str>,
    /// Reasons why this model may complete code badly.
    pub warnings: Vec<String>,
    /// Instruction set of the kernels.
    pub variant: &'static str,
}
