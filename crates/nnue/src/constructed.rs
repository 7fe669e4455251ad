//! A net that was never trained: its weights are computed so that it counts material and a little
//! placement.
//!
//! It is the first ancestor of all trained nets, and it exists so that the engine never needs
//! another kind of evaluation. A net with a squared activation computes a *linear* function exactly
//! like this: give two neurons the bias `a` and the inputs `+x` and `−x`, weigh their outputs `+w`
//! and `−w`, and
//!
//! ```text
//! w·(a + x)² − w·(a − x)² = 4·a·w·x        as long as −a ≤ x ≤ a.
//! ```
//!
//! One such pair has only a few hundred steps between its clipping points, too few for both a
//! pawn's advance and nine queens. So the value `v` of a piece on a square is spread over many
//! pairs, pair `k` of `P` taking `⌊(v + k) / P⌋`. These parts add up to `v` again (Hermite's
//! identity), each is small, and nothing is rounded away.
//!
//! Half of the pairs count with middlegame values and half with endgame values; the output heads,
//! which are chosen by the number of pieces, mix the two.

use crate::format::Architecture;
use crate::layout::{HIDDEN, OUTPUT_BUCKETS, QA, QB, SCALE, View};
use crate::network::{Network, Weights};
use megatherium_board::{Color, Piece, PieceType, Square};

/// Pairs of neurons for each of the two phases.
const PAIRS: i32 = HIDDEN as i32 / 4;

/// The bias of every neuron: the middle of the activation's range.
const MIDDLE: i32 = QA / 2;

/// The output weights of the two phases add up to this. The wider the net, the more pairs share the
/// load and the finer the steps can be, with the clipping points at some 7,900 centipawns for any
/// width.
const OUTPUT_WEIGHT: i32 = {
    let weight = 640 / PAIRS;
    if weight < 8 {
        8
    } else if weight > Weights::OUTPUT_LIMIT {
        Weights::OUTPUT_LIMIT
    } else {
        weight
    }
};

/// What a piece is worth on a square, in centipawns, with the ranks counted from its own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// With all pieces on the board.
    pub middlegame: i32,
    /// With the kings nearly alone.
    pub endgame: i32,
}

/// The value of a piece of either colour on a square.
pub fn value(piece: Piece, square: Square) -> Value {
    let rank = match piece.color() {
        Color::White => square.rank() as i32,
        Color::Black => 7 - square.rank() as i32,
    };
    // Twice the distance from the middle of the board, in files and in ranks: 1, 3, 5 or 7.
    let from_middle_file = (2 * square.file() as i32 - 7).abs();
    let from_middle_rank = (2 * rank - 7).abs();
    // 0 in a corner, 6 on the four central squares.
    let central = (14 - from_middle_file - from_middle_rank) / 2;
    let (middlegame, endgame) = match piece.piece_type() {
        PieceType::Pawn => {
            let advance = rank - 1;
            let central_file = (7 - from_middle_file) / 2;
            (90 + 4 * advance + 3 * central_file * advance.min(3), 105 + 4 * advance * advance)
        }
        PieceType::Knight => (300 + 8 * central, 280 + 6 * central),
        PieceType::Bishop => (320 + 5 * central, 315 + 4 * central),
        PieceType::Rook => (480 + 4 * (7 - from_middle_file) / 2, 530 + i32::from(rank == 6) * 10),
        PieceType::Queen => (950 + 2 * central, 970 + 4 * central),
        PieceType::King => (-14 * rank - 6 * central, 12 * central),
    };
    Value { middlegame, endgame }
}

/// The constructed net. The same bytes on every machine.
pub fn network() -> Network {
    let mut weights = Weights::zero(Architecture::OURS);
    // With White's king on a1 White's view is the board as it is: neither flipped nor mirrored. The
    // values are symmetric left to right, so the mirrored view needs no weights of its own; every
    // king bucket gets the same.
    for king in (0..64).map(Square::from_index).filter(|king| king.file() < 4) {
        let view = View::new(Color::White, king);
        for (piece, square) in (0..12).flat_map(|p| (0..64).map(move |s| (p, s))) {
            let piece = Piece::new(Color::ALL[piece / 6], PieceType::ALL[piece % 6]);
            let square = Square::from_index(square);
            let sign = if piece.color() == Color::White { 1 } else { -1 };
            let Value { middlegame, endgame } = value(piece, square);
            let row = view.input(piece, square) * HIDDEN;
            let row = &mut weights.input[row..row + HIDDEN];
            let (middlegame_row, endgame_row) = row.split_at_mut(HIDDEN / 2);
            deal_out(sign * steps(middlegame), middlegame_row);
            deal_out(sign * steps(endgame), endgame_row);
        }
    }
    weights.input_bias.fill(MIDDLE as i16);
    for (bucket, head) in weights.output.chunks_exact_mut(2 * HIDDEN).enumerate() {
        let (middlegame, endgame) = phase_weights(bucket);
        let (mover, other) = head.split_at_mut(HIDDEN);
        for (neuron, (mover, other)) in mover.iter_mut().zip(other).enumerate() {
            let weight = if neuron < HIDDEN / 2 { middlegame } else { endgame };
            let sign = if neuron % 2 == 0 { 1 } else { -1 };
            // The other side's accumulator holds the same difference with the opposite sign.
            *mover = (sign * weight) as i16;
            *other = (-sign * weight) as i16;
        }
    }
    Network::new(&weights).expect("the constructed weights are in range")
}

/// The weights of the middlegame and endgame pairs in an output head.
fn phase_weights(bucket: usize) -> (i32, i32) {
    let last = OUTPUT_BUCKETS.max(2) as i32 - 1;
    let middlegame = (OUTPUT_WEIGHT * bucket as i32 + last / 2) / last;
    (middlegame, OUTPUT_WEIGHT - middlegame)
}

/// Centipawns in the net's own steps, rounded to the nearest: one step moves the output, through
/// both sides' accumulators, by `2 · 4 · MIDDLE · OUTPUT_WEIGHT / QA · SCALE / (QA · QB)`
/// centipawns.
fn steps(centipawns: i32) -> i32 {
    let numerator = i64::from(centipawns) * i64::from(QA * QA * QB);
    let denominator = i64::from(8 * MIDDLE * OUTPUT_WEIGHT * SCALE);
    ((2 * numerator + denominator * numerator.signum()) / (2 * denominator)) as i32
}

/// Spreads a value over pairs of neurons so that the parts add up to it.
fn deal_out(value: i32, pairs: &mut [i16]) {
    for (k, pair) in pairs.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let part = (value + k as i32).div_euclid(PAIRS) as i16;
        *pair = [part, -part];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::output_bucket;
    use crate::network::pieces;
    use megatherium_board::Board;

    /// The sum the net stands for, written out.
    fn by_hand(board: &Board) -> i32 {
        let (mut middlegame, mut endgame) = (0, 0);
        for (piece, square) in pieces(board) {
            let sign = if piece.color() == board.side_to_move() { 1 } else { -1 };
            let value = value(piece, square);
            middlegame += sign * steps(value.middlegame);
            endgame += sign * steps(value.endgame);
        }
        let (m, e) = phase_weights(output_bucket(board.occupied().count()));
        8 * MIDDLE * (m * middlegame + e * endgame) / QA * SCALE / (QA * QB)
    }

    #[test]
    fn the_net_is_exactly_the_sum_it_stands_for() {
        let net = network();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2Q b - - 0 1",
            "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1",
            "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1",
        ] {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(net.evaluate(&board), by_hand(&board), "{fen}");
        }
    }

    #[test]
    fn the_steps_are_fine_enough() {
        // A step is worth at most four centipawns, so the rounding of a piece is at most two.
        assert!(steps(100) >= 25);
        assert_eq!(steps(-100), -steps(100));
        assert_eq!(steps(0), 0);
    }

    #[test]
    fn parts_add_up() {
        for value in -700..700 {
            let mut pairs = [0_i16; HIDDEN / 2];
            deal_out(value, &mut pairs);
            assert_eq!(pairs.iter().step_by(2).map(|&part| i32::from(part)).sum::<i32>(), value);
            assert_eq!(pairs.iter().map(|&part| i32::from(part)).sum::<i32>(), 0);
        }
    }
}
