//! One game, and its record.

use super::{DataError, PackedBoard};
use megatherium_board::referee::Outcome;
use megatherium_board::{Color, Move};
use megatherium_nnue::format::fnv1a;

/// The score of a move that no search chose.
pub const NO_SCORE: i16 = i16::MIN;

/// Bytes of a record before its plies.
pub(super) const RECORD_HEADER: usize = 16 + PackedBoard::SIZE;
/// Bytes of a ply.
const PLY: usize = 4;
const MARKER: [u8; 2] = *b"G\x9D";
const CHECKSUM_AT: usize = 12;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the rules of chess.
    Played = 0,
    /// Adjudicated by the scores.
    Adjudicated = 1,
    /// No game, but a node of a search tree with one move and its score. The score is a bound: the
    /// side that the result favours has at least that much; a draw means that it is exact.
    Tree = 2,
}

/// A move and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move played.
    pub mv: Move,
    /// Its score in centipawns from the mover's view, or [`NO_SCORE`].
    pub score: i16,
}

/// A whole game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The position the game starts from.
    pub start: PackedBoard,
    /// The result.
    pub outcome: Outcome,
    /// How it ended.
    pub ending: Ending,
    /// The last half of the checksum of the net that played.
    pub net: u32,
    /// The moves in order. They are not checked for legality here: [`Replay`](super::Replay) does.
    pub plies: Vec<Ply>,
}

/// The extent of a record.
pub(super) enum Record {
    /// The record has this many bytes.
    Whole(usize),
    /// The record ends beyond the last byte.
    Cut,
}

impl Game {
    /// The record of the game.
    pub fn encode(&self) -> Result<Vec<u8>, DataError> {
        let plies =
            u16::try_from(self.plies.len()).map_err(|_| DataError::TooLong(self.plies.len()))?;
        let mut record = Vec::with_capacity(RECORD_HEADER + PLY * self.plies.len());
        record.extend_from_slice(&MARKER);
        record.extend_from_slice(&plies.to_le_bytes());
        record.extend_from_slice(&(!plies).to_le_bytes());
        record.push(self.outcome.half_points(Color::White) as u8);
        record.push(self.ending as u8);
        record.extend_from_slice(&self.net.to_le_bytes());
        record.extend_from_slice(&[0; 4]);
        record.extend_from_slice(&self.start.0);
        for ply in &self.plies {
            record.extend_from_slice(&ply.mv.raw().to_le_bytes());
            record.extend_from_slice(&ply.score.to_le_bytes());
        }
        let sum = checksum(&record).to_le_bytes();
        record[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum);
        Ok(record)
    }

    /// The game in a record whose extent [`measure`] has found.
    pub(super) fn decode(record: &[u8], offset: u64) -> Result<Game, DataError> {
        let damaged = |what| DataError::Damaged { offset, what };
        let long = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| record[at + i]));
        if checksum(record) != long(CHECKSUM_AT) {
            return Err(damaged("its checksum does not match"));
        }
        // From here on the bytes are those that were written; what fails now was written by a
        // faulty program.
        let outcome = match record[6] {
            0 => Outcome::Black,
            1 => Outcome::Draw,
            2 => Outcome::White,
            _ => return Err(damaged("it has an unknown result")),
        };
        let ending = match record[7] {
            0 => Ending::Played,
            1 => Ending::Adjudicated,
            2 => Ending::Tree,
            _ => return Err(damaged("it has an unknown ending")),
        };
        let plies = record[RECORD_HEADER..].as_chunks::<PLY>().0.iter().map(|&[a, b, c, d]| {
            let mv = Move::from_raw(u16::from_le_bytes([a, b]))
                .ok_or(damaged("it has an empty move"))?;
            Ok(Ply { mv, score: i16::from_le_bytes([c, d]) })
        });
        Ok(Game {
            start: PackedBoard(std::array::from_fn(|i| record[16 + i])),
            outcome,
            ending,
            net: long(8),
            plies: plies.collect::<Result<_, DataError>>()?,
        })
    }

    /// A hash of start and moves: equal games have equal fingerprints.
    pub fn fingerprint(&self) -> u64 {
        let plies = self.plies.iter().flat_map(|ply| ply.mv.raw().to_le_bytes());
        fnv1a(self.start.0.into_iter().chain(plies))
    }
}

/// The length of the record at the start of `bytes`.
pub(super) fn measure(bytes: &[u8], offset: u64) -> Result<Record, DataError> {
    let damaged = |what| Err(DataError::Damaged { offset, what });
    if bytes.iter().zip(&MARKER).any(|(found, expected)| found != expected) {
        return damaged("it does not begin with the marker");
    }
    let Some(&[_, _, a, b, c, d]) = bytes.first_chunk() else {
        return Ok(Record::Cut);
    };
    let plies = u16::from_le_bytes([a, b]);
    if u16::from_le_bytes([c, d]) != !plies {
        return damaged("its length is unreadable");
    }
    let length = RECORD_HEADER + PLY * plies as usize;
    Ok(if length <= bytes.len() { Record::Whole(length) } else { Record::Cut })
}

/// The longest record there can be.
pub(super) const LONGEST_RECORD: usize = RECORD_HEADER + PLY * u16::MAX as usize;

/// The checksum of a record.
fn checksum(record: &[u8]) -> u32 {
    let hash = fnv1a(record[..CHECKSUM_AT].iter().chain(&record[CHECKSUM_AT + 4..]).copied());
    (hash >> 32) as u32 ^ hash as u32
}
