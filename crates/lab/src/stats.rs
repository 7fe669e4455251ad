//! Statistics of ratios: geometric means, medians, and the bootstrap.
//!
//! A speed-up is a ratio, and ratios are averaged by their logarithms: a position that got twice as
//! fast and one that got twice as slow cancel, and the mean of a product is the product of the
//! means. The arithmetic mean of ratios has neither property and overstates speed-ups.

use fastrand::Rng;
pub use megatherium_cli::chart::Estimate;

/// The distinct values, sorted.
pub fn distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<std::collections::BTreeSet<T>>().into_iter().collect()
}

/// Resamples of a bootstrap: enough for the ends of the interval to be steady in the second digit.
const RESAMPLES: usize = 2000;

/// The arithmetic mean; 0 if empty.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The sample standard deviation.
pub fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// The median; 0 if empty.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => 0.0,
        (len, middle) if len % 2 == 1 => sorted[middle],
        (_, middle) => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// The value below which `share` of the sorted values lie, interpolated.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// The percentile bootstrap: the spread of a statistic over resamples with replacement. The seed is
/// fixed, so the same samples give the same interval.
pub fn bootstrap(samples: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Estimate {
    let value = statistic(samples);
    if samples.len() < 2 {
        return Estimate::exact(value);
    }
    let mut random = Rng::with_seed(samples.len() as u64);
    let mut drawn = vec![0.0; samples.len()];
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            drawn.fill_with(|| samples[random.usize(..samples.len())]);
            statistic(&drawn)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    Estimate { value, low: quantile(&values, 0.025), high: quantile(&values, 0.975) }
}

/// The geometric mean of ratios given by their logarithms, one per position.
pub fn geometric(logs: &[f64]) -> Estimate {
    bootstrap(logs, mean).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians() {
        assert!((mean(&[1.0, 2.0, 6.0]) - 3.0).abs() < 1e-12);
        assert!((median(&[9.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(&[9.0, 1.0, 2.0, 4.0]) - 3.0).abs() < 1e-12);
        assert!((deviation(&[1.0, 3.0]) - 2f64.sqrt()).abs() < 1e-12);
        assert!((quantile(&[0.0, 10.0], 0.25) - 2.5).abs() < 1e-12);
        assert!(mean(&[]).abs() + median(&[]).abs() + quantile(&[], 0.5).abs() < 1e-12);
    }

    #[test]
    fn opposite_ratios_cancel() {
        let estimate = geometric(&[2f64.ln(), 0.5f64.ln()]);
        assert!((estimate.value - 1.0).abs() < 1e-12);
        assert!((estimate.low - 0.5).abs() < 1e-12 && (estimate.high - 2.0).abs() < 1e-12);
    }

    /// The interval of a normal sample is close to what theory says: 1.96 standard errors to each
    /// side.
    #[test]
    fn the_bootstrap_agrees_with_theory() {
        let mut random = Rng::with_seed(1);
        let mut unit = || random.f64();
        // The sum of twelve uniform numbers less six has mean 0 and variance 1.
        let samples: Vec<f64> =
            (0..400).map(|_| (0..12).map(|_| unit()).sum::<f64>() - 6.0).collect();
        let estimate = bootstrap(&samples, mean);
        let half = 1.96 * deviation(&samples) / 20.0;
        assert!((estimate.high - estimate.value - half).abs() < 0.1 * half, "{estimate:?} {half}");
        assert!((estimate.value - estimate.low - half).abs() < 0.1 * half, "{estimate:?} {half}");
        assert_eq!(estimate, bootstrap(&samples, mean), "the same every time");
    }

    /// 95 % intervals hold the truth in about 95 % of experiments.
    #[test]
    fn the_bootstrap_covers_the_truth() {
        let mut random = Rng::with_seed(3);
        let experiments = 400;
        let covered = (0..experiments)
            .filter(|_| {
                let mut unit = || random.f64();
                let samples: Vec<f64> = (0..40).map(|_| unit().ln()).collect();
                let estimate = bootstrap(&samples, mean);
                // The mean of the logarithm of a uniform number is −1.
                estimate.low <= -1.0 && -1.0 <= estimate.high
            })
            .count();
        let share = covered as f64 / f64::from(experiments);
        assert!((0.89..=0.98).contains(&share), "{share}");
    }

    #[test]
    fn dividing_turns_the_interval_round() {
        let overhead = Estimate { value: 2.0, low: 1.6, high: 2.5 };
        let speed = overhead.divide(8.0);
        assert_eq!((speed.value, speed.low, speed.high), (4.0, 3.2, 5.0));
    }
}
