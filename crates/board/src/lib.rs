//! Chess positions made for a search: rules, keys, FEN, Chess960.
//!
//! ```
//! use megatherium_board::{Board, perft};
//!
//! let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
//! let board = Board::from_fen(fen).unwrap();
//! let castles = board.parse_uci("e1g1").unwrap();
//! assert!(castles.is_castling() && board.is_legal(castles));
//! assert_eq!(board.after(castles).key(), board.key_after(castles));
//! assert_eq!(perft::perft(&board, 3), 97_862);
//! ```

#![forbid(unsafe_code)]

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod checks;
mod clocks;
mod cuckoo;
pub mod epd;
mod fen;
mod fen_error;
mod fen_write;
mod history;
mod keys;
mod legality;
mod magics;
mod make;
mod move_list;
mod movegen;
mod moves;
pub mod perft;
pub mod pgn;
mod piece;
pub mod position_file;
pub mod referee;
mod san;
mod see;
mod square;
mod threats;
mod uci;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use checks::Checks;
pub use fen_error::{FenError, FenField, Problem};
pub use history::KeyHistory;
pub use keys::Keys;
pub use make::Changes;
pub use move_list::MoveList;
pub use moves::Move;
pub use piece::{Color, Piece, PieceType};
pub use see::SEE_VALUES;
pub use square::{Square, SquareError};
pub use threats::Threats;
pub use uci::{MoveError, UciMove};

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
