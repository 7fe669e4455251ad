//! Random openings that leave a fair game.

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Root, Silent};

/// What counts as fair.
#[derive(Clone, Copy, Debug)]
pub struct Fair {
    /// Nodes of the search that decides.
    pub nodes: u64,
    /// Openings in which one side is further ahead than this are rejected, in centipawns.
    pub margin: i32,
}

impl Fair {
    /// A position after random moves in which neither side is far ahead. `start` draws, for each
    /// attempt, where it begins and how many moves it has. It must not always end in finished
    /// games.
    pub fn opening(
        self,
        engine: &mut Engine,
        random: &mut Rng,
        start: impl Fn(&mut Rng) -> (Board, usize),
    ) -> Board {
        loop {
            let (board, plies) = start(random);
            let Some(board) = walk(board, plies, random) else { continue };
            engine.new_game();
            let outcome = engine.search(Root::new(board), Limits::nodes(self.nodes), Silent);
            if outcome.best.is_some() && outcome.score.abs() <= self.margin {
                return board;
            }
        }
    }
}

/// The position after random moves; `None` if the game is over by then.
fn walk(mut board: Board, plies: usize, random: &mut Rng) -> Option<Board> {
    for _ in 0..plies {
        board.make(*random.choice(board.legal_moves().iter())?);
    }
    board.has_legal_move().then_some(board)
}
