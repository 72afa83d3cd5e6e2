//! The best next tokens of one hypothesis.

use super::{Hypothesis, Vocabulary};
use std::cmp::Ordering;

/// A token with its log-probability.
pub(super) type Candidate = (u32, f32);

/// The `count` most likely tokens after a hypothesis, best first, the smaller id first among equals.
///
/// While bytes before the caret are still to be generated, only tokens that agree with them count, and the
/// log-probabilities are among these: the text is given, only the choice between its continuations is uncertain.
pub(super) fn candidates(
    hypothesis: &Hypothesis,
    logits: &[f32],
    log_sum_exp: &dyn Fn(&[f32]) -> f32,
    vocabulary: &dyn Vocabulary,
    count: usize,
) -> Vec<Candidate> {
    if hypothesis.constraint.is_satisfied() {
        let all = (0_u32..).zip(logits.iter().copied());
        let total = log_sum_exp(logits);
        let best = best(all, count, |token| vocabulary.banned().binary_search(&token).is_ok());
        let total = if total.is_finite() { total } else { total_of_numbers(logits.iter().copied()) };
        return best.into_iter().map(|(token, logit)| (token, log_prob(logit, total))).collect();
    }
    let allowed = hypothesis.constraint.allowed(vocabulary);
    let logit = |token: &u32| Some((*token, logits.get(*token as usize).copied()?));
    let best = best(allowed.iter().filter_map(logit), count, |_| false);
    let total = total_of_numbers(allowed.iter().filter_map(logit).map(|(_, logit)| logit));
    best.into_iter().map(|(token, logit)| (token, log_prob(logit, total))).collect()
}

/// Natural logarithm of the sum of exponentials of the logits that are numbers.
fn total_of_numbers(logits: impl Iterator<Item = f32> + Clone) -> f32 {
    let numbers = logits.filter(|logit| !logit.is_nan());
    let top = numbers.clone().fold(f32::NEG_INFINITY, f32::max);
    if !top.is_finite() {
        return top;
    }
    let sum: f64 = numbers.map(|logit| libm::exp(f64::from(logit - top))).sum();
    top + libm::log(sum) as f32
}

/// The log-probability of a logit; infinite logits of a broken model share the whole of it.
fn log_prob(logit: f32, total: f32) -> f32 {
    if total.is_finite() { (logit - total).min(0.0) } else { 0.0 }
}

/// The largest of some logits; NaN and minus infinity never count.
fn best(
    logits: impl Iterator<Item = (u32, f32)>,
    count: usize,
    is_banned: impl Fn(u32) -> bool,
) -> Vec<Candidate> {
    let mut best: Vec<Candidate> = Vec::with_capacity(count + 1);
    for (token, logit) in logits {
        // The cheap test first: almost every token of a large vocabulary ends here.
        if logit.is_nan()
            || logit == f32::NEG_INFINITY
            || best.len() == count && best.last().is_none_or(|last| logit < last.1)
        {
            continue;
        }
        if is_banned(token) {
            continue;
        }
        let place = best.partition_point(|other| order(*other, (token, logit)) == Ordering::Less);
        best.insert(place, (token, logit));
        best.truncate(count);
    }
    best
}

/// More likely first, then the smaller id.
fn order(a: Candidate, b: Candidate) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn the_best_come_first_and_equals_by_id() {
        let logits = [1.0, 3.0, f32::NAN, 3.0, 2.0, 9.0];
        let all = || (0_u32..).zip(logits);
        assert_eq!(best(all(), 3, |token| token == 5), [(1, 3.0), (3, 3.0), (4, 2.0)]);
        let backwards = || all().collect::<Vec<_>>().into_iter().rev();
        assert_eq!(best(backwards(), 2, |token| token == 5), [(1, 3.0), (3, 3.0)]);
        assert_eq!(best(all(), 0, |_| false), []);
    }
}
