//! The random numbers of the Zobrist keys.
//!
//! A key is the XOR of one number for each fact of the position: a piece on a square, a rook that
//! may still castle, the file of a possible en passant capture, Black to move. The numbers are made
//! by the compiler from a fixed seed, so a key is the same in every build and on every machine.

use crate::{Piece, Square};

/// One step of `SplitMix64`.
const fn next(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, z ^ z >> 31)
}

/// 12 × 64 pieces, 16 castling rooks, 8 en passant files, 1 side to move.
const COUNT: usize = 12 * 64 + 16 + 8 + 1;

const NUMBERS: [u64; COUNT] = {
    let mut numbers = [0; COUNT];
    let mut state = 0x6D65_6761_7468_6572;
    let mut i = 0;
    while i < COUNT {
        (state, numbers[i]) = next(state);
        i += 1;
    }
    numbers
};

const fn row<const N: usize>(start: usize) -> [u64; N] {
    let mut row = [0; N];
    let mut i = 0;
    while i < N {
        row[i] = NUMBERS[start + i];
        i += 1;
    }
    row
}

static PIECES: [[u64; 64]; 12] = {
    let mut pieces = [[0; 64]; 12];
    let mut piece = 0;
    while piece < 12 {
        pieces[piece] = row(piece * 64);
        piece += 1;
    }
    pieces
};
static CASTLING: [u64; 16] = row(12 * 64);
/// The same number for both squares of a file; zero for squares that no pawn passes over.
static EN_PASSANT: [u64; 64] = {
    let files: [u64; 8] = row(12 * 64 + 16);
    let mut squares = [0; 64];
    let mut file = 0;
    while file < 8 {
        squares[16 + file] = files[file];
        squares[40 + file] = files[file];
        file += 1;
    }
    squares
};

/// Black to move.
pub(crate) const SIDE: u64 = NUMBERS[COUNT - 1];

/// A piece on a square.
#[inline]
pub(crate) fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

/// The king of a side may castle with its rook on this square of its back rank.
#[inline]
pub(crate) fn castling(rook: Square) -> u64 {
    CASTLING[rook.index() & 7 | rook.index() >> 2 & 8]
}

/// An en passant capture is possible on this square, or on none if it is a1.
#[inline]
pub(crate) fn en_passant(square: Square) -> u64 {
    EN_PASSANT[square.index()]
}

/// The number of a piece on a square, for tables made by the compiler.
pub(crate) const fn piece_number(piece: usize, square: usize) -> u64 {
    NUMBERS[piece * 64 + square]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The first numbers of the seed 1234567 as other implementations of `SplitMix64` give them.
    #[test]
    fn the_generator_is_splitmix() {
        let mut state = 1_234_567;
        for expected in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973] {
            let number;
            (state, number) = next(state);
            assert_eq!(number, expected);
        }
    }

    /// No two facts of a position share a number.
    #[test]
    fn every_fact_has_its_own_number() {
        let pieces =
            Piece::ALL.into_iter().flat_map(|one| Square::all().map(move |at| piece(one, at)));
        let ranks = |wanted: [u8; 2]| Square::all().filter(move |at| wanted.contains(&at.rank()));
        let rooks = ranks([0, 7]).map(castling);
        let files = ranks([2, 2]).map(en_passant);
        let facts: HashSet<u64> = pieces.chain(rooks).chain(files).chain([SIDE]).collect();
        assert_eq!(facts.len(), COUNT);
        for square in ranks([2, 5]) {
            assert_eq!(en_passant(square), en_passant(Square::new(square.file(), 2)));
        }
        assert_eq!(en_passant(Square::A1), 0);
    }

    /// No number, and no XOR of two, may occur twice: otherwise some small difference between two
    /// positions would not change the key.
    #[test]
    fn numbers_and_their_pairs_differ() {
        let mut seen: HashSet<u64> = NUMBERS.into_iter().collect();
        assert_eq!(seen.len(), COUNT);
        assert!(!seen.contains(&0));
        for (i, a) in NUMBERS.into_iter().enumerate() {
            for b in &NUMBERS[i + 1..] {
                assert!(seen.insert(a ^ b));
            }
        }
    }
}
