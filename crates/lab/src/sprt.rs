//! The sequential probability ratio test over pairs of games.
//!
//! Two hypotheses: the first player is `elo0` stronger, or `elo1`. After every pair the generalised
//! log-likelihood ratio (LLR) compares how well each explains the five counts of pairs: for each
//! hypothesis the most likely distribution with that expected score is found first. Once the LLR
//! leaves its bounds the match ends, with at most 5 % wrong decisions either way.

use std::fmt;
use std::str::FromStr;

use crate::pentanomial::{Pentanomial, score_of};

/// Probability of a wrong decision, in either direction.
const ERROR: f64 = 0.05;

/// A test of `elo0` against `elo1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `elo1` is accepted.
    Passed,
    /// `elo0` is accepted.
    Failed,
}

impl FromStr for Sprt {
    type Err = String;

    /// Parses `ELO0,ELO1`.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let wrong = || format!("{text:?} is not of the form ELO0,ELO1, for example 0,10");
        let (elo0, elo1) = text.split_once(',').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let (elo0, elo1) = (number(elo0)?, number(elo1)?);
        if elo0 < elo1 && elo0 > -1000.0 && elo1 < 1000.0 {
            Ok(Sprt { elo0, elo1 })
        } else {
            Err(format!("{text:?}: ELO0 must be less than ELO1, and both within 1000"))
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.elo0, self.elo1)
    }
}

impl Sprt {
    /// The LLR at which `elo1` is accepted; `elo0` is at its negative.
    pub fn bound() -> f64 {
        ((1.0 - ERROR) / ERROR).ln()
    }

    /// The log-likelihood ratio of the results so far; 0 without results.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.count() == 0 {
            return 0.0;
        }
        // A count of zero says little after few pairs: it must not rule a score out.
        let counts = results.pairs.map(|count| (count as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        let likelihood = |elo: f64| -> f64 {
            let shares = counts.map(|count| count / total);
            let likely = most_likely(shares, score_of(elo));
            counts.iter().zip(likely).map(|(count, share)| count * share.ln()).sum()
        };
        likelihood(self.elo1) - likelihood(self.elo0)
    }

    /// The decision, once there is one.
    pub fn verdict(&self, results: &Pentanomial) -> Option<Verdict> {
        let llr = self.llr(results);
        if llr >= Sprt::bound() {
            Some(Verdict::Passed)
        } else {
            (llr <= -Sprt::bound()).then_some(Verdict::Failed)
        }
    }
}

/// The distribution over pair scores 0, ¼ … 1 with the given mean that makes the observed shares
/// most likely: each share divided by `1 + θ(score − mean)`, with θ chosen so that the mean is met.
fn most_likely(shares: [f64; 5], mean: f64) -> [f64; 5] {
    let offset = |index: usize| index as f64 / 4.0 - mean;
    let excess = |theta: f64| -> f64 {
        shares.iter().enumerate().map(|(i, p)| p * offset(i) / (1.0 + theta * offset(i))).sum()
    };
    // The excess falls with θ between the poles where a denominator becomes zero.
    let (mut low, mut high) = (-1.0 / offset(4), -1.0 / offset(0));
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = f64::midpoint(low, high);
    std::array::from_fn(|i| shares[i] / (1.0 + theta * offset(i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(text: &str) -> Sprt {
        text.parse().unwrap()
    }

    #[test]
    fn the_constrained_distribution_meets_its_mean() {
        let shares = [0.05, 0.2, 0.45, 0.22, 0.08];
        for mean in [0.3, 0.5, 0.51, 0.7] {
            let found = most_likely(shares, mean);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            let expected: f64 = found.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            assert!((expected - mean).abs() < 1e-9, "{expected} {mean}");
        }
    }

    /// For small differences the ratio agrees with the normal approximation
    /// `N (s1 − s0)(2x − s0 − s1) / 2σ²`.
    #[test]
    fn agrees_with_the_normal_approximation() {
        let results = Pentanomial { pairs: [154, 6440, 16053, 7148, 205] };
        let (s0, s1) = (score_of(0.0), score_of(2.0));
        let normal = results.count() as f64 * (s1 - s0) * (2.0 * results.score() - s0 - s1)
            / (2.0 * results.variance());
        let llr = sprt("0,2").llr(&results);
        assert!((llr / normal - 1.0).abs() < 0.01, "{llr} {normal}");
    }

    #[test]
    fn decisions_both_ways() {
        let test = sprt("0, 10");
        let strong = Pentanomial { pairs: [10, 60, 200, 110, 30] };
        let weak = Pentanomial { pairs: [30, 110, 200, 60, 10] };
        assert_eq!(test.verdict(&strong), Some(Verdict::Passed));
        assert_eq!(test.verdict(&weak), Some(Verdict::Failed));
        assert_eq!(test.verdict(&Pentanomial::default()), None);
        assert_eq!(test.verdict(&Pentanomial { pairs: [0, 0, 0, 0, 1] }), None);
        assert!((test.llr(&Pentanomial { pairs: [0, 1, 5, 1, 0] })).abs() < 0.2);
    }

    #[test]
    fn bounds_are_read() {
        assert_eq!(sprt("-5,0").to_string(), "[-5, 0]");
        for wrong in ["", "5", "a,b", "10,0", "0,nan", "0,5000"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
    }
}
