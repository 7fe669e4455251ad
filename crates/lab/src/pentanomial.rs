//! Results of games played in pairs: each opening twice, with colours reversed.
//!
//! The two games of a pair have the opening in common and are not independent; the pairs are. So
//! the pair is the sample, with five possible scores from 0 to 2 points, and the error margin
//! follows from the variance of those five.

use crate::stats::Estimate;

/// 95 % of a normal distribution lie within this many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

/// `800 / ln 10`: the slope of the logistic curve in Elo.
const ELO_PER_LOGIT: f64 = 347.435_585_522_601_6;

/// Number of pairs by score: 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Pairs by twice the points of the first player.
    pub pairs: [u64; 5],
}

impl Pentanomial {
    /// Counts pairs given by twice the points.
    pub fn of(pairs: impl IntoIterator<Item = usize>) -> Pentanomial {
        let mut counts = Pentanomial::default();
        for half_points in pairs {
            counts.pairs[half_points] += 1;
        }
        counts
    }

    /// Number of pairs played.
    pub fn count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Mean score of a pair, from 0 to 1.
    pub fn score(&self) -> f64 {
        self.mean_of(|score| score)
    }

    /// Variance of the score of a pair.
    pub fn variance(&self) -> f64 {
        let score = self.score();
        self.mean_of(|pair| (pair - score).powi(2))
    }

    fn mean_of(&self, function: impl Fn(f64) -> f64) -> f64 {
        let values = self.pairs.iter().enumerate();
        let sum: f64 =
            values.map(|(quarters, &count)| count as f64 * function(quarters as f64 / 4.0)).sum();
        sum / self.count().max(1) as f64
    }

    /// The difference in Elo, on the logistic scale.
    pub fn elo(&self) -> Estimate {
        if self.count() == 0 {
            return Estimate::exact(0.0);
        }
        let margin = Z * (self.variance() / self.count().max(1) as f64).sqrt();
        let score = self.score();
        // Clamped, so that a perfect score gives a finite number.
        let least = 0.25 / (self.count() as f64 + 1.0);
        let elo = |score: f64| elo_of(score.clamp(least, 1.0 - least));
        Estimate { value: elo(score), low: elo(score - margin), high: elo(score + margin) }
    }

    /// Whether two pairs differ: else nothing is known about the scatter, and there are neither
    /// intervals nor probabilities.
    pub fn has_interval(&self) -> bool {
        self.pairs.iter().filter(|&&count| count > 0).count() > 1
    }

    /// The difference in Elo in words; `None` without an interval.
    pub fn elo_text(&self) -> Option<String> {
        let elo = self.elo();
        let margin = (elo.high - elo.low) / 2.0;
        self.has_interval().then(|| format!("{:+.1} ± {margin:.1} Elo", elo.value))
    }

    /// Normalised Elo: the difference in units of the scatter of one game, which does not depend on
    /// how many draws the openings lead to.
    pub fn normalised_elo(&self) -> Estimate {
        let count = self.count().max(1) as f64;
        let per_game = (2.0 * self.variance()).sqrt().max(1e-6);
        let value = (self.score() - 0.5) / per_game * ELO_PER_LOGIT;
        let margin = Z * ELO_PER_LOGIT / (2.0 * count).sqrt();
        Estimate { value, low: value - margin, high: value + margin }
    }

    /// The probability that the first player is the stronger one, given these games.
    pub fn superiority(&self) -> f64 {
        let error = (self.variance() / self.count().max(1) as f64).sqrt().max(1e-9);
        normal_below((self.score() - 0.5) / error)
    }
}

/// Elo for an expected score between 0 and 1.
pub fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score for a difference in Elo.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The share of a standard normal distribution below `x`: the series of Abramowitz and Stegun
/// 26.2.17, good to 7 digits.
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let series = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * series;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A published test of Stockfish with its published result: 4.69 ± 1.39 Elo, 9.38 ± 2.78
    /// normalised.
    #[test]
    fn agrees_with_published_figures() {
        let result = Pentanomial { pairs: [154, 6440, 16053, 7148, 205] };
        let (elo, normalised) = (result.elo(), result.normalised_elo());
        assert!((elo.value - 4.69).abs() < 0.005, "{elo:?}");
        assert!(((elo.high - elo.low) / 2.0 - 1.39).abs() < 0.005, "{elo:?}");
        assert!((normalised.value - 9.38).abs() < 0.005, "{normalised:?}");
        assert!(((normalised.high - normalised.low) / 2.0 - 2.78).abs() < 0.005, "{normalised:?}");
        assert!(result.superiority() > 0.999);
    }

    #[test]
    fn equal_players_and_hopeless_ones() {
        let even = Pentanomial { pairs: [10, 20, 40, 20, 10] };
        assert!(even.elo().value.abs() < 1e-9 && (even.superiority() - 0.5).abs() < 1e-6);
        let lost = Pentanomial { pairs: [50, 0, 0, 0, 0] };
        assert!(lost.elo().value < -600.0 && lost.elo().low.is_finite());
        assert!(Pentanomial::default().elo().value.abs() < 1e-9, "no games, no difference");
    }

    #[test]
    fn equal_pairs_have_no_interval() {
        for none in [[0; 5], [0, 0, 1, 0, 0], [0, 0, 7, 0, 0]] {
            assert!(!Pentanomial { pairs: none }.has_interval(), "{none:?}");
        }
        assert!(Pentanomial { pairs: [0, 0, 1, 1, 0] }.has_interval());
    }

    #[test]
    fn pairs_are_counted_by_half_points() {
        assert_eq!(Pentanomial::of([4, 2, 2, 0, 3]).pairs, [1, 0, 2, 1, 1]);
    }

    #[test]
    fn the_logistic_scale() {
        assert!((elo_of(0.5)).abs() < 1e-12);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert!((elo_of(0.64) - 99.95).abs() < 0.1);
        assert!((score_of(elo_of(0.64)) - 0.64).abs() < 1e-12);
    }
}
