//! The cache session: which tokens the cache holds, and what forward passes do to it.

use super::Engine;
use crate::error::{Error, Result};
use crate::generation::{Step, Vocabulary};
use crate::model::{Branches, Logits};
use crate::tokenizer::TokenId;

/// A position of a text with the model's opinion about the token there.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenLogProb {
    /// The token that stands there.
    pub token: TokenId,
    /// Its log-probability; `None` for the first position, which nothing predicts.
    pub log_prob: Option<f32>,
    /// The most likely tokens there with their log-probabilities, best first.
    pub top: Vec<(TokenId, f32)>,
}

impl Engine {
    /// Keeps the longest common start of the cached tokens and `tokens`, forgets the rest, and gives its length.
    /// The last of `tokens` always has to be computed again, because its logits are needed.
    pub(super) fn reuse(&mut self, tokens: &[TokenId]) -> usize {
        let common = self.cached.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let kept = common.min(tokens.len().saturating_sub(1));
        self.cached.truncate(kept);
        self.cache.truncate(kept);
        kept
    }

    /// Runs tokens after the cached ones. On an error the session is as before.
    pub(super) fn advance(&mut self, tokens: &[TokenId], wanted: Logits) -> Result<Vec<f32>> {
        let logits = self.on_threads(tokens.len(), |model, cache| model.forward(tokens, cache, wanted))?;
        self.cached.extend_from_slice(tokens);
        Ok(logits)
    }

    /// Runs one token a branch after the cached ones; the cached tokens stay as they are.
    pub(super) fn advance_branches(&mut self, steps: &[Step], branches: &mut Branches) -> Result<Vec<f32>> {
        let tokens: Vec<_> = steps.iter().map(|step| step.token).collect();
        let parents: Vec<_> = steps.iter().map(|step| step.parent).collect();
        self.on_threads(tokens.len(), |model, cache| {
            model.forward_branches(&tokens, &parents, cache, branches)
        })
    }

    /// Natural logarithm of the sum of exponentials.
    pub(super) fn log_sum_exp(&self, logits: &[f32]) -> f32 {
        self.kernels.log_sum_exp(logits)
    }

    /// Log-probabilities of every token of a sequence, `chunk_tokens` at a time, from an empty cache.
    ///
    /// # Errors
    /// `kv-full` when the sequence is longer than the context; `request-invalid` for an id outside the vocabulary.
    pub fn log_probs(
        &mut self,
        tokens: &[TokenId],
        top: usize,
        chunk_tokens: usize,
    ) -> Result<Vec<TokenLogProb>> {
        self.reset();
        let vocab_size = self.info.vocab_size;
        let mut positions = Vec::with_capacity(tokens.len());
        let first =
            tokens.first().map(|token| TokenLogProb { token: *token, log_prob: None, top: Vec::new() });
        positions.extend(first);
        for chunk in tokens.chunks(chunk_tokens.max(1)) {
            let logits = self.advance(chunk, Logits::All)?;
            for row in logits.chunks_exact(vocab_size) {
                let Some(token) = tokens.get(positions.len()) else { break };
                let total = self.log_sum_exp(row);
                let top = best_of(row, top).into_iter().map(|id| (id, row[id as usize] - total)).collect();
                positions.push(TokenLogProb {
                    token: *token,
                    log_prob: Some(row[*token as usize] - total),
                    top,
                });
            }
        }
        Ok(positions)
    }

    /// Logits of every position of a sequence, `[seq_len, vocab_size]`, from an empty cache.
    ///
    /// # Errors
    /// As [`Self::log_probs`].
    pub fn logits(&mut self, tokens: &[TokenId], chunk_tokens: usize) -> Result<Vec<f32>> {
        self.reset();
        let mut all = Vec::new();
        for chunk in tokens.chunks(chunk_tokens.max(1)) {
            all.extend(self.advance(chunk, Logits::All)?);
        }
        Ok(all)
    }

    /// Reads `prompt_tokens` arbitrary tokens in chunks, then generates `new_tokens` without any stop rule, from an
    /// empty cache: the work that a benchmark measures. `prompt_done` is called after the prompt.
    ///
    /// # Errors
    /// `kv-full` when both together exceed the context.
    pub fn bench(
        &mut self,
        prompt_tokens: usize,
        new_tokens: usize,
        prompt_done: &mut dyn FnMut(),
    ) -> Result<()> {
        let (capacity, requested) = (self.cache.capacity(), prompt_tokens.saturating_add(new_tokens));
        if requested > capacity {
            return Err(Error::KvFull { capacity, requested });
        }
        self.reset();
        let vocab_size = self.info.vocab_size as u32;
        let prompt: Vec<_> =
            (0..prompt_tokens as u32).map(|index| index.wrapping_mul(7919) % vocab_size).collect();
        let chunks = prompt.chunks(64);
        let last = chunks.len().saturating_sub(1);
        let mut logits = Vec::new();
        for (index, chunk) in chunks.enumerate() {
            logits = self.advance(chunk, if index == last { Logits::Last } else { Logits::None })?;
        }
        prompt_done();
        for _ in 0..new_tokens {
            let token = self.kernels.argmax(&logits) as TokenId;
            logits = self.advance(&[token], Logits::Last)?;
        }
        Ok(())
    }

    /// Forgets everything in the cache.
    pub fn reset(&mut self) {
        self.cached.clear();
        self.cache.truncate(0);
    }
}

impl Vocabulary for Engine {
    fn bytes(&self, token: u32) -> &[u8] {
        self.tokenizer.bytes(token)
    }

    fn starting_with(&self, bytes: &[u8]) -> &[u32] {
        self.tokenizer.starting_with(bytes)
    }

    fn is_end(&self, token: u32) -> bool {
        self.tokenizer.special().end_of_generation.contains(&token)
    }

    fn banned(&self) -> &[u32] {
        &self.banned
    }
}

/// Indices of the `count` largest values, largest first, the first of equals first.
fn best_of(values: &[f32], count: usize) -> Vec<u32> {
    let mut best: Vec<u32> = Vec::with_capacity(count + 1);
    for (index, value) in (0_u32..).zip(values) {
        if best.len() == count && best.last().is_none_or(|last| *value <= values[*last as usize]) {
            continue;
        }
        let place = best.partition_point(|other| values[*other as usize] >= *value);
        best.insert(place, index);
        best.truncate(count);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::best_of;

    #[test]
    fn the_largest_come_first_and_equals_keep_their_order() {
        assert_eq!(best_of(&[1.0, 3.0, 2.0, 3.0, 0.0], 3), [1, 3, 2]);
        assert_eq!(best_of(&[1.0], 3), [0]);
        assert_eq!(best_of(&[1.0, 2.0], 0), Vec::<u32>::new());
    }
}
