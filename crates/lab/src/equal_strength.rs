//! How many times the nodes a single thread needs to be as strong as N threads: the equal-strength
//! factor k*.
//!
//! N threads with B nodes each play a single thread with k·B nodes, for several k. More nodes make
//! the single thread stronger by about the same Elo per doubling, so the Elo of the N threads falls
//! along a straight line over log₂ k. k* is where the line crosses zero.

use fastrand::Rng;

use crate::pentanomial::Pentanomial;
use crate::stats::quantile;

/// A match against one factor: the results of its pairs, by twice the points of the N threads.
#[derive(Clone, Debug)]
pub struct Match {
    /// Nodes of the single thread, in multiples of what each of the N threads gets.
    pub factor: f64,
    /// One entry per pair.
    pub pairs: Vec<usize>,
}

impl Match {
    /// The result so far.
    pub fn result(&self) -> Pentanomial {
        Pentanomial::of(self.pairs.iter().copied())
    }
}

/// Where the strengths are equal. An end of the interval that the games do not bound is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EqualStrength {
    /// The factor k*.
    pub factor: f64,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// What a doubling of the single thread's nodes costs the N threads, in Elo.
    pub elo_per_doubling: f64,
    /// Whether k* lies between the factors that were played; otherwise it is extrapolated.
    pub within_range: bool,
}

/// Resamples of the games.
const RESAMPLES: usize = 2000;

/// Finds k*; `None` if fewer than two factors were played, or if the results do not fall with the
/// factor.
pub fn equal_strength(matches: &[Match]) -> Option<EqualStrength> {
    let played: Vec<&Match> = matches.iter().filter(|games| !games.pairs.is_empty()).collect();
    let (zero, slope) = crossing(played.iter().map(|games| (games.factor, games.result())))?;
    let mut random = Rng::with_seed(played.len() as u64);
    let mut crossings: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = played.iter().map(|games| {
                let pairs =
                    (0..games.pairs.len()).map(|_| games.pairs[random.usize(..games.pairs.len())]);
                (games.factor, Pentanomial::of(pairs))
            });
            let drawn: Vec<_> = drawn.collect();
            let better = drawn.iter().map(|(_, result)| result.score() - 0.5).sum::<f64>() > 0.0;
            // A resample in which more nodes do not help says nothing about where, only on which
            // side.
            let unbounded = if better { f64::INFINITY } else { f64::NEG_INFINITY };
            crossing(drawn.into_iter()).map_or(unbounded, |(zero, _)| zero)
        })
        .collect();
    crossings.sort_by(f64::total_cmp);
    let end = |share: f64| {
        let place = quantile(&crossings, share);
        place.is_finite().then(|| place.exp2())
    };
    let factors = || played.iter().map(|games| games.factor);
    let factor = zero.exp2();
    Some(EqualStrength {
        factor,
        low: end(0.025),
        high: end(0.975),
        elo_per_doubling: -slope,
        within_range: factors().any(|played| played <= factor)
            && factors().any(|played| played >= factor),
    })
}

/// Where the weighted least-squares line through (log₂ k, Elo) crosses zero, and its slope.
fn crossing(matches: impl Iterator<Item = (f64, Pentanomial)>) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64, f64)> = matches
        .map(|(factor, result)| {
            let elo = result.elo();
            let error = ((elo.high - elo.low) / 4.0).max(1.0);
            (factor.log2(), elo.value, error.powi(-2))
        })
        .collect();
    let sum = |function: &dyn Fn(&(f64, f64, f64)) -> f64| points.iter().map(function).sum::<f64>();
    let weight = sum(&|point| point.2);
    let (x_mean, y_mean) =
        (sum(&|point| point.2 * point.0) / weight, sum(&|point| point.2 * point.1) / weight);
    let spread = sum(&|point| point.2 * (point.0 - x_mean).powi(2));
    let slope = sum(&|point| point.2 * (point.0 - x_mean) * (point.1 - y_mean)) / spread;
    (spread > 1e-9 && slope < 0.0).then(|| (x_mean - y_mean / slope, slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose scores give about the Elo of a line with the given zero, by drawing two games
    /// each.
    fn games(zero: f64, per_doubling: f64, factors: &[f64], count: usize) -> Vec<Match> {
        let mut random = Rng::with_seed(9);
        factors
            .iter()
            .map(|&factor| {
                let elo = -per_doubling * (factor / zero).log2();
                let expected = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
                let mut game = || {
                    let luck = random.f64();
                    // Half of the games are drawn where the players are equal.
                    let draws = expected.min(1.0 - expected);
                    if luck < expected - draws / 2.0 {
                        2
                    } else {
                        usize::from(luck < expected + draws / 2.0)
                    }
                };
                Match { factor, pairs: (0..count).map(|_| game() + game()).collect() }
            })
            .collect()
    }

    #[test]
    fn finds_the_factor_it_was_made_with() {
        for zero in [1.7, 3.0] {
            let found = equal_strength(&games(zero, 120.0, &[1.0, 2.0, 4.0], 1500)).unwrap();
            assert!((found.factor / zero).ln().abs() < 0.1, "{found:?}");
            assert!(found.low.unwrap() < zero && zero < found.high.unwrap(), "{found:?}");
            assert!(
                found.within_range && (found.elo_per_doubling - 120.0).abs() < 20.0,
                "{found:?}"
            );
        }
    }

    #[test]
    fn few_games_give_an_open_interval_rather_than_a_wrong_one() {
        let found = equal_strength(&games(6.0, 60.0, &[1.0, 1.5], 8));
        assert!(found.is_none_or(|found| found.high.is_none() || !found.within_range), "{found:?}");
        assert!(
            equal_strength(&games(2.0, 100.0, &[2.0], 100)).is_none(),
            "one factor makes no line"
        );
        assert!(equal_strength(&[]).is_none());
    }
}
