//! The weights, and the arithmetic from a filled accumulator to a score.

use crate::format::Architecture;
use crate::layout::{
    HIDDEN, INPUTS_PER_BUCKET, OUTPUT_BUCKETS, QA, QB, SCALE, View, output_bucket,
};
use crate::simd::{Row, Simd};
use megatherium_board::{Board, Color, Piece, Square};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The net every build carries.
static EMBEDDED: &[u8] = include_bytes!("../net/megatherium.nnue");

/// Evaluations stay within ± this, far from the scores that mean mate.
pub const EVAL_LIMIT: i32 = 20_000;

/// The sum of the first layer for one side's view: its neurons before the activation.
pub(crate) type Accumulator = Row<HIDDEN>;

/// The weights of a net as plain integers, in the order of the file.
///
/// This is how the trainer and the constructor hand over what they made; [`Network::new`] checks
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The shape of the net.
    pub architecture: Architecture,
    /// `[input][neuron]`, scaled by [`QA`].
    pub input: Vec<i16>,
    /// `[neuron]`, scaled by [`QA`].
    pub input_bias: Vec<i16>,
    /// `[bucket][side to move, other side][neuron]`, scaled by [`QB`].
    pub output: Vec<i16>,
    /// `[bucket]`, scaled by [`QA`] · [`QB`].
    pub output_bias: Vec<i32>,
}

/// Weights that cannot make a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightError {
    /// A layer has the wrong number of weights.
    Count {
        /// Name of the layer.
        layer: &'static str,
        /// How many weights it was given.
        found: usize,
        /// How many it has.
        expected: usize,
    },
    /// This build cannot evaluate a net of this shape.
    Shape(Architecture),
    /// A weight is so large that the integer arithmetic could overflow.
    Range {
        /// Name of the layer.
        layer: &'static str,
        /// The offending weight.
        value: i32,
        /// The largest magnitude allowed.
        limit: i32,
    },
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WeightError::Count { layer, found, expected } => {
                write!(f, "the {layer} has {found} weights instead of {expected}")
            }
            WeightError::Shape(ref found) => {
                write!(f, "the net is {found}; this build needs {}", Architecture::OURS)
            }
            WeightError::Range { layer, value, limit } => {
                write!(f, "the {layer} has the weight {value}, beyond ±{limit}")
            }
        }
    }
}

impl std::error::Error for WeightError {}

impl Weights {
    /// Largest input weight or bias: 32 pieces and a bias of this size still fit 16 bits.
    pub const INPUT_LIMIT: i32 = i16::MAX as i32 / 33;
    /// Largest output weight: times the largest activation it still fits 16 bits.
    pub const OUTPUT_LIMIT: i32 = 127;
    /// Largest output bias: about the score of ten queens.
    pub const OUTPUT_BIAS_LIMIT: i32 = QA * QB * 32;

    /// Weights of zero, in the right sizes.
    pub fn zero(architecture: Architecture) -> Weights {
        let row = architecture.hidden as usize;
        Weights {
            input: vec![0; architecture.inputs() * row],
            input_bias: vec![0; row],
            output: vec![0; architecture.output_rows() * row],
            output_bias: vec![0; architecture.output_buckets as usize],
            architecture,
        }
    }

    /// Whether the sizes are right and no weight is so large that a sum could overflow.
    pub fn check(&self) -> Result<(), WeightError> {
        let shape = &self.architecture;
        let row = shape.hidden as usize;
        let counts = [
            ("input layer", self.input.len(), shape.inputs() * row),
            ("input bias", self.input_bias.len(), row),
            ("output layer", self.output.len(), shape.output_rows() * row),
            ("output bias", self.output_bias.len(), shape.output_buckets as usize),
        ];
        for (layer, found, expected) in counts {
            if found != expected {
                return Err(WeightError::Count { layer, found, expected });
            }
        }
        let shorts = [
            ("input layer", &self.input, Self::INPUT_LIMIT),
            ("input bias", &self.input_bias, Self::INPUT_LIMIT),
            ("output layer", &self.output, Self::OUTPUT_LIMIT),
        ];
        for (layer, values, limit) in shorts {
            within(layer, values.iter().map(|&value| i32::from(value)), limit)?;
        }
        within("output bias", self.output_bias.iter().copied(), Self::OUTPUT_BIAS_LIMIT)
    }
}

/// Whether no value is larger in magnitude than `limit`.
fn within(
    layer: &'static str,
    mut values: impl Iterator<Item = i32>,
    limit: i32,
) -> Result<(), WeightError> {
    // `i32::MIN` has no absolute value.
    match values.find(|value| value.unsigned_abs() > limit.unsigned_abs()) {
        Some(value) => Err(WeightError::Range { layer, value, limit }),
        None => Ok(()),
    }
}

/// A net ready to evaluate: the weights aligned to cache lines, and the instruction set to use.
#[derive(Clone)]
pub struct Network {
    pub(crate) input: Box<[Row<HIDDEN>]>,
    pub(crate) input_bias: Row<HIDDEN>,
    output: [[Row<HIDDEN>; 2]; OUTPUT_BUCKETS],
    output_bias: [i32; OUTPUT_BUCKETS],
    pub(crate) simd: Simd,
    /// The shape it had before it was widened to ours.
    architecture: Architecture,
    checksum: u64,
}

impl Network {
    /// The net built into this crate, decoded once per process.
    ///
    /// ```
    /// use megatherium_board::Board;
    /// use megatherium_nnue::Network;
    ///
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1").unwrap();
    /// assert!(Network::embedded().evaluate(&board) > 300);
    /// ```
    pub fn embedded() -> Arc<Network> {
        static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        let decode =
            || Arc::new(Network::from_bytes(EMBEDDED).expect("the embedded net fits this build"));
        Arc::clone(NETWORK.get_or_init(decode))
    }

    /// A net with these weights, of this build's shape or of one that [fits](Architecture::fits).
    pub fn new(weights: &Weights) -> Result<Network, WeightError> {
        Network::with_checksum(weights, weights.checksum())
    }

    /// A net with these weights, whose file has this checksum.
    pub(crate) fn with_checksum(weights: &Weights, checksum: u64) -> Result<Network, WeightError> {
        let architecture = weights.architecture;
        let buckets = architecture.coarser_buckets(&Architecture::OURS);
        let (true, Some(buckets)) = (architecture.fits(), buckets) else {
            return Err(WeightError::Shape(architecture));
        };
        weights.check()?;
        // Neurons that the net does not have stay zero and have no output weight. A bucket that it
        // does not have gets the weights of the one that stands for it.
        let hidden = architecture.hidden as usize;
        let row = |values: &[i16]| {
            let mut row = Row::ZERO;
            row.0[..hidden].copy_from_slice(values);
            row
        };
        let sets: Vec<&[i16]> = weights.input.chunks_exact(INPUTS_PER_BUCKET * hidden).collect();
        let input = buckets.into_iter().flat_map(|bucket| sets[bucket].chunks_exact(hidden));
        let heads: Vec<Row<HIDDEN>> = weights.output.chunks_exact(hidden).map(row).collect();
        Ok(Network {
            input: input.map(row).collect(),
            input_bias: row(&weights.input_bias),
            output: std::array::from_fn(|bucket| [heads[2 * bucket], heads[2 * bucket + 1]]),
            output_bias: std::array::from_fn(|bucket| weights.output_bias[bucket]),
            simd: Simd::best(),
            architecture,
            checksum,
        })
    }

    /// The weights as plain integers, in the shape they had in their file.
    pub fn weights(&self) -> Weights {
        let hidden = self.architecture.hidden as usize;
        let flat = |rows: &[Row<HIDDEN>]| {
            rows.iter().flat_map(|row| row.0[..hidden].iter().copied()).collect()
        };
        let ours = self.architecture.coarser_buckets(&Architecture::OURS).unwrap_or_default();
        let set = |bucket: usize| {
            let at = ours.iter().position(|&coarser| coarser == bucket).unwrap_or(0);
            &self.input[at * INPUTS_PER_BUCKET..(at + 1) * INPUTS_PER_BUCKET]
        };
        Weights {
            architecture: self.architecture,
            input: (0..self.architecture.king_buckets as usize)
                .flat_map(|bucket| -> Vec<i16> { flat(set(bucket)) })
                .collect(),
            input_bias: flat(&[self.input_bias]),
            output: flat(self.output.as_flattened()),
            output_bias: self.output_bias.to_vec(),
        }
    }

    /// The shape of the net in its file.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The checksum of the net's file: its identity.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The instruction set in use.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// The same net, evaluated with another instruction set.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Network {
        self.simd = simd;
        self
    }

    /// Evaluates one position from scratch, in centipawns from the side to move's view.
    ///
    /// A search keeps [`Accumulators`](crate::Accumulators) instead, which give the same numbers
    /// faster.
    pub fn evaluate(&self, board: &Board) -> i32 {
        let sums = Color::ALL.map(|side| self.accumulate(side, board.king(side), pieces(board)));
        let mover = board.side_to_move();
        self.output(
            &sums[mover.index()],
            &sums[(!mover).index()],
            output_bucket(board.occupied().count()),
        )
    }

    /// The neurons before activation for a view with these inputs on; see [`View::input`].
    pub fn neurons(&self, inputs: &[u16]) -> [i16; HIDDEN] {
        let mut sum = self.input_bias;
        self.simd.accumulate(&mut sum, &self.input, inputs, &[]);
        sum.0
    }

    /// Evaluates a position given by the inputs of the side to move's view and of the other's, and
    /// the output head.
    pub fn evaluate_inputs(&self, mover: &[u16], other: &[u16], bucket: usize) -> i32 {
        self.output(&Row(self.neurons(mover)), &Row(self.neurons(other)), bucket)
    }

    /// The first layer's sum for the view of `perspective`, from scratch.
    pub(crate) fn accumulate(
        &self,
        perspective: Color,
        king: Square,
        pieces: impl Iterator<Item = (Piece, Square)>,
    ) -> Accumulator {
        let view = View::new(perspective, king);
        let mut sum = self.input_bias;
        for (piece, square) in pieces {
            self.simd.accumulate(&mut sum, &self.input, &[view.input(piece, square) as u16], &[]);
        }
        sum
    }

    /// From the two filled accumulators to the score.
    #[inline]
    pub(crate) fn output(&self, mover: &Accumulator, other: &Accumulator, bucket: usize) -> i32 {
        let [mover_weights, other_weights] = &self.output[bucket];
        let sum =
            self.simd.screlu_dot(mover, mover_weights) + self.simd.screlu_dot(other, other_weights);
        // The sum carries QA twice and QB once; the bias carries each once.
        let value = sum / i64::from(QA) + i64::from(self.output_bias[bucket]);
        let score = value * i64::from(SCALE) / i64::from(QA * QB);
        score.clamp(-i64::from(EVAL_LIMIT), i64::from(EVAL_LIMIT)) as i32
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({:016x}, {})", self.checksum, self.simd.name())
    }
}

/// Every piece of a board with its square.
pub(crate) fn pieces(board: &Board) -> impl Iterator<Item = (Piece, Square)> + '_ {
    board
        .occupied()
        .into_iter()
        .filter_map(|square| board.piece_on(square).map(|piece| (piece, square)))
}
