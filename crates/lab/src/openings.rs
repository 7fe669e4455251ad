//! Openings for matches: a few random moves, kept if they leave a game to be played.

use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::Board;
use megatherium_search::random::Random;
use megatherium_search::{Engine, EngineError, Limits, Root, Silent};

/// Random moves each opening begins with.
const PLIES: usize = 8;

/// Nodes of the look that decides whether an opening is playable.
const LOOK: u64 = 4000;

/// Openings in which one side is further ahead than this are left out, in centipawns.
const MARGIN: i32 = 120;

/// `count` different openings; the same ones for the same seed. Fewer if it was stopped.
pub fn random(count: usize, seed: u64, stop: &AtomicBool) -> Result<Vec<Board>, EngineError> {
    let mut random = Random::new(seed);
    let mut engine = Engine::new(1, 1)?;
    let mut openings: Vec<Board> = Vec::with_capacity(count);
    while openings.len() < count && !stop.load(Ordering::Relaxed) {
        let Some(board) = walk(&mut random) else { continue };
        if openings.iter().any(|known| known.key() == board.key()) {
            continue;
        }
        engine.new_game();
        let outcome = engine.search(Root::new(board), Limits::nodes(LOOK), Silent);
        if outcome.best.is_some() && outcome.score.abs() <= MARGIN {
            openings.push(board);
        }
    }
    Ok(openings)
}

fn walk(random: &mut Random) -> Option<Board> {
    let mut board = Board::startpos();
    for _ in 0..PLIES {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return None;
        }
        board.make(moves[random.below(moves.len())]);
    }
    board.has_legal_move().then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_on_the_seed_alone() {
        let never = AtomicBool::new(false);
        let keys = |seed| {
            let openings = random(6, seed, &never).unwrap();
            openings.iter().map(Board::key).collect::<Vec<_>>()
        };
        assert_eq!(keys(1), keys(1));
        assert_ne!(keys(1), keys(2));
    }

    #[test]
    fn a_stop_ends_the_walk() {
        assert!(random(6, 1, &AtomicBool::new(true)).unwrap().is_empty());
    }
}
