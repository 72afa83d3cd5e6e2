//! How many threads pay: measured while working, so that a machine that is busy elsewhere is never slowed down.
//!
//! Every kind of work has the cost it has with the number of threads in use, and now and then one piece of work is done
//! with the next smaller or larger number, to know its cost. Such a trial costs the more the worse that number is, so
//! the next one comes the later: all trials together take at most [`TRIAL_SHARE`] of the time.

use super::MAX_THREADS;

#[cfg(test)]
mod tests;

/// The part of the time that trials may take beyond what the work itself takes.
const TRIAL_SHARE: f64 = 0.02;
/// Pieces of work between two trials, at least and at most.
const TRIAL_EVERY: (f64, f64) = (16.0, 500.0);
/// Weight of a new measurement.
const FRESH: f64 = 0.15;
/// A measurement counts as this many times the usual at most: a thread that the system suspends for long says little,
/// and one such moment must not make another number of threads look good.
const OUTLIER: f64 = 2.0;
/// More threads are taken when their cost is below this share of the cost of those in use.
const MORE_BELOW: f64 = 0.92;
/// Fewer threads are taken when their cost is below this share: what more of them save must be worth a core.
const FEWER_BELOW: f64 = 1.05;
/// Pieces of work between a trial that was better and the one that must confirm it.
const AGAIN_AFTER: u32 = 3;
/// A piece of work that costs this many times the usual puts the number in use to the test soon, unless it is one: what
/// slows that down will hardly let more of them be faster.
const SUSPICIOUS: f64 = 1.4;
/// Pieces of work before the first trial: what was measured at the load may have been a moment's luck.
const FIRST_TRIAL: u32 = 4;

/// A kind of work whose pieces cost about the same per unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Many tokens in a batch, part of a prompt.
    Prompt,
    /// One token.
    Token,
    /// A token for each of a few beams.
    Beams,
}

impl Work {
    /// The kind of a pass over `tokens` tokens at once.
    pub fn of(tokens: usize) -> Self {
        match tokens {
            0 | 1 => Self::Token,
            2..8 => Self::Beams,
            _ => Self::Prompt,
        }
    }
}

/// Chooses the number of threads for each piece of work, from measured times.
#[derive(Clone, Debug)]
pub struct Governor {
    most: usize,
    /// Whether trials are made.
    measures: bool,
    /// By [`Work`].
    kinds: [Kind; 3],
}

impl Governor {
    /// Measures which number up to `most` pays. The largest there is counts as the best until then.
    pub fn measuring(most: usize) -> Self {
        Self { measures: true, ..Self::fixed(most) }
    }

    /// Always `threads`, or as many as there are.
    pub fn fixed(threads: usize) -> Self {
        let most = threads.clamp(1, MAX_THREADS);
        Self { most, measures: false, kinds: std::array::from_fn(|_| Kind::default()) }
    }

    /// The numbers of threads between which it chooses when there are `available`, largest first: 1, powers of two,
    /// and the largest.
    pub fn choices(&self, available: usize) -> Vec<usize> {
        let most = self.most.min(available).max(1);
        if !self.measures {
            return vec![most];
        }
        (0..=level_of(most)).rev().map(|level| threads_at(level, most)).collect()
    }

    /// Threads for the next piece of work when there are `available`.
    pub fn choose(&mut self, work: Work, available: usize) -> usize {
        let most = self.most.min(available).max(1);
        if self.measures { self.kinds[work as usize].choose(most) } else { most }
    }

    /// The number in use for a kind of work when there are `available`.
    pub fn in_use(&self, work: Work, available: usize) -> usize {
        let most = self.most.min(available).max(1);
        if self.measures {
            threads_at(self.kinds[work as usize].level.min(level_of(most)), most)
        } else {
            most
        }
    }

    /// Begins with known costs, milliseconds per unit by number of threads, most threads first. More threads are taken
    /// only where they are clearly better than fewer.
    pub fn begin(&mut self, work: Work, costs: impl Iterator<Item = (usize, f64)>) {
        let kind = &mut self.kinds[work as usize];
        let mut least = f64::INFINITY;
        for (threads, cost) in costs {
            let level = level_of(threads);
            if cost * MORE_BELOW < least && level < LEVELS {
                least = cost;
                kind.level = level;
                kind.costs[level] = cost;
            }
        }
    }

    /// Takes the time of a piece of work of `units` that was done with `threads`.
    pub fn measured(&mut self, work: Work, threads: usize, units: usize, took_ms: f64) {
        if self.measures && units > 0 && took_ms > 0.0 {
            self.kinds[work as usize].measured(level_of(threads), took_ms / units as f64);
        }
    }
}

/// The power of two that is `threads`, or the next larger one.
fn level_of(threads: usize) -> usize {
    threads.next_power_of_two().ilog2() as usize
}

fn threads_at(level: usize, most: usize) -> usize {
    (1 << level).min(most)
}

const LEVELS: usize = MAX_THREADS.ilog2() as usize + 1;

/// What is known of one kind of work.
#[derive(Clone, Debug)]
struct Kind {
    /// The level in use, where there are as many threads.
    level: usize,
    /// Milliseconds per unit by level while it was in use; 0 when not known.
    costs: [f64; LEVELS],
    /// Pieces of work since the last trial, and when the next one is due.
    since_trial: u32,
    next_trial: u32,
    /// Whether the next trial is of more threads.
    up: bool,
    /// The level of the last trial if it was better than the one in use.
    was_better: Option<usize>,
}

impl Default for Kind {
    fn default() -> Self {
        Self {
            level: LEVELS - 1,
            costs: [0.0; LEVELS],
            since_trial: 0,
            next_trial: FIRST_TRIAL,
            up: false,
            was_better: None,
        }
    }
}

impl Kind {
    fn choose(&mut self, most: usize) -> usize {
        let top = level_of(most);
        self.level = self.level.min(top);
        self.since_trial += 1;
        if top == 0 || self.since_trial <= self.next_trial {
            return threads_at(self.level, most);
        }
        self.since_trial = 0;
        self.next_trial = TRIAL_EVERY.0 as u32; // unless its outcome says otherwise
        let up = self.level == 0 || self.up && self.level < top;
        self.up = !self.up;
        let neighbour = if up { self.level + 1 } else { self.level - 1 };
        threads_at(self.was_better.filter(|level| *level <= top).unwrap_or(neighbour), most)
    }

    fn measured(&mut self, level: usize, cost: f64) {
        if level == self.level {
            let usual = self.costs[level];
            let counted = cost.min(usual * OUTLIER);
            self.costs[level] = if usual == 0.0 { cost } else { usual + (counted - usual) * FRESH };
            if level > 0 && usual > 0.0 && cost > usual * SUSPICIOUS {
                self.next_trial = self.next_trial.min(self.since_trial.max(AGAIN_AFTER));
            }
        } else if level.abs_diff(self.level) == 1 {
            self.tried(level, cost);
        }
    }

    /// A trial of a level beside the one in use. It is taken when it is better twice in a row.
    fn tried(&mut self, level: usize, cost: f64) {
        let in_use = self.costs[self.level];
        let enough = in_use * if level > self.level { MORE_BELOW } else { FEWER_BELOW };
        let was_better = std::mem::take(&mut self.was_better);
        if in_use == 0.0 || cost >= enough {
            let (least, most) = TRIAL_EVERY;
            let excess = if in_use == 0.0 { 0.0 } else { cost / in_use - 1.0 };
            self.next_trial = (excess / TRIAL_SHARE).clamp(least, most) as u32;
        } else if was_better == Some(level) {
            self.level = level;
            self.costs[level] = cost;
            self.next_trial = TRIAL_EVERY.0 as u32;
        } else {
            self.was_better = Some(level);
            self.next_trial = AGAIN_AFTER;
        }
    }
}
