//! The trainer: a sparse two-layer net, `AdamW`, and the loop around them.

mod batch;
mod checkpoint;
mod gradient;
mod model;
mod optimiser;
mod run;

pub use batch::{Entry, Target, unpack};
pub use checkpoint::{CheckpointError, LARGEST_FILE as LARGEST_CHECKPOINT};
pub use gradient::Workspace;
pub use model::{CLIP, Lanes, Model, TILE, Tile};
pub use optimiser::{AdamW, Moments, Schedule, Step};
pub use run::{Event, Report, Settings, State, run, steps_per_epoch};

use crate::sample::Sample;
use fastrand::Rng;
use megatherium_nnue::format::fnv1a;

/// The random numbers for one purpose out of several under the same seed.
fn stream(seed: u64, purpose: u64) -> Rng {
    Rng::with_seed(fnv1a([seed, purpose].into_iter().flat_map(u64::to_le_bytes)))
}

/// A net in training with all the memory a step needs.
///
/// The net is kept twice: the exact weights, which the optimiser moves by tiny steps, and the
/// weights rounded to what inference can hold, which are used to compute losses and gradients. So
/// the net learns to do well *after* rounding, and its losses are those of the net that will play.
/// The gradient at the rounded weights stands in for the gradient at the exact ones (the
/// "straight-through estimator").
pub struct Trainer {
    exact: Model,
    rounded: Model,
    moments: Moments,
    gradient: Model,
    workspace: Workspace,
    batch: Vec<Entry>,
    adam: AdamW,
    target: Target,
}

impl Trainer {
    /// Starts from a model and the optimiser's memory.
    pub fn new(model: Model, moments: Moments, adam: AdamW, target: Target) -> Trainer {
        Trainer {
            rounded: model.rounded(),
            gradient: Model::zero(model.architecture),
            exact: model,
            moments,
            workspace: Workspace::new(target.exponent),
            batch: Vec::new(),
            adam,
            target,
        }
    }

    /// Learns from the samples numbered in `order`, and returns their mean loss before the step.
    pub fn step(&mut self, samples: &[Sample], order: &[u32], rate: f32) -> f64 {
        self.unpack(samples, order);
        let loss = self.workspace.gradient(&self.rounded, &self.batch, &mut self.gradient);
        self.moments.steps += 1;
        let step = self.adam.step(self.moments.steps, rate);
        step.apply(&mut self.exact, &mut self.gradient, &mut self.moments);
        self.exact.round_into(&mut self.rounded);
        loss
    }

    /// The mean loss over samples, without learning from them.
    pub fn loss(&mut self, samples: &[Sample]) -> f64 {
        const BATCH: usize = 16_384;
        let order: Vec<u32> = (0..samples.len() as u32).collect();
        let mut sum = 0.0;
        for order in order.chunks(BATCH) {
            self.unpack(samples, order);
            sum += self.workspace.loss(&self.rounded, &self.batch) * order.len() as f64;
        }
        sum / samples.len().max(1) as f64
    }

    fn unpack(&mut self, samples: &[Sample], order: &[u32]) {
        let buckets = &self.exact.architecture.king_bucket_map;
        unpack(&mut self.batch, samples, order, self.target, buckets);
    }

    /// A copy of everything that a resumed run needs.
    pub fn state(&self, epoch: u32) -> State {
        State { epoch, model: self.exact.clone(), moments: self.moments.clone() }
    }

    /// The exact weights as they are now.
    pub fn model(&self) -> &Model {
        &self.exact
    }

    /// The optimiser's memory as it is now.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }
}
