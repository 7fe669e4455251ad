//! Work that is no search: it runs on a thread of its own, so that the reader stays awake.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use megatherium_board::perft::perft;
use megatherium_board::{Board, Move};
use megatherium_search::report::nodes_per_second;
use megatherium_search::{Engine, EngineError, bench};

use crate::output::Output;

/// A running task.
#[derive(Debug)]
pub struct Task {
    stop: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Task {
    /// Starts `work`; it should look at the flag it is given now and then, and end when that is set.
    pub fn start(work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<Task> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let handle = thread::Builder::new().name("task".to_owned()).spawn(move || work(&flag))?;
        Ok(Task { stop, handle })
    }

    /// Asks the task to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until it has ended.
    pub fn join(self) {
        // A task that panicked has said so on standard error, and has nothing the shell needs.
        let _ = self.handle.join();
    }
}

/// Counts move sequences and prints the number for each first move.
pub fn run_perft(
    output: &Output,
    board: &Board,
    depth: u32,
    threads: usize,
    chess960: bool,
    stop: &AtomicBool,
) {
    let started = Instant::now();
    let Some(counts) = divide(board, depth, threads, stop) else {
        output.info(format_args!("perft {depth} stopped"));
        return;
    };
    let total: u64 = if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
    let time = started.elapsed();
    output.with(|out| {
        for &(mv, count) in &counts {
            let _ = writeln!(out, "{}: {count}", board.uci(mv, chess960));
        }
        let nps = nodes_per_second(total, time);
        let _ = writeln!(out, "\nNodes searched: {total}\n");
        let _ = writeln!(out, "info string perft {depth}: {total} nodes {} ms {nps} nps", time.as_millis());
    });
}

/// The number of move sequences of length `depth` for each first move; `None` if it was stopped.
pub fn divide(board: &Board, depth: u32, threads: usize, stop: &AtomicBool) -> Option<Vec<(Move, u64)>> {
    let Some(rest) = depth.checked_sub(1) else { return Some(Vec::new()) };
    let moves = board.legal_moves();
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        // Each thread takes the next move nobody has taken.
        while let Some((mv, count)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            moves.get(index).copied().zip(counts.get(index))
        } {
            count.store(count_below(board, mv, rest, stop), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.clamp(1, moves.len().max(1)) {
            // If a helper cannot be started the others do its share.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    Some(moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect())
}

/// [`perft`] after a move, in pieces small enough to stop between them.
fn count_below(board: &Board, mv: Move, depth: u32, stop: &AtomicBool) -> u64 {
    const PIECE: u32 = 4;
    let mut after = *board;
    after.make(mv);
    if depth <= PIECE {
        return if stop.load(Ordering::Relaxed) { 0 } else { perft(&after, depth) };
    }
    let mut total = 0u64;
    for &reply in &after.legal_moves() {
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        total = total.saturating_add(count_below(&after, reply, depth - 1, stop));
    }
    total
}

/// Runs the bench: a line per position, then the total in the form that test frameworks look for.
pub fn run_bench(
    output: &Output,
    depth: u32,
    threads: usize,
    hash: usize,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    run_bench_on(output, &mut Engine::new(threads, hash)?, depth, stop);
    Ok(())
}

/// [`run_bench`] on an engine of the caller's making.
pub fn run_bench_on(output: &Output, engine: &mut Engine, depth: u32, stop: &AtomicBool) {
    let count = bench::POSITIONS.len();
    let mut each = |position: &bench::Position| {
        let nps = nodes_per_second(position.nodes, position.time);
        let (number, nodes, fen) = (position.number, position.nodes, position.fen);
        output.line(format_args!("{number:>3}/{count} {nodes:>10} nodes {nps:>9} nps  {fen}"));
    };
    let result = bench::run_on(engine, depth, stop, &mut each);
    if result.complete {
        output.with(|out| {
            let _ = writeln!(out, "checksum of moves and scores: {:016x}", result.checksum);
            let _ = writeln!(out, "{} nodes {} nps", result.nodes, result.nps());
        });
    } else {
        output.info("bench stopped");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divided_counts_add_up_on_any_number_of_threads() {
        let board =
            Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        let go_on = AtomicBool::new(false);
        for threads in [0, 1, 3, 500] {
            let counts = divide(&board, 3, threads, &go_on).unwrap();
            assert_eq!(counts.len(), 48);
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 97_862);
        }
        assert_eq!(divide(&board, 0, 1, &go_on), Some(Vec::new()));
        let mated = Board::from_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap();
        assert_eq!(divide(&mated, 5, 2, &go_on), Some(Vec::new()));
    }

    #[test]
    fn a_deep_count_can_be_stopped() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let task = Task::start(move |stop| {
            let _ = sender.send(divide(&Board::startpos(), 100, 2, stop));
        })
        .unwrap();
        task.stop();
        task.join();
        assert_eq!(receiver.recv(), Ok(None));
    }
}
