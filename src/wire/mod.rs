//! The types that cross the border to JavaScript and JSON, with the field names of the public API.
//! The only room that knows serde; nothing below it is serialisable.

use crate::engine::{CompletionRequest, CompletionResult, Filters, ModelInfo};
use crate::error::Error;
use serde::{Deserialize, Serialize};

/// A request as it comes from outside; absent fields take the engine's defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestWire {
    prefix: String,
    suffix: String,
    path: Option<String>,
    language_id: Option<String>,
    format: Option<String>,
    max_suggestions: Option<f64>,
    max_new_tokens: Option<f64>,
    beam_width: Option<f64>,
    healing: Option<bool>,
    max_lines: Option<f64>,
    min_score: Option<f64>,
    filters: Option<FiltersWire>,
    time_budget_ms: Option<f64>,
}

/// Switches of the filters; absent ones are on.
#[derive(Debug, Default, Deserialize)]
struct FiltersWire {
    secrets: Option<bool>,
    emails: Option<bool>,
    destructive: Option<bool>,
    profanity: Option<bool>,
}

impl From<FiltersWire> for Filters {
    fn from(wire: FiltersWire) -> Self {
        let defaults = Self::default();
        Self {
            secrets: wire.secrets.unwrap_or(defaults.secrets),
            emails: wire.emails.unwrap_or(defaults.emails),
            destructive: wire.destructive.unwrap_or(defaults.destructive),
            profanity: wire.profanity.unwrap_or(defaults.profanity),
        }
    }
}

impl TryFrom<RequestWire> for CompletionRequest {
    type Error = Error;

    fn try_from(wire: RequestWire) -> Result<Self, Error> {
        let defaults = Self::default();
        Ok(Self {
            prefix: wire.prefix,
            suffix: wire.suffix,
            path: wire.path.unwrap_or_default(),
            language_id: wire.language_id.unwrap_or_default(),
            format: wire.format.unwrap_or(defaults.format),
            healing: wire.healing.unwrap_or(defaults.healing),
            max_suggestions: whole("maxSuggestions", wire.max_suggestions, defaults.max_suggestions)?,
            max_new_tokens: whole("maxNewTokens", wire.max_new_tokens, defaults.max_new_tokens)?,
            beam_width: whole("beamWidth", wire.beam_width, defaults.beam_width)?,
            max_lines: whole("maxLines", wire.max_lines, defaults.max_lines)?,
            min_score: wire.min_score.or(defaults.min_score),
            filters: wire.filters.unwrap_or_default().into(),
            time_budget_ms: wire.time_budget_ms,
            tuning: defaults.tuning,
        })
    }
}

/// A number as JavaScript has it, as a whole number. Its range is the engine's to check.
pub fn whole(field: &str, value: Option<f64>, default: usize) -> Result<usize, Error> {
    match value {
        None => Ok(default),
        Some(value) if value.fract() == 0.0 && (0.0..=1e9).contains(&value) => Ok(value as usize),
        Some(value) => Err(Error::RequestInvalid {
            field: field.to_owned(),
            expected: "a whole number, 0 or more".into(),
            found: value.to_string(),
        }),
    }
}

/// A result as it goes out.
#[derive(Debug, Serialize)]
pub struct ResultWire {
    suggestions: Vec<SuggestionWire>,
    dropped: Vec<DroppedWire>,
    stats: StatsWire,
}

#[derive(Debug, Serialize)]
struct SuggestionWire {
    text: String,
    score: f32,
    tokens: usize,
}

#[derive(Debug, Serialize)]
struct DroppedWire {
    text: String,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsWire {
    prompt_tokens: usize,
    reused_tokens: usize,
    new_tokens: usize,
    prefix_tokens: usize,
    suffix_tokens: usize,
    healed_text: String,
    prompt_ms: f64,
    prefill_ms: f64,
    decode_ms: f64,
    postprocess_ms: f64,
    variant: &'static str,
    threads: usize,
    model: String,
    format: &'static str,
    format_reason: &'static str,
    stop_reason: &'static str,
}

impl From<CompletionResult> for ResultWire {
    fn from(result: CompletionResult) -> Self {
        let stats = result.stats;
        Self {
            suggestions: result
                .suggestions
                .into_iter()
                .map(|item| SuggestionWire { text: item.text, score: item.score, tokens: item.tokens })
                .collect(),
            dropped: result
                .dropped
                .into_iter()
                .map(|item| DroppedWire { text: item.text, reason: item.reason })
                .collect(),
            stats: StatsWire {
                prompt_tokens: stats.prompt_tokens,
                reused_tokens: stats.reused_tokens,
                new_tokens: stats.new_tokens,
                prefix_tokens: stats.prefix_tokens,
                suffix_tokens: stats.suffix_tokens,
                healed_text: stats.healed_text,
                prompt_ms: stats.prompt_ms,
                prefill_ms: stats.prefill_ms,
                decode_ms: stats.decode_ms,
                postprocess_ms: stats.postprocess_ms,
                variant: stats.variant,
                threads: stats.threads,
                model: stats.model,
                format: stats.format,
                format_reason: stats.format_reason,
                stop_reason: stats.stop_reason,
            },
        }
    }
}

/// Facts about a model as they go out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfoWire {
    name: String,
    architecture: String,
    parameters: f64,
    context_tokens: usize,
    vocab_size: usize,
    weights_bytes: f64,
    kv_bytes: f64,
    formats: Vec<&'static str>,
    warnings: Vec<String>,
    variant: &'static str,
}

impl From<&ModelInfo> for ModelInfoWire {
    fn from(info: &ModelInfo) -> Self {
        Self {
            name: info.name.clone(),
            architecture: info.architecture.clone(),
            parameters: info.parameters as f64,
            context_tokens: info.context_tokens,
            vocab_size: info.vocab_size,
            weights_bytes: info.weights_bytes as f64,
            kv_bytes: info.kv_bytes as f64,
            formats: info.formats.clone(),
            warnings: info.warnings.clone(),
            variant: info.variant,
        }
    }
}

/// An error as it goes out.
#[derive(Debug, Serialize)]
pub struct ErrorWire {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
}

impl From<&Error> for ErrorWire {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            expected: error.expected(),
            found: error.found(),
        }
    }
}
