//! Analyses a position on two threads and prints each new best line.
//!
//! `cargo run --release -p megatherium-search --example analyse --
//! "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"`

use megatherium_board::{Board, Move};
use megatherium_search::{Engine, Limits, Report, Root, ScoreBound, Sink};
use std::error::Error;
use std::time::Duration;

/// Prints what the search reports. It is called from the search's own thread.
struct Printer {
    board: Board,
}

impl Printer {
    fn line(&self, moves: &[Move]) -> String {
        let mut board = self.board;
        let mut line = String::new();
        for &mv in moves {
            line += &board.san(mv);
            line.push(' ');
            board.make(mv);
        }
        line
    }
}

impl Sink for Printer {
    fn report(&self, report: Report<'_>) {
        match report {
            Report::Info(info) if info.bound == ScoreBound::Exact => {
                println!("depth {:2}  score {:5}  {}", info.depth, info.score, self.line(&info.pv));
            }
            Report::Done(outcome) => {
                println!("{} nodes", outcome.nodes);
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let board = std::env::args()
        .nth(1)
        .map_or_else(|| Ok(Board::startpos()), |fen| Board::from_fen(&fen))?;
    let mut engine = Engine::new(2, 64)?; // threads, MiB
    let limits = Limits::move_time(Duration::from_secs(2));
    let outcome = engine.search(Root::new(board), limits, Printer { board });
    println!("best: {}", outcome.best.map_or_else(|| "none".to_owned(), |mv| board.san(mv)));
    Ok(())
}
