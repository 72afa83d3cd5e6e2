//! Loops on pools of their own, and on one that everybody wants.

use super::{MAX_THREADS, Pool, share};
use std::sync::atomic::{AtomicUsize, Ordering};

fn started(pool: &'static Pool, threads: usize) -> &'static Pool {
    pool.start(threads);
    while pool.threads() < threads {
        std::thread::yield_now();
    }
    pool
}

/// Runs a loop that adds up what it was called for; the participants' calls must not overlap.
fn counted(pool: &Pool, threads: usize, chunks: usize, work: impl Fn(usize) + Sync) {
    let calls: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
    let busy: Vec<AtomicUsize> = (0..MAX_THREADS).map(|_| AtomicUsize::new(0)).collect();
    pool.run(threads, chunks, |participant, chunk| {
        assert!(participant < threads.max(1));
        assert_eq!(
            busy[participant].fetch_add(1, Ordering::SeqCst),
            0,
            "one call at a time for a participant"
        );
        calls[chunk].fetch_add(1, Ordering::SeqCst);
        work(chunk);
        busy[participant].fetch_sub(1, Ordering::SeqCst);
    });
    assert!(calls.iter().all(|calls| calls.load(Ordering::SeqCst) == 1), "every chunk once");
    assert!(busy.iter().all(|busy| busy.load(Ordering::SeqCst) == 0), "nobody is left inside");
}

#[test]
fn every_chunk_is_run_once_on_any_number_of_threads() {
    static FOUR: Pool = Pool::new();
    let pool = started(&FOUR, 4);
    for round in 0..300 {
        for threads in 0..=5 {
            for chunks in [0, 1, 2, 3, 7, 64] {
                counted(pool, threads, chunks, |chunk| {
                    if (round + chunk) % 16 == 0 {
                        std::thread::yield_now();
                    }
                });
            }
        }
    }
    assert_eq!(pool.threads(), 4);
}

#[test]
fn helpers_that_have_fallen_asleep_wake_up() {
    static TWO: Pool = Pool::new();
    let pool = started(&TWO, 2);
    for _ in 0..20 {
        while pool.sleepers.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        // The first chunk ends when another thread has begun the second, and the other way round.
        let begun = AtomicUsize::new(0);
        pool.run(2, 2, |_, _| {
            begun.fetch_add(1, Ordering::SeqCst);
            while begun.load(Ordering::SeqCst) < 2 {
                std::thread::yield_now();
            }
        });
    }
}

#[test]
fn a_caller_that_waits_long_is_woken() {
    static TWO: Pool = Pool::new();
    let pool = started(&TWO, 2);
    for _ in 0..20 {
        let (begun, caller_done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.run(2, 2, |participant, _| {
            begun.fetch_add(1, Ordering::SeqCst);
            while begun.load(Ordering::SeqCst) < 2 {
                std::thread::yield_now();
            }
            if participant == 0 {
                caller_done.store(1, Ordering::SeqCst);
            } else {
                while pool.state.load(Ordering::SeqCst) & super::CALLER_SLEEPS == 0 {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(caller_done.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn without_helpers_and_while_it_is_taken_the_caller_works_alone() {
    static NONE: Pool = Pool::new();
    static SHARED: Pool = Pool::new();
    counted(&NONE, 4, 9, |_| {});
    let pool = started(&SHARED, 3);
    // A loop in a loop, and several callers at once.
    pool.run(3, 3, |_, _| counted(pool, 1, 5, |_| {}));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..200).for_each(|_| counted(pool, 3, 11, |_| {})));
        }
    });
}

#[test]
fn a_panic_on_any_thread_reaches_the_caller_and_the_pool_works_on() {
    static TWO: Pool = Pool::new();
    let pool = started(&TWO, 2);
    for panicking in [0, 1] {
        let begun = AtomicUsize::new(0);
        let run = || {
            pool.run(2, 2, |participant, _| {
                begun.fetch_add(1, Ordering::SeqCst);
                while begun.load(Ordering::SeqCst) < 2 {
                    std::thread::yield_now();
                }
                assert_ne!(participant, panicking, "on purpose");
            });
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        counted(pool, 2, 20, |_| {});
    }
    assert_eq!(pool.threads(), 1, "the helper that panicked is gone");
}

#[test]
fn shares_are_even_and_whole() {
    for (pieces, chunks) in [(0, 1), (1, 1), (7, 3), (72, 8), (5, 5)] {
        let shares: Vec<_> = (0..chunks).map(|chunk| share(pieces, chunks, chunk)).collect();
        assert_eq!(shares.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..pieces).collect::<Vec<_>>());
        let lengths = || shares.iter().map(ExactSizeIterator::len);
        assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
    }
}
