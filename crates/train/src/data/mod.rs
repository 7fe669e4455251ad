//! Self-play games on disk.
//!
//! A data file is a 16-byte header and then one record after another, each a whole game with a
//! checksum:
//!
//! ```text
//! file    offset  size  field, little-endian
//!              0     8  magic "SLOTHGAM"
//!              8     2  version of the format, 1
//!             10     6  zero
//!
//! record  offset  size  field
//!              0     2  marker "G\x9D"
//!              2     2  plies, n
//!              4     2  !n, so that a damaged length is not mistaken for a truncated file
//!              6     1  result: 0 Black won, 1 draw, 2 White won
//!              7     1  ending: 0 played to the end, 1 adjudicated, 2 a node of a search tree
//!              8     4  net: the last half of its checksum, in hexadecimal its last eight digits
//!             12     4  checksum of the record without this field, FNV-1a folded to 32 bits
//!             16    28  the position the game starts from, see [`PackedBoard`]
//!             44    4n  for each ply: the move (16 bits) and its score (i16)
//! ```
//!
//! A score is that of the search that chose the move, in centipawns from the mover's view;
//! [`NO_SCORE`] marks a move that no search chose, as in a random opening. So a ply costs four
//! bytes, and whether a position suits training (not in check, a quiet move, not decided, not
//! random) is determined when the game is replayed ([`Replay`]).
//!
//! Records are only appended, one write each. A killed process leaves at most one truncated record
//! at the end, which readers ignore and the next writer removes. Any other damage is an error that
//! names the offset.

mod error;
mod game;
mod packed;
mod reader;
mod replay;
mod source;
mod tools;
mod writer;

pub use error::DataError;
pub use game::{Ending, Game, NO_SCORE, Ply};
pub use packed::PackedBoard;
pub use reader::Reader;
pub use replay::{Filter, Flags, Position, Replay};
pub use source::Source;
pub(crate) use tools::tell;
pub use tools::{Merged, Stats, Watch, merge, refuse_input, shuffle, stats};
pub use writer::{Resumed, Writer};

/// The first bytes of every data file.
const MAGIC: &[u8; 8] = b"SLOTHGAM";
/// The version of the format.
const VERSION: u16 = 1;
/// Bytes before the first record.
const FILE_HEADER: usize = 16;

/// The header of a data file.
fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header
}
