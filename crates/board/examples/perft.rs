//! Perft, divided by the first move.
//!
//! `cargo run --release -p megatherium-board --example perft -- 5
//! "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"`

use megatherium_board::{Board, perft};
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().unwrap_or_else(|| "5".to_owned()).parse()?;
    let board =
        arguments.next().map_or_else(|| Ok(Board::startpos()), |fen| Board::from_fen(&fen))?;
    let started = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let never = AtomicBool::new(false);
    let counts = perft::divide(&board, depth, threads, &never).unwrap_or_default();
    for (mv, count) in &counts {
        println!("{:6} {count}", board.uci(*mv, board.is_chess960()).to_string());
    }
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    println!("{total} in {:.3} s", started.elapsed().as_secs_f64());
    Ok(())
}
