//! Orchestration: a loaded model, the cache session, and completions as values that are stepped.
//!
//! The engine does no I/O and reads no clock but the one it is given.

mod completion;
mod document;
mod info;
mod load;
mod pace;
mod request;
mod session;
mod shown;
mod threads;

pub use completion::{Completion, Progress};
pub use info::ModelInfo;
pub use load::EngineOptions;
pub use request::{Candidate, CompletionRequest, CompletionResult, Dropped, Filters, Stats, Suggestion};
pub use session::TokenLogProb;
pub use threads::Threads;

pub use crate::generation::BeamOptions;
pub use crate::model::Arithmetic;

use crate::error::Result;
use crate::kernels::Kernels;
use crate::model::{KvCache, Llama};
use crate::prompt::Formats;
use crate::tokenizer::{Start, TokenId, Tokenizer};
use pace::Pace;
use threads::Team;

/// A source of milliseconds; only differences are used.
pub trait Clock {
    /// Milliseconds since some fixed moment.
    fn now_ms(&self) -> f64;
}

/// A model with its tokenizer and one cache session.
pub struct Engine {
    model: Llama,
    /// For the small functions over logits.
    kernels: Kernels,
    tokenizer: Tokenizer,
    info: ModelInfo,
    cache: KvCache,
    /// The tokens whose keys and values are in the cache, in order.
    cached: Vec<TokenId>,
    formats: Formats,
    /// Suggestions with a lower score are dropped where a request names no bound.
    least_score: Option<f64>,
    /// Token ids that may not be chosen, sorted.
    banned: Vec<TokenId>,
    /// Measured speed, for the size of the next step.
    pace: Pace,
    team: Team,
}

impl Engine {
    /// Facts about the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Ids of a text as it would stand at the start of a prompt, without a start token.
    pub fn tokenize(&self, text: &str) -> Vec<TokenId> {
        self.tokenizer.encode(text, Start::Document)
    }

    /// Text of a token for display: its spelling in bytes, empty for control tokens.
    pub fn token_bytes(&self, token: TokenId) -> &[u8] {
        self.tokenizer.bytes(token)
    }

    /// A token for people to read: the spelling of control tokens, else its text, lossily.
    pub fn token_name(&self, token: TokenId) -> String {
        self.tokenizer.name(token)
    }

    /// Begins a completion: builds the prompt and keeps what the cache already holds of it.
    ///
    /// Nothing is computed before the first [`Completion::step`]. A completion that is dropped leaves the engine
    /// ready for the next one.
    ///
    /// # Errors
    /// `request-invalid`, `format-unavailable`.
    pub fn start(&mut self, request: &CompletionRequest, clock: &dyn Clock) -> Result<Completion> {
        Completion::new(self, request, clock)
    }
}
