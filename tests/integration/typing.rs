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

/// A request after every key of a text.
fn keys(format: &str, healing: bool) -> Vec<CompletionRequest> {
    let (before, after) = document();
    let request = |end| {
        let request = with_format(format, &format!("{before}{}", &TYPED[..end]), &after);
        CompletionRequest { max_new_tokens: 1, healing, ..request }
    };
    (0..TYPED.len()).map(request).collect()
}

/// Tokens of all prompts but the first, and how many of them stand at the same place in the prompt before.
fn common(engine: &mut Engine, keys: &[CompletionRequest]) -> (usize, usize) {
    let clock = TickingClock::default();
    let mut prompt = |key| engine.start(key, &clock).expect("starts").prompt_tokens().to_vec();
    let prompts: Vec<_> = keys.iter().map(&mut prompt).collect();
    let pairs = prompts.iter().zip(&prompts[1..]);
    let same = pairs.map(|(last, next)| {
        let same = last.iter().zip(next).take_while(|(a, b)| a == b).count();
        // The last token is always read, because its logits are needed.
        same.min(next.len() - 1)
    });
    (prompts[1..].iter().map(Vec::len).sum(), same.sum())
}

/// Figures for src/README.md: `cargo test --test integration typing -- --nocapture`.
#[test]
fn suffix_first_and_prefix_only_append_prefix_first_reads_the_suffix_again() {
    let mut engine = boot_engine();
    let [prefix, psm, spm] = ["prefix", "psm", "spm"].map(|format| {
        let [healed, plain] = [true, false].map(|healing| {
            let (tokens, same) = common(&mut engine, &keys(format, healing));
            let (share, read) = (same as f64 / tokens as f64, tokens - same);
            println!(
                "{format}, healing {healing}: {:.1} % reused, {:.1} tokens read a key",
                share * 100.0,
                read as f64 / (TYPED.len() - 1) as f64
            );
            share
        });
        assert!(healed > plain, "{format}: {healed} {plain}");
        healed
    });
    assert!(prefix > 0.97 && spm > 0.97, "{prefix} {spm}");
    assert!(psm > 0.4 && psm < spm, "{psm}");
}

#[test]
fn the_cache_gives_what_two_prompts_have_in_common() {
    for format in ["prefix", "psm", "spm"] {
        let keys = &keys(format, true)[40..70];
        let expected = common(&mut boot_engine(), keys);
        let mut engine = boot_engine();
        let stats = keys.iter().map(|key| complete(&mut engine, key).expect("a result").stats);
        let read: Vec<_> = stats.map(|stats| (stats.prompt_tokens, stats.reused_tokens)).collect();
        let sum = read[1..].iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert_eq!(sum, expected, "{format}");
    }
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
