//! How much of the prompt a step reads, from the measured speed, so that a cancel never waits long.

/// A step should take about this long.
const STEP_TARGET_MS: f64 = 12.0;
/// A chunk is never larger, however fast the machine.
const MAX_CHUNK_TOKENS: usize = 64;
/// Prompt rate assumed before the first measurement: chunks start small.
const INITIAL_TOKENS_PER_MS: f64 = 0.5;

/// The running estimate of the speed of an engine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pace {
    tokens_per_ms: f64,
}

impl Pace {
    /// Before anything was measured.
    pub(super) fn new() -> Self {
        Self { tokens_per_ms: INITIAL_TOKENS_PER_MS }
    }

    /// Tokens of the next chunk, at least 1, after `context_tokens` that are in the cache and with `unread_tokens`
    /// still to read: what the measured rate does in one step, in whole tiles of four tokens.
    pub(super) fn chunk_tokens(&self, _context_tokens: usize, unread_tokens: usize) -> usize {
        let tokens = (self.tokens_per_ms * STEP_TARGET_MS) as usize;
        (tokens / 4 * 4).clamp(4, MAX_CHUNK_TOKENS).min(unread_tokens)
    }

    /// Takes the time of a step that read `tokens` after `context_tokens`, with (`last`) or without logits, into the
    /// estimate.
    pub(super) fn measured(&mut self, _context_tokens: usize, tokens: usize, _last: bool, took_ms: f64) {
        if took_ms > 0.0 {
            let rate = tokens as f64 / took_ms;
            self.tokens_per_ms += (rate - self.tokens_per_ms) * 0.5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_tiles_within_bounds() {
        let chunk = |tokens_per_ms| Pace { tokens_per_ms }.chunk_tokens(0, 1000);
        assert_eq!([0.0, 0.1, 0.5, 1.0, 100.0].map(chunk), [4, 4, 4, 12, MAX_CHUNK_TOKENS]);
        assert_eq!(chunk(f64::NAN), 4);
        assert_eq!(Pace::new().chunk_tokens(0, 3), 3);
    }
}
