//! Work that is not a search. It runs on its own thread so that the reader stays responsive.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use megatherium_board::perft::divide;
use megatherium_board::{Board, Move};
use megatherium_search::report::nodes_per_second;
use megatherium_search::{Engine, bench};

use crate::output::Output;

/// A running task.
#[derive(Debug)]
pub struct Task {
    stop: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Task {
    /// Starts `work`; it should look at the flag it is given now and then, and end when that is
    /// set.
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

/// Counts leaf nodes and prints the number for each first move. `remark` begins the last line:
/// `info string ` in a UCI conversation.
pub fn run_perft(
    output: &Output,
    board: &Board,
    depth: u32,
    threads: usize,
    chess960: bool,
    remark: &str,
    stop: &AtomicBool,
) {
    report_perft(output, board, depth, chess960, remark, || divide(board, depth, threads, stop));
}

/// Counts with `divide`, and prints what it found.
pub fn report_perft(
    output: &Output,
    board: &Board,
    depth: u32,
    chess960: bool,
    remark: &str,
    divide: impl FnOnce() -> Option<Vec<(Move, u64)>>,
) {
    let started = Instant::now();
    let Some(counts) = divide() else {
        output.line(format_args!("{remark}perft {depth} stopped"));
        return;
    };
    let total: u64 = if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
    let time = started.elapsed();
    output.with(|out| {
        for &(mv, count) in &counts {
            let _ = writeln!(out, "{}: {count}", board.uci(mv, chess960));
        }
        let (nps, milliseconds) = (nodes_per_second(total, time), time.as_millis());
        let _ = writeln!(out, "\nNodes searched: {total}\n");
        let _ = writeln!(out, "{remark}perft {depth}: {total} nodes {milliseconds} ms {nps} nps");
    });
}

/// Runs the bench: a line per position, then the total in the form that test frameworks look for.
/// `remark` begins a line that is no result. Stopped early, it sums up what was searched.
pub fn run_bench(
    output: &Output,
    engine: &mut Engine,
    depth: u32,
    remark: &str,
    stop: &AtomicBool,
) {
    let count = bench::POSITIONS.len();
    let (mut done, mut nodes, mut time) = (0, 0, Duration::ZERO);
    let mut each = |position: &bench::Position| {
        (done, nodes, time) = (done + 1, nodes + position.nodes, time + position.time);
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
        let nps = nodes_per_second(nodes, time);
        output.line(format_args!(
            "{remark}bench stopped after {done} of {count} positions, {nodes} nodes, {nps} nps"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
