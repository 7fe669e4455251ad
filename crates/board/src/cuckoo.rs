//! The key differences of all reversible moves, in a cuckoo hash table built at compile time.
//!
//! There are 3668 moves of knights, bishops, rooks, queens and kings between two squares of an
//! empty board, not counting direction. Each can lie in one of two places of the table; one that
//! finds its place taken evicts the occupant to its second place.

use crate::{Square, zobrist};

const SIZE: usize = 8192;

const fn first_place(difference: u64) -> usize {
    (difference & 0x1FFF) as usize
}

const fn second_place(difference: u64) -> usize {
    (difference >> 16 & 0x1FFF) as usize
}

/// Whether the piece (0 pawn … 5 king) can move between the squares on an empty board.
const fn moves_between(piece_type: usize, a: usize, b: usize) -> bool {
    let files = (a % 8).abs_diff(b % 8);
    let ranks = (a / 8).abs_diff(b / 8);
    let diagonal = files == ranks;
    let orthogonal = files == 0 || ranks == 0;
    match piece_type {
        1 => files * ranks == 2,
        2 => diagonal,
        3 => orthogonal,
        4 => diagonal || orthogonal,
        5 => files <= 1 && ranks <= 1,
        _ => false,
    }
}

struct Cuckoo {
    differences: [u64; SIZE],
    squares: [(u8, u8); SIZE],
    count: usize,
}

const TABLE: Cuckoo = {
    let mut table = Cuckoo { differences: [0; SIZE], squares: [(0, 0); SIZE], count: 0 };
    let mut piece = 0;
    while piece < 12 {
        let mut a = 0;
        while a < 64 {
            let mut b = a + 1;
            while b < 64 {
                if moves_between(piece % 6, a, b) {
                    let mut difference = zobrist::piece_number(piece, a)
                        ^ zobrist::piece_number(piece, b)
                        ^ zobrist::SIDE;
                    let mut squares = (a as u8, b as u8);
                    let mut place = first_place(difference);
                    // Evict the occupant until one lands in an empty place.
                    while difference != 0 {
                        (difference, table.differences[place]) =
                            (table.differences[place], difference);
                        (squares, table.squares[place]) = (table.squares[place], squares);
                        place = first_place(difference) ^ second_place(difference) ^ place;
                    }
                    table.count += 1;
                }
                b += 1;
            }
            a += 1;
        }
        piece += 1;
    }
    table
};

static DIFFERENCES: [u64; SIZE] = TABLE.differences;
static SQUARES: [(u8, u8); SIZE] = TABLE.squares;

/// The squares of the one reversible move that makes this difference to a key.
#[inline]
pub(crate) fn squares_of_move(difference: u64) -> Option<(Square, Square)> {
    let mut place = first_place(difference);
    if DIFFERENCES[place] != difference {
        place = second_place(difference);
        if DIFFERENCES[place] != difference {
            return None;
        }
    }
    let (a, b) = SQUARES[place];
    (a != b).then(|| (Square::from_index(a as usize), Square::from_index(b as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Piece;

    #[test]
    fn every_reversible_move_is_found() {
        assert_eq!(TABLE.count, 3668);
        let mut found = 0;
        for piece in Piece::ALL {
            for a in Square::all() {
                for b in Square::all().filter(|b| *b > a) {
                    let difference =
                        zobrist::piece(piece, a) ^ zobrist::piece(piece, b) ^ zobrist::SIDE;
                    let possible = moves_between(piece.index() % 6, a.index(), b.index());
                    assert_eq!(squares_of_move(difference), possible.then_some((a, b)));
                    found += usize::from(possible);
                }
            }
        }
        assert_eq!(found, 3668);
        assert_eq!(squares_of_move(0), None);
    }
}
