//! `megatherium perft`.

use clap::Args;
use megatherium_board::Board;
use megatherium_board::perft::{MAX_DEPTH, divide};
use megatherium_cli::progress::Progress;
use megatherium_cli::{JobResult, MAX_THREADS};
use megatherium_search::PerftTable;

use crate::task::Perft;

#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Position as FEN, in quotes [default: the initial position]
    fen: Option<String>,
    /// Threads [default: 1; with --hash, all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,
    /// Count transpositions only once, with a table of this many MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    hash: Option<u64>,
    /// Write castling as king takes rook
    #[arg(long)]
    chess960: bool,
}

pub(super) fn run(args: &PerftArgs) -> JobResult {
    let board = super::position::read(args.fen.as_deref())?;
    let table = args.hash.map(|mebibytes| PerftTable::new(mebibytes as usize)).transpose()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let default = || if table.is_some() { cores() } else { 1 };
    let threads = args.threads.map_or_else(default, |threads| threads as usize);
    let bar = Progress::new("first moves")?;
    bar.begin("first moves", board.legal_moves().len() as u64);
    let divide = |board: &Board, depth| match &table {
        Some(table) => table.divide(board, depth, threads, bar.stop()),
        None => divide(board, depth, threads, bar.stop()),
    };
    let perft = Perft { board: &board, depth: args.depth, chess960: args.chess960, remark: "" };
    perft.run(divide, |line| {
        bar.step(1, "");
        bar.line(line);
    });
    bar.clear();
    Ok(())
}
