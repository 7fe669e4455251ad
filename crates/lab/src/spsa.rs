//! Tuning by games: simultaneous perturbation stochastic approximation (SPSA, Spall 1992).
//!
//! Each round moves all parameters at once, each by its own step in a random direction, and lets
//! the engine with these values play the one with the opposite values. The parameters move a little
//! in the better direction. Every game informs every parameter, so the number of games does not
//! grow with the number of parameters; but it informs little, so there must be many.

use fastrand::Rng;
use megatherium_search::Params;
use megatherium_search::params::{ParamError, Spec};

/// A parameter being tuned.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Its name, default and range.
    pub spec: Spec,
    /// Its current value; rounded when played.
    pub value: f64,
    /// How far it is moved to either side in the last round; earlier ones move it further.
    pub step: f64,
}

/// A run of the tuner.
#[derive(Clone, Debug)]
pub struct Spsa {
    /// The parameters being tuned.
    pub knobs: Vec<Knob>,
    base: Params,
    rounds: f64,
    done: f64,
    gain: f64,
    random: Rng,
}

/// What one round plays: the parameters moved one way and the other.
#[derive(Clone, Debug)]
pub struct Round {
    /// Moved one way.
    pub plus: Params,
    /// Moved the other way.
    pub minus: Params,
    directions: Vec<f64>,
    width: f64,
    gain: f64,
}

/// How the size of the steps falls with the rounds, as Spall recommends.
const WIDTH_EXPONENT: f64 = 0.101;
/// How the gain falls.
const GAIN_EXPONENT: f64 = 0.602;
/// Share of all rounds before the gain falls noticeably.
const STABILITY: f64 = 0.1;

impl Spsa {
    /// A run of `rounds` rounds over the named parameters, from their values in `base`. `gain` is
    /// the share of a step that a parameter moves in the last round for a pair of games won.
    pub fn new(
        names: &[String],
        base: Params,
        rounds: u64,
        gain: f64,
        seed: u64,
    ) -> Result<Spsa, ParamError> {
        let knobs = names.iter().map(|name| {
            let spec = *Params::spec(name)?;
            let value = f64::from(base.get(spec.name).unwrap_or(spec.default));
            // An eighth of the value is large enough to show in games and rarely ruins them.
            Ok(Knob { spec, value, step: (value.abs() / 8.0).max(0.6) })
        });
        let knobs = knobs.collect::<Result<_, ParamError>>()?;
        let (rounds, random) = (rounds.max(1) as f64, Rng::with_seed(seed));
        Ok(Spsa { knobs, base, rounds, done: 0.0, gain, random })
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
            self.knobs.iter().map(|_| if self.random.bool() { 1.0 } else { -1.0 }).collect();
        let width = (self.rounds / (self.done + 1.0)).powf(WIDTH_EXPONENT);
        let delay = STABILITY * self.rounds;
        let gain =
            self.gain * ((delay + self.rounds) / (delay + self.done + 1.0)).powf(GAIN_EXPONENT);
        let (plus, minus) =
            (self.moved(&directions, width), self.moved(&opposite(&directions), width));
        Round { plus, minus, directions, width, gain }
    }

    /// Updates the parameters from a round: pairs of games won by `plus`, less pairs won by
    /// `minus`.
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

    /// A player whose strength is a parabola in two parameters: on average over runs the tuner
    /// finds its summit, through noise.
    #[test]
    fn climbs_to_the_summit() {
        const RUNS: u64 = 4;
        let names = ["razor_base".to_owned(), "futility-slope".to_owned()];
        let strength = |params: &Params| {
            let (x, y) =
                (f64::from(params.razor_base - 260), f64::from(params.futility_slope - 70));
            -(x / 20.0).powi(2) - (y / 10.0).powi(2)
        };
        let mut found = [0; 2];
        for seed in 0..RUNS {
            let mut spsa = Spsa::new(&names, Params::default(), 20_000, 0.02, seed).unwrap();
            let mut noise = Rng::with_seed(seed + 100);
            for _ in 0..20_000 {
                let round = spsa.round();
                let difference = strength(&round.plus) - strength(&round.minus);
                let won = noise.f64() < 1.0 / (1.0 + (-difference / 20.0).exp());
                spsa.learn(&round, if won { 1.0 } else { -1.0 });
            }
            let params = spsa.params();
            found[0] += params.razor_base;
            found[1] += params.futility_slope;
        }
        let [base, slope] = found.map(|sum| sum / RUNS as i32);
        assert!((base - 260).abs() <= 12, "{base}");
        assert!((slope - 70).abs() <= 6, "{slope}");
    }

    #[test]
    fn values_stay_in_range_and_names_are_checked() {
        let mut spsa =
            Spsa::new(&["null_base".to_owned()], Params::default(), 10, 0.03, 1).unwrap();
        for _ in 0..10 {
            let round = spsa.round();
            spsa.learn(
                &round,
                if round.plus.null_base > round.minus.null_base { 1e6 } else { -1e6 },
            );
        }
        assert_eq!(spsa.params().null_base, 8);
        assert!(Spsa::new(&["nothing".to_owned()], Params::default(), 1, 0.03, 1).is_err());
    }
}
