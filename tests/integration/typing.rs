//! A person types: how much of the cache is used again, and that nothing else changes.

use crate::support::{TickingClock, boot_engine, comparable, complete, request};
use midline::engine::{CompletionRequest, Engine, Progress};

fn document() -> (String, String) {
    let line = |n: usize| {
        format!("def step_{n}(state, value):\n    state.total += value * {n}\n    return state\n\n")
    };
    ((0..120).map(line).collect(), (120..200).map(line).collect())
}

const TYPED: &str = "def finish(state):\n    for name, value in state.items():\n        if value is None:\n            continue\n        state.total += value\n    return state.total\n";

fn with_format(format: &str, prefix: &str, suffix: &str) -> CompletionRequest {
    CompletionRequest { format: format.into(), path: "src/steps.py".into(), ..request(prefix, suffix) }
}

/// Tokens of all prompts and of these the reused ones, over a text typed key by key.
fn type_text(engine: &mut Engine, format: &str) -> (usize, usize) {
    let (before, after) = document();
    let (mut tokens, mut reused) = (0, 0);
    for end in 0..TYPED.len() {
        let prefix = format!("{before}{}", &TYPED[..end]);
        let request = CompletionRequest { max_new_tokens: 1, ..with_format(format, &prefix, &after) };
        let result = complete(engine, &request).expect("a result");
        // The first request is cold in every format.
        if end > 0 {
            tokens += result.stats.prompt_tokens;
            reused += result.stats.reused_tokens;
        }
    }
    (tokens, reused)
}

/// Figures for src/README.md: `cargo test --test integration typing -- --nocapture`.
#[test]
fn suffix_first_and_prefix_only_append_prefix_first_reads_the_suffix_again() {
    let mut engine = boot_engine();
    let share = |(tokens, reused): (usize, usize)| reused as f64 / tokens as f64;
    let [prefix, psm, spm] = ["prefix", "psm", "spm"].map(|format| {
        engine.reset();
        let typed = type_text(&mut engine, format);
        let keys = TYPED.len() - 1;
        println!(
            "{format}: {:.1} % reused, {:.1} tokens read a key",
            share(typed) * 100.0,
            (typed.0 - typed.1) as f64 / keys as f64
        );
        share(typed)
    });
    assert!(prefix > 0.97 && spm > 0.97, "{prefix} {spm}");
    assert!(psm > 0.4 && psm < spm, "{psm}");
}

/// In long documents as well an answer depends on the request alone.
#[test]
fn a_long_document_is_answered_the_same_whatever_was_asked_before() {
    let (before, after) = document();
    let mut engine = boot_engine();
    for (index, end) in (0..TYPED.len()).step_by(23).enumerate() {
        let format = ["prefix", "psm", "spm"][index % 3];
        let prefix = format!("{before}{}", &TYPED[..end]);
        let request = with_format(format, &prefix, &after);
        let warm = comparable(complete(&mut engine, &request).expect("a result"));
        let cold = comparable(complete(&mut boot_engine(), &request).expect("a result"));
        assert_eq!(warm, cold, "{format} at {end}");
    }
}

#[test]
fn a_cancel_at_any_step_of_a_beam_search_leaves_a_cold_start() {
    let (before, after) = document();
    let beams = |request| CompletionRequest { beam_width: 4, max_suggestions: 4, ..request };
    let other = beams(with_format("spm", &format!("{before}def fin"), &after));
    let request = beams(with_format("spm", &format!("{before}def finish(st"), &after));
    let expected = comparable(complete(&mut boot_engine(), &request).expect("a result"));
    let mut engine = boot_engine();
    for cancel_after in 0.. {
        engine.reset();
        let clock = TickingClock::default();
        let mut completion = engine.start(&other, &clock).expect("starts");
        let ended = (0..cancel_after)
            .any(|_| matches!(completion.step(&mut engine, &clock).expect("a step"), Progress::Done(_)));
        drop(completion);
        let found = comparable(complete(&mut engine, &request).expect("a result"));
        assert_eq!(found, expected, "cancelled after {cancel_after}");
        if ended {
            assert!(cancel_after > 10, "prompt and beams");
            break;
        }
    }
}
