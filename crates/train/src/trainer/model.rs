//! The net in floating point, cut into tiles.
//!
//! Training spends nearly all its time in the first layer: reading the rows of the active inputs
//! and adding gradients to them. For 512 neurons the weights and the gradients are 3 MB
//! together for each king bucket, too much for a core's second-level cache. So the neurons are
//! cut into tiles of [`TILE`], each with its own copy of everything that concerns them, laid out
//! together. A tile has 96 kB for each king bucket, and a whole batch passes over it while it stays
//! in cache.
//!
//! Tiles share nothing but the positions' outputs and errors, so they are also the unit of parallel
//! work: no two threads ever add to the same gradient, and the sums come out the same for any
//! number of threads.
//!
//! With king buckets, an input weight is the sum of a *shared* weight and the bucket's own: what
//! one bucket learns helps all others (a *factoriser*). Only the optimiser sees the two parts.
//! Losses and gradients are computed with their sum, and a net file holds nothing else.

use megatherium_nnue::layout::{INPUTS_PER_BUCKET, OUTPUT_BUCKETS, QA, QB};
use megatherium_nnue::{Architecture, WeightError, Weights};
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
    /// A value of all zeros.
    pub const ZERO: Lanes = Lanes([0.0; TILE]);

    /// Adds lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Lanes) {
        for (lane, &value) in self.0.iter_mut().zip(&other.0) {
            *lane += value;
        }
    }

    /// Subtracts lane by lane.
    #[inline]
    fn subtract(&mut self, other: &Lanes) {
        for (lane, &value) in self.0.iter_mut().zip(&other.0) {
            *lane -= value;
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

/// Everything that belongs to [`TILE`] neurons: their weights, or a gradient or moment for each
/// weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// `[input]` of any king bucket: the factoriser. Empty when there is only one bucket, and in a
    /// [merged](Model::merged) net.
    pub shared: Vec<Lanes>,
    /// `[input]`: with a factoriser the difference from the shared weights.
    pub input: Vec<Lanes>,
    /// Added before any input.
    pub input_bias: Lanes,
    /// `[bucket][mover, other]`.
    pub output: [[Lanes; 2]; OUTPUT_BUCKETS],
}

impl Tile {
    /// A value of all zeros.
    pub fn zero(shape: &Architecture) -> Tile {
        let factorised = shape.king_buckets > 1;
        Tile {
            shared: vec![Lanes::ZERO; if factorised { INPUTS_PER_BUCKET } else { 0 }],
            input: vec![Lanes::ZERO; shape.inputs()],
            input_bias: Lanes::ZERO,
            output: [[Lanes::ZERO; 2]; OUTPUT_BUCKETS],
        }
    }

    /// The weights of an input as inference has them.
    #[inline]
    fn merged(&self, input: usize) -> Lanes {
        let mut row = self.input[input];
        if let Some(shared) = self.shared.get(input % INPUTS_PER_BUCKET) {
            row.add(shared);
            row.0 = row.0.map(|weight| weight.clamp(-CLIP, CLIP));
        }
        row
    }

    /// In a gradient: makes the slopes of the shared weights, each the sum over all buckets.
    pub fn share_slopes(&mut self) {
        if self.shared.is_empty() {
            return;
        }
        self.shared.fill(Lanes::ZERO);
        for bucket in self.input.chunks_exact(INPUTS_PER_BUCKET) {
            for (sum, slope) in self.shared.iter_mut().zip(bucket) {
                sum.add(slope);
            }
        }
    }

    /// All numbers of the tile, in a fixed order.
    pub fn lanes(&self) -> impl Iterator<Item = &Lanes> {
        let inputs = self.shared.iter().chain(&self.input);
        inputs.chain([&self.input_bias]).chain(self.output.as_flattened())
    }

    /// All numbers of the tile, in the same order.
    pub fn lanes_mut(&mut self) -> impl Iterator<Item = &mut Lanes> {
        let inputs = self.shared.iter_mut().chain(&mut self.input);
        inputs.chain([&mut self.input_bias]).chain(self.output.as_flattened_mut())
    }
}

/// The weights of a net.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shape of the net.
    pub architecture: Architecture,
    /// The neurons, [`TILE`] at a time.
    pub tiles: Vec<Tile>,
    /// `[bucket]`.
    pub output_bias: [f32; OUTPUT_BUCKETS],
}

impl Model {
    /// A net of this shape, all zero. The width is a multiple of [`TILE`].
    pub fn zero(architecture: Architecture) -> Model {
        let tiles = vec![Tile::zero(&architecture); architecture.hidden as usize / TILE];
        Model { architecture, tiles, output_bias: [0.0; OUTPUT_BUCKETS] }
    }

    /// A net with small random weights.
    ///
    /// The smaller the first weights of the inputs, the better the net does on positions it has not
    /// seen: what no position has taught it stays small. The heads start out equal, and so do the
    /// king buckets.
    pub fn random(architecture: Architecture, seed: u64) -> Model {
        let mut random = super::stream(seed, 1);
        let mut model = Model::zero(architecture);
        let mut uniform = |lanes: &mut Lanes, limit: f32| {
            for value in &mut lanes.0 {
                *value = (2.0 * random.f32() - 1.0) * limit;
            }
        };
        let output_limit = 1.0 / (2.0 * model.hidden() as f32).sqrt();
        for tile in &mut model.tiles {
            let rows = if tile.shared.is_empty() { &mut tile.input } else { &mut tile.shared };
            for row in rows {
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

    /// The same net in a larger shape: nothing changes until the new weights have learnt something.
    /// New neurons have random inputs and zero output weights. A net with one king bucket becomes
    /// the factoriser. `None` when the shape is narrower or has other buckets.
    pub fn grown(mut self, shape: Architecture, seed: u64) -> Option<Model> {
        let same_buckets = shape.king_bucket_map == self.architecture.king_bucket_map;
        if shape.hidden < self.architecture.hidden
            || !(same_buckets || self.architecture.king_buckets == 1)
        {
            return None;
        }
        if !same_buckets {
            for tile in &mut self.tiles {
                let fresh = vec![Lanes::ZERO; shape.inputs()];
                tile.shared = std::mem::replace(&mut tile.input, fresh);
            }
        }
        let mut fresh = Model::random(shape, seed).tiles;
        for tile in &mut fresh {
            tile.output = [[Lanes::ZERO; 2]; OUTPUT_BUCKETS];
        }
        self.tiles.extend(fresh.into_iter().skip(self.tiles.len()));
        self.architecture = shape;
        Some(self)
    }

    /// Neurons per side.
    pub fn hidden(&self) -> usize {
        self.tiles.len() * TILE
    }

    /// The net without a factoriser: the shared weights are added to those of every bucket.
    #[must_use]
    pub fn merged(&self) -> Model {
        let merge = |tile: &Tile| Tile {
            shared: Vec::new(),
            input: (0..tile.input.len()).map(|input| tile.merged(input)).collect(),
            ..tile.clone()
        };
        Model { tiles: self.tiles.par_iter().map(merge).collect(), ..self.clone() }
    }

    /// Writes into `rounded`, a merged net, the weights rounded to what inference can hold.
    pub fn round_into(&self, rounded: &mut Model) {
        rounded.tiles.par_iter_mut().zip(&self.tiles).for_each(|(rounded, exact)| {
            for (input, rounded) in rounded.input.iter_mut().enumerate() {
                *rounded = exact.merged(input).rounded(QA);
            }
            rounded.input_bias = exact.input_bias.rounded(QA);
            let heads = rounded.output.as_flattened_mut().iter_mut();
            for (rounded, exact) in heads.zip(exact.output.as_flattened()) {
                *rounded = exact.rounded(QB);
            }
        });
        rounded.output_bias =
            self.output_bias.map(|bias| to_integer(bias, QA * QB) / (QA * QB) as f32);
    }

    /// The merged net rounded to what inference can hold.
    #[must_use]
    pub fn rounded(&self) -> Model {
        let mut rounded = self.merged();
        self.round_into(&mut rounded);
        rounded
    }

    /// The integers of inference. Fails when a weight is too large for them.
    pub fn quantise(&self) -> Result<Weights, WeightError> {
        let round = |value: f32, scale: i32| to_integer(value, scale) as i32;
        let row = |pick: &dyn Fn(&Tile) -> Lanes, scale: i32| -> Vec<i16> {
            self.tiles
                .iter()
                .flat_map(|tile| pick(tile).0)
                .map(|value| round(value, scale) as i16)
                .collect()
        };
        let weights = Weights {
            architecture: self.architecture,
            input: (0..self.architecture.inputs())
                .flat_map(|input| row(&|tile| tile.merged(input), QA))
                .collect(),
            input_bias: row(&|tile| tile.input_bias, QA),
            output: (0..2 * OUTPUT_BUCKETS)
                .flat_map(|at| row(&|tile| tile.output[at / 2][at % 2], QB))
                .collect(),
            output_bias: self.output_bias.iter().map(|&bias| round(bias, QA * QB)).collect(),
        };
        weights.check().map(|()| weights)
    }

    /// The net of inference in floating point: where training can continue. With king buckets,
    /// the mean over the buckets becomes the factoriser.
    pub fn from_weights(weights: &Weights) -> Model {
        let mut model = Model::zero(weights.architecture);
        let hidden = model.hidden();
        let buckets = f32::from(weights.architecture.king_buckets);
        let lanes = |values: &[i16], scale: i32| {
            let mut lanes = Lanes::ZERO;
            for (lane, &value) in lanes.0.iter_mut().zip(values) {
                *lane = f32::from(value) / scale as f32;
            }
            lanes
        };
        for (number, tile) in model.tiles.iter_mut().enumerate() {
            let at = number * TILE;
            for (row, values) in tile.input.iter_mut().zip(weights.input.chunks_exact(hidden)) {
                *row = lanes(&values[at..], QA);
            }
            tile.share_slopes();
            for shared in &mut tile.shared {
                shared.0 = shared.0.map(|sum| sum / buckets);
            }
            for (input, row) in tile.input.iter_mut().enumerate() {
                if let Some(shared) = tile.shared.get(input % INPUTS_PER_BUCKET) {
                    row.subtract(shared);
                }
            }
            tile.input_bias = lanes(&weights.input_bias[at..], QA);
            let heads = tile.output.as_flattened_mut().iter_mut();
            for (row, values) in heads.zip(weights.output.chunks_exact(hidden)) {
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
    use megatherium_nnue::HIDDEN;

    const SMALL: Architecture = Architecture::one_bucket(64);

    #[test]
    fn quantising_undoes_the_way_back() {
        let weights = megatherium_nnue::constructed::network().weights();
        let model = Model::from_weights(&weights);
        assert_eq!(model.hidden(), HIDDEN);
        assert_eq!(model.quantise().unwrap(), weights);
    }

    #[test]
    fn rounding_leaves_what_inference_holds() {
        for shape in [SMALL, Architecture::five_buckets(64)] {
            let mut model = Model::random(shape, 3);
            for (number, row) in model.tiles.iter_mut().flat_map(|tile| &mut tile.input).enumerate()
            {
                row.0[0] += 0.01 * (number % 5) as f32;
            }
            let rounded = model.rounded();
            assert_ne!(rounded, model);
            assert_eq!(rounded.rounded(), rounded);
            assert_eq!(rounded.quantise().unwrap(), model.quantise().unwrap());
            assert_eq!(Model::from_weights(&model.quantise().unwrap()).rounded(), rounded);
        }
    }

    #[test]
    fn shared_weights_are_added_to_every_bucket_and_stay_in_range() {
        let mut tile = Tile::zero(&Architecture::five_buckets(32));
        tile.shared[7].0[0] = 1.5;
        tile.input[INPUTS_PER_BUCKET + 7].0[0] = 0.25;
        tile.input[7].0[0] = 1.0;
        assert!((tile.merged(INPUTS_PER_BUCKET + 7).0[0] - 1.75).abs() < 1e-6);
        assert!((tile.merged(7).0[0] - CLIP).abs() < 1e-6);
        tile.share_slopes();
        assert!((tile.shared[7].0[0] - 1.25).abs() < 1e-6);
    }

    #[test]
    fn a_larger_net_says_the_same() {
        let board =
            megatherium_board::Board::from_fen("r3k2r/8/4n3/8/3P4/8/8/R3K2R w KQkq - 0 1").unwrap();
        let samples = [crate::sample::Sample::of_board(&board, 0, 1)];
        let mut small = Model::random(SMALL, 5);
        small.output_bias[1] = 0.25;
        let expected = crate::verify::model_scores(&small, &samples);
        let shapes = [Architecture::one_bucket(96), Architecture::five_buckets(96)];
        for shape in shapes {
            let large = small.clone().grown(shape, 7).unwrap();
            assert_eq!(large.hidden(), 96);
            assert_eq!(crate::verify::model_scores(&large.merged(), &samples), expected);
        }
        assert_eq!(small.grown(Architecture::one_bucket(32), 7), None);
    }

    #[test]
    fn random_models_follow_their_seed() {
        assert_eq!(Model::random(SMALL, 5), Model::random(SMALL, 5));
        assert_ne!(Model::random(SMALL, 5), Model::random(SMALL, 6));
    }
}
