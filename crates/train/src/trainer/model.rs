//! The net in floating point, cut into tiles.
//!
//! Nearly all the time of training goes into the first layer: reading the rows of the inputs that are on, and adding
//! gradients to them. For 256 neurons the weights and the gradients are 1.5 MB together, too much for a core's
//! second-level cache. So the neurons are dealt into tiles of [`TILE`], each with its own copy of everything that
//! concerns them, laid out together. A tile is 96 kB, and a whole batch passes over it while it stays in cache.
//!
//! Tiles share nothing but the positions' outputs and errors, so they are also the unit of parallel work: no two
//! threads ever add to the same gradient, and the sums come out the same for any number of threads.

use crate::random::Random;
use megatherium_nnue::layout::{INPUTS, OUTPUT_BUCKETS, QA, QB};
use megatherium_nnue::{HIDDEN, WeightError, Weights};
use rayon::prelude::*;

/// Neurons of a tile: four vector registers of 256 bits.
pub const TILE: usize = 32;

/// Weights are kept within ± this, so that they can be quantised: 1.98 · 64 is just below 127.
pub const CLIP: f32 = 1.98;

/// The first weights of the inputs lie within ± this.
const INPUT_START: f32 = 0.02;

/// A number for each neuron of a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Lanes(pub [f32; TILE]);

impl Lanes {
    /// All zero.
    pub const ZERO: Lanes = Lanes([0.0; TILE]);

    /// Adds lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Lanes) {
        for (lane, &value) in self.0.iter_mut().zip(&other.0) {
            *lane += value;
        }
    }

    /// Each lane rounded to a whole multiple of 1/`scale`.
    #[inline]
    fn rounded(&self, scale: i32) -> Lanes {
        Lanes(self.0.map(|value| to_integer(value, scale) / scale as f32))
    }

    /// The sum of all lanes, by halves: the order in which vectors are added up.
    #[inline]
    pub fn sum(mut self) -> f32 {
        let mut width = TILE;
        while width > 1 {
            width /= 2;
            for lane in 0..width {
                self.0[lane] += self.0[lane + width];
            }
        }
        self.0[0]
    }
}

/// A weight as a whole number of steps of 1/`scale`, still in floating point.
#[inline]
fn to_integer(weight: f32, scale: i32) -> f32 {
    (weight * scale as f32).round_ties_even()
}

/// Everything that belongs to [`TILE`] neurons: their weights, or a gradient or moment for each weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// `[input]`.
    pub input: Vec<Lanes>,
    /// Added before any input.
    pub input_bias: Lanes,
    /// `[bucket][mover, other]`.
    pub output: [[Lanes; 2]; OUTPUT_BUCKETS],
}

impl Tile {
    /// All zero.
    pub fn zero() -> Tile {
        Tile {
            input: vec![Lanes::ZERO; INPUTS],
            input_bias: Lanes::ZERO,
            output: [[Lanes::ZERO; 2]; OUTPUT_BUCKETS],
        }
    }

    /// All numbers of the tile, in a fixed order.
    pub fn lanes(&self) -> impl Iterator<Item = &Lanes> {
        self.input.iter().chain([&self.input_bias]).chain(self.output.as_flattened())
    }

    /// All numbers of the tile, in the same order.
    pub fn lanes_mut(&mut self) -> impl Iterator<Item = &mut Lanes> {
        self.input.iter_mut().chain([&mut self.input_bias]).chain(self.output.as_flattened_mut())
    }
}

/// The weights of a net.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The neurons, [`TILE`] at a time.
    pub tiles: Vec<Tile>,
    /// `[bucket]`.
    pub output_bias: [f32; OUTPUT_BUCKETS],
}

impl Model {
    /// A net of `hidden` neurons per side, all zero; `hidden` is rounded up to whole tiles.
    pub fn zero(hidden: usize) -> Model {
        Model { tiles: vec![Tile::zero(); hidden.div_ceil(TILE)], output_bias: [0.0; OUTPUT_BUCKETS] }
    }

    /// A net with small random weights.
    ///
    /// The smaller the first weights of the inputs, the better the net does on positions it has not seen: what no
    /// position has taught it stays small. The heads start out equal.
    pub fn random(hidden: usize, seed: u64) -> Model {
        let mut random = Random::stream(seed, 1);
        let mut model = Model::zero(hidden);
        let mut uniform = |lanes: &mut Lanes, limit: f32| {
            for value in &mut lanes.0 {
                *value = (2.0 * random.unit() - 1.0) * limit;
            }
        };
        let output_limit = 1.0 / (2.0 * model.hidden() as f32).sqrt();
        for tile in &mut model.tiles {
            for row in &mut tile.input {
                uniform(row, INPUT_START);
            }
            uniform(&mut tile.input_bias, INPUT_START);
            let mut head = [Lanes::ZERO; 2];
            for lanes in &mut head {
                uniform(lanes, output_limit);
            }
            tile.output = [head; OUTPUT_BUCKETS];
        }
        model
    }

    /// The same net with more neurons. The new ones see what they see at random and have no say yet, so nothing changes until
    /// they have learnt something.
    #[must_use]
    pub fn widened(mut self, hidden: usize, seed: u64) -> Model {
        let mut fresh = Model::random(hidden, seed).tiles;
        for tile in &mut fresh {
            tile.output = [[Lanes::ZERO; 2]; OUTPUT_BUCKETS];
        }
        self.tiles.extend(fresh.into_iter().skip(self.tiles.len()));
        self
    }

    /// Neurons per side.
    pub fn hidden(&self) -> usize {
        self.tiles.len() * TILE
    }

    /// Writes the weights into `rounded`, rounded to what inference can hold.
    pub fn round_into(&self, rounded: &mut Model) {
        rounded.tiles.par_iter_mut().zip(&self.tiles).for_each(|(rounded, exact)| {
            for (rounded, exact) in rounded.input.iter_mut().zip(&exact.input) {
                *rounded = exact.rounded(QA);
            }
            rounded.input_bias = exact.input_bias.rounded(QA);
            let heads = rounded.output.as_flattened_mut().iter_mut();
            for (rounded, exact) in heads.zip(exact.output.as_flattened()) {
                *rounded = exact.rounded(QB);
            }
        });
        rounded.output_bias = self.output_bias.map(|bias| to_integer(bias, QA * QB) / (QA * QB) as f32);
    }

    /// The weights rounded to what inference can hold.
    #[must_use]
    pub fn rounded(&self) -> Model {
        let mut rounded = self.clone();
        self.round_into(&mut rounded);
        rounded
    }

    /// The integers of inference. Fails when the width is not that of this build.
    pub fn quantise(&self) -> Result<Weights, WeightError> {
        let round = |value: f32, scale: i32| to_integer(value, scale) as i32;
        let rows = |pick: &dyn Fn(&Tile) -> Lanes, scale: i32| -> Vec<i16> {
            self.tiles.iter().flat_map(|tile| pick(tile).0).map(|value| round(value, scale) as i16).collect()
        };
        let weights = Weights {
            input: (0..INPUTS).flat_map(|input| rows(&|tile| tile.input[input], QA)).collect(),
            input_bias: rows(&|tile| tile.input_bias, QA),
            output: (0..2 * OUTPUT_BUCKETS)
                .flat_map(|row| rows(&|tile| tile.output[row / 2][row % 2], QB))
                .collect(),
            output_bias: self.output_bias.iter().map(|&bias| round(bias, QA * QB)).collect(),
        };
        weights.check().map(|()| weights)
    }

    /// The net of inference in floating point: where training can go on from.
    pub fn from_weights(weights: &Weights) -> Model {
        let mut model = Model::zero(HIDDEN);
        let lanes = |values: &[i16], scale: i32| {
            let mut lanes = Lanes::ZERO;
            for (lane, &value) in lanes.0.iter_mut().zip(values) {
                *lane = f32::from(value) / scale as f32;
            }
            lanes
        };
        for (number, tile) in model.tiles.iter_mut().enumerate() {
            let at = number * TILE;
            for (row, values) in tile.input.iter_mut().zip(weights.input.chunks_exact(HIDDEN)) {
                *row = lanes(&values[at..], QA);
            }
            tile.input_bias = lanes(&weights.input_bias[at..], QA);
            let heads = tile.output.as_flattened_mut().iter_mut();
            for (row, values) in heads.zip(weights.output.chunks_exact(HIDDEN)) {
                *row = lanes(&values[at..], QB);
            }
        }
        for (bias, &value) in model.output_bias.iter_mut().zip(&weights.output_bias) {
            *bias = value as f32 / (QA * QB) as f32;
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantising_undoes_the_way_back() {
        let weights = megatherium_nnue::constructed::network().weights();
        let model = Model::from_weights(&weights);
        assert_eq!(model.hidden(), HIDDEN);
        assert_eq!(model.quantise().unwrap(), weights);
    }

    #[test]
    fn rounding_leaves_what_inference_holds() {
        let model = Model::random(HIDDEN, 3);
        let rounded = model.rounded();
        assert_ne!(rounded, model);
        assert_eq!(rounded.rounded(), rounded);
        assert_eq!(rounded.quantise().unwrap(), model.quantise().unwrap());
        assert_eq!(Model::from_weights(&model.quantise().unwrap()), rounded);
    }

    #[test]
    fn another_width_cannot_be_quantised() {
        let error = Model::random(HIDDEN + TILE, 1).quantise().unwrap_err();
        assert!(matches!(error, WeightError::Count { .. }), "{error}");
    }

    #[test]
    fn a_wider_net_says_the_same() {
        let narrow = Model::from_weights(&megatherium_nnue::constructed::network().weights());
        let wide = narrow.clone().widened(HIDDEN + TILE, 7);
        assert_eq!((wide.hidden(), &wide.tiles[..narrow.tiles.len()]), (HIDDEN + TILE, &narrow.tiles[..]));
        let board = megatherium_board::Board::from_fen("r3k2r/8/4n3/8/3P4/8/8/R3K2R w KQkq - 0 1").unwrap();
        let samples = [crate::sample::Sample::of_board(&board, 0, 1)];
        assert_eq!(
            crate::verify::model_scores(&narrow, &samples),
            crate::verify::model_scores(&wide, &samples)
        );
    }

    #[test]
    fn random_models_follow_their_seed() {
        assert_eq!(Model::random(64, 5), Model::random(64, 5));
        assert_ne!(Model::random(64, 5), Model::random(64, 6));
    }
}
