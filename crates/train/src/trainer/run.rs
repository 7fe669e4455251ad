//! The loop around the steps: epochs, order, schedule, validation.

use super::{AdamW, Model, Moments, Schedule, Target, Trainer};
use crate::dataset::Dataset;
use megatherium_nnue::Architecture;
use megatherium_nnue::layout::INPUTS_PER_BUCKET;

/// Everything that decides what a run learns from a dataset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Neurons per side.
    pub hidden: u16,
    /// Whether the net has five king buckets instead of one.
    pub king_buckets: bool,
    /// Epochs: passes over the data.
    pub epochs: u32,
    /// Positions per step.
    pub batch: usize,
    /// Peak learning rate.
    pub rate: f32,
    /// Final learning rate.
    pub last_rate: f32,
    /// Warm-up steps until the peak rate.
    pub warmup: u64,
    /// Settings of the optimiser.
    pub adam: AdamW,
    /// The training target.
    pub target: Target,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
}

impl Settings {
    /// The shape of the net.
    pub fn architecture(&self) -> Architecture {
        let one = Architecture::one_bucket(self.hidden);
        if self.king_buckets { Architecture::five_buckets(self.hidden) } else { one }
    }

    /// About how many bytes a run on so many positions allocates beside them.
    pub fn memory(&self, positions: usize) -> usize {
        /// Exact, rounded, gradient and two moments; three of them in the state of an epoch, and
        /// again in the bytes of its checkpoint.
        const COPIES: usize = 11;
        /// The inputs and the output of a position, and its place in the order.
        const POSITION: usize = 512;
        let shape = self.architecture();
        let lines = shape.inputs() + INPUTS_PER_BUCKET + 64;
        let model = size_of::<f32>() * usize::from(self.hidden) * lines;
        let neurons = 2 * size_of::<f32>() * usize::from(self.hidden);
        COPIES * model + self.batch.min(positions) * (neurons + POSITION) + 8 * positions
    }
}

/// The state of a run between two epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Finished epochs.
    pub epoch: u32,
    /// The weights being trained.
    pub model: Model,
    /// The optimiser's memory.
    pub moments: Moments,
}

impl State {
    /// The state before the first epoch, with random weights.
    pub fn new(settings: &Settings) -> State {
        State::from_model(Model::random(settings.architecture(), settings.seed))
    }

    /// The state before the first epoch, with given weights.
    pub fn from_model(model: Model) -> State {
        let moments = Moments::new(model.architecture);
        State { epoch: 0, model, moments }
    }
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The current epoch, from 1.
    pub epoch: u32,
    /// Positions learnt from since the run began, over all epochs.
    pub positions: u64,
    /// The current learning rate.
    pub rate: f32,
    /// Mean loss over the positions since the last report.
    pub training_loss: f64,
    /// Mean loss over the held-out positions, at the end of an epoch.
    pub validation_loss: Option<f64>,
}

/// What a run reports.
pub enum Event<'a> {
    /// A step over this many positions is done.
    Step(u64),
    /// The losses since the last report.
    Report(Report),
    /// An epoch is complete.
    Epoch(&'a State),
}

/// Reports per epoch.
const REPORTS: usize = 20;

/// Steps in one epoch over `positions` positions. Positions that do not fill the last batch are
/// skipped, different ones each time: a step on a handful of positions would be mostly noise.
pub fn steps_per_epoch(positions: usize, batch: usize) -> usize {
    if positions < batch { positions.min(1) } else { positions / batch }
}

/// Trains from `state` to the last epoch. The callback sees everything, and stops the run by an
/// error.
pub fn run<E>(
    settings: &Settings,
    dataset: &Dataset,
    state: State,
    mut observe: impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<State, E> {
    let samples = &dataset.training;
    let steps = steps_per_epoch(samples.len(), settings.batch);
    let schedule = Schedule {
        peak: settings.rate,
        last: settings.last_rate,
        warmup: settings.warmup.min(steps as u64 * u64::from(settings.epochs) / 2),
        steps: steps as u64 * u64::from(settings.epochs),
    };
    let mut epoch = state.epoch;
    let mut trainer = Trainer::new(state.model, state.moments, settings.adam, settings.target);
    let mut order: Vec<u32> = Vec::new();
    while epoch < settings.epochs {
        // The order depends on the seed and the epoch alone, so a resumed run continues as if never
        // stopped.
        order.clear();
        order.extend(0..samples.len() as u32);
        super::stream(settings.seed, 1000 + u64::from(epoch)).shuffle(&mut order);
        let (mut loss, mut stretch) = (0.0, 0);
        let mut positions = u64::from(epoch) * (steps * settings.batch).min(samples.len()) as u64;
        for (number, order) in order.chunks(settings.batch).take(steps).enumerate() {
            let rate = schedule.rate(trainer.moments().steps);
            loss += trainer.step(samples, order, rate);
            stretch += 1;
            positions += order.len() as u64;
            observe(Event::Step(order.len() as u64))?;
            let last = number + 1 == steps;
            if last || (number + 1) * REPORTS / steps > number * REPORTS / steps {
                let validate = last && !dataset.validation.is_empty();
                observe(Event::Report(Report {
                    epoch: epoch + 1,
                    positions,
                    rate,
                    training_loss: loss / f64::from(stretch),
                    validation_loss: validate.then(|| trainer.loss(&dataset.validation)),
                }))?;
                (loss, stretch) = (0.0, 0);
            }
        }
        epoch += 1;
        observe(Event::Epoch(&trainer.state(epoch)))?;
    }
    Ok(trainer.state(epoch))
}
