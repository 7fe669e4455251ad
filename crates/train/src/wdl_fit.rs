//! Fits the win/draw/loss model to the results of games.
//!
//! Positions are counted by score and material. The fit maximises the likelihood by coordinate
//! search with shrinking steps: with four parameters and a smooth function nothing finer is needed.

use crate::data::{DataError, Filter, Position, Reader, Watch, tell};
use megatherium_search::wdl::{Model, material};
use std::path::Path;

/// Larger scores are clamped to this.
const LARGEST: i32 = 1200;
/// Centipawns per bin.
const GRAIN: i32 = 10;
const SCORES: usize = (2 * LARGEST / GRAIN + 1) as usize;
/// Bins of material; promotions can bring more than the initial material.
const MATERIALS: usize = 28;

/// Results by score and material, from the mover's view.
pub struct Tally {
    /// Lost, drawn, won.
    counts: Vec<[u64; 3]>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { counts: vec![[0; 3]; SCORES * MATERIALS] }
    }
}

impl Tally {
    /// Counts a position with its score and its result, which is 0 for a loss, 1 for a draw and 2
    /// for a win.
    pub fn count(&mut self, score: i32, material: f64, doubled_result: u8) {
        let score = score.clamp(-LARGEST, LARGEST);
        let column = ((score + LARGEST + GRAIN / 2) / GRAIN) as usize;
        let row = ((material * (MATERIALS - 2) as f64).round() as usize).min(MATERIALS - 1);
        self.counts[row * SCORES + column][usize::from(doubled_result.min(2))] += 1;
    }

    /// Counts the positions of a data file that a filter keeps.
    pub fn read(
        &mut self,
        path: &Path,
        filter: &Filter,
        watch: Watch<'_>,
    ) -> Result<(), DataError> {
        let mut games = 0;
        for game in Reader::open(path)? {
            tell(watch, &mut games)?;
            let suited = |position: &Position| !position.tree && filter.keeps(position);
            for position in game?.replay().filter(suited) {
                self.count(
                    i32::from(position.score),
                    material(&position.board),
                    position.doubled_result,
                );
            }
        }
        Ok(())
    }

    /// Positions counted.
    pub fn positions(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Every tally that is not empty, with its score and material.
    fn cells(&self) -> impl Iterator<Item = (f64, f64, [u64; 3])> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, counts)| counts.iter().any(|&count| count > 0))
            .map(|(index, &counts)| {
                let score = (index % SCORES) as i32 * GRAIN - LARGEST;
                (f64::from(score), (index / SCORES) as f64 / (MATERIALS - 2) as f64, counts)
            })
    }

    /// Mean negative log-likelihood of a result, in nats.
    pub fn surprise(&self, model: &Model) -> f64 {
        let mut sum = 0.0;
        for (score, material, [lost, drawn, won]) in self.cells() {
            let (win, loss) = (model.win(score, material), model.win(-score, material));
            let draw = 1.0 - win - loss;
            let nats = |probability: f64| -probability.max(1e-6).ln();
            sum += lost as f64 * nats(loss) + drawn as f64 * nats(draw) + won as f64 * nats(win);
        }
        sum / self.positions().max(1) as f64
    }

    /// The most likely parameters, starting from `model`.
    pub fn fit(&self, model: Model) -> Model {
        let mut best = [model.threshold[0], model.threshold[1], model.spread[0], model.spread[1]];
        let made = |values: [f64; 4]| Model {
            threshold: [values[0], values[1]],
            spread: [values[2], values[3]],
        };
        let mut least = self.surprise(&made(best));
        let mut step = 32.0;
        while step > 0.1 {
            let mut helped = false;
            for parameter in 0..4 {
                for change in [step, -step] {
                    let mut tried = best;
                    tried[parameter] += change;
                    let surprise = self.surprise(&made(tried));
                    if surprise < least {
                        (best, least, helped) = (tried, surprise, true);
                    }
                }
            }
            if !helped {
                step /= 2.0;
            }
        }
        made(best)
    }

    /// Won, drawn and lost shares in a band of scores, as they were and as the model says.
    pub fn compare(&self, model: &Model, from: i32, to: i32) -> ([f64; 3], [f64; 3]) {
        let (mut seen, mut said, mut total) = ([0.0; 3], [0.0; 3], 0.0);
        let band =
            self.cells().filter(|&(score, ..)| (f64::from(from)..f64::from(to)).contains(&score));
        for (score, material, [lost, drawn, won]) in band {
            let count = (lost + drawn + won) as f64;
            let (win, loss) = (model.win(score, material), model.win(-score, material));
            for (sum, share) in said.iter_mut().zip([win, 1.0 - win - loss, loss]) {
                *sum += count * share;
            }
            for (sum, seen) in seen.iter_mut().zip([won, drawn, lost]) {
                *sum += seen as f64;
            }
            total += count;
        }
        let share = |sums: [f64; 3]| sums.map(|sum| sum / f64::max(total, 1.0));
        (share(seen), share(said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Results drawn from a known model lead back to it.
    #[test]
    fn finds_the_model_behind_the_results() {
        let truth = Model { threshold: [150.0, 60.0], spread: [60.0, 30.0] };
        let mut random = Rng::with_seed(5);
        let mut tally = Tally::default();
        for _ in 0..400_000 {
            let score = random.usize(..1001) as i32 - 500;
            let material = random.usize(..27) as f64 / 26.0;
            let luck = random.usize(..1_000_000) as f64 / 1e6;
            // Tallied scores are rounded to tens, so draw from the rounded one.
            let rounded = f64::from((score + LARGEST + GRAIN / 2) / GRAIN * GRAIN - LARGEST);
            let (win, loss) = (truth.win(rounded, material), truth.win(-rounded, material));
            tally.count(
                score,
                material,
                if luck < loss {
                    0
                } else if luck < 1.0 - win {
                    1
                } else {
                    2
                },
            );
        }
        let found = tally.fit(Model { threshold: [300.0, 0.0], spread: [100.0, 0.0] });
        let close = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 4.0);
        assert!(
            close(found.threshold, truth.threshold) && close(found.spread, truth.spread),
            "{found:?}"
        );
        let (seen, said) = tally.compare(&found, -50, 50);
        assert!(
            seen.iter().zip(said).all(|(seen, said)| (seen - said).abs() < 0.01),
            "{seen:?} {said:?}"
        );
    }
}
