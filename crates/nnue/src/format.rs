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

use crate::layout::{HIDDEN, INPUTS, KING_BUCKET_MAP, KING_BUCKETS, MIRRORED, OUTPUT_BUCKETS, QA, QB, SCALE};
use crate::network::{Network, WeightError, Weights};
use std::fmt;

const MAGIC: &[u8; 8] = b"SLOTHNET";
const VERSION: u16 = 1;
const SCRELU: u8 = 1;
const CHECKSUM_AT: usize = 24;
const HEADER: usize = 96;

/// The size of a net file of this build's shape, in bytes.
pub const FILE_SIZE: usize =
    HEADER + 2 * (INPUTS * HIDDEN + HIDDEN + OUTPUT_BUCKETS * 2 * HIDDEN) + 4 * OUTPUT_BUCKETS;

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
    /// Output heads.
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
    /// The only shape this build evaluates.
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
                if found.king_bucket_map != KING_BUCKET_MAP {
                    write!(f, " with another king bucket map")?;
                }
                Ok(())
            }
            NetError::Size { found, expected } => {
                write!(f, "the net file has {found} bytes instead of {expected}")
            }
            NetError::Checksum { found, expected } => {
                write!(f, "the net file is damaged: checksum {found:016x} instead of {expected:016x}")
            }
            NetError::Weights(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NetError {}

impl Network {
    /// Reads a net file. Anything but a complete, undamaged net of this build's shape is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetError> {
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
        if architecture != Architecture::OURS {
            return Err(NetError::Architecture(Box::new(architecture)));
        }
        if bytes.len() != FILE_SIZE {
            return Err(NetError::Size { found: bytes.len(), expected: FILE_SIZE });
        }
        let expected = u64::from_le_bytes(std::array::from_fn(|i| header[CHECKSUM_AT + i]));
        let found = checksum(bytes);
        if found != expected {
            return Err(NetError::Checksum { found, expected });
        }
        let (shorts, biases) = payload.split_at(payload.len() - 4 * OUTPUT_BUCKETS);
        let mut shorts = shorts.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes));
        let mut take = |count| shorts.by_ref().take(count).collect::<Vec<i16>>();
        let weights = Weights {
            input: take(INPUTS * HIDDEN),
            input_bias: take(HIDDEN),
            output: take(OUTPUT_BUCKETS * 2 * HIDDEN),
            output_bias: biases.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(),
        };
        Network::new(&weights).map_err(NetError::Weights)
    }

    /// The net as a file; reading it gives an equal net.
    pub fn to_bytes(&self) -> Vec<u8> {
        file_of(&self.weights())
    }
}

/// The checksum that a file of these weights carries.
pub(crate) fn checksum_of(weights: &Weights) -> u64 {
    checksum(&file_of(weights))
}

fn file_of(weights: &Weights) -> Vec<u8> {
    let ours = Architecture::OURS;
    let mut bytes = Vec::with_capacity(FILE_SIZE);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&ours.hidden.to_le_bytes());
    bytes.extend_from_slice(&[ours.activation, ours.mirrored, ours.king_buckets, ours.output_buckets]);
    for short in [ours.qa, ours.qb, ours.scale, 0] {
        bytes.extend_from_slice(&short.to_le_bytes());
    }
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&ours.king_bucket_map);
    for layer in [&weights.input, &weights.input_bias, &weights.output] {
        bytes.extend(layer.iter().flat_map(|weight| weight.to_le_bytes()));
    }
    bytes.extend(weights.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
    let sum = checksum(&bytes);
    bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The checksum over everything but its own field.
fn checksum(file: &[u8]) -> u64 {
    fnv1a(file[..CHECKSUM_AT].iter().chain(&file[CHECKSUM_AT + 8..]).copied())
}

/// The 64-bit hash FNV-1a. Both of its steps are one-to-one in the running value, so a single changed byte always
/// changes the result.
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

    #[test]
    fn truncated_and_padded_files_are_refused() {
        let bytes = constructed::network().to_bytes();
        for length in [0, 1, 7, 8, 9, 95, 96, 97, 1000, FILE_SIZE / 2, FILE_SIZE - 1] {
            let error = Network::from_bytes(&bytes[..length]).unwrap_err();
            let expected = if length < MAGIC.len() {
                NetError::NotANet
            } else {
                NetError::Size { found: length, expected: FILE_SIZE }
            };
            assert_eq!(error, expected);
        }
        let mut padded = bytes;
        padded.push(0);
        let error = Network::from_bytes(&padded).unwrap_err();
        assert_eq!(error, NetError::Size { found: FILE_SIZE + 1, expected: FILE_SIZE });
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let mut bytes = constructed::network().to_bytes();
        // All of the header, then a sample of the weights and the very end.
        let sample = (0..HEADER).chain((HEADER..FILE_SIZE).step_by(4099)).chain([FILE_SIZE - 1]);
        for at in sample {
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
        let good = constructed::network().to_bytes();
        let refusal = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Network::from_bytes(&bytes).unwrap_err().to_string()
        };
        assert!(refusal(0, b'X').contains("not a Megatherium net"));
        assert!(refusal(8, 9).contains("version 9"));
        // Only the low byte of the width is changed.
        let width = HIDDEN / 256 * 256 + 7;
        assert!(refusal(10, 7).contains(&format!("→ {width})×2")), "{}", refusal(10, 7));
        assert!(refusal(12, 2).contains("unknown activation"));
        assert!(refusal(13, u8::from(!MIRRORED)).contains("this build needs"));
        assert!(refusal(14, 99).contains("768×99"));
        assert!(refusal(15, 77).contains("→ 77"));
        assert!(refusal(32, 42).contains("another king bucket map"));
        assert!(refusal(200, good[200] ^ 1).contains("damaged"));
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let mut weights = Weights::zero();
        weights.input[5] = 1000;
        let error = Network::from_bytes(&file_of(&weights)).unwrap_err();
        assert!(matches!(error, NetError::Weights(WeightError::Range { value: 1000, .. })), "{error}");
        let mut weights = Weights::zero();
        weights.output[5] = -128;
        let error = Network::from_bytes(&file_of(&weights)).unwrap_err();
        assert!(matches!(error, NetError::Weights(WeightError::Range { value: -128, .. })), "{error}");
        for bias in [i32::MIN, i32::MAX, Weights::OUTPUT_BIAS_LIMIT + 1] {
            let mut weights = Weights::zero();
            weights.output_bias[3] = bias;
            let error = Network::from_bytes(&file_of(&weights)).unwrap_err();
            assert!(matches!(error, NetError::Weights(WeightError::Range { value, .. }) if value == bias));
        }
        let mut weights = Weights::zero();
        weights.input_bias.pop();
        assert!(matches!(Network::new(&weights), Err(WeightError::Count { .. })));
    }
}
