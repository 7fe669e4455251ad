//! The positions of one training step, unpacked into the net's inputs.

use crate::sample::{PIECES, Sample, sigmoid};
use rayon::prelude::*;

/// The training target of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The share of the game's result in the target; the rest is the search's score...
    pub mix: f32,
    /// ... of which this share is the outlook: the scores of the moves that followed.
    pub outlook: f32,
    /// The score at which a side is expected to score 1/(1+1/e), about 73 %.
    pub scale: f32,
    /// The loss of a position is the error of the expected share to this power.
    pub exponent: f32,
}

impl Target {
    /// The least and the most that the mover is expected to score, from 0 to 1: the same for a
    /// position of a game, and one of them unbounded for most nodes of a search tree.
    pub fn of(&self, sample: &Sample) -> [f32; 2] {
        let score = sigmoid(f32::from(sample.score()) / self.scale);
        match sample.bound() {
            Some(0) => return [0.0, score],
            Some(1) => return [score; 2],
            Some(_) => return [score, 1.0],
            None => {}
        }
        let expected = score + self.outlook * (sample.outlook() - score);
        [self.mix * sample.result() + (1.0 - self.mix) * expected; 2]
    }
}

/// One position of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    inputs: [[u16; PIECES]; 2],
    count: u8,
    /// The output head.
    pub bucket: u8,
    /// The least and the most that the output's sigmoid should be.
    pub target: [f32; 2],
}

impl Entry {
    /// An entry to be overwritten.
    pub const EMPTY: Entry =
        Entry { inputs: [[0; PIECES]; 2], count: 0, bucket: 0, target: [0.0; 2] };

    /// The active inputs, in the mover's (0) or the other side's (1) view.
    #[inline]
    pub fn inputs(&self, side: usize) -> &[u16] {
        &self.inputs[side][..self.count as usize % (PIECES + 1)]
    }
}

/// Positions unpacked together by one thread.
const CHUNK: usize = 512;

/// Unpacks the samples chosen by `order` for a net with these king buckets.
pub fn unpack(
    batch: &mut Vec<Entry>,
    samples: &[Sample],
    order: &[u32],
    target: Target,
    king_buckets: &[u8; 64],
) {
    batch.resize(order.len(), Entry::EMPTY);
    batch.par_chunks_mut(CHUNK).zip(order.par_chunks(CHUNK)).for_each(|(entries, order)| {
        for (entry, &number) in entries.iter_mut().zip(order) {
            let sample = &samples[number as usize];
            entry.count = sample.inputs(&mut entry.inputs, king_buckets) as u8;
            entry.bucket = sample.bucket() as u8;
            entry.target = target.of(sample);
        }
    });
}
