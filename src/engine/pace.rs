//! How much of the prompt a step reads, from the measured speed, so that a cancel never waits long.
//!
//! The time of a chunk is modelled as `token_ms * sum(1 + attention * context)` over its tokens: the matrices cost the
//! same for every token, attention in proportion to the tokens before it. How the two compare is known from the
//! shape of the model; the speed is measured, step by step. The step that ends the prompt also computes logits and
//! chooses tokens, which is measured apart.
//!
//! A step that generates is one pass for all beams and is not divided: four beams read the weights once and take
//! about twice the time of one.

use crate::model::LlamaConfig;

/// A chunk should take about this long. With the turn of the event loop and what the clock cannot see, a step stays
/// below 15 ms.
const STEP_TARGET_MS: f64 = 11.0;
/// Where a tile takes longer than this because attention to a long context dominates, half a tile is read. Where the
/// matrices dominate, that would save a quarter of the time and do half of the work.
const TILE_LIMIT_MS: f64 = 18.0;
const WORTHWHILE_HALF: f64 = 0.65;
/// Tokens that share the reading of a weight: chunks are whole tiles where they can.
const TILE_TOKENS: usize = 4;
/// A chunk is never larger, however fast the machine.
const MAX_CHUNK_TOKENS: usize = 64;
/// A multiplication of attention, in 32-bit floats, takes about this many times as long as one of the matrices, in 8
/// bits (measured: benches/README.md, cost growth).
const ATTENTION_FACTOR: f64 = 3.0;
/// Share of a new measurement in the estimate, when it is slower and when it is faster: a machine that becomes busy is
/// believed sooner than one that becomes free.
const SLOWER_SHARE: f64 = 0.6;
const FASTER_SHARE: f64 = 0.3;

/// The running estimate of the speed of an engine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pace {
    /// Attention to one token of context, relative to all matrices of a token.
    attention: f64,
    /// Milliseconds for the matrices of a token; `None` before the first measurement.
    token_ms: Option<f64>,
    /// Milliseconds more for the step that ends the prompt.
    last_ms: f64,
}

impl Pace {
    /// Before anything was measured.
    pub(super) fn new(config: &LlamaConfig) -> Self {
        let matrices = config.d_model * (2 * config.q_dim() + 2 * config.kv_dim() + 3 * config.d_ff);
        let attention = 2 * config.q_dim(); // scores and weighted sum, for one position of the context
        let attention = ATTENTION_FACTOR * attention as f64 / matrices as f64;
        Self { attention, token_ms: None, last_ms: 0.0 }
    }

    /// Tokens of the next chunk, at least 1, after `context_tokens` that are in the cache and with `unread_tokens`
    /// (at least 1) still to read.
    pub(super) fn chunk_tokens(&self, context_tokens: usize, unread_tokens: usize) -> usize {
        let Some(token_ms) = self.token_ms else { return TILE_TOKENS.min(unread_tokens) };
        let fits = |tokens: usize, limit_ms: f64| {
            let ends = if tokens == unread_tokens { self.last_ms } else { 0.0 };
            token_ms * self.weight(context_tokens, tokens) + ends <= limit_ms
        };
        if unread_tokens <= MAX_CHUNK_TOKENS && fits(unread_tokens, STEP_TARGET_MS) {
            return unread_tokens;
        }
        // What ends the prompt is left to a step of its own if it does not fit.
        let most = MAX_CHUNK_TOKENS.min(unread_tokens - 1).max(1);
        let tiles = (1..=most / TILE_TOKENS).take_while(|n| fits(n * TILE_TOKENS, STEP_TARGET_MS)).count();
        let half = TILE_TOKENS / 2;
        let is_half_worthwhile =
            self.weight(context_tokens, half) <= WORTHWHILE_HALF * self.weight(context_tokens, TILE_TOKENS);
        let tokens = match tiles {
            0 if is_half_worthwhile && !fits(TILE_TOKENS, TILE_LIMIT_MS) => half,
            _ => tiles.max(1) * TILE_TOKENS,
        };
        tokens.min(most)
    }

    /// Takes the time of a step that read `tokens` after `context_tokens` into the estimate; `last` when it gave
    /// logits.
    pub(super) fn measured(&mut self, context_tokens: usize, tokens: usize, last: bool, took_ms: f64) {
        // The clock of a page can be as coarse as the step is short: 0 says nothing.
        if !(took_ms.is_finite() && took_ms > 0.0) || tokens == 0 {
            return;
        }
        let weight = self.weight(context_tokens, tokens);
        if last {
            let chunk_ms = self.token_ms.unwrap_or_default() * weight;
            self.last_ms = blend(self.last_ms, (took_ms - chunk_ms).max(0.0));
        } else {
            let token_ms = took_ms / weight;
            self.token_ms = Some(self.token_ms.map_or(token_ms, |before| blend(before, token_ms)));
        }
    }

    /// What a chunk costs in units of a token without context: `sum(1 + attention * (context + i))`. The matrices of
    /// one token alone take about as long as those of two and a half in a tile.
    fn weight(&self, context_tokens: usize, tokens: usize) -> f64 {
        let matrices = if tokens < TILE_TOKENS { (tokens + TILE_TOKENS) as f64 / 2.0 } else { tokens as f64 };
        let (context, tokens) = (context_tokens as f64, tokens as f64);
        matrices + self.attention * tokens * (context + (tokens - 1.0) / 2.0)
    }
}

fn blend(before: f64, measured: f64) -> f64 {
    let share = if measured > before { SLOWER_SHARE } else { FASTER_SHARE };
    before + (measured - before) * share
}

#[cfg(test)]
mod tests;
