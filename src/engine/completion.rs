//! A completion is a value: every step does bounded work, so that the caller can look for a cancel in between.

use super::document::Document;
use super::request::{Candidate, CompletionRequest, CompletionResult, Stats};
use super::shown::{Show, Shown};
use super::{Clock, Engine};
use crate::error::Result;
use crate::generation::{Answer, BeamOptions, BeamSearch, Decision, Step, StopReason};
use crate::model::{Branches, Logits};
use crate::prompt::{FormatReason, Prompt, PromptSource};
use crate::tokenizer::TokenId;

/// What a step did.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Part of the prompt was read.
    Prefill,
    /// A token was generated.
    Decode,
    /// The answer.
    Done(Box<CompletionResult>),
}

/// A running completion. Drop it to cancel.
#[derive(Debug)]
pub struct Completion {
    prompt: Prompt,
    format_reason: FormatReason,
    prompt_ms: f64,
    reused_tokens: usize,
    /// Prompt tokens in the cache.
    fed: usize,
    /// The tokens to feed next; none while the prompt is being read.
    next: Vec<Step>,
    branches: Branches,
    search: BeamSearch,
    show: Show,
    started_ms: f64,
    time_budget_ms: Option<f64>,
    prefill_ms: f64,
    decode_ms: f64,
    document: Document,
    outcome: Option<StopReason>,
}

impl Completion {
    pub(super) fn new(engine: &mut Engine, request: &CompletionRequest, clock: &dyn Clock) -> Result<Self> {
        request.check()?;
        let started_ms = clock.now_ms();
        let document = Document::new(request);
        let (format, format_reason) = engine.formats.resolve(&request.format)?;
        let ending = document.ending(request.max_lines);
        let options = beam_options(request, ending.block.is_some(), engine.cache.capacity());
        let room = engine.cache.capacity().saturating_sub(options.width * options.max_iterations);
        let (prefix, suffix) = (&document.prefix, &document.suffix);
        let source = PromptSource {
            format,
            prefix,
            suffix,
            path: &request.path,
            language_id: &request.language_id,
            healing: request.healing,
        };
        let prompt = Prompt::build(&engine.tokenizer, &source, room)?;
        let reused_tokens = engine.reuse(&prompt.tokens);
        Ok(Self {
            outcome: prompt.tokens.is_empty().then_some(StopReason::Context),
            format_reason,
            prompt_ms: clock.now_ms() - started_ms,
            reused_tokens,
            fed: reused_tokens,
            next: Vec::new(),
            branches: Branches::default(),
            show: Show::new(request, engine.least_score),
            search: BeamSearch::new(options, ending, prompt.healed.clone()),
            prompt,
            started_ms,
            time_budget_ms: request.time_budget_ms,
            prefill_ms: 0.0,
            decode_ms: 0.0,
            document,
        })
    }

    /// The prompt as the model sees it.
    pub fn prompt_tokens(&self) -> &[TokenId] {
        &self.prompt.tokens
    }

    /// Does some work: a chunk of the prompt, or one token.
    ///
    /// # Errors
    /// Errors of the model; the engine stays usable, and so does its cache.
    pub fn step(&mut self, engine: &mut Engine, clock: &dyn Clock) -> Result<Progress> {
        let before_ms = clock.now_ms();
        if self.time_budget_ms.is_some_and(|budget_ms| before_ms - self.started_ms >= budget_ms) {
            self.outcome.get_or_insert(StopReason::TimeBudget);
        }
        if let Some(reason) = self.outcome {
            return Ok(Progress::Done(Box::new(self.result(engine, reason, clock))));
        }
        let read = self.fed;
        if read < self.prompt.tokens.len() {
            // The step that ends the prompt also chooses the first token; it counts as reading.
            self.prefill(engine)?;
            let took_ms = clock.now_ms() - before_ms;
            self.prefill_ms += took_ms;
            let last = self.fed == self.prompt.tokens.len();
            engine.pace.measured(read, self.fed - read, last, took_ms);
        } else {
            self.decode(engine)?;
            self.decode_ms += clock.now_ms() - before_ms;
        }
        match self.outcome {
            Some(reason) => Ok(Progress::Done(Box::new(self.result(engine, reason, clock)))),
            None if !self.next.is_empty() => Ok(Progress::Decode),
            None => Ok(Progress::Prefill),
        }
    }

    fn prefill(&mut self, engine: &mut Engine) -> Result<()> {
        let end = self.fed + engine.pace.chunk_tokens(self.fed, self.prompt.tokens.len() - self.fed);
        let last = end == self.prompt.tokens.len();
        let tokens = &self.prompt.tokens[self.fed..end];
        let logits = engine.advance(tokens, if last { Logits::Last } else { Logits::None })?;
        self.fed = end;
        if last {
            self.choose(engine, &logits);
        }
        Ok(())
    }

    fn decode(&mut self, engine: &mut Engine) -> Result<()> {
        let logits = match self.next[..] {
            // What one beam generates may well be typed or accepted next: it stays in the cache.
            [Step { token, .. }] if self.search.width() == 1 => {
                if engine.cache.len() == engine.cache.capacity() {
                    self.outcome = Some(StopReason::Context);
                    return Ok(());
                }
                engine.advance(&[token], Logits::Last)?
            }
            _ => engine.advance_branches(&self.next, &mut self.branches)?,
        };
        self.choose(engine, &logits);
        Ok(())
    }

    fn choose(&mut self, engine: &Engine, logits: &[f32]) {
        match self.search.choose(logits, &|row| engine.log_sum_exp(row), engine) {
            Decision::Feed(steps) => self.next = steps,
            Decision::Stop(reason) => self.outcome = Some(reason),
        }
    }

    fn result(&self, engine: &Engine, reason: StopReason, clock: &dyn Clock) -> CompletionResult {
        let before_ms = clock.now_ms();
        let Shown { suggestions, dropped } = self.show.of(&self.document, &self.search.answers());
        let mut stats = self.stats(engine, reason);
        stats.postprocess_ms = clock.now_ms() - before_ms;
        CompletionResult { suggestions, dropped, stats }
    }

    /// Everything that the search has found so far, best first, before it is made insertable.
    pub fn candidates(&self) -> Vec<Candidate> {
        let candidate = |answer: Answer| Candidate {
            text: String::from_utf8_lossy(answer.bytes).into_owned(),
            score: answer.hypothesis.score(),
            log_prob: answer.hypothesis.log_prob,
            tokens: answer.hypothesis.tokens.len(),
            stop: answer.stop.map_or("open", StopReason::name),
        };
        self.search.answers().into_iter().map(candidate).collect()
    }

    fn stats(&self, engine: &Engine, reason: StopReason) -> Stats {
        Stats {
            prompt_tokens: self.prompt.tokens.len(),
            reused_tokens: self.reused_tokens,
            new_tokens: self.search.iterations(),
            prefill_ms: self.prefill_ms,
            decode_ms: self.decode_ms,
            postprocess_ms: 0.0,
            variant: engine.info.variant,
            threads: engine.threads(),
            model: engine.info.name.clone(),
            format: self.prompt.format.name(),
            format_reason: self.format_reason.name(),
            prefix_tokens: self.prompt.prefix_tokens,
            suffix_tokens: self.prompt.suffix_tokens,
            healed_text: self.prompt.healed_text.clone(),
            prompt_ms: self.prompt_ms,
            stop_reason: reason.name(),
        }
    }
}

/// The options of the search. The generated tokens of all beams leave at least half of the context to the prompt; the
/// limit of iterations is for lines, a block may be longer.
fn beam_options(request: &CompletionRequest, is_block: bool, capacity: usize) -> BeamOptions {
    let width = request.beam_width;
    let limit = if width == 1 || is_block { usize::MAX } else { request.tuning.max_iterations };
    let room = (capacity / 2 / width).max(1);
    BeamOptions { width, max_iterations: request.max_new_tokens.min(limit).min(room), ..request.tuning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tokens_leave_half_of_the_context() {
        for capacity in [16, 40, 512, 2048] {
            for beam_width in 1..=8 {
                let request =
                    CompletionRequest { beam_width, max_new_tokens: 256, ..CompletionRequest::default() };
                for is_block in [false, true] {
                    let options = beam_options(&request, is_block, capacity);
                    let tokens = options.width * options.max_iterations;
                    assert!(options.max_iterations >= 1 && tokens <= capacity / 2);
                }
            }
        }
    }
}
