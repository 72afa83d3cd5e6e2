//! What is asked and what is answered, in plain types.

use crate::error::{Error, Result};
use crate::generation::BeamOptions;
pub use crate::postprocess::Filters;

/// A request, with defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionRequest {
    /// Text before the caret.
    pub prefix: String,
    /// Text after the caret.
    pub suffix: String,
    /// Path of the file; shown to models that were trained with it.
    pub path: String,
    /// The editor's language identifier, such as `python`; used where there is no path.
    pub language_id: String,
    /// `auto`, `prefix`, `psm` or `spm`.
    pub format: String,
    /// Whether tokens before the caret may be taken back and chosen anew (token healing).
    pub healing: bool,
    /// At most this many suggestions, 1 to 8. One beam finds one.
    pub max_suggestions: usize,
    /// At most this many tokens are generated, 1 to 256; never more than half of the context.
    pub max_new_tokens: usize,
    /// Hypotheses side by side, 1 to 8; with more than one, at most 20 tokens of a line are generated.
    pub beam_width: usize,
    /// Lines of the longest suggestion, 1 to 64.
    pub max_lines: usize,
    /// Suggestions whose score is below this are dropped; at most 0, minus infinity drops none. `None`: the bound that
    /// the model's file names in `midline.min_score`, else none.
    pub min_score: Option<f64>,
    /// What is not proposed unless the document holds it already.
    pub filters: Filters,
    /// After this long the best so far is returned; `None`: no limit.
    pub time_budget_ms: Option<f64>,
    /// The constants of the search, for measurements; its width is [`Self::beam_width`].
    pub tuning: BeamOptions,
}

impl Default for CompletionRequest {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            suffix: String::new(),
            path: String::new(),
            language_id: String::new(),
            format: "auto".into(),
            healing: true,
            max_suggestions: 1,
            max_new_tokens: 48,
            beam_width: 1,
            max_lines: 1,
            min_score: None,
            filters: Filters::default(),
            time_budget_ms: None,
            tuning: BeamOptions::default(),
        }
    }
}

impl CompletionRequest {
    /// Checks the numbers.
    ///
    /// # Errors
    /// `request-invalid` naming the field.
    pub fn check(&self) -> Result<()> {
        in_range("maxSuggestions", self.max_suggestions, 8)?;
        in_range("maxNewTokens", self.max_new_tokens, 256)?;
        in_range("beamWidth", self.beam_width, 8)?;
        in_range("maxLines", self.max_lines, 64)?;
        if let Some(score) = self.min_score.filter(|score| !is_bound(*score)) {
            let (field, expected) = ("minScore".into(), "a number, 0 or less".into());
            return Err(Error::RequestInvalid { field, expected, found: score.to_string() });
        }
        match self.time_budget_ms {
            Some(budget_ms) if !(budget_ms.is_finite() && budget_ms >= 0.0) => Err(Error::RequestInvalid {
                field: "timeBudgetMs".into(),
                expected: "a finite number, 0 or more".into(),
                found: budget_ms.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

/// Whether a number can bound scores: at most 0, and not NaN.
pub(super) fn is_bound(score: f64) -> bool {
    score <= 0.0
}

fn in_range(field: &str, value: usize, limit: usize) -> Result<()> {
    if (1..=limit).contains(&value) {
        return Ok(());
    }
    let expected = format!("an integer from 1 to {limit}");
    Err(Error::RequestInvalid { field: field.into(), expected, found: value.to_string() })
}

/// One insertable text.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// Text to insert at the caret, with the document's line breaks.
    pub text: String,
    /// Mean log-probability a token, natural logarithm, at most 0.
    pub score: f32,
    /// Tokens that the model generated for it.
    pub tokens: usize,
}

/// A text as it was generated, for people who want to know what a search did.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The text; what is no text in it are replacement characters.
    pub text: String,
    /// Mean log-probability a token.
    pub score: f32,
    /// Log-probability of the whole.
    pub log_prob: f32,
    /// Tokens, those before the caret that were chosen anew included.
    pub tokens: usize,
    /// Why it ended, or `open`.
    pub stop: &'static str,
}

/// A generated text that is not shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// What was generated.
    pub text: String,
    /// Why it is not shown.
    pub reason: &'static str,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionResult {
    /// Best first; may be empty.
    pub suggestions: Vec<Suggestion>,
    /// What was generated and not shown.
    pub dropped: Vec<Dropped>,
    /// Figures.
    pub stats: Stats,
}

/// Figures of one completion.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Of these, found in the cache.
    pub reused_tokens: usize,
    /// Generated tokens.
    pub new_tokens: usize,
    /// Of these, text before the caret, without what was taken back.
    pub prefix_tokens: usize,
    /// Of these, text after the caret.
    pub suffix_tokens: usize,
    /// The end of the text before the caret whose tokens were taken back and chosen anew (token healing).
    pub healed_text: String,
    /// Time to build the prompt: window, header, healing, template.
    pub prompt_ms: f64,
    /// Time in steps that read the prompt.
    pub prefill_ms: f64,
    /// Time in steps that generated.
    pub decode_ms: f64,
    /// Time to make insertable text of what was generated.
    pub postprocess_ms: f64,
    /// Instruction set of the kernels.
    pub variant: &'static str,
    /// Threads in use.
    pub threads: usize,
    /// The model's name.
    pub model: String,
    /// The prompt format used.
    pub format: &'static str,
    /// Why it was used: `requested`, `preferred`, `vocabulary` or `no-template`.
    pub format_reason: &'static str,
    /// Why decoding ended.
    pub stop_reason: &'static str,
}
