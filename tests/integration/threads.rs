//! The answers do not depend on the number of threads, and the number told is the one in use.

use crate::support::{BOOT_MODEL, bytes, complete, request};
use midline::engine::{CompletionRequest, Engine, EngineOptions, Threads};
use midline::kernels::Kernels;

const PREFIX: &str = "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.items.";

/// Suggestions with the bits of their scores, over several requests that continue each other.
fn answers(threads: Threads) -> (Vec<(String, u64)>, Vec<usize>) {
    let options = EngineOptions { threads, ..EngineOptions::default() };
    let mut engine =
        Engine::load(&bytes(BOOT_MODEL), &options, &mut |_| {}).expect("the default model loads");
    let (mut texts, mut used) = (Vec::new(), Vec::new());
    for (end, beam_width) in [(30, 1), (PREFIX.len(), 1), (PREFIX.len(), 4), (20, 3)] {
        let request = CompletionRequest {
            beam_width,
            max_suggestions: beam_width,
            ..request(&PREFIX[..end], "\n\nprint(Stack())\n")
        };
        let result = complete(&mut engine, &request).expect("a result");
        texts.extend(result.suggestions.into_iter().map(|one| (one.text, f64::from(one.score).to_bits())));
        used.push(result.stats.threads);
    }
    (texts, used)
}

#[test]
fn any_number_of_threads_gives_the_same_answers() {
    let (expected, used) = answers(Threads::Fixed(1));
    assert!(!expected.is_empty());
    assert_eq!(used, [1; 4]);
    Kernels::start_threads(3);
    while Kernels::threads_ready() < 3 {
        std::thread::yield_now();
    }
    for threads in [2, 3] {
        assert_eq!(answers(Threads::Fixed(threads)), (expected.clone(), vec![threads; 4]));
    }
    // A clock that stands still gives no times, so that the choice stays at the most there may be.
    let (measured, used) = answers(Threads::Measured { most: 3, now_ms: || 0.0 });
    assert_eq!(measured, expected);
    assert!(used.iter().all(|used| (1..=3).contains(used)), "{used:?}");
}
