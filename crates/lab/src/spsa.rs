//! Tuning by games: simultaneous perturbation stochastic approximation (SPSA, Spall 1992).
//!
//! Each round moves all parameters at once, each by its own step in a random direction, and lets the engine with these values play
//! the one with the opposite values. The better of the two directions is followed a little. Every game says something about every
//! parameter, so the number of games does not grow with the number of parameters; but it says little, so there must be many.

use megatherium_search::Params;
use megatherium_search::params::{ParamError, Spec};
use megatherium_search::random::Random;

/// A parameter under way.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Which parameter.
    pub spec: Spec,
    /// Where it is now; whole numbers are played.
    pub value: f64,
    /// How far it is moved to either side in the last round; earlier ones move it further.
    pub step: f64,
}

/// A run of the tuner.
#[derive(Clone, Debug)]
pub struct Spsa {
    /// The parameters.
    pub knobs: Vec<Knob>,
    base: Params,
    rounds: f64,
    done: f64,
    random: Random,
}

/// What one round plays: the parameters moved one way and the other.
#[derive(Clone, Debug)]
pub struct Round {
    /// One way.
    pub plus: Params,
    /// The other.
    pub minus: Params,
    directions: Vec<f64>,
    width: f64,
    gain: f64,
}

/// How the size of the steps falls with the rounds, as Spall recommends.
const WIDTH_EXPONENT: f64 = 0.101;
/// How the size of what is learnt falls.
const GAIN_EXPONENT: f64 = 0.602;
/// Rounds, as a share of all, before the gain begins to fall in earnest.
const STABILITY: f64 = 0.1;
/// In the last round, the share of a step that a parameter moves for a pair of games won outright.
const LAST_GAIN: f64 = 0.03;

impl Spsa {
    /// A run of `rounds` rounds over the named parameters, from their values in `base`.
    pub fn new(names: &[String], base: Params, rounds: u64, seed: u64) -> Result<Spsa, ParamError> {
        let knobs = names.iter().map(|name| {
            let spec = *Params::spec(name)?;
            let value = f64::from(base.get(spec.name).unwrap_or(spec.default));
            // An eighth of the value can be felt in games and rarely ruins them.
            Ok(Knob { spec, value, step: (value.abs() / 8.0).max(0.6) })
        });
        let knobs = knobs.collect::<Result<_, ParamError>>()?;
        Ok(Spsa { knobs, base, rounds: rounds.max(1) as f64, done: 0.0, random: Random::new(seed) })
    }

    /// The parameters as they are now.
    pub fn params(&self) -> Params {
        self.moved(&vec![0.0; self.knobs.len()], 0.0)
    }

    fn moved(&self, directions: &[f64], width: f64) -> Params {
        let mut params = self.base;
        for (knob, direction) in self.knobs.iter().zip(directions) {
            let value = (knob.value + direction * width * knob.step).round() as i32;
            let value = value.clamp(knob.spec.min, knob.spec.max);
            params.set(knob.spec.name, value).expect("the value is within its range");
        }
        params
    }

    /// What to play next.
    pub fn round(&mut self) -> Round {
        let directions: Vec<f64> =
            self.knobs.iter().map(|_| if self.random.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        let width = (self.rounds / (self.done + 1.0)).powf(WIDTH_EXPONENT);
        let delay = STABILITY * self.rounds;
        let gain = LAST_GAIN * ((delay + self.rounds) / (delay + self.done + 1.0)).powf(GAIN_EXPONENT);
        let (plus, minus) = (self.moved(&directions, width), self.moved(&opposite(&directions), width));
        Round { plus, minus, directions, width, gain }
    }

    /// Learns how the round went: pairs of games won by `plus`, less pairs won by `minus`.
    pub fn learn(&mut self, round: &Round, difference: f64) {
        self.done += 1.0;
        for (knob, direction) in self.knobs.iter_mut().zip(&round.directions) {
            knob.value += round.gain * difference * direction * knob.step / round.width;
            knob.value = knob.value.clamp(f64::from(knob.spec.min), f64::from(knob.spec.max));
        }
    }
}

fn opposite(directions: &[f64]) -> Vec<f64> {
    directions.iter().map(|direction| -direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A player whose strength is a parabola in two parameters finds its summit, through noise.
    #[test]
    fn climbs_to_the_summit() {
        let names = ["razor_base".to_owned(), "futility-slope".to_owned()];
        let mut spsa = Spsa::new(&names, Params::default(), 20_000, 3).unwrap();
        let strength = |params: &Params| {
            let (x, y) = (f64::from(params.razor_base - 260), f64::from(params.futility_slope - 70));
            -(x / 20.0).powi(2) - (y / 10.0).powi(2)
        };
        let mut noise = Random::new(9);
        for _ in 0..20_000 {
            let round = spsa.round();
            let chance = 1.0 / (1.0 + (-(strength(&round.plus) - strength(&round.minus)) / 20.0).exp());
            let won = (noise.below(1_000_000) as f64) < chance * 1e6;
            spsa.learn(&round, if won { 1.0 } else { -1.0 });
        }
        let params = spsa.params();
        assert!((params.razor_base - 260).abs() <= 12, "{}", params.razor_base);
        assert!((params.futility_slope - 70).abs() <= 6, "{}", params.futility_slope);
    }

    #[test]
    fn values_stay_in_range_and_names_are_checked() {
        let mut spsa = Spsa::new(&["null_base".to_owned()], Params::default(), 10, 1).unwrap();
        for _ in 0..10 {
            let round = spsa.round();
            spsa.learn(&round, if round.plus.null_base > round.minus.null_base { 1e6 } else { -1e6 });
        }
        assert_eq!(spsa.params().null_base, 8);
        assert!(Spsa::new(&["nothing".to_owned()], Params::default(), 1, 1).is_err());
    }
}
