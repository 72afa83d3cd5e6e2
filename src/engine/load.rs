//! Loading an engine from a model file.

use super::pace::Pace;
use super::request::is_bound;
use super::threads::{Team, Threads};
use super::{Engine, ModelInfo};
use crate::error::{Error, Result};
use crate::gguf::{Gguf, Metadata, ReadAt};
use crate::kernels::Kernels;
use crate::model::{Arithmetic, KvCache, LlamaConfig, LoadOptions, load};
use crate::prompt::{Formats, PromptFormat};
use crate::tokenizer::{TokenId, TokenKind, Tokenizer};

/// Longest context by default: enough for a window of code, small enough for a phone.
const DEFAULT_CONTEXT_TOKENS: usize = 2048;
/// Shorter contexts cannot hold a prompt and an answer.
const MIN_CONTEXT_TOKENS: usize = 16;

const ORDER: &str = "midline.fim.order";
const PREFERRED: &str = "midline.fim.preferred";
const LEAST_SCORE: &str = "midline.min_score";

/// How to load an engine.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Positions of the cache; `None`: the model's context, at most 2,048.
    pub context_tokens: Option<usize>,
    /// Bytes for weights, cache and rotary tables together.
    pub memory_limit_bytes: u64,
    /// `None`: the best kernels that the machine has.
    pub arithmetic: Option<Arithmetic>,
    /// What the format `auto` takes: `prefix`, `psm` or `spm`. `None` or `auto`: what the file prefers, else
    /// fill-in-the-middle where the vocabulary has it.
    pub preferred_format: Option<String>,
    /// One by default.
    pub threads: Threads,
}

impl Default for EngineOptions {
    fn default() -> Self {
        // A wasm32 memory has 4 GiB; a quarter is left for everything else.
        let memory_limit_bytes = if cfg!(target_pointer_width = "32") { 3 << 30 } else { 16 << 30 };
        Self {
            context_tokens: None,
            memory_limit_bytes,
            arithmetic: None,
            preferred_format: None,
            threads: Threads::Fixed(1),
        }
    }
}

impl Engine {
    /// Reads a GGUF file and makes an engine of it. `on_progress` gets the bytes of weights read so far.
    ///
    /// # Errors
    /// Any `gguf-*`, `model-*` or `tokenizer-*` code, `request-invalid` and `format-unavailable` for the
    /// options, `io`.
    pub fn load(
        source: &dyn ReadAt,
        options: &EngineOptions,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<Self> {
        let gguf = Gguf::parse(source)?;
        // The architecture is checked first: another kind of model should not be reported as a bad tokenizer.
        let config = LlamaConfig::from_metadata(&gguf.metadata)?;
        let tokenizer = Tokenizer::from_metadata(&gguf.metadata)?;
        let capacity = capacity(options.context_tokens, config.context_length)?;
        let arithmetic = options.arithmetic.unwrap_or_else(|| Arithmetic::Kernels(Kernels::detect()));
        let formats = formats(&gguf.metadata, &tokenizer, options.preferred_format.as_deref())?;
        let least_score = least_score(&gguf.metadata)?;
        let pace = Pace::new(&config);
        let info = model_info(&gguf, &config, &tokenizer, capacity, arithmetic)?;
        let memory_limit_bytes = options.memory_limit_bytes;
        let load_options = LoadOptions { capacity, memory_limit_bytes, arithmetic, on_progress };
        let (model, cache) = load(&gguf, source, config, load_options)?;
        let banned = banned(&tokenizer);
        let mut engine = Self {
            model,
            kernels: arithmetic.kernels(),
            tokenizer,
            info,
            cache,
            cached: Vec::new(),
            formats,
            least_score,
            banned,
            pace,
            team: Team::new(options.threads),
        };
        engine.warm_up();
        Ok(engine)
    }
}

fn capacity(requested: Option<usize>, context_length: usize) -> Result<usize> {
    let capacity = requested.unwrap_or(DEFAULT_CONTEXT_TOKENS).min(context_length);
    if capacity >= MIN_CONTEXT_TOKENS {
        return Ok(capacity);
    }
    let (expected, found) = (format!("at least {MIN_CONTEXT_TOKENS}"), capacity.to_string());
    if context_length < MIN_CONTEXT_TOKENS {
        return Err(Error::ModelShape { what: "llama.context_length".into(), expected, found });
    }
    Err(Error::RequestInvalid { field: "contextTokens".into(), expected, found })
}

/// The formats of the model: the option is stronger than the keys `midline.fim.order` (`psm` or `spm`: the order of
/// the fill-in-the-middle training) and `midline.fim.preferred` (what `auto` takes).
fn formats(metadata: &Metadata, tokenizer: &Tokenizer, option: Option<&str>) -> Result<Formats> {
    let special = tokenizer.special();
    let available = PromptFormat::available(special);
    let named = |key: &str, allowed: &[PromptFormat]| {
        if metadata.get(key).is_none() {
            return Ok(None);
        }
        let name = metadata.string(key)?;
        let format = PromptFormat::by_name(name).filter(|format| allowed.contains(format));
        format.map(Some).ok_or_else(|| Error::GgufMetadata {
            key: key.into(),
            expected: allowed.iter().map(|format| format.name()).collect::<Vec<_>>().join(", "),
            found: name.chars().take(40).collect(),
        })
    };
    let order = named(ORDER, &[PromptFormat::Psm, PromptFormat::Spm])?;
    let in_file = named(PREFERRED, &available)?;
    let formats = Formats::new(special, order, in_file);
    match option.filter(|name| *name != "auto") {
        Some(name) => Ok(Formats::new(special, order, Some(formats.find("preferredFormat", name)?))),
        None => Ok(formats),
    }
}

/// The bound on scores that the file names. It is a figure of the model: one that is surer of itself needs another.
fn least_score(metadata: &Metadata) -> Result<Option<f64>> {
    if metadata.get(LEAST_SCORE).is_none() {
        return Ok(None);
    }
    let score = f64::from(metadata.f32(LEAST_SCORE)?);
    let invalid = || Error::GgufMetadata {
        key: LEAST_SCORE.into(),
        expected: "a number, 0 or less".into(),
        found: score.to_string(),
    };
    if is_bound(score) { Ok(Some(score)) } else { Err(invalid()) }
}

/// Ids that carry no text and do not end an answer.
fn banned(tokenizer: &Tokenizer) -> Vec<TokenId> {
    let silent = |token: &TokenId| {
        matches!(tokenizer.kind(*token), TokenKind::Control | TokenKind::Unknown | TokenKind::Unused)
    };
    let ends = &tokenizer.special().end_of_generation;
    let all = 0..tokenizer.vocab_size() as TokenId;
    all.filter(silent).filter(|token| !ends.contains(token)).collect()
}

fn model_info(
    gguf: &Gguf,
    config: &LlamaConfig,
    tokenizer: &Tokenizer,
    capacity: usize,
    arithmetic: Arithmetic,
) -> Result<ModelInfo> {
    let metadata = &gguf.metadata;
    let name = metadata.or("general.name", "llama".to_owned(), |m, key| m.string(key).map(str::to_owned))?;
    let formats = PromptFormat::available(tokenizer.special());
    let mut warnings = Vec::new();
    if formats == [PromptFormat::Prefix] {
        warnings
            .push("the vocabulary has no fill-in-the-middle tokens: text after the caret is not read".into());
    }
    if metadata.get("tokenizer.chat_template").is_some() {
        warnings.push("the model is tuned for chat: its completions of code may be poor".into());
    }
    Ok(ModelInfo {
        name,
        architecture: "llama".into(),
        parameters: gguf.tensors.iter().map(|tensor| tensor.dims.iter().product::<u64>()).sum(),
        context_tokens: capacity,
        vocab_size: tokenizer.vocab_size(),
        weights_bytes: gguf.tensors.iter().map(|tensor| tensor.bytes).sum(),
        kv_bytes: KvCache::bytes_for(config, capacity),
        formats: formats.iter().map(|format| format.name()).collect(),
        warnings,
        variant: arithmetic.name(),
    })
}
