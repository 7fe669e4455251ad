//! A run's state on disk, so that a resumed run continues exactly where it stopped.
//!
//! ```text
//! offset  size  field, little-endian
//!      0     8  magic "SLOTHCKP"
//!      8     4  version, 1
//!     12     4  neurons per side
//!     16     4  inputs: 768, or 3840 for five king buckets
//!     20     4  output buckets
//!     24     4  epochs done
//!     28     8  steps done
//!     36     8  fingerprint of the run: its settings and its data
//!     44     8  checksum of all other bytes, FNV-1a
//!     52     …  weights, first moments, second moments: each f32 [tile][…] with the shared weights
//!               of a net with king buckets in front, then the output biases
//! ```

use super::{Lanes, Model, Moments, State, TILE, Tile};
use megatherium_nnue::Architecture;
use megatherium_nnue::format::fnv1a;
use megatherium_nnue::layout::OUTPUT_BUCKETS;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

const MAGIC: &[u8; 8] = b"SLOTHCKP";
const VERSION: u32 = 1;
const CHECKSUM_AT: usize = 44;
const HEADER: usize = 52;

/// No checkpoint is larger: three times the numbers of the widest net, 32 bits each, where a net
/// file has 16, and the factoriser once.
pub const LARGEST_FILE: u64 = 7 * megatherium_nnue::format::LARGEST_FILE as u64;

/// Why a checkpoint cannot be used.
#[derive(Debug)]
pub enum CheckpointError {
    /// An error of the operating system.
    Io(io::Error),
    /// The file is something else.
    NotACheckpoint,
    /// The file is of another version, or holds a net with other inputs or outputs.
    Shape,
    /// The file is truncated or damaged.
    Damaged,
    /// The run had other settings or other data.
    OtherRun,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Io(error) => error.fmt(f),
            CheckpointError::NotACheckpoint => write!(f, "not a checkpoint"),
            CheckpointError::Shape => {
                write!(f, "a checkpoint of another version or of another kind of net")
            }
            CheckpointError::Damaged => write!(f, "the checkpoint is cut or damaged"),
            CheckpointError::OtherRun => {
                write!(f, "the checkpoint is of a run with other settings or data")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

impl State {
    /// The state as a file; `run` identifies the run's settings and data.
    pub fn to_bytes(&self, run: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        let inputs = self.model.architecture.inputs();
        let shape = [self.model.hidden(), inputs, OUTPUT_BUCKETS].map(|size| size as u32);
        for number in [VERSION].into_iter().chain(shape).chain([self.epoch]) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.moments.steps.to_le_bytes());
        bytes.extend_from_slice(&run.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        for model in [&self.model, &self.moments.first, &self.moments.second] {
            let lanes = model.tiles.iter().flat_map(|tile| tile.lanes().flat_map(|lanes| lanes.0));
            bytes.extend(lanes.chain(model.output_bias).flat_map(f32::to_le_bytes));
        }
        let sum = checksum(&bytes).to_le_bytes();
        bytes[CHECKSUM_AT..HEADER].copy_from_slice(&sum);
        bytes
    }

    /// Reads a state. With `run`, one of another run is refused.
    pub fn from_bytes(bytes: &[u8], run: Option<u64>) -> Result<State, CheckpointError> {
        if !bytes.starts_with(MAGIC) {
            return Err(CheckpointError::NotACheckpoint);
        }
        let Some((header, payload)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(CheckpointError::Damaged);
        };
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let hidden = u16::try_from(number(12)).map_err(|_| CheckpointError::Shape)?;
        let shape = [Architecture::one_bucket(hidden), Architecture::five_buckets(hidden)];
        let shape = shape.into_iter().find(|shape| shape.inputs() == number(16) as usize);
        let shape =
            shape.filter(|shape| shape.is_sound() && (hidden as usize).is_multiple_of(TILE));
        let (VERSION, Some(shape)) = (number(8), shape) else {
            return Err(CheckpointError::Shape);
        };
        if number(20) as usize != OUTPUT_BUCKETS {
            return Err(CheckpointError::Shape);
        }
        let per_model = Tile::zero(&shape).lanes().count() * hidden as usize + OUTPUT_BUCKETS;
        if payload.len() != 3 * 4 * per_model || long(CHECKSUM_AT) != checksum(bytes) {
            return Err(CheckpointError::Damaged);
        }
        if run.is_some_and(|run| run != long(36)) {
            return Err(CheckpointError::OtherRun);
        }
        let mut numbers = payload.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let mut model = || {
            let mut model = Model::zero(shape);
            let lanes = model.tiles.iter_mut().flat_map(Tile::lanes_mut);
            let places = lanes.flat_map(|Lanes(lanes)| lanes).chain(&mut model.output_bias);
            for (place, number) in places.zip(numbers.by_ref()) {
                *place = number;
            }
            model
        };
        let (weights, first, second) = (model(), model(), model());
        let moments = Moments { first, second, steps: long(28) };
        Ok(State { epoch: number(24), model: weights, moments })
    }

    /// Replaces the file atomically: it is complete at every moment.
    pub fn save(&self, path: &Path, run: u64) -> io::Result<()> {
        let fresh = path.with_extension("new");
        fs::write(&fresh, self.to_bytes(run))?;
        fs::rename(fresh, path)
    }

    /// Reads a state from a file.
    pub fn load(path: &Path, run: Option<u64>) -> Result<State, CheckpointError> {
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(CheckpointError::Io)?;
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(CheckpointError::Io)?;
        State::from_bytes(&bytes, run)
    }
}

/// The checksum over everything but its own field.
fn checksum(file: &[u8]) -> u64 {
    fnv1a(file[..CHECKSUM_AT].iter().chain(&file[HEADER..]).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Architecture = Architecture::five_buckets(32);

    fn state() -> State {
        let mut state = State::from_model(Model::random(SHAPE, 3));
        state.moments =
            Moments { first: Model::random(SHAPE, 4), second: Model::random(SHAPE, 5), steps: 77 };
        state.epoch = 9;
        state
    }

    #[test]
    fn a_checkpoint_reads_back_as_it_was() {
        let bytes = state().to_bytes(42);
        assert_eq!(State::from_bytes(&bytes, Some(42)).unwrap(), state());
        assert_eq!(State::from_bytes(&bytes, None).unwrap(), state());
        assert!(matches!(State::from_bytes(&bytes, Some(43)), Err(CheckpointError::OtherRun)));
    }

    #[test]
    fn damage_is_noticed() {
        let good = state().to_bytes(42);
        for length in [0, 7, 8, 51, 52, good.len() - 1] {
            assert!(State::from_bytes(&good[..length], None).is_err());
        }
        for at in (0..HEADER).chain((HEADER..good.len()).step_by(20_011)) {
            let mut bytes = good.clone();
            bytes[at] ^= 4;
            assert!(State::from_bytes(&bytes, None).is_err(), "byte {at}");
        }
    }
}
