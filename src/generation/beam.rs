//! Beam search to the end of the line or block. One beam is greedy decoding.
//!
//! Hypotheses that end with the line (or at an end token) are collected; the others compete for `width` places. The
//! search stops when the iterations are used up, when all hypotheses have ended, or when every open one is
//! `give_up_ratio` times less likely than the best ended one (the recipe of JetBrains' Full Line Code Completion,
//! <https://arxiv.org/abs/2405.08704>).

use super::candidates::candidates;
use super::{Constraint, Ending, Hypothesis, StopReason, Vocabulary};

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamOptions {
    /// Open hypotheses, at least 1.
    pub width: usize,
    /// Tokens of the longest hypothesis.
    pub max_iterations: usize,
    /// Open hypotheses this many times less likely than the best ended one are not worth another step.
    pub give_up_ratio: f32,
    /// Hypotheses are ranked by their log-probability divided by their length in tokens to this power.
    pub length_exponent: f32,
    /// Whether hypotheses that reach the end of the line are collected, out of the competition for places. If not,
    /// they go on, and what they say beyond the end is cut off afterwards: for comparisons.
    pub collects_lines: bool,
}

impl Default for BeamOptions {
    /// Greedy decoding with the constants that measurements chose (`src/README.md`).
    fn default() -> Self {
        Self { width: 1, max_iterations: 20, give_up_ratio: 3.0, length_exponent: 0.5, collects_lines: true }
    }
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'s> {
    /// The bytes after the caret, up to where the answer ends.
    pub bytes: &'s [u8],
    /// Where they come from.
    pub hypothesis: &'s Hypothesis,
    /// Why it ended; `None` while it is open.
    pub stop: Option<StopReason>,
}

/// A token to feed: the continuation of an open hypothesis of the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Index of the hypothesis that it continues; 0 in the first step.
    pub parent: usize,
    /// The token.
    pub token: u32,
}

/// What to do after looking at logits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Feed these tokens in one batch and come back with the logits of each, in this order.
    Feed(Vec<Step>),
    /// The search is over.
    Stop(StopReason),
}

/// The search.
#[derive(Debug, Clone)]
pub struct BeamSearch {
    options: BeamOptions,
    ending: Ending,
    /// Bytes at the start of every hypothesis that stand before the caret.
    healed_bytes: usize,
    open: Vec<Hypothesis>,
    ended: Vec<(Hypothesis, StopReason)>,
    iterations: usize,
}

impl BeamSearch {
    /// A search with nothing generated yet. What it generates begins with the bytes `healed`, which are not part of
    /// the answer.
    pub fn new(options: BeamOptions, ending: Ending, healed: Vec<u8>) -> Self {
        let healed_bytes = healed.len();
        let root = Hypothesis { constraint: Constraint::new(healed), ..Hypothesis::default() };
        Self { options, ending, healed_bytes, open: vec![root], ended: Vec::new(), iterations: 0 }
    }

    /// Open hypotheses at most.
    pub fn width(&self) -> usize {
        self.options.width
    }

    /// Positions generated so far.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Takes the logits after each open hypothesis, `[open, vocab_size]`.
    pub fn choose(
        &mut self,
        logits: &[f32],
        log_sum_exp: &dyn Fn(&[f32]) -> f32,
        vocabulary: &dyn Vocabulary,
    ) -> Decision {
        let vocab_size = logits.len() / self.open.len();
        let width = self.options.width;
        // Twice as many as places, so that hypotheses that end leave enough others; one beam takes the best only.
        let count = if width == 1 { 1 } else { 2 * width };
        let mut ranked = Vec::new();
        for (parent, (hypothesis, row)) in self.open.iter().zip(logits.chunks_exact(vocab_size)).enumerate() {
            for (token, log_prob) in candidates(hypothesis, row, log_sum_exp, vocabulary, count) {
                ranked.push((hypothesis.log_prob + log_prob, log_prob, Step { parent, token }));
            }
        }
        ranked
            .sort_by(|a, b| b.0.total_cmp(&a.0).then((a.2.parent, a.2.token).cmp(&(b.2.parent, b.2.token))));
        self.iterations += 1;
        let (mut steps, mut next) = (Vec::new(), Vec::new());
        for (_, log_prob, step) in ranked.into_iter().take(count) {
            let longer = self.open[step.parent].extended(step.token, log_prob, vocabulary);
            if vocabulary.is_end(step.token) {
                self.ended.push((longer, StopReason::EndToken));
            } else if let Some((_, reason)) = self.end(&longer) {
                self.ended.push((longer, reason));
            } else if next.len() < width {
                steps.push(step);
                next.push(longer);
            }
        }
        if next.is_empty() {
            return Decision::Stop(self.best_end().unwrap_or(StopReason::NoToken));
        }
        self.open = next;
        if self.has_won() {
            return Decision::Stop(self.best_end().unwrap_or(StopReason::Line));
        }
        if self.iterations >= self.options.max_iterations {
            return Decision::Stop(StopReason::TokenBudget);
        }
        Decision::Feed(steps)
    }

    /// Whether no open hypothesis can still matter.
    fn has_won(&self) -> bool {
        let likeliest = |all: &mut dyn Iterator<Item = &Hypothesis>| {
            all.map(|hypothesis| hypothesis.log_prob).fold(f32::NEG_INFINITY, f32::max)
        };
        let ended = likeliest(&mut self.ended.iter().map(|(hypothesis, _)| hypothesis));
        let open = likeliest(&mut self.open.iter());
        open < ended - libm::logf(self.options.give_up_ratio)
    }

    /// Why the best of the ended hypotheses ended.
    fn best_end(&self) -> Option<StopReason> {
        self.answers().first().and_then(|answer| answer.stop)
    }

    /// Where and why a hypothesis ends by the text that it has, if that counts during the search.
    fn end(&self, hypothesis: &Hypothesis) -> Option<(usize, StopReason)> {
        if self.options.collects_lines { self.ending.of(self.generated(hypothesis)) } else { None }
    }

    fn generated<'h>(&self, hypothesis: &'h Hypothesis) -> &'h [u8] {
        hypothesis.bytes.get(self.healed_bytes..).unwrap_or_default()
    }

    /// The answers, best first, the one found first among equals. Open hypotheses count only while none has ended.
    pub fn answers(&self) -> Vec<Answer<'_>> {
        let ended = self.ended.iter().map(|(hypothesis, reason)| (hypothesis, Some(*reason)));
        let counts_open = self.ended.is_empty() || !self.options.collects_lines;
        let open = self.open.iter().filter(|_| counts_open).map(|hypothesis| (hypothesis, None));
        let mut ranked: Vec<_> = ended.chain(open).collect();
        ranked.sort_by(|a, b| self.rank(b.0).total_cmp(&self.rank(a.0)));
        let answer = |(hypothesis, stop)| {
            let bytes = self.generated(hypothesis);
            let end = self.ending.of(bytes).map_or(bytes.len(), |(end, _)| end);
            Answer { bytes: &bytes[..end], hypothesis, stop }
        };
        ranked.into_iter().map(answer).collect()
    }

    fn rank(&self, hypothesis: &Hypothesis) -> f32 {
        let length = hypothesis.tokens.len().max(1) as f32;
        hypothesis.log_prob / libm::powf(length, self.options.length_exponent)
    }
}

#[cfg(test)]
mod broken_models;
#[cfg(test)]
mod tests;
