//! A long command that behaves: a named stage in a bar (a line a minute in a pipe), results printed
//! above the bar, and a summary of what is known if Ctrl-C ends it early.
//!
//! `cargo run --release -p megatherium-cli --example count_moves -- 6`

use megatherium_board::{Board, perft};
use megatherium_cli::progress::Progress;
use megatherium_cli::{JobResult, stdio};

fn main() -> JobResult {
    let depth = std::env::args().nth(1).map_or(Ok(5), |word| word.parse::<u32>())?;
    let board = Board::startpos();
    let moves = board.legal_moves();
    let progress = Progress::new("counting")?;
    progress.begin("counting", moves.len() as u64);
    let (mut nodes, mut counted) = (0, 0);
    for &mv in &moves {
        if progress.stopped() {
            break; // Ctrl-C or SIGTERM
        }
        let mut after = board;
        after.make(mv);
        let leaves = perft::perft(&after, depth.saturating_sub(1));
        nodes += leaves;
        counted += 1;
        progress.line(format_args!("{}: {leaves}", board.uci(mv, false)));
        progress.step(1, &format!("{nodes} leaf nodes"));
    }
    progress.clear();
    stdio::line(format_args!("{nodes} leaf nodes behind {counted} of {} moves", moves.len()));
    Ok(())
}
