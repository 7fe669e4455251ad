//! A measured search: when each iteration was complete.

use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::Board;
use megatherium_cli::search::follow;
use megatherium_search::{Engine, Limits, Outcome, Root};

use crate::identity::Factors;

/// When an iteration of the leading thread was complete.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    /// Depth of the iteration.
    pub depth: u32,
    /// Nodes of all threads up to then.
    pub nodes: u64,
    /// Seconds up to then.
    pub seconds: f64,
}

/// A finished search.
#[derive(Clone, Debug)]
pub struct Run {
    /// Every completed iteration.
    pub marks: Vec<Mark>,
    /// The result of the search.
    pub outcome: Outcome,
    /// Nodes of each thread.
    pub nodes_by_thread: Vec<u64>,
    /// Permille of the table in use at the end.
    pub hashfull: u32,
}

impl Run {
    /// The mark of a depth.
    pub fn mark(&self, depth: u32) -> Option<Mark> {
        mark_of(&self.marks, depth)
    }

    /// The deepest mark within a budget of nodes, at least the first.
    pub fn deepest_within(&self, nodes: u64) -> Option<Mark> {
        deepest_within(&self.marks, nodes)
    }
}

/// The last mark of a depth.
pub fn mark_of(marks: &[Mark], depth: u32) -> Option<Mark> {
    marks.iter().rev().find(|mark| mark.depth == depth).copied()
}

/// The deepest mark within a budget of nodes, at least the first.
pub fn deepest_within(marks: &[Mark], nodes: u64) -> Option<Mark> {
    marks.iter().rev().find(|mark| mark.nodes <= nodes).or(marks.first()).copied()
}

/// Number of last depths whose ratios are averaged, because the end of a single iteration is
/// noisy.
const DEPTHS_AVERAGED: u32 = 3;

/// Compares the marks of a run with those of a single thread, on the last depths up to `depth`.
/// `None` if they have none in common.
pub fn compare(single: &[Mark], several: &[Mark], depth: u32) -> Option<Factors> {
    let factors: Vec<Factors> = (depth.saturating_sub(DEPTHS_AVERAGED - 1)..=depth)
        .filter_map(|depth| Some((mark_of(single, depth)?, mark_of(several, depth)?)))
        // No ratio without a time.
        .filter(|(one, many)| one.seconds > 0.0 && many.seconds > 0.0)
        .map(|(one, many)| {
            Factors::new((one.nodes as f64, one.seconds), (many.nodes as f64, many.seconds))
        })
        .collect();
    (!factors.is_empty()).then(|| Factors::mean(&factors))
}

/// Searches a position from scratch: empty table and histories. `None` if it was stopped before the
/// end.
pub fn search(
    engine: &mut Engine,
    board: &Board,
    limits: Limits,
    stop: &AtomicBool,
) -> Option<Run> {
    engine.new_game();
    go_on(engine, Root::new(*board), limits, stop)
}

/// Searches a position with the table and histories as they are.
pub fn go_on(engine: &mut Engine, root: Root, limits: Limits, stop: &AtomicBool) -> Option<Run> {
    let (lines, outcome) = follow(engine, root, limits, stop, |_| {});
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let first = lines.iter().filter(|info| info.multipv == 1);
    let marks = first
        .map(|info| Mark { depth: info.depth, nodes: info.nodes, seconds: info.time.as_secs_f64() })
        .collect();
    let (nodes_by_thread, hashfull) = (engine.nodes_by_thread(), engine.table().hashfull());
    Some(Run { marks, outcome, nodes_by_thread, hashfull })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_marked() {
        let mut engine = Engine::new(1, 1).unwrap();
        let never = AtomicBool::new(false);
        let run = search(&mut engine, &Board::startpos(), Limits::depth(6), &never).unwrap();
        assert_eq!(run.marks.iter().map(|mark| mark.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert!(run.marks.is_sorted_by_key(|mark| mark.nodes));
        assert_eq!(run.nodes_by_thread, [run.outcome.nodes]);
        assert_eq!(run.deepest_within(run.mark(4).unwrap().nodes).unwrap().depth, 4);
        assert_eq!(run.deepest_within(0).unwrap().depth, 1);
        let same = compare(&run.marks, &run.marks, 6).unwrap();
        assert!(same.overhead.abs() < 1e-12 && same.residue().abs() < 1e-12);
    }

    #[test]
    fn a_stop_leaves_nothing_half_done() {
        let mut engine = Engine::new(1, 1).unwrap();
        let stop = AtomicBool::new(true);
        let endless = Limits { infinite: true, ..Limits::default() };
        assert!(search(&mut engine, &Board::startpos(), endless, &stop).is_none());
    }
}
