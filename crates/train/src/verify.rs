//! Scores of nets on positions: the difference of two nets, the loss of one.

use crate::sample::{PIECES, Sample, sigmoid};
use crate::trainer::{Model, Target, Workspace, unpack};
use megatherium_nnue::Network;
use megatherium_nnue::layout::{KING_BUCKET_MAP, SCALE};
use rayon::prelude::*;

/// Positions evaluated together.
const BATCH: usize = 16_384;

/// The scores of a [merged](Model::merged) floating-point net in centipawns, from the mover's view.
pub fn model_scores(model: &Model, samples: &[Sample]) -> Vec<f64> {
    let target = Target { mix: 0.0, outlook: 0.0, scale: SCALE as f32, exponent: 2.0 };
    let order: Vec<u32> = (0..samples.len() as u32).collect();
    let (mut workspace, mut batch) = (Workspace::new(target.exponent), Vec::new());
    let mut scores = Vec::with_capacity(samples.len());
    for order in order.chunks(BATCH) {
        unpack(&mut batch, samples, order, target, &model.architecture.king_bucket_map);
        let outputs = workspace.outputs(model, &batch);
        scores.extend(outputs.into_iter().map(|output| f64::from(output) * f64::from(SCALE)));
    }
    scores
}

/// The scores of a quantised net in centipawns, from the mover's view.
pub fn network_scores(network: &Network, samples: &[Sample]) -> Vec<f64> {
    let score = |sample: &Sample| {
        let mut inputs = [[0; PIECES]; 2];
        let count = sample.inputs(&mut inputs, &KING_BUCKET_MAP);
        f64::from(network.evaluate_inputs(
            &inputs[0][..count],
            &inputs[1][..count],
            sample.bucket(),
        ))
    };
    samples.par_iter().map(score).collect()
}

/// The mean loss of scores, as the trainer counts it.
pub fn loss(scores: &[f64], samples: &[Sample], target: Target) -> f64 {
    let losses = scores.iter().zip(samples).map(|(&score, sample)| {
        let expected = f64::from(sigmoid((score / f64::from(SCALE)) as f32));
        let [least, most] = target.of(sample).map(f64::from);
        (expected - expected.clamp(least, most)).abs().powf(f64::from(target.exponent))
    });
    losses.sum::<f64>() / samples.len().max(1) as f64
}

/// The difference of two lists of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Number of positions compared.
    pub positions: usize,
    /// Mean absolute difference in centipawns.
    pub mean: f64,
    /// Median absolute difference.
    pub median: f64,
    /// 99th percentile of the absolute difference.
    pub percentile_99: f64,
    /// Largest absolute difference.
    pub max: f64,
    /// Index of the largest difference.
    pub max_at: usize,
    /// Pearson correlation.
    pub correlation: f64,
    /// The share of positions in which both favour the same side, draws counting for agreement.
    pub same_side: f64,
}

/// Compares two lists of scores of the same positions.
pub fn difference(first: &[f64], second: &[f64]) -> Difference {
    let positions = first.len().min(second.len());
    if positions == 0 {
        return Difference::default();
    }
    let (first, second) = (&first[..positions], &second[..positions]);
    let count = positions as f64;
    let sizes: Vec<f64> = first.iter().zip(second).map(|(a, b)| (a - b).abs()).collect();
    let max_at = (0..positions).max_by(|&a, &b| sizes[a].total_cmp(&sizes[b])).unwrap_or(0);
    let mut sorted = sizes.clone();
    sorted.sort_by(f64::total_cmp);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (first_mean, second_mean) = (mean(first), mean(second));
    let (mut covariance, mut first_variance, mut second_variance) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        covariance += (a - first_mean) * (b - second_mean);
        first_variance += (a - first_mean).powi(2);
        second_variance += (b - second_mean).powi(2);
    }
    let spread = (first_variance * second_variance).sqrt();
    let agreeing = first.iter().zip(second).filter(|(a, b)| **a * **b >= 0.0).count();
    Difference {
        positions,
        mean: mean(&sizes),
        median: sorted[positions / 2],
        percentile_99: sorted[(positions * 99 / 100).min(positions - 1)],
        max: sizes[max_at],
        max_at,
        correlation: if spread > 0.0 { covariance / spread } else { 1.0 },
        same_side: agreeing as f64 / count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use megatherium_board::Board;

    #[test]
    fn differences_are_counted() {
        let first: Vec<f64> = (0..100).map(f64::from).collect();
        let mut second: Vec<f64> = first.iter().map(|score| score + 2.0).collect();
        second[40] = -10.0;
        let found = difference(&first, &second);
        assert_eq!((found.positions, found.max_at), (100, 40));
        assert!((found.mean - (99.0 * 2.0 + 50.0) / 100.0).abs() < 1e-9);
        assert!((found.median - 2.0).abs() < 1e-9);
        assert!((found.max - 50.0).abs() < 1e-9);
        assert!((found.same_side - 0.99).abs() < 1e-9);
        assert!(found.correlation > 0.9 && found.correlation < 1.0);
        assert!((difference(&first, &first).correlation - 1.0).abs() < 1e-9);
        assert_eq!(difference(&[], &[]), Difference::default());
    }

    #[test]
    fn quantised_scores_follow_the_floating_ones() {
        // The constructed net is exact in both worlds but for the rounding of the last division.
        let network = megatherium_nnue::constructed::network();
        let model = Model::from_weights(&network.weights()).merged();
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1",
        ];
        let boards = fens.map(|fen| Board::from_fen(fen).unwrap());
        let samples = boards.map(|board| Sample::of_board(&board, 0, 1));
        let quantised = network_scores(&network, &samples);
        for (score, board) in quantised.iter().zip(&boards) {
            assert!((score - f64::from(network.evaluate(board))).abs() < 1e-9);
        }
        let found = difference(&model_scores(&model, &samples), &quantised);
        assert!(found.max < 1.5, "{found:?}");
    }
}
