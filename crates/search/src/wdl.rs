//! Win, draw and loss probabilities of a score (WDL).
//!
//! A logistic model: the probability of a win is a sigmoid of the score around a threshold; the
//! probability of a loss is that of a win with the negated score. Threshold and spread depend on
//! the material left, because the same advantage wins more often with fewer pieces. The parameters
//! are fitted to game results.

use megatherium_board::{Board, PieceType};

use crate::score::{Score, is_decisive};

/// How the win probability depends on score and material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Score that wins half of the games: constant and slope over [`material`].
    pub threshold: [f64; 2],
    /// Spread of the sigmoid: constant and slope over [`material`].
    pub spread: [f64; 2],
}

/// Fitted to games of the engine against itself; `docs/net.md` has the command.
pub const FITTED: Model = Model { threshold: [242.375, -129.625], spread: [39.25, 73.0] };

impl Model {
    /// The probability of a win with `score`. The probability of a loss is that of a win with
    /// `-score`.
    pub fn win(&self, score: f64, material: f64) -> f64 {
        let threshold = self.threshold[0] + self.threshold[1] * material;
        let spread = (self.spread[0] + self.spread[1] * material).max(1.0);
        1.0 / (1.0 + ((threshold - score) / spread).exp())
    }
}

/// Material of the start position, in pawns.
pub(crate) const FULL_BOARD: Score = 78;

/// Material on the board, in pawns.
#[inline]
pub(crate) fn pawns_worth(board: &Board) -> Score {
    let count = |piece_type| board.pieces(piece_type).count() as Score;
    count(PieceType::Pawn)
        + 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen)
}

/// Material on the board, from 0 (bare kings) to 1 (the initial material). More is clamped: games,
/// and so the fit, never have it.
pub fn material(board: &Board) -> f64 {
    (f64::from(pawns_worth(board)) / f64::from(FULL_BOARD)).min(1.0)
}

/// Win, draw and loss in permille; they add up to 1000.
pub fn wdl(score: Score, board: &Board) -> [u16; 3] {
    if is_decisive(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let material = material(board);
    let permille = |score: Score| (1000.0 * FITTED.win(f64::from(score), material)).round() as u16;
    let win = permille(score);
    let loss = permille(-score).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// No, some, all and far too much material.
    const FENS: [&str; 4] = [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    ];

    proptest! {
        #[test]
        fn adds_up_and_is_symmetric(score in -32_000i32..=32_000, fen in 0..FENS.len()) {
            let board = Board::from_fen(FENS[fen]).unwrap();
            let [win, draw, loss] = wdl(score, &board);
            prop_assert_eq!(win + draw + loss, 1000);
            prop_assert_eq!(wdl(-score, &board), [loss, draw, win]);
            let [better, _, _] = wdl(score + 1, &board);
            prop_assert!(better >= win);
        }
    }
}
