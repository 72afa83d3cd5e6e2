//! A completion is a value: every step does bounded work, so that the caller can look for a cancel in between.

use super::request::{CompletionRequest, CompletionResult, Dropped, Stats, Suggestion};
use super::{Clock, Engine};
use crate::error::Result;
use crate::generation::{BeamOptions, BeamSearch, Decision, Hypothesis, LineRule, Step, StopReason};
use crate::model::{Branches, Logits};
use crate::postprocess::{self, Filters, Rejection};
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
    max_suggestions: usize,
    min_score: Option<f64>,
    filters: Filters,
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
        let document = Document::new(&request.prefix, &request.suffix);
        let (format, format_reason) = engine.formats.resolve(&request.format)?;
        let options = beam_options(request, engine.cache.capacity());
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
        let rest_of_line = suffix.split('\n').next().unwrap_or_default();
        let rule = LineRule { may_break_first: rest_of_line.trim().is_empty() };
        Ok(Self {
            outcome: prompt.tokens.is_empty().then_some(StopReason::Context),
            format_reason,
            prompt_ms: clock.now_ms() - started_ms,
            reused_tokens,
            fed: reused_tokens,
            next: Vec::new(),
            branches: Branches::default(),
            max_suggestions: request.max_suggestions,
            min_score: request.min_score,
            filters: request.filters,
            search: BeamSearch::new(options, rule, prompt.healed.clone()),
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
        let mut result = CompletionResult {
            suggestions: Vec::new(),
            dropped: Vec::new(),
            stats: self.stats(engine, reason),
        };
        for (answer, hypothesis) in self.search.answers() {
            self.add(&mut result, answer, hypothesis);
        }
        result.stats.postprocess_ms = clock.now_ms() - before_ms;
        result
    }

    /// Adds an answer to the suggestions, or to what was dropped.
    fn add(&self, result: &mut CompletionResult, answer: &[u8], hypothesis: &Hypothesis) {
        let answer = whole_characters(answer);
        let Document { prefix, suffix, crlf } = &self.document;
        let context = postprocess::Context { prefix, suffix, filters: self.filters };
        let is_unlikely = self.min_score.is_some_and(|least| f64::from(hypothesis.score()) < least);
        let finished = postprocess::finish(&context, &answer);
        match if is_unlikely { finished.and(Err(Rejection::LowScore)) } else { finished } {
            Ok(text) => {
                let text = if *crlf { text.replace('\n', "\r\n") } else { text };
                let is_new = result.suggestions.iter().all(|other| other.text != text);
                if is_new && result.suggestions.len() < self.max_suggestions {
                    let tokens = hypothesis.tokens.len();
                    result.suggestions.push(Suggestion { text, score: hypothesis.score(), tokens });
                }
            }
            Err(rejection) => {
                let reason = rejection.name();
                let dropped = Dropped { text: answer, reason };
                if !result.dropped.contains(&dropped) {
                    result.dropped.push(dropped);
                }
            }
        }
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

/// Iterations of a search with several beams.
const MAX_BEAM_ITERATIONS: usize = 20;
/// See [`BeamOptions::give_up_ratio`].
const GIVE_UP_RATIO: f32 = 3.0;

/// The generated tokens of all beams leave at least half of the context to the prompt.
fn beam_options(request: &CompletionRequest, capacity: usize) -> BeamOptions {
    let width = request.beam_width;
    let limit = if width == 1 { usize::MAX } else { MAX_BEAM_ITERATIONS };
    let room = (capacity / 2 / width).max(1);
    let max_iterations = request.max_new_tokens.min(limit).min(room);
    BeamOptions { width, max_iterations, give_up_ratio: GIVE_UP_RATIO }
}

/// The text of an answer, up to where it stops being text: a budget can end inside a character, and a model can
/// choose bytes that are none.
fn whole_characters(answer: &[u8]) -> String {
    let text = match std::str::from_utf8(answer) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&answer[..error.valid_up_to()]).unwrap_or_default(),
    };
    text.to_owned()
}

/// The text around the caret with line feeds only, and whether it had carriage returns.
#[derive(Debug)]
struct Document {
    prefix: String,
    suffix: String,
    crlf: bool,
}

impl Document {
    fn new(prefix: &str, suffix: &str) -> Self {
        // A caret between the two characters of a line break stands before the break.
        let prefix =
            if suffix.starts_with('\n') { prefix.strip_suffix('\r').unwrap_or(prefix) } else { prefix };
        let crlf = prefix.contains("\r\n") || suffix.contains("\r\n");
        let line_feeds = |text: &str| text.replace("\r\n", "\n");
        Self { prefix: line_feeds(prefix), suffix: line_feeds(suffix), crlf }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_it_stops_being_text() {
        assert_eq!(whole_characters("naïve 😀".as_bytes()), "naïve 😀");
        assert_eq!(whole_characters(&"naïve 😀".as_bytes()[..9]), "naïve ", "inside a character");
        assert_eq!(whole_characters(b"ok \xff then"), "ok ", "no character at all");
        assert_eq!(whole_characters(b"\x80"), "");
    }

    #[test]
    fn generated_tokens_leave_half_of_the_context() {
        for capacity in [16, 40, 512, 2048] {
            for beam_width in 1..=8 {
                let request =
                    CompletionRequest { beam_width, max_new_tokens: 256, ..CompletionRequest::default() };
                let options = beam_options(&request, capacity);
                assert!(
                    options.max_iterations >= 1 && options.width * options.max_iterations <= capacity / 2
                );
            }
        }
    }

    #[test]
    fn the_caret_never_stands_inside_a_line_break() {
        let document = Document::new("a\r\nb\r", "\nc\r\n");
        assert_eq!((document.prefix.as_str(), document.suffix.as_str()), ("a\nb", "\nc\n"));
        assert!(document.crlf);
        assert!(!Document::new("a\n", "\rb").crlf);
    }
}
