//! The shape of the net: its inputs, its width, and which output head evaluates a position.
//!
//! ```text
//! 768 inputs × king buckets ──► HIDDEN ─ SCReLU ─┐ side to move
//! 768 inputs × king buckets ──► HIDDEN ─ SCReLU ─┴─► one of OUTPUT_BUCKETS heads ──► score
//! ```
//!
//! Each side sees the board from its own side: Black's view is flipped top to bottom, so that
//! "my pawn on my second rank" is the same input for both. A view is also mirrored left to right
//! when its king stands on the files e–h, so that the net learns each king-side pattern once
//! instead of twice.
//!
//! Everything here is a constant of the file format: a net of another shape is refused when it is
//! loaded.

use megatherium_board::{Color, Piece, Square};

/// Neurons per side. Growing the net means changing this number and embedding a net of that width.
pub const HIDDEN: usize = 512;

/// Whether a view is mirrored so that its own king always stands on the files a–d.
pub const MIRRORED: bool = true;

/// Number of sets of input weights, chosen by the square of the view's own king.
pub const KING_BUCKETS: usize = 1;

/// Which set of input weights belongs to the own king's square, after flipping and mirroring:
/// [`ONE_BUCKET`] or, with five buckets, [`FIVE_BUCKETS`].
pub const KING_BUCKET_MAP: [u8; 64] = ONE_BUCKET;

/// The same set for every square.
pub const ONE_BUCKET: [u8; 64] = [0; 64];

/// The castled king, the king in the middle of the back rank, the second rank, and two for the
/// endgame. Mirrored, only the files a–d occur.
#[rustfmt::skip]
pub const FIVE_BUCKETS: [u8; 64] = [
    0, 0, 1, 1,  1, 1, 0, 0, // rank 1
    2, 2, 2, 2,  2, 2, 2, 2,
    3, 3, 3, 3,  3, 3, 3, 3,
    3, 3, 3, 3,  3, 3, 3, 3,
    4, 4, 4, 4,  4, 4, 4, 4,
    4, 4, 4, 4,  4, 4, 4, 4,
    4, 4, 4, 4,  4, 4, 4, 4,
    4, 4, 4, 4,  4, 4, 4, 4, // rank 8
];

/// Number of output heads, chosen by the number of pieces on the board.
pub const OUTPUT_BUCKETS: usize = 8;

/// Inputs of one set: own and opponent's × six piece types × 64 squares.
pub const INPUTS_PER_BUCKET: usize = 768;

/// Rows of the first layer's weight matrix.
pub const INPUTS: usize = INPUTS_PER_BUCKET * KING_BUCKETS;

/// Quantisation of the first layer: an activation of 1.0 is stored as 255.
pub const QA: i32 = 255;

/// Quantisation of the second layer: a weight of 1.0 is stored as 64.
pub const QB: i32 = 64;

/// An output of 1.0 means this many centipawns.
pub const SCALE: i32 = 400;

/// Distinct views one side can have; the refresh table keeps one accumulator for each.
pub(crate) const VIEWS: usize = KING_BUCKETS * if MIRRORED { 2 } else { 1 };

const _: () = assert!(HIDDEN.is_multiple_of(32), "the widest vector holds 32 neurons");
const _: () =
    assert!(HIDDEN <= 2048, "wider than this a 32-bit lane of the output sum could overflow");
const _: () = {
    let mut square = 0;
    while square < 64 {
        assert!((KING_BUCKET_MAP[square] as usize) < KING_BUCKETS);
        square += 1;
    }
};

/// How one side sees the board: flipped, mirrored, and with which set of weights.
///
/// Two positions with equal views differ only in their pieces, so one accumulator can be updated
/// into the other. When a king's move changes the view of its side, that side's accumulator has to
/// be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    perspective: Color,
    /// Applied to a square's index by exclusive or: bits 3–5 flip the ranks, bits 0–2 mirror the
    /// files.
    flip: u8,
    bucket: u8,
}

impl View {
    /// The view of the side `perspective` whose king stands on `king`.
    #[inline]
    pub fn new(perspective: Color, king: Square) -> View {
        View::with_buckets(perspective, king, &KING_BUCKET_MAP)
    }

    /// The same for a net with another king bucket map.
    #[inline]
    pub fn with_buckets(perspective: Color, king: Square, map: &[u8; 64]) -> View {
        let chair = if perspective == Color::White { 0 } else { 0b111_000 };
        let mirror = if MIRRORED && king.file() >= 4 { 0b000_111 } else { 0 };
        let flip = chair ^ mirror;
        View { perspective, flip, bucket: map[king.index() ^ flip as usize] }
    }

    /// The input that `piece` on `square` switches on: for the map of this build below [`INPUTS`].
    #[inline]
    pub fn input(self, piece: Piece, square: Square) -> usize {
        let foreign = usize::from(piece.color() != self.perspective);
        let kind = foreign * 6 + piece.piece_type().index();
        self.bucket as usize * INPUTS_PER_BUCKET + kind * 64 + (square.index() ^ self.flip as usize)
    }

    /// Numbers the views of one side densely, below [`VIEWS`].
    #[inline]
    pub(crate) fn slot(self) -> usize {
        let mirrored = usize::from(MIRRORED && self.flip & 1 != 0);
        mirrored * KING_BUCKETS + self.bucket as usize
    }
}

/// The output head for a board with `pieces` pieces, kings included: four counts share a head.
#[inline]
pub fn output_bucket(pieces: u32) -> usize {
    (pieces.saturating_sub(2) as usize * OUTPUT_BUCKETS / 32).min(OUTPUT_BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use megatherium_board::PieceType;

    #[test]
    fn inputs_of_a_view_are_distinct() {
        for perspective in Color::ALL {
            for king in 0..64 {
                let view = View::new(perspective, Square::from_index(king));
                let mut seen = vec![false; INPUTS];
                for color in Color::ALL {
                    for kind in PieceType::ALL {
                        for square in 0..64 {
                            let input =
                                view.input(Piece::new(color, kind), Square::from_index(square));
                            assert!(!std::mem::replace(&mut seen[input], true));
                        }
                    }
                }
                assert_eq!(seen.iter().filter(|&&on| on).count(), INPUTS_PER_BUCKET);
                assert!(view.slot() < VIEWS);
            }
        }
    }

    #[test]
    fn views_are_mirror_images() {
        // White's knight on c3 with the king on b1 is Black's knight on f6 with the king on g8.
        let white = View::new(Color::White, Square::new(1, 0));
        let black = View::new(Color::Black, Square::new(6, 7));
        assert_eq!(
            white.input(Piece::WhiteKnight, Square::new(2, 2)),
            black.input(Piece::BlackKnight, Square::new(5, 5))
        );
        assert_ne!(white.slot(), black.slot(), "one of the two is mirrored");
    }

    #[test]
    fn output_buckets_cover_every_count() {
        assert_eq!(output_bucket(2), 0);
        assert_eq!(output_bucket(32), OUTPUT_BUCKETS - 1);
        assert_eq!(output_bucket(64), OUTPUT_BUCKETS - 1);
        assert!((2..32).all(|count| output_bucket(count) <= output_bucket(count + 1)));
    }
}
