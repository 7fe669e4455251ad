//! Work that is not a search. It runs on its own thread so that the reader stays responsive.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use megatherium_board::{Board, Move};
use megatherium_search::report::nodes_per_second;
use megatherium_search::{Engine, bench};

/// A running task.
#[derive(Debug)]
pub struct Task {
    stop: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Task {
    /// Starts `work`, which must poll the flag it is given and end when it is set.
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
        // A panic was already reported on standard error, and the shell needs nothing from the
        // task.
        let _ = self.handle.join();
    }
}

/// A perft to run.
#[derive(Clone, Copy, Debug)]
pub struct Perft<'a> {
    /// The position.
    pub board: &'a Board,
    /// Plies to the leaves.
    pub depth: u32,
    /// Write castling as king takes rook.
    pub chess960: bool,
    /// Prefix of the last line: `info string ` in a UCI conversation.
    pub remark: &'a str,
}

impl Perft<'_> {
    /// Counts leaf nodes and prints the number for each first move as soon as it is known, so an
    /// interrupted count keeps its results. `divide` counts the leaves below a position by move; it
    /// returns `None` when it is stopped.
    pub fn run(
        self,
        divide: impl Fn(&Board, u32) -> Option<Vec<(Move, u64)>>,
        mut say: impl FnMut(&dyn fmt::Display),
    ) {
        let Perft { board, depth, chess960, remark } = self;
        let started = Instant::now();
        let moves = board.legal_moves();
        // A first move with its leaves; none at depth 0, where the root is the only leaf.
        let firsts = if depth == 0 { 0 } else { moves.len() };
        let mut total = u64::from(depth == 0);
        for (done, &mv) in moves.iter().enumerate().take(firsts) {
            let sum = |counts: Vec<(Move, u64)>| {
                counts.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count))
            };
            let count =
                if depth == 1 { Some(1) } else { divide(&board.after(mv), depth - 1).map(sum) };
            let Some(count) = count else {
                let firsts = format!("{done} of {firsts} first moves");
                return say(&format_args!(
                    "{remark}perft {depth} stopped after {firsts}, {total} nodes"
                ));
            };
            total = total.saturating_add(count);
            say(&format_args!("{}: {count}", board.uci(mv, chess960)));
        }
        let time = started.elapsed();
        let (nps, milliseconds) = (nodes_per_second(total, time), time.as_millis());
        say(&format_args!(
            "\nNodes searched: {total}\n\n{remark}perft {depth}: {total} nodes {milliseconds} ms \
             {nps} nps"
        ));
    }
}

/// Runs the bench: a line per position, then the total in the form that test frameworks look for.
/// `remark` is the prefix of a line that is not a result. If it is stopped, it prints the totals so
/// far.
pub fn run_bench(
    engine: &mut Engine,
    depth: u32,
    remark: &str,
    stop: &AtomicBool,
    say: impl Fn(&dyn fmt::Display),
) {
    let count = bench::POSITIONS.len();
    let (mut done, mut nodes, mut time) = (0, 0, Duration::ZERO);
    let mut each = |position: &bench::Position| {
        (done, nodes, time) = (done + 1, nodes + position.nodes, time + position.time);
        let nps = nodes_per_second(position.nodes, position.time);
        let (number, nodes, fen) = (position.number, position.nodes, position.fen);
        say(&format_args!("{number:>3}/{count} {nodes:>10} nodes {nps:>9} nps  {fen}"));
    };
    let result = bench::run_on(engine, depth, stop, &mut each);
    if result.complete {
        say(&format_args!("checksum of moves and scores: {:016x}", result.checksum));
        say(&format_args!("{} nodes {} nps", result.nodes, result.nps()));
    } else {
        let nps = nodes_per_second(nodes, time);
        let total = if done > 0 { format!(", {nodes} nodes, {nps} nps") } else { String::new() };
        say(&format_args!("{remark}bench stopped after {done} of {count} positions{total}"));
    }
}

#[cfg(test)]
mod tests {
    use megatherium_board::perft::divide;

    use super::*;

    fn said(fen: &str, depth: u32, stop: bool) -> Vec<String> {
        let (board, stop) = (Board::from_fen(fen).unwrap(), AtomicBool::new(stop));
        let mut lines = Vec::new();
        let perft = Perft { board: &board, depth, chess960: false, remark: "" };
        perft.run(
            |board, depth| divide(board, depth, 2, &stop),
            |line| lines.push(line.to_string()),
        );
        lines
    }

    #[test]
    fn counts_at_every_depth_and_without_moves() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (depth, nodes) in [(0, 1), (1, 20), (2, 400), (3, 8902)] {
            let lines = said(start, depth, false);
            assert_eq!(lines.len(), if depth == 0 { 1 } else { 21 });
            let last = lines.last().unwrap();
            assert!(last.contains(&format!("\nNodes searched: {nodes}\n")), "{last}");
        }
        let mated = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
        assert!(said(mated, 3, false)[0].contains("Nodes searched: 0\n"));
        assert_eq!(said(start, 9, true), ["perft 9 stopped after 0 of 20 first moves, 0 nodes"]);
    }

    /// The last line of a bench that is stopped after `positions`, and the nodes of each.
    fn stopped_bench(positions: usize) -> (String, Vec<u64>) {
        let stop = AtomicBool::new(positions == 0);
        let lines = std::sync::Mutex::new(Vec::new());
        let mut engine = Engine::new(1, 1).unwrap();
        run_bench(&mut engine, 4, "", &stop, |line| {
            let mut lines = lines.lock().unwrap();
            lines.push(line.to_string());
            stop.store(lines.len() >= positions, Ordering::Relaxed);
        });
        let mut lines = lines.into_inner().unwrap();
        let last = lines.pop().unwrap();
        let nodes = |line: &String| line.split_whitespace().nth(1).unwrap().parse().unwrap();
        (last, lines.iter().map(nodes).collect())
    }

    #[test]
    fn a_stopped_bench_tells_what_was_done() {
        let count = bench::POSITIONS.len();
        let (last, nodes) = stopped_bench(0);
        assert_eq!((last, nodes), (format!("bench stopped after 0 of {count} positions"), vec![]));
        let (last, nodes) = stopped_bench(2);
        assert_eq!(nodes.len(), 2);
        let told =
            format!("bench stopped after 2 of {count} positions, {} nodes, ", nodes[0] + nodes[1]);
        assert!(last.starts_with(&told) && last.ends_with(" nps"), "{last}");
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
