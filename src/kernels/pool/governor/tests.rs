//! A governor in charge of machines whose speed the test decides.

use super::{Governor, Work};

/// Does `pieces` pieces of work that cost `cost(threads, piece)`; gives the whole cost.
fn work(governor: &mut Governor, available: usize, pieces: usize, cost: impl Fn(usize, usize) -> f64) -> f64 {
    let piece = |piece| {
        let threads = governor.choose(Work::Prompt, available);
        assert!((1..=available).contains(&threads));
        let cost = cost(threads, piece);
        governor.measured(Work::Prompt, threads, 8, 8.0 * cost);
        cost
    };
    (0..pieces).map(piece).sum()
}

/// Noise of up to a fifth, the same in every run.
fn noisy(cost: f64, piece: usize) -> f64 {
    cost * (0.9 + 0.2 * ((piece * 7919 % 101) as f64 / 101.0))
}

#[test]
fn threads_that_pay_are_kept() {
    let mut governor = Governor::measuring(2);
    let cost =
        work(&mut governor, 2, 2000, |threads, piece| noisy(if threads == 2 { 1.0 } else { 1.8 }, piece));
    assert!(cost < 2000.0 * 1.05, "trials cost little: {cost}");
}

#[test]
fn a_busy_machine_is_left_alone_and_a_quiet_one_used_again() {
    let mut governor = Governor::measuring(2);
    let busy = |threads, piece| noisy(if threads == 2 { 3.0 } else { 1.0 }, piece);
    let quiet = |threads, piece| noisy(if threads == 2 { 0.6 } else { 1.0 }, piece);
    for _ in 0..3 {
        let cost = work(&mut governor, 2, 1000, busy);
        assert!(cost < 1000.0 * 1.12, "found out soon: {cost}");
        let cost = work(&mut governor, 2, 1000, busy);
        assert!(cost < 1000.0 * 1.05, "and then left alone: {cost}");
        work(&mut governor, 2, 600, quiet);
        let cost = work(&mut governor, 2, 1000, quiet);
        assert!(cost < 600.0 * 1.05, "{cost}");
    }
}

/// A loaded machine: the system suspends any thread now and then, and with two of them one waits for the other.
fn loaded(threads: usize, piece: usize) -> f64 {
    let suspended = if piece * 7919 % 101 < [0, 10, 25][threads] { 3.0 } else { 0.0 };
    noisy([0.0, 1.0, 1.1][threads], piece) + suspended
}

#[test]
fn on_a_loaded_machine_the_choice_costs_hardly_more_than_one_thread() {
    let alone: f64 = (0..3000).map(|piece| loaded(1, piece)).sum();
    let mut governor = Governor::measuring(2);
    let cost = work(&mut governor, 2, 3000, loaded);
    assert!(cost < alone * 1.05, "{cost} instead of {alone}");
}

#[test]
fn more_threads_are_begun_with_only_where_they_were_clearly_better() {
    for (costs, threads) in [([0.95, 1.0], 1), ([0.6, 1.0], 2), ([1.2, 1.0], 1)] {
        let mut governor = Governor::measuring(2);
        governor.begin(Work::Token, [2, 1].into_iter().zip(costs));
        assert_eq!(governor.choose(Work::Token, 2), threads, "{costs:?}");
        assert_eq!(governor.in_use(Work::Token, 2), threads);
    }
}

#[test]
fn the_best_of_many_is_found() {
    for (best, costs) in [(4, [4.0, 2.5, 1.5, 2.0]), (6, [4.0, 2.5, 1.5, 1.2]), (2, [1.1, 1.0, 1.3, 1.4])] {
        let mut governor = Governor::measuring(6);
        assert_eq!(governor.choices(6), [6, 4, 2, 1]);
        let cost = |threads| costs[[1, 2, 4, 6].iter().position(|&t| t == threads).unwrap()];
        work(&mut governor, 6, 500, |threads, piece| noisy(cost(threads), piece));
        let mut used = [0; 7];
        for piece in 0..100 {
            let threads = governor.choose(Work::Prompt, 6);
            used[threads] += 1;
            governor.measured(Work::Prompt, threads, 1, noisy(cost(threads), piece));
        }
        assert!(used[best] > 85, "{best} threads are best: {used:?}");
    }
}

#[test]
fn no_more_than_there_are_and_no_trials_where_the_number_is_given() {
    let mut governor = Governor::measuring(4);
    assert_eq!(governor.choices(1), [1]);
    assert_eq!(work(&mut governor, 1, 100, |threads, _| threads as f64), 100.0);
    let mut fixed = Governor::fixed(3);
    assert_eq!(fixed.choices(8), [3]);
    for available in 1..5 {
        for _ in 0..100 {
            let threads = fixed.choose(Work::Token, available);
            assert_eq!(threads, available.min(3));
            fixed.measured(Work::Token, threads, 1, 9.0);
        }
    }
    assert_eq!(Governor::fixed(0).choose(Work::Beams, 0), 1);
}

#[test]
fn kinds_of_work_are_judged_apart_and_odd_times_ignored() {
    let mut governor = Governor::measuring(2);
    assert_eq!(
        [0, 1, 2, 7, 8].map(Work::of),
        [Work::Token, Work::Token, Work::Beams, Work::Beams, Work::Prompt]
    );
    work(&mut governor, 2, 300, |threads, _| f64::from(threads as u8));
    let (mut token, mut prompt) = ([0; 3], [0; 3]);
    for _ in 0..100 {
        for took_ms in [0.0, -1.0, f64::NAN] {
            governor.measured(Work::Token, 2, 1, took_ms);
        }
        governor.measured(Work::Token, 99, 1, 1.0);
        governor.measured(Work::Token, 1, 0, 1.0);
        token[governor.choose(Work::Token, 2)] += 1;
        prompt[governor.choose(Work::Prompt, 2)] += 1;
    }
    assert!(token[2] > 80, "{token:?}");
    assert!(prompt[1] > 80, "{prompt:?}");
}
