//! The loss of a batch and its gradient.
//!
//! A step has three stages, each parallel, each with a fixed order of additions:
//!
//! 1. every tile computes its neurons for all positions, and what they contribute to each output;
//! 2. the contributions are added up to outputs, and compared with the targets;
//! 3. every tile propagates the errors back to its own weights.

use super::batch::Entry;
use super::model::{Lanes, Model, TILE, Tile};
use crate::sample::sigmoid;
use megatherium_nnue::layout::OUTPUT_BUCKETS;
use rayon::prelude::*;

/// Smaller errors count as this one where a power could become infinite.
const SMALLEST_ERROR: f32 = 1e-12;

/// Positions per parallel piece of work in the first two stages.
const CHUNK: usize = 1024;

/// Buffers of a step, reused by the next.
pub struct Workspace {
    /// The loss of a position is its error to this power.
    exponent: f32,
    /// `[tile][position]`: the neurons before activation in both views, and their part of the
    /// output.
    tiles: Vec<Vec<Neurons>>,
    /// `[position]`.
    outputs: Vec<Output>,
}

/// A tile's neurons for one position.
#[derive(Clone, Copy)]
struct Neurons {
    sums: [Lanes; 2],
    part: f32,
}

/// The output for one position.
#[derive(Clone, Copy, Default)]
struct Output {
    /// The net's output: 1.0 is [`SCALE`](megatherium_nnue::layout::SCALE) centipawns.
    value: f32,
    /// The derivative of the batch's mean loss by the output.
    slope: f32,
    loss: f32,
}

impl Workspace {
    /// Buffers for batches of any size. The loss of a position is its error to the power of
    /// `exponent`.
    pub fn new(exponent: f32) -> Workspace {
        Workspace { exponent, tiles: Vec::new(), outputs: Vec::new() }
    }

    /// The mean loss over a batch.
    pub fn loss(&mut self, model: &Model, batch: &[Entry]) -> f64 {
        self.forward(model, batch);
        self.outputs.iter().map(|output| f64::from(output.loss)).sum::<f64>()
            / batch.len().max(1) as f64
    }

    /// The outputs of the net for a batch.
    pub fn outputs(&mut self, model: &Model, batch: &[Entry]) -> Vec<f32> {
        self.forward(model, batch);
        self.outputs.iter().map(|output| output.value).collect()
    }

    /// The mean loss over a batch; its gradient is added to `gradient`, but for the slopes of
    /// shared weights, which [`Tile::share_slopes`] makes.
    pub fn gradient(&mut self, model: &Model, batch: &[Entry], gradient: &mut Model) -> f64 {
        let loss = self.loss(model, batch);
        for (entry, output) in batch.iter().zip(&self.outputs) {
            gradient.output_bias[entry.bucket as usize % OUTPUT_BUCKETS] += output.slope;
        }
        let outputs = &self.outputs;
        let tiles = model.tiles.par_iter().zip(&mut gradient.tiles).zip(&self.tiles);
        tiles.for_each(|((tile, gradient), neurons)| {
            for ((entry, neurons), output) in batch.iter().zip(neurons).zip(outputs) {
                backward(tile, entry, neurons, output.slope, gradient);
            }
        });
        loss
    }

    fn forward(&mut self, model: &Model, batch: &[Entry]) {
        let empty = Neurons { sums: [Lanes::ZERO; 2], part: 0.0 };
        self.tiles.resize_with(model.tiles.len(), Vec::new);
        self.tiles.par_iter_mut().zip(&model.tiles).for_each(|(neurons, tile)| {
            neurons.resize(batch.len(), empty);
            neurons.par_chunks_mut(CHUNK).zip(batch.par_chunks(CHUNK)).for_each(
                |(neurons, batch)| {
                    for (neurons, entry) in neurons.iter_mut().zip(batch) {
                        forward(tile, entry, neurons);
                    }
                },
            );
        });
        self.outputs.resize(batch.len(), Output::default());
        let (tiles, exponent) = (&self.tiles, self.exponent);
        self.outputs.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, outputs)| {
            for (position, output) in (chunk * CHUNK..).zip(outputs) {
                let entry = &batch[position];
                let bias = model.output_bias[entry.bucket as usize % OUTPUT_BUCKETS];
                let value = tiles.iter().fold(bias, |sum, neurons| sum + neurons[position].part);
                let expected = sigmoid(value);
                let [least, most] = entry.target;
                let error = expected - expected.clamp(least, most);
                // With an exponent of 2 this factor is 1 exactly.
                let factor = error.abs().max(SMALLEST_ERROR).powf(exponent - 2.0);
                let slope = exponent * factor * error * expected * (1.0 - expected);
                *output = Output {
                    value,
                    slope: slope / batch.len() as f32,
                    loss: factor * error * error,
                };
            }
        });
    }
}

/// Computes a tile's neurons for one position.
#[inline]
fn forward(tile: &Tile, entry: &Entry, neurons: &mut Neurons) {
    let heads = &tile.output[entry.bucket as usize % OUTPUT_BUCKETS];
    let mut parts = Lanes::ZERO;
    for (side, head) in heads.iter().enumerate() {
        let mut sums = tile.input_bias;
        for &input in entry.inputs(side) {
            sums.add(&tile.input[input as usize]);
        }
        for (part, (&sum, &weight)) in parts.0.iter_mut().zip(sums.0.iter().zip(&head.0)) {
            let active = sum.clamp(0.0, 1.0);
            *part += active * active * weight;
        }
        neurons.sums[side] = sums;
    }
    neurons.part = parts.sum();
}

/// Adds the gradient of one position's loss to a tile's.
#[inline]
fn backward(tile: &Tile, entry: &Entry, neurons: &Neurons, slope: f32, gradient: &mut Tile) {
    let bucket = entry.bucket as usize % OUTPUT_BUCKETS;
    for (side, sums) in neurons.sums.iter().enumerate() {
        let weights = &tile.output[bucket][side];
        let weight_slopes = &mut gradient.output[bucket][side];
        let mut deltas = Lanes::ZERO;
        for lane in 0..TILE {
            let sum = sums.0[lane];
            let active = sum.clamp(0.0, 1.0);
            weight_slopes.0[lane] += slope * active * active;
            // The square's slope is 2·sum where the activation is not clipped, and zero elsewhere.
            let inside = if (0.0..=1.0).contains(&sum) { 2.0 * sum } else { 0.0 };
            deltas.0[lane] = slope * weights.0[lane] * inside;
        }
        gradient.input_bias.add(&deltas);
        for &input in entry.inputs(side) {
            gradient.input[input as usize].add(&deltas);
        }
    }
}
