//! `megatherium perft`.

use clap::Args;
use megatherium_cli::progress::interrupt;
use megatherium_cli::{JobResult, MAX_THREADS};
use megatherium_search::PerftTable;

use crate::output::Output;
use crate::task;

#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Depth in plies
    depth: u32,
    /// The position; the initial one if none is given
    fen: Option<String>,
    /// Threads; one, or with --hash as many as there are cores
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,
    /// Count transpositions once, with a table of so many MiB
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    hash: Option<u64>,
    /// Write castling as king takes rook
    #[arg(long)]
    chess960: bool,
}

pub(super) fn run(args: &PerftArgs) -> JobResult {
    let board = super::position::read(args.fen.as_deref())?;
    let stop = interrupt()?;
    let output = Output::stdout();
    let Some(mebibytes) = args.hash else {
        let threads = args.threads.unwrap_or(1) as usize;
        task::run_perft(&output, &board, args.depth, threads, args.chess960, "", &stop);
        return Ok(());
    };
    let table = PerftTable::new(mebibytes as usize)?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, |threads| threads as usize);
    let divide = || table.divide(&board, args.depth, threads, &stop);
    task::report_perft(&output, &board, args.depth, args.chess960, "", divide);
    Ok(())
}
