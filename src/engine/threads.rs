//! The threads of an engine: how many a pass of the model runs on.

use super::Engine;
use crate::error::Result;
use crate::kernels::{Governor, Kernels, Work};
use crate::model::{KvCache, Llama, Logits};
use crate::tokenizer::TokenId;

/// Tokens of a pass of the warm-up: few, and as many as the shortest context has room for.
const WARM_UP_TOKENS: usize = 8;
/// Rounds of the warm-up. In the first ones a browser still compiles.
const WARM_UP_ROUNDS: usize = 3;

/// How many threads an engine uses. The answers do not depend on it.
#[derive(Debug, Clone, Copy)]
pub enum Threads {
    /// So many, as far as there are.
    Fixed(usize),
    /// As many as pay, by times measured at the load and while working.
    Measured {
        /// Not more than these.
        most: usize,
        /// Milliseconds since some fixed moment.
        now_ms: fn() -> f64,
    },
}

/// The choice for each pass.
#[derive(Debug)]
pub(super) struct Team {
    governor: Governor,
    now_ms: Option<fn() -> f64>,
    /// Threads that are in use for the kind of work of the last pass.
    in_use: usize,
}

impl Team {
    /// In a native program this also starts the threads.
    pub(super) fn new(threads: Threads) -> Self {
        let (governor, most, now_ms) = match threads {
            Threads::Fixed(threads) => (Governor::fixed(threads), threads, None),
            Threads::Measured { most, now_ms } => (Governor::measuring(most), most, Some(now_ms)),
        };
        #[cfg(not(target_arch = "wasm32"))]
        Kernels::start_threads(most);
        #[cfg(target_arch = "wasm32")]
        let _ = most;
        Self { governor, now_ms, in_use: 1 }
    }
}

impl Engine {
    /// Runs a pass over `tokens` tokens at once on as many threads as pay, and takes its time into account.
    pub(super) fn on_threads<T>(
        &mut self,
        tokens: usize,
        pass: impl FnOnce(&Llama, &mut KvCache) -> Result<T>,
    ) -> Result<T> {
        let work = Work::of(tokens);
        let available = Kernels::threads_ready();
        let threads = self.team.governor.choose(work, available);
        self.team.in_use = self.team.governor.in_use(work, available);
        let (result, took_ms) = self.timed(threads, pass);
        if result.is_ok() {
            self.team.governor.measured(work, threads, tokens, took_ms);
        }
        result
    }

    /// Threads in use.
    pub(super) fn threads(&self) -> usize {
        self.team.in_use
    }

    /// Finds out how many threads pay, if there is a choice.
    pub(super) fn warm_up(&mut self) {
        let choices = self.team.governor.choices(Kernels::threads_ready());
        if choices.len() < 2 {
            return;
        }
        let mut costs = vec![[[f64::INFINITY; WARM_UP_ROUNDS]; 2]; choices.len()];
        let tokens: Vec<TokenId> = (0..WARM_UP_TOKENS as u32).collect();
        for round in 0..WARM_UP_ROUNDS {
            for (threads, costs) in choices.iter().zip(&mut costs) {
                for (tokens, costs) in [&tokens[..], &tokens[..1]].into_iter().zip(costs) {
                    self.reset();
                    let pass =
                        |model: &Llama, cache: &mut KvCache| model.forward(tokens, cache, Logits::Last);
                    let (result, took_ms) = self.timed(*threads, pass);
                    if result.is_ok() {
                        costs[round] = took_ms / tokens.len() as f64;
                    }
                }
            }
        }
        self.reset();
        for (work, at) in [(Work::Prompt, 0), (Work::Beams, 1), (Work::Token, 1)] {
            let costs =
                choices.iter().zip(&mut costs).map(|(threads, costs)| (*threads, median(&mut costs[at])));
            self.team.governor.begin(work, costs);
        }
    }

    fn timed<T>(
        &mut self,
        threads: usize,
        pass: impl FnOnce(&Llama, &mut KvCache) -> Result<T>,
    ) -> (Result<T>, f64) {
        self.model.arithmetic = self.model.arithmetic.with_threads(threads);
        let started_ms = self.team.now_ms.map_or(0.0, |now_ms| now_ms());
        let result = pass(&self.model, &mut self.cache);
        (result, self.team.now_ms.map_or(0.0, |now_ms| now_ms()) - started_ms)
    }
}

/// The fastest round would show threads at their best, which a busy machine seldom lets them be.
fn median(costs: &mut [f64; WARM_UP_ROUNDS]) -> f64 {
    costs.sort_by(f64::total_cmp);
    costs[WARM_UP_ROUNDS / 2]
}
