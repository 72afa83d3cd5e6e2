//! The pace on simulated machines: a fake clock that charges for every step.

use super::*;

/// Shape of SmolLM2-135M.
fn smollm2() -> LlamaConfig {
    LlamaConfig {
        d_model: 576,
        d_ff: 1536,
        n_layers: 30,
        n_heads: 9,
        n_kv_heads: 3,
        head_dim: 64,
        rope_dim: 64,
        rope_base: 100_000.0,
        rope_linear_factor: 1.0,
        rms_eps: 1e-5,
        context_length: 8192,
        vocab_size: 49_152,
    }
}

/// Milliseconds that a machine takes.
#[derive(Clone, Copy)]
struct Machine {
    token_ms: f64,
    context_token_ms: f64,
    last_ms: f64,
}

/// A machine like the one of the recorded benchmark.
const DESKTOP: Machine = Machine { token_ms: 2.2, context_token_ms: 0.0022, last_ms: 4.0 };

impl Machine {
    fn slowed(self, by: f64) -> Self {
        Self {
            token_ms: self.token_ms * by,
            context_token_ms: self.context_token_ms * by,
            last_ms: self.last_ms * by,
        }
    }

    fn step_ms(self, context: usize, tokens: usize, last: bool) -> f64 {
        let alone = if tokens < TILE_TOKENS { (tokens + TILE_TOKENS) as f64 / 2.0 } else { tokens as f64 };
        let context = (context + tokens / 2) as f64;
        let last_ms = if last { self.last_ms } else { 0.0 };
        alone * self.token_ms + tokens as f64 * self.context_token_ms * context + last_ms
    }
}

/// Reads a prompt from `context` tokens on; gives `(tokens, milliseconds)` of each step.
fn read(pace: &mut Pace, machine: Machine, context: usize, prompt: usize) -> Vec<(usize, f64)> {
    let mut at = context;
    let mut steps = Vec::new();
    while at < prompt {
        let tokens = pace.chunk_tokens(at, prompt - at);
        assert!((1..=prompt - at).contains(&tokens), "{tokens} of {} unread", prompt - at);
        let took_ms = machine.step_ms(at, tokens, at + tokens == prompt);
        pace.measured(at, tokens, at + tokens == prompt, took_ms);
        steps.push((tokens, took_ms));
        at += tokens;
    }
    steps
}

fn longest_ms(steps: &[(usize, f64)]) -> f64 {
    steps.iter().map(|step| step.1).fold(0.0, f64::max)
}

#[test]
fn no_step_is_long_and_few_are_short() {
    for slowed in [3.0, 1.0, 0.5, 0.1, 0.01] {
        let (machine, mut pace) = (DESKTOP.slowed(slowed), Pace::new(&smollm2()));
        // What is not divided: half a tile after a long context, a tile after a short one.
        let undivided = [machine.step_ms(1500, 2, true), machine.step_ms(800, TILE_TOKENS, true)];
        let limit_ms = undivided.into_iter().fold(20.0, f64::max);
        for _ in 0..2 {
            let steps = read(&mut pace, machine, 0, 1500);
            assert!(longest_ms(&steps) <= limit_ms, "{slowed}: {} ms", longest_ms(&steps));
            let all_ms: f64 = steps.iter().map(|step| step.1).sum();
            let fewest = (all_ms / 15.0).max(1500.0 / MAX_CHUNK_TOKENS as f64);
            assert!(
                (steps.len() as f64) < 2.5 * fewest + 3.0,
                "{slowed}: {} steps, {all_ms} ms",
                steps.len()
            );
        }
    }
}

#[test]
fn a_fast_machine_keeps_its_steps_far_below_the_limit() {
    let (machine, mut pace) = (DESKTOP.slowed(0.1), Pace::new(&smollm2()));
    for _ in 0..3 {
        assert!(longest_ms(&read(&mut pace, machine, 0, 480)) <= 15.0);
    }
}

#[test]
fn the_first_step_is_one_tile() {
    let pace = Pace::new(&smollm2());
    assert_eq!(pace.chunk_tokens(0, 1000), TILE_TOKENS);
    assert_eq!(pace.chunk_tokens(0, 3), 3);
}

#[test]
fn a_long_context_makes_chunks_smaller_at_once() {
    let (machine, mut pace) = (DESKTOP.slowed(0.1), Pace::new(&smollm2()));
    read(&mut pace, machine, 0, 300);
    let (near, far) = (pace.chunk_tokens(0, 1000), pace.chunk_tokens(1800, 1000));
    assert!(far < near, "{far} after a long context, {near} without");
    assert!(machine.step_ms(1800, far, false) <= 15.0);
}

#[test]
fn the_end_of_the_prompt_gets_its_own_step_when_logits_are_dear() {
    let (machine, mut pace) = (DESKTOP, Pace::new(&smollm2()));
    read(&mut pace, machine, 0, 200);
    let steps = read(&mut pace, machine, 0, 200);
    let last = steps[steps.len() - 1];
    assert!(last.1 <= 20.0, "{last:?}");
    assert!(last.0 <= TILE_TOKENS, "{last:?}");
}

#[test]
fn a_machine_that_becomes_busy_is_believed_within_two_steps() {
    let mut pace = Pace::new(&smollm2());
    read(&mut pace, DESKTOP.slowed(0.1), 0, 500);
    let steps = read(&mut pace, DESKTOP.slowed(0.5), 0, 500);
    assert!(steps.iter().skip(3).all(|step| step.1 <= 15.0), "{steps:?}");
    let steps = read(&mut pace, DESKTOP.slowed(0.1), 0, 1500);
    assert!(longest_ms(&steps) <= 15.0, "faster again: {steps:?}");
}

#[test]
fn a_stall_is_forgotten() {
    let mut pace = Pace::new(&smollm2());
    read(&mut pace, DESKTOP.slowed(20.0), 0, 20);
    assert_eq!(pace.chunk_tokens(20, 1000), TILE_TOKENS);
    read(&mut pace, DESKTOP.slowed(0.1), 0, 500);
    assert!(pace.chunk_tokens(0, 1000) > 32, "{}", pace.chunk_tokens(0, 1000));
}

#[test]
fn times_that_say_nothing_change_nothing() {
    let mut pace = Pace::new(&smollm2());
    read(&mut pace, DESKTOP, 0, 100);
    let before = pace.clone();
    for took_ms in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        pace.measured(0, 8, false, took_ms);
        pace.measured(0, 8, true, took_ms);
    }
    pace.measured(0, 0, false, 5.0);
    assert_eq!(pace, before);
}

#[test]
fn a_clock_that_stands_still_still_reads_the_prompt() {
    let mut pace = Pace::new(&smollm2());
    let machine = Machine { token_ms: 0.0, context_token_ms: 0.0, last_ms: 0.0 };
    assert!(read(&mut pace, machine, 0, 100).iter().all(|step| step.0 <= TILE_TOKENS));
}
