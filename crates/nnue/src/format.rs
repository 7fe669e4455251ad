//! The net file.
//!
//! ```text
//! offset  size  field, little-endian
//!      0     8  magic "SLOTHNET"
//!      8     2  version of the format, 1
//!     10     2  neurons per side
//!     12     1  activation, 1 = SCReLU
//!     13     1  1 when views are mirrored to a king on the files a–d
//!     14     1  king buckets
//!     15     1  output buckets, by piece count
//!     16     2  QA    18  2  QB    20  2  scale
//!     22     2  zero
//!     24     8  checksum of all other bytes, FNV-1a
//!     32    64  king bucket of each square, a1 b1 … h8, after flipping and mirroring
//!     96     …  input weights i16 [input][neuron], input bias i16 [neuron],
//!               output weights i16 [bucket][mover, other][neuron], output bias i32 [bucket]
//! ```

use crate::layout::{
    FIVE_BUCKETS, HIDDEN, INPUTS_PER_BUCKET, KING_BUCKET_MAP, KING_BUCKETS, MIRRORED, ONE_BUCKET,
    OUTPUT_BUCKETS, QA, QB, SCALE,
};
use crate::network::{Network, WeightError, Weights};
use std::fmt;

const MAGIC: &[u8; 8] = b"SLOTHNET";
const VERSION: u16 = 1;
const SCRELU: u8 = 1;
const CHECKSUM_AT: usize = 24;
const HEADER: usize = 96;

/// The size of a net file of this build's shape, in bytes.
pub const FILE_SIZE: usize = Architecture::OURS.file_size();

/// The size of the largest net file of any shape.
pub const LARGEST_FILE: usize =
    Architecture { hidden: WIDEST, king_buckets: 64, ..Architecture::OURS }.file_size();

/// The most neurons per side: see [`HIDDEN`].
const WIDEST: u16 = 2048;

/// The shape of a net, as its file declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Neurons per side.
    pub hidden: u16,
    /// The activation function's number; 1 is `SCReLU`.
    pub activation: u8,
    /// Whether views are mirrored.
    pub mirrored: u8,
    /// Sets of input weights.
    pub king_buckets: u8,
    /// Number of output heads.
    pub output_buckets: u8,
    /// Quantisation of the first layer.
    pub qa: u16,
    /// Quantisation of the second layer.
    pub qb: u16,
    /// Centipawns of an output of 1.0.
    pub scale: u16,
    /// Set of input weights by king square.
    pub king_bucket_map: [u8; 64],
}

impl Architecture {
    /// The shape this build evaluates.
    pub const OURS: Architecture = Architecture {
        hidden: HIDDEN as u16,
        activation: SCRELU,
        mirrored: MIRRORED as u8,
        king_buckets: KING_BUCKETS as u8,
        output_buckets: OUTPUT_BUCKETS as u8,
        qa: QA as u16,
        qb: QB as u16,
        scale: SCALE as u16,
        king_bucket_map: KING_BUCKET_MAP,
    };

    /// A net of `hidden` neurons and one set of input weights, otherwise like ours.
    pub const fn one_bucket(hidden: u16) -> Architecture {
        Architecture { hidden, king_buckets: 1, king_bucket_map: ONE_BUCKET, ..Architecture::OURS }
    }

    /// A net of `hidden` neurons and five king buckets, otherwise like ours.
    pub const fn five_buckets(hidden: u16) -> Architecture {
        Architecture {
            hidden,
            king_buckets: 5,
            king_bucket_map: FIVE_BUCKETS,
            ..Architecture::OURS
        }
    }

    /// Rows of the first layer's weight matrix.
    pub const fn inputs(&self) -> usize {
        INPUTS_PER_BUCKET * self.king_buckets as usize
    }

    /// Rows of the second layer's weight matrix: two views for each head.
    pub const fn output_rows(&self) -> usize {
        2 * self.output_buckets as usize
    }

    /// The size of a file of this shape, in bytes.
    pub const fn file_size(&self) -> usize {
        let rows = self.inputs() + 1 + self.output_rows();
        HEADER + 2 * rows * self.hidden as usize + 4 * self.output_buckets as usize
    }

    /// Whether this is the shape of a net of our kind, of any width and with any king buckets.
    pub fn is_sound(&self) -> bool {
        let like_ours = Architecture {
            hidden: HIDDEN as u16,
            king_buckets: KING_BUCKETS as u8,
            king_bucket_map: KING_BUCKET_MAP,
            ..*self
        };
        let used = |bucket| king_squares().any(|square| self.king_bucket_map[square] == bucket);
        like_ours == Architecture::OURS
            && (1..=WIDEST).contains(&self.hidden)
            && self.hidden.is_multiple_of(32)
            && self.king_bucket_map.iter().all(|&bucket| bucket < self.king_buckets)
            && (0..self.king_buckets).all(used)
    }

    /// Which of this net's king buckets stands for each bucket of `finer`, if each has only one.
    pub(crate) fn coarser_buckets(&self, finer: &Architecture) -> Option<Vec<usize>> {
        let only = |bucket| {
            let mut squares = king_squares().filter(|&at| finer.king_bucket_map[at] == bucket);
            let ours = self.king_bucket_map[squares.next()?];
            squares.all(|at| self.king_bucket_map[at] == ours).then_some(ours as usize)
        };
        (0..finer.king_buckets).map(only).collect()
    }

    /// Whether this build can evaluate a net of this shape: one of its own shape, or a narrower or
    /// coarser one, which it widens without changing a single evaluation.
    pub fn fits(&self) -> bool {
        self.is_sound()
            && self.hidden <= Architecture::OURS.hidden
            && self.coarser_buckets(&Architecture::OURS).is_some()
    }

    fn read(header: &[u8; HEADER]) -> Architecture {
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        Architecture {
            hidden: short(10),
            activation: header[12],
            mirrored: header[13],
            king_buckets: header[14],
            output_buckets: header[15],
            qa: short(16),
            qb: short(18),
            scale: short(20),
            king_bucket_map: std::array::from_fn(|square| header[32 + square]),
        }
    }
}

/// The squares the own king can have in a view.
fn king_squares() -> impl Iterator<Item = usize> {
    (0..64).filter(|square| !MIRRORED || square % 8 < 4)
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { hidden, king_buckets, output_buckets, qa, qb, scale, .. } = self;
        let mirrored = if self.mirrored == 0 { "" } else { "mirrored " };
        let activation = if self.activation == SCRELU { "SCReLU" } else { "unknown activation" };
        write!(f, "(768×{king_buckets} {mirrored}→ {hidden})×2 {activation} → {output_buckets}, ")?;
        write!(f, "QA {qa}, QB {qb}, scale {scale}")
    }
}

/// Why a file is not a net this build can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// It does not begin like a net file.
    NotANet,
    /// It is of another version of the format.
    Version(u16),
    /// It holds a net of another shape.
    Architecture(Box<Architecture>),
    /// It is too short or too long.
    Size {
        /// Bytes in the file.
        found: usize,
        /// Bytes that a net of this shape has.
        expected: usize,
    },
    /// Its content does not match its checksum.
    Checksum {
        /// The checksum of the content.
        found: u64,
        /// The checksum in the header.
        expected: u64,
    },
    /// A weight is out of range.
    Weights(WeightError),
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::NotANet => write!(f, "not a Megatherium net file"),
            NetError::Version(found) => {
                write!(f, "net format version {found}, this build reads version {VERSION}")
            }
            NetError::Architecture(found) => {
                write!(f, "the net is {found}; this build needs {}", Architecture::OURS)?;
                if found.coarser_buckets(&Architecture::OURS).is_none() {
                    write!(f, " with another king bucket map")?;
                }
                Ok(())
            }
            NetError::Size { found, expected } => {
                write!(f, "the net file has {found} bytes instead of {expected}")
            }
            NetError::Checksum { found, expected } => {
                write!(
                    f,
                    "the net file is damaged: checksum {found:016x} instead of {expected:016x}"
                )
            }
            NetError::Weights(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NetError {}

impl Network {
    /// Reads a net file. Anything but a complete, undamaged net that this build can evaluate is
    /// refused; see [`Architecture::fits`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetError> {
        let (weights, checksum) = read(bytes, Architecture::fits)?;
        Network::with_checksum(&weights, checksum).map_err(NetError::Weights)
    }

    /// The net as a file: the one it was read from.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.weights().to_bytes()
    }
}

impl Weights {
    /// Reads a net file of any shape that a trainer can make.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, NetError> {
        let (weights, _) = read(bytes, Architecture::is_sound)?;
        weights.check().map_err(NetError::Weights)?;
        Ok(weights)
    }

    /// The weights as a net file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = &self.architecture;
        let mut bytes = Vec::with_capacity(shape.file_size());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&shape.hidden.to_le_bytes());
        bytes.extend_from_slice(&[
            shape.activation,
            shape.mirrored,
            shape.king_buckets,
            shape.output_buckets,
        ]);
        for short in [shape.qa, shape.qb, shape.scale, 0] {
            bytes.extend_from_slice(&short.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&shape.king_bucket_map);
        for layer in [&self.input, &self.input_bias, &self.output] {
            bytes.extend(layer.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        bytes.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The checksum that a file of these weights carries.
    pub fn checksum(&self) -> u64 {
        checksum(&self.to_bytes())
    }
}

/// Reads a net file whose shape is accepted, with its checksum. The weights are not checked.
fn read(
    bytes: &[u8],
    accepted: impl Fn(&Architecture) -> bool,
) -> Result<(Weights, u64), NetError> {
    if !bytes.starts_with(MAGIC) {
        return Err(NetError::NotANet);
    }
    let Some((header, payload)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(NetError::Size { found: bytes.len(), expected: FILE_SIZE });
    };
    let version = u16::from_le_bytes([header[8], header[9]]);
    if version != VERSION {
        return Err(NetError::Version(version));
    }
    let architecture = Architecture::read(header);
    if !accepted(&architecture) {
        return Err(NetError::Architecture(Box::new(architecture)));
    }
    if bytes.len() != architecture.file_size() {
        let expected = architecture.file_size();
        return Err(NetError::Size { found: bytes.len(), expected });
    }
    let expected = u64::from_le_bytes(std::array::from_fn(|i| header[CHECKSUM_AT + i]));
    let found = checksum(bytes);
    if found != expected {
        return Err(NetError::Checksum { found, expected });
    }
    let hidden = architecture.hidden as usize;
    let (shorts, biases) = payload.split_at(payload.len() - 4 * OUTPUT_BUCKETS);
    let mut shorts = shorts.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes));
    let mut take = |rows| shorts.by_ref().take(rows * hidden).collect::<Vec<i16>>();
    let weights = Weights {
        architecture,
        input: take(architecture.inputs()),
        input_bias: take(1),
        output: take(architecture.output_rows()),
        output_bias: biases.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(),
    };
    Ok((weights, found))
}

/// The checksum over everything but its own field.
fn checksum(file: &[u8]) -> u64 {
    fnv1a(file[..CHECKSUM_AT].iter().chain(&file[CHECKSUM_AT + 8..]).copied())
}

/// The 64-bit hash FNV-1a. Both of its steps are one-to-one in the running value, so a single
/// changed byte always changes the result.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constructed;

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let net = constructed::network();
        let bytes = net.to_bytes();
        assert_eq!(bytes.len(), FILE_SIZE);
        let read = Network::from_bytes(&bytes).unwrap();
        assert_eq!(read.weights(), net.weights());
        assert_eq!(read.checksum(), net.checksum());
        assert_eq!(read.to_bytes(), bytes);
    }

    /// The file of a small net: quick to check.
    fn small() -> Vec<u8> {
        let mut weights = Weights::zero(Architecture::one_bucket(32));
        for (number, weight) in weights.input.iter_mut().chain(&mut weights.output).enumerate() {
            *weight = (number % 101) as i16 - 50;
        }
        weights.to_bytes()
    }

    #[test]
    fn truncated_and_padded_files_are_refused() {
        let bytes = small();
        let whole = bytes.len();
        for length in [0, 1, 7, 8, 9, 95, 96, 97, 1000, whole / 2, whole - 1] {
            let error = Network::from_bytes(&bytes[..length]).unwrap_err();
            let expected = match length {
                ..8 => NetError::NotANet,
                8..HEADER => NetError::Size { found: length, expected: FILE_SIZE },
                _ => NetError::Size { found: length, expected: whole },
            };
            assert_eq!(error, expected);
        }
        let mut padded = bytes;
        padded.push(0);
        let error = Network::from_bytes(&padded).unwrap_err();
        assert_eq!(error, NetError::Size { found: whole + 1, expected: whole });
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let mut bytes = small();
        let whole = bytes.len();
        // All of the header, then a sample of the weights and the very end.
        for at in (0..HEADER).chain((HEADER..whole).step_by(997)).chain([whole - 1]) {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                assert!(Network::from_bytes(&bytes).is_err(), "bit {bit} of byte {at}");
                bytes[at] ^= 1 << bit;
            }
        }
        assert!(Network::from_bytes(&bytes).is_ok());
    }

    #[test]
    fn other_shapes_are_named_in_the_refusal() {
        let good = small();
        let refusal = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Network::from_bytes(&bytes).unwrap_err().to_string()
        };
        assert!(refusal(0, b'X').contains("not a Megatherium net"));
        assert!(refusal(8, 9).contains("version 9"));
        assert!(refusal(10, 7).contains("→ 7)×2"), "{}", refusal(10, 7));
        assert!(refusal(11, 99).contains("→ 25376)×2"), "{}", refusal(11, 99));
        assert!(refusal(12, 2).contains("unknown activation"));
        assert!(refusal(13, u8::from(!MIRRORED)).contains("this build needs"));
        assert!(refusal(14, 99).contains("768×99"));
        assert!(refusal(15, 77).contains("→ 77"));
        assert!(refusal(32, 42).contains("this build needs"));
        assert!(refusal(200, good[200] ^ 1).contains("damaged"));
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let mut weights = Weights::zero(Architecture::OURS);
        weights.input[5] = 1000;
        let error = Network::from_bytes(&weights.to_bytes()).unwrap_err();
        assert!(
            matches!(error, NetError::Weights(WeightError::Range { value: 1000, .. })),
            "{error}"
        );
        let mut weights = Weights::zero(Architecture::OURS);
        weights.output[5] = -128;
        let error = Network::from_bytes(&weights.to_bytes()).unwrap_err();
        assert!(
            matches!(error, NetError::Weights(WeightError::Range { value: -128, .. })),
            "{error}"
        );
        for bias in [i32::MIN, i32::MAX, Weights::OUTPUT_BIAS_LIMIT + 1] {
            let mut weights = Weights::zero(Architecture::OURS);
            weights.output_bias[3] = bias;
            let error = Network::from_bytes(&weights.to_bytes()).unwrap_err();
            assert!(
                matches!(error, NetError::Weights(WeightError::Range { value, .. }) if value == bias)
            );
        }
        let mut weights = Weights::zero(Architecture::OURS);
        weights.input_bias.pop();
        assert!(matches!(Network::new(&weights), Err(WeightError::Count { .. })));
    }
}
