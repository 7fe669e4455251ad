//! One thread's search: everything only this thread touches, and the few shared things it looks at.

use megatherium_board::{Board, KeyHistory, Move};
use megatherium_nnue::Accumulators;
use megatherium_tt::{Bound, Entry};

use crate::baton::Baton;
use crate::correction::{Corrections, LastMoves};
use crate::history::{Histories, PieceTo};
use crate::job::Job;
use crate::movepick::Earlier;
use crate::params::Params;
use crate::pv::PvTable;
use crate::reductions::Reductions;
use crate::root::RootMove;
use crate::score::{DRAW, MAX_EVAL, Score, to_table};
use crate::stack::Stack;
use crate::table_stats::TableStats;
use crate::time::TimeManager;
use crate::variant::{Standard, Variant};
use crate::worker::{Parts, Worker};

/// Nodes between two looks at the clock and the stop word.
const CHECK_INTERVAL: u64 = 512;

/// The halfmove clock from which on it is part of the table key.
const CLOCK_IN_KEY_FROM: u32 = 60;

/// The key a position has in the table.
///
/// Close to the 50-move rule the same placement can be won with the clock at 70 and drawn with the clock at 96, so there the
/// clock, in steps of eight, becomes part of the key.
#[inline]
pub fn table_key(board: &Board) -> u64 {
    board.key() ^ clock_key(board.halfmove_clock())
}

#[inline]
fn clock_key(clock: u32) -> u64 {
    if clock < CLOCK_IN_KEY_FROM {
        return 0;
    }
    // An odd multiplier spreads the step number over the word.
    u64::from((clock - CLOCK_IN_KEY_FROM) / 8 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A search in progress, as one thread sees it.
pub struct Search<'a, V: Variant = Standard> {
    /// Which thread: 0 leads.
    pub id: usize,
    /// What the threads share.
    pub job: &'a Job<V>,
    /// What this thread has learnt in this game.
    pub histories: &'a mut Histories,
    /// How far the static evaluation was off in similar positions.
    pub corrections: &'a Corrections<V::Cell>,
    /// The network's hidden layer along the current line.
    pub accumulators: &'a mut Accumulators,
    /// Keys of the game and the current line.
    pub keys: KeyHistory,
    /// Context of the current line.
    pub stack: &'a mut Stack,
    /// Best lines found so far.
    pub pv: &'a mut PvTable,
    /// The root moves, best first.
    pub root_moves: Vec<RootMove>,
    /// Rank of the line being searched.
    pub pv_index: usize,
    /// The numbers it works with.
    pub params: Params,
    /// Base reductions of late moves.
    pub reductions: Reductions,
    /// Iteration under way.
    pub root_depth: i32,
    /// Last finished iteration.
    pub completed_depth: i32,
    /// Deepest ply of this iteration.
    pub seldepth: i32,
    /// Plies in which null moves are not tried, for verification.
    pub null_move_from: usize,
    /// Nodes searched by this thread.
    pub nodes: u64,
    /// Tablebase hits of this thread.
    pub tb_hits: u64,
    /// The time budget.
    pub time: TimeManager,
    /// Largest number of men to probe tablebases with in the tree; 0 turns probing off.
    pub tb_men: u32,
    /// Whether there is a table worth the name; without one, nothing is done for its sake.
    pub has_table: bool,
    /// How the table served this thread.
    pub stats: TableStats,
    /// Best move and score as last reported, if the report was exact.
    pub shown: Option<(Move, Score)>,
    /// Set once the search has to end: every score on the way out is meaningless.
    pub stopped: bool,
    pondering: bool,
    next_check: u64,
}

impl<'a, V: Variant> Search<'a, V> {
    /// A search about to begin.
    pub fn new(id: usize, job: &'a Job<V>, worker: &'a mut Worker<V>) -> Self {
        let board = &job.root.board;
        let Parts { histories, corrections, stack, pv, accumulators } = worker.prepare(job);
        let mut search = Search {
            id,
            job,
            histories,
            corrections,
            accumulators,
            keys: job.root.history.clone(),
            stack,
            pv,
            root_moves: RootMove::all(job),
            pv_index: 0,
            params: job.options.params,
            reductions: Reductions::default(),
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            null_move_from: 0,
            nodes: 0,
            tb_hits: 0,
            time: TimeManager::new(
                &job.limits,
                board.side_to_move(),
                job.options.move_overhead,
                job.options.ponder,
                job.started,
            ),
            tb_men: if job.tb_root.is_some() { 0 } else { job.tb_men() },
            has_table: job.table.mebibytes() > 0,
            stats: TableStats::default(),
            shown: None,
            stopped: false,
            pondering: job.limits.ponder,
            next_check: 0,
        };
        search.schedule_check();
        search
    }

    /// How the table and the net served this search.
    pub fn stats(&self) -> TableStats {
        TableStats { net: self.accumulators.counters(), ..self.stats }
    }

    /// Counts a node and, every few hundred, looks up from the board. False when the search is over: the node is not to be
    /// searched, and on the way out not even counted.
    #[inline]
    pub fn enter_node(&mut self) -> bool {
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.job.counters[self.id].set_nodes(self.nodes);
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        !self.stopped
    }

    /// Ends the turn under a baton, then decides whether to end. The leader finishes its first iteration in any case, so that there is a move to play.
    fn check_limits(&mut self) {
        assert!(self.job.options.failing_thread != Some(self.id), "told to fail");
        if let Some(baton) = &self.job.baton {
            baton.pass(self.id);
        }
        let mut end = self.job.is_over();
        if self.id == 0 {
            if self.pondering && !self.job.control.is_pondering(self.job.id) {
                self.pondering = false;
                self.time.restart();
                // The opponent's time may have been enough: then no more is spent.
                end |= self.time.is_soft_limit_reached(self.job.started);
            }
            end |= !self.pondering && self.time.is_hard_limit_reached();
        }
        end |= self.job.limits.nodes.is_some_and(|limit| self.total_nodes() >= limit);
        if end && (self.id != 0 || self.completed_depth > 0) {
            self.job.control.finish(self.job.id);
            self.stopped = true;
        }
        self.schedule_check();
    }

    /// A node limit is met exactly by one thread and closely by several.
    fn schedule_check(&mut self) {
        let mut interval = self.job.baton.as_ref().map_or(CHECK_INTERVAL, Baton::draw);
        if let Some(limit) = self.job.limits.nodes {
            let left = limit.saturating_sub(self.total_nodes()) / self.job.threads() as u64;
            interval = interval.min(left.max(1));
        }
        self.next_check = self.nodes + interval;
    }

    fn total_nodes(&self) -> u64 {
        if self.job.threads() == 1 { self.nodes } else { self.job.nodes() }
    }

    /// Whether the engine is thinking on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering && self.job.control.is_pondering(self.job.id)
    }

    /// The moves played 1, 2, 4 and 6 plies before `ply`.
    #[inline]
    pub fn earlier(&self, ply: usize) -> Earlier {
        [1, 2, 4, 6].map(|back| self.stack.back(ply, back).piece_to)
    }

    /// The last two moves, for the correction history.
    #[inline]
    pub fn last_moves(&self, ply: usize) -> LastMoves {
        [1, 2].map(|back| self.stack.back(ply, back).piece_to)
    }

    /// A draw, give or take a point: lines that all end in the same draw should not look identical, or the search would
    /// shuffle without looking for the side that can still try something.
    #[inline]
    pub fn draw_score(&self) -> Score {
        DRAW + (self.nodes & 2) as Score - 1
    }

    /// Whether the position at `ply` is drawn by rule.
    #[inline]
    pub fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 {
            // Mate on the hundredth ply counts.
            return !board.in_check() || board.has_legal_move();
        }
        board.is_insufficient_material() || self.keys.repetition(board, ply)
    }

    /// The network's word on a position.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        self.accumulators.evaluate(&self.job.network, board).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// A raw evaluation as the search uses it: fading towards the draw as the 50-move rule nears, and corrected by experience.
    pub fn corrected(&self, raw: Score, board: &Board, ply: usize) -> Score {
        let faded = raw * (200 - board.halfmove_clock() as Score) / 200;
        self.corrections.apply(faded, board, self.last_moves(ply), self.params.correction_weight)
    }

    /// Makes `mv` on a copy of the board. The child's line of the table is requested first, so that it arrives while the
    /// move is made.
    #[inline]
    pub fn make(&mut self, board: &Board, mv: Move, ply: usize) -> Board {
        let clock = if board.is_noisy(mv) { 0 } else { board.halfmove_clock() + 1 };
        if V::prefetches() {
            self.job.table.prefetch(board.key_after(mv) ^ clock_key(clock));
        }
        self.accumulators.push(board, mv);
        self.keys.push(board.key());
        let here = &mut self.stack[ply];
        here.mv = Some(mv);
        here.piece_to = Some(PieceTo::new(board.moved(mv), mv.to()));
        let mut child = *board;
        child.make(mv);
        child
    }

    /// Passes the move to the opponent.
    pub fn make_null(&mut self, board: &Board, ply: usize) -> Board {
        if V::prefetches() {
            self.job.table.prefetch(board.key_after_null());
        }
        self.accumulators.push_null();
        self.keys.push(board.key());
        let here = &mut self.stack[ply];
        here.mv = None;
        here.piece_to = None;
        let mut child = *board;
        child.make_null();
        child
    }

    /// Takes back the last [`make`](Self::make) or [`make_null`](Self::make_null).
    #[inline]
    pub fn unmake(&mut self) {
        self.accumulators.pop();
        self.keys.pop();
    }

    /// Looks a position up.
    #[inline]
    pub fn probe(&mut self, key: u64) -> Option<Entry> {
        self.job.table.probe_with(key, &mut self.stats.table)
    }

    /// Writes down what was found.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub fn store(
        &mut self,
        key: u64,
        mv: Option<Move>,
        score: Score,
        eval: Score,
        depth: i32,
        pv: bool,
        bound: Bound,
        ply: usize,
    ) {
        let entry = Entry {
            mv: mv.map_or(0, Move::raw),
            score: to_table(score, ply),
            eval: eval as i16,
            depth: depth.clamp(0, 127) as u8,
            pv,
            bound,
        };
        self.job.table.store_with(key, entry, &mut self.stats.table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_enters_the_key_only_near_the_limit() {
        let at = |clock: u32| {
            let fen = format!("4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 60");
            table_key(&Board::from_fen(&fen).unwrap())
        };
        assert_eq!(at(0), at(CLOCK_IN_KEY_FROM - 1));
        assert_ne!(at(0), at(CLOCK_IN_KEY_FROM));
        assert_eq!(at(CLOCK_IN_KEY_FROM), at(CLOCK_IN_KEY_FROM + 7));
        assert_ne!(at(CLOCK_IN_KEY_FROM), at(CLOCK_IN_KEY_FROM + 8));
        assert_ne!(at(90), at(99));
    }
}
