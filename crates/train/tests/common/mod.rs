//! Random games for the tests.

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_board::referee::Outcome;
use megatherium_nnue::constructed;
use megatherium_train::data::{Ending, Game, NO_SCORE, PackedBoard, Ply};

/// Games of random moves, scored by the constructed net and won by the side it prefers in the end:
/// something a net can learn.
pub fn games(count: usize, seed: u64) -> Vec<Game> {
    let network = constructed::network();
    let mut random = Rng::with_seed(seed);
    (0..count)
        .map(|_| {
            let mut board = Board::startpos();
            let start = PackedBoard::pack(&board).unwrap();
            let mut plies = Vec::new();
            let mut last = 0;
            for number in 0..120 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.usize(..moves.len())];
                let score = network.evaluate(&board);
                last = if number % 2 == 0 { score } else { -score };
                plies.push(Ply { mv, score: if number < 6 { NO_SCORE } else { score as i16 } });
                board.make(mv);
            }
            let outcome = match last {
                ..-200 => Outcome::Black,
                -200..=200 => Outcome::Draw,
                _ => Outcome::White,
            };
            Game { start, outcome, ending: Ending::Adjudicated, net: 0, plies }
        })
        .collect()
}
