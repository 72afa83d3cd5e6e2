//! How sure a figure is: intervals for rates and ratios, and a test for paired gains.

use super::random::Random;
use std::collections::BTreeMap;

/// Two-sided 95 % of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Samples of a bootstrap.
const SAMPLES: usize = 1000;

/// A figure with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// A rate with Wilson's score interval.
pub fn wilson(hits: usize, n: usize) -> Estimate {
    if n == 0 {
        return Estimate { value: f64::NAN, low: 0.0, high: 1.0 };
    }
    let (hits, n) = (hits as f64, n as f64);
    let rate = hits / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    Estimate { value: rate, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

/// One observation of a ratio of sums. Observations of one group (a problem, a file) are sampled together.
#[derive(Debug, Clone)]
pub struct Part {
    pub group: String,
    pub numerator: f64,
    pub denominator: f64,
}

/// The ratio of two sums with a percentile bootstrap over groups.
pub fn bootstrap(parts: &[Part], seed: u64) -> Estimate {
    let mut groups: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for part in parts {
        let sums = groups.entry(&part.group).or_default();
        sums.0 += part.numerator;
        sums.1 += part.denominator;
    }
    let groups: Vec<_> = groups.into_values().collect();
    let ratio = |sums: (f64, f64)| sums.0 / sums.1;
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let value = ratio(groups.iter().copied().fold((0.0, 0.0), add));
    if groups.is_empty() {
        return Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    }
    let mut random = Random::new(seed);
    let mut sample = || {
        let drawn = (0..groups.len()).map(|_| groups[random.below(groups.len())]);
        ratio(drawn.fold((0.0, 0.0), add))
    };
    let mut ratios: Vec<_> = (0..SAMPLES).map(|_| sample()).filter(|ratio| !ratio.is_nan()).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| {
        ratios
            .get((share * (ratios.len().saturating_sub(1)) as f64).round() as usize)
            .copied()
            .unwrap_or(value)
    };
    Estimate { value, low: at(0.025), high: at(0.975) }
}

/// The exact McNemar test, two-sided: how likely a difference as large is when gains and losses are equally likely.
pub fn mcnemar(gained: usize, lost: usize) -> f64 {
    let n = gained + lost;
    // Binomial probabilities as logarithms: 0.5^n is zero as a float for large n.
    let mut log_choose = 0.0_f64;
    let log_half = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=gained.min(lost) {
        if k > 0 {
            log_choose += ((n - k + 1) as f64).ln() - (k as f64).ln();
        }
        tail += (log_choose + log_half).exp();
    }
    (2.0 * tail).min(1.0)
}

/// The value below which `share` of the sorted values lie (nearest rank); NaN without values.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
    // Expected values: statsmodels 0.15.0 `proportion_confint(method="wilson")`, SciPy 1.16.3 `binomtest`.
    #[test]
    fn wilson_agrees_with_statsmodels() {
        let cases = [
            (0, 10, 0.0, 0.277_532_799_862_889_26),
            (10, 10, 0.722_467_200_137_110_6, 1.0),
            (3, 60, 0.017_149_502_164_395_668, 0.137_005_164_763_485_2),
            (137, 1043, 0.112_197_998_872_290_65, 0.153_211_301_150_745_22),
            (1, 1, 0.206_549_314_377_237_4, 1.0),
        ];
        for (hits, n, low, high) in cases {
            let found = wilson(hits, n);
            close(found.value, hits as f64 / n as f64);
            close(found.low, low);
            close(found.high, high);
        }
        assert!(wilson(0, 0).value.is_nan());
    }

    #[test]
    fn mcnemar_agrees_with_scipy() {
        let cases = [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (5, 5, 1.0),
            (10, 2, 0.038_574_218_75),
            (0, 20, 1.907_348_632_812_5e-6),
            (300, 200, 8.940_066_542_253_288e-6),
            (1500, 900, 1.005_722_875_690_345_7e-34),
        ];
        for (gained, lost, p) in cases {
            let found = mcnemar(gained, lost);
            assert!((found - p).abs() <= 1e-8 * p, "{gained} {lost}: {found} for {p}");
            assert_eq!(found, mcnemar(lost, gained));
        }
    }

    #[test]
    fn a_bootstrap_samples_whole_groups() {
        let part = |group: &str, numerator, denominator| Part { group: group.into(), numerator, denominator };
        let same: Vec<_> = (0..20).map(|index| part(&index.to_string(), 1.0, 4.0)).collect();
        assert_eq!(bootstrap(&same, 1), Estimate { value: 0.25, low: 0.25, high: 0.25 });
        // The same twenty observations, each alone or all in two groups: the second is far less sure.
        let mixed = |groups: usize| -> Vec<_> {
            (0..40).map(|index| part(&(index % groups).to_string(), f64::from(index % 2 == 0), 1.0)).collect()
        };
        let (alone, paired) = (bootstrap(&mixed(40), 1), bootstrap(&mixed(2), 1));
        assert_eq!((alone.value, paired.value), (0.5, 0.5));
        assert!(alone.low > 0.25 && alone.high < 0.75, "{alone:?}");
        assert_eq!((paired.low, paired.high), (0.0, 1.0));
        assert_eq!(bootstrap(&mixed(40), 1), alone, "the seed decides");
        assert!(bootstrap(&[], 1).value.is_nan());
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.5, 0.75, 0.95, 1.0].map(|share| percentile(&values, share)), [2.0, 3.0, 4.0, 4.0]);
        assert!(percentile(&[], 0.5).is_nan());
    }
}
