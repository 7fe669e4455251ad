//! Makes `data/positions.epd`: one position from each of many games the engine plays against
//! itself.
//!
//! `cargo run --release -p megatherium-lab --example make_positions >
//! crates/lab/data/positions.epd`

#![forbid(unsafe_code)]

use megatherium_board::Board;
use megatherium_lab::openings::Openings;
use megatherium_search::{Engine, EngineError, Limits, Root, Silent};

const COUNT: usize = 128;
const NODES: u64 = 6000;
/// Positions further from equality than this are decided, in centipawns.
const DECIDED: i32 = 300;

fn main() -> Result<(), EngineError> {
    println!(
        "# {COUNT} positions from games of the engine against itself; made by the example make_positions."
    );
    let mut random = fastrand::Rng::with_seed(2026);
    let openings = Openings::Random { seed: 2026 }.take(3 * COUNT)?;
    let mut engine = Engine::new(1, 8)?;
    let mut printed = 0;
    for opening in openings {
        if printed == COUNT {
            break;
        }
        // From the opening to the endgame in even steps, so that all phases are there.
        let wanted = 4 + 100 * (printed % 16) / 15 + random.usize(..4);
        if let Some(board) = position(&mut engine, &opening, wanted) {
            println!("{}", board.fen());
            printed += 1;
        }
    }
    Ok(())
}

/// The position `plies` into a game, unless it is drawn, decided or nearly over.
fn position(engine: &mut Engine, opening: &Board, plies: usize) -> Option<Board> {
    engine.new_game();
    let mut root = Root::new(*opening);
    for _ in 0..plies {
        let best = engine.search(root.clone(), Limits::nodes(NODES), Silent).best?;
        root.play(best);
        if root.history.repetition(&root.board, 0) || root.board.halfmove_clock() > 40 {
            return None;
        }
    }
    let outcome = engine.search(root.clone(), Limits::nodes(4 * NODES), Silent);
    let open = outcome.score.abs() <= DECIDED
        && !root.board.in_check()
        && root.board.legal_moves().len() > 5;
    (open && root.board.occupied().count() > 6).then_some(root.board)
}
