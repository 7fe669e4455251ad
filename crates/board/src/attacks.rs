//! Which squares a piece attacks, and the geometry between squares.

use crate::{Bitboard, Color, PieceType, Square, magics};

const fn leaps(steps: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let (file, rank) = (square as i32 % 8 + steps[i].0, square as i32 / 8 + steps[i].1);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square].0 |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// The eight directions; each is followed by its opposite.
const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];

static KNIGHT: [Bitboard; 64] =
    leaps(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] = leaps(&DIRECTIONS);
static PAWN: [[Bitboard; 64]; 2] = [leaps(&[(-1, 1), (1, 1)]), leaps(&[(-1, -1), (1, -1)])];

/// The squares from `square` to the edge.
const fn ray(square: usize, (df, dr): (i32, i32)) -> u64 {
    let (mut file, mut rank) = (square as i32 % 8 + df, square as i32 / 8 + dr);
    let mut ray = 0;
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        ray |= 1 << (rank * 8 + file);
        file += df;
        rank += dr;
    }
    ray
}

const fn rays(first: usize, last: usize) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = first;
        while direction <= last {
            table[square].0 |= ray(square, DIRECTIONS[direction]);
            direction += 1;
        }
        square += 1;
    }
    table
}

static ROOK_RAYS: [Bitboard; 64] = rays(0, 3);
static BISHOP_RAYS: [Bitboard; 64] = rays(4, 7);

static DIAGONAL: [Bitboard; 64] = rays(4, 5);
static ANTIDIAGONAL: [Bitboard; 64] = rays(6, 7);

static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let all = ray(from, DIRECTIONS[direction]);
            let mut targets = all;
            while targets != 0 {
                let to = targets.trailing_zeros() as usize;
                table[from][to].0 = all & !ray(to, DIRECTIONS[direction]) & !(1 << to);
                targets &= targets - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

static LINE: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let ahead = ray(from, DIRECTIONS[direction]);
            let line = ahead | ray(from, DIRECTIONS[direction ^ 1]) | 1 << from;
            let mut targets = ahead;
            while targets != 0 {
                table[from][targets.trailing_zeros() as usize].0 = line;
                targets &= targets - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

/// The squares a pawn of `color` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares all pawns of a set attack, if they are `color`'s.
#[inline]
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = if color.is_white() { Bitboard(pawns.0 << 8) } else { Bitboard(pawns.0 >> 8) };
    ahead.shift_east() | ahead.shift_west()
}

/// The squares a knight attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a king attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a bishop attacks, up to and including the first occupied square of each ray.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    magics::bishop(square.index(), occupied)
}

/// The squares a rook attacks, up to and including the first occupied square of each ray.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    magics::rook(square.index(), occupied)
}

/// The squares a queen attacks.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares a piece attacks. The colour matters for pawns only.
#[inline]
pub fn of(piece_type: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match piece_type {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}

/// Attacks of a bishop on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// Attacks of a rook on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// The other squares of the diagonal through a square that rises from the a-file to the h-file.
#[inline]
pub(crate) fn diagonal(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// The other squares of the diagonal through a square that falls from the a-file to the h-file.
#[inline]
pub(crate) fn antidiagonal(square: Square) -> Bitboard {
    ANTIDIAGONAL[square.index()]
}

/// The squares strictly between two squares of one rank, file or diagonal; otherwise none.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two different squares; none when there is no such line.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometry() {
        assert_eq!(knight(Square::A1), Square::B3.bitboard() | Square::C2.bitboard());
        assert_eq!(king(Square::E4).count(), 8);
        assert_eq!(pawn(Color::White, Square::H2), Square::G3.bitboard());
        assert_eq!(pawn(Color::Black, Square::A7), Square::B6.bitboard());
        assert_eq!(between(Square::A1, Square::D4), Square::B2.bitboard() | Square::C3.bitboard());
        assert_eq!(between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(line(Square::B1, Square::G1), Bitboard::rank(0));
        assert_eq!(line(Square::B1, Square::C3), Bitboard::EMPTY);
        for a in Square::all() {
            assert_eq!(queen(a, Bitboard::EMPTY), rook_rays(a) | bishop_rays(a));
            for color in Color::ALL {
                assert_eq!(pawns(color, a.bitboard()), pawn(color, a));
            }
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
                assert!(between(a, b).is_subset(line(a, b)));
                assert_eq!(line(a, b).any(), queen(a, Bitboard::EMPTY).contains(b));
            }
        }
    }
}
