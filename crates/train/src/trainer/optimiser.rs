//! `AdamW` and the learning-rate schedule.

use super::model::{CLIP, Lanes, Model, TILE, Tile};
use megatherium_nnue::Architecture;
use rayon::prelude::*;
use std::f32::consts::PI;

/// The constants of the optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamW {
    /// Decay of the running mean of the gradients (β₁).
    pub first_decay: f32,
    /// Decay of the running mean of their squares (β₂).
    pub second_decay: f32,
    /// Added to the denominator, so that no step divides by zero (ε).
    pub epsilon: f32,
    /// Weight decay: the share of a weight removed in a step, times the learning rate.
    pub weight_decay: f32,
}

impl Default for AdamW {
    fn default() -> AdamW {
        AdamW { first_decay: 0.9, second_decay: 0.999, epsilon: 1e-8, weight_decay: 0.01 }
    }
}

/// The moments: running means of the gradient and of its square for each weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Means of the gradients.
    pub first: Model,
    /// Means of their squares.
    pub second: Model,
    /// Number of steps done.
    pub steps: u64,
}

impl Moments {
    /// Moments before the first step.
    pub fn new(shape: Architecture) -> Moments {
        Moments { first: Model::zero(shape), second: Model::zero(shape), steps: 0 }
    }
}

/// What one step does to every weight.
#[derive(Clone, Copy)]
pub struct Step {
    adam: AdamW,
    rate: f32,
    /// Bias corrections: the means start at zero.
    first_correction: f32,
    second_correction: f32,
}

impl AdamW {
    /// The step numbered `number`, from 1.
    pub fn step(&self, number: u64, rate: f32) -> Step {
        let power = number.min(i32::MAX as u64) as i32;
        Step {
            adam: *self,
            rate,
            first_correction: 1.0 / (1.0 - self.first_decay.powi(power)),
            second_correction: 1.0 / (1.0 - self.second_decay.powi(power)),
        }
    }
}

impl Step {
    /// Moves the weights against the gradient, and clears the gradient for the next step.
    pub fn apply(&self, model: &mut Model, gradient: &mut Model, moments: &mut Moments) {
        let Moments { first, second, .. } = moments;
        let moments = first.tiles.par_iter_mut().zip(&mut second.tiles);
        let tiles = model.tiles.par_iter_mut().zip(&mut gradient.tiles).zip(moments);
        tiles.for_each(|((tile, gradient), (first, second))| {
            self.tile(tile, gradient, first, second);
        });
        self.biases(
            &mut model.output_bias,
            &mut gradient.output_bias,
            &mut first.output_bias,
            &mut second.output_bias,
        );
    }

    fn tile(&self, tile: &mut Tile, gradient: &mut Tile, first: &mut Tile, second: &mut Tile) {
        gradient.share_slopes();
        let rows = tile
            .lanes_mut()
            .zip(gradient.lanes_mut())
            .zip(first.lanes_mut())
            .zip(second.lanes_mut());
        for (((weights, gradient), first), second) in rows {
            self.lanes(weights, gradient, first, second);
        }
    }

    /// Moves the output biases, which belong to no tile.
    fn biases(
        &self,
        biases: &mut [f32],
        gradient: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        for (((weight, gradient), first), second) in
            biases.iter_mut().zip(gradient).zip(first).zip(second)
        {
            self.one(weight, gradient, first, second);
        }
    }

    #[inline]
    fn lanes(
        &self,
        weights: &mut Lanes,
        gradient: &mut Lanes,
        first: &mut Lanes,
        second: &mut Lanes,
    ) {
        for lane in 0..TILE {
            self.one(
                &mut weights.0[lane],
                &mut gradient.0[lane],
                &mut first.0[lane],
                &mut second.0[lane],
            );
        }
    }

    #[inline(always)]
    fn one(&self, weight: &mut f32, gradient: &mut f32, first: &mut f32, second: &mut f32) {
        let Step { adam, rate, first_correction, second_correction } = *self;
        *first += (1.0 - adam.first_decay) * (*gradient - *first);
        *second += (1.0 - adam.second_decay) * (*gradient * *gradient - *second);
        let mean = *first * first_correction;
        let size = (*second * second_correction).sqrt() + adam.epsilon;
        let moved = *weight - rate * (mean / size + adam.weight_decay * *weight);
        *weight = moved.clamp(-CLIP, CLIP);
        *gradient = 0.0;
    }
}

/// The learning-rate schedule: linear warm-up, then cosine decay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Peak rate.
    pub peak: f32,
    /// Final rate.
    pub last: f32,
    /// Warm-up steps.
    pub warmup: u64,
    /// Steps of the whole run.
    pub steps: u64,
}

impl Schedule {
    /// The rate of step `step`, from 0.
    pub fn rate(&self, step: u64) -> f32 {
        if step < self.warmup {
            return self.peak * (step + 1) as f32 / self.warmup as f32;
        }
        let length = self.steps.saturating_sub(self.warmup + 1).max(1);
        let done = (step - self.warmup).min(length) as f32 / length as f32;
        self.last + (self.peak - self.last) * 0.5 * (1.0 + (PI * done).cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let schedule = Schedule { peak: 1e-3, last: 1e-5, warmup: 10, steps: 110 };
        let rates: Vec<f32> = (0..110).map(|step| schedule.rate(step)).collect();
        assert!(rates[..10].is_sorted() && rates[10..].iter().rev().is_sorted());
        assert!((rates[9] - 1e-3).abs() < 1e-9);
        assert!((rates[109] - 1e-5).abs() < 1e-9);
        assert!((schedule.rate(500) - 1e-5).abs() < 1e-9);
        let constant = Schedule { peak: 0.5, last: 0.5, warmup: 0, steps: 1 };
        assert!((constant.rate(0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        // With the corrections the first step is the gradient's sign times the rate, whatever the
        // gradient's size.
        let adam = AdamW { weight_decay: 0.0, ..AdamW::default() };
        for gradient in [1e-4_f32, -3.0] {
            let (mut weight, mut slope, mut first, mut second) = ([0.5], [gradient], [0.0], [0.0]);
            adam.step(1, 0.01).biases(&mut weight, &mut slope, &mut first, &mut second);
            assert!((weight[0] - (0.5 - 0.01 * gradient.signum())).abs() < 1e-5, "{}", weight[0]);
            assert!(slope[0].abs() < f32::EPSILON);
        }
    }

    #[test]
    fn weights_decay_and_stay_within_bounds() {
        let adam = AdamW { weight_decay: 0.1, ..AdamW::default() };
        let (mut weight, mut slope, mut first, mut second) =
            ([1.0, 1.98], [0.0, -1.0], [0.0; 2], [0.0; 2]);
        adam.step(1, 0.5).biases(&mut weight, &mut slope, &mut first, &mut second);
        assert!((weight[0] - 0.95).abs() < 1e-6);
        assert!((weight[1] - CLIP).abs() < 1e-6);
    }
}
