//! One thread's search: everything only this thread touches, and the few shared things it polls.

use std::time::Duration;

use megatherium_board::{Board, KeyHistory, Move};
use megatherium_nnue::{Accumulators, Network};

use super::allies::{Allies, Progress};
use super::job::Job;
use super::movepick::{Earlier, MoveStack};
use super::pv::PvTable;
use super::reductions::Reductions;
use super::root_moves::RootMove;
use super::stack::Stack;
use super::stats::TableStats;
use super::table::table_key;
use super::worker::Worker;
use crate::learning::correction::LastMoves;
use crate::learning::{Context, Corrections, Histories, Played};
use crate::params::Params;
use crate::score::{DRAW, MAX_EVAL, Score};
use crate::smp::Baton;
use crate::time::{TimeManager, nodes_as_time};
use crate::wdl::{FULL_BOARD, pawns_worth};

/// Nodes between two polls of the clock and the stop word.
const CHECK_INTERVAL: u64 = 512;

/// A search in progress, as one thread sees it.
pub struct Search<'a> {
    /// Which thread: 0 leads.
    pub id: usize,
    /// Its index among the threads of all processes; equal to `id` without allies.
    pub seat: usize,
    /// What the threads share.
    pub job: &'a Job,
    /// The net, in memory local to this thread.
    network: &'a Network,
    /// Move histories of this game, perhaps shared with other threads.
    pub histories: &'a Histories,
    /// How far the static evaluation was off in similar positions.
    pub corrections: &'a Corrections,
    /// The network's hidden layer along the current line.
    pub accumulators: &'a mut Accumulators,
    /// Keys of the game and the current line.
    pub keys: KeyHistory,
    /// Context of the current line.
    pub stack: &'a mut Stack,
    /// Best lines found so far.
    pub pv: &'a mut PvTable,
    /// Generated moves of the current line.
    pub moves: &'a mut MoveStack,
    /// The score of the last move played in this game.
    pub last_score: &'a mut Option<Score>,
    /// The root moves, best first.
    pub root_moves: Vec<RootMove>,
    /// Rank of the line being searched.
    pub pv_index: usize,
    /// The tunable parameters.
    pub params: Params,
    /// Base reductions of late moves.
    pub reductions: Reductions,
    /// Current iteration.
    pub root_depth: i32,
    /// Last finished iteration.
    pub completed_depth: i32,
    /// Deepest ply of this iteration.
    pub seldepth: i32,
    /// What the evaluation adds for the side to move at the root: it grows with its lead.
    pub optimism: Score,
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
    /// Whether there is a real table. Without one, internal iterative reduction would only lose
    /// depth: the move it finds is not kept.
    pub has_table: bool,
    /// Prefetch table lines.
    prefetch: bool,
    /// Entries of at least this depth are of interest to allies.
    pub(super) share_from: i32,
    /// Table statistics of this thread.
    pub stats: TableStats,
    /// Best move and score as last reported, if the report was exact.
    pub shown: Option<(Move, Score)>,
    /// Set once the search has to end: every score on the way out is meaningless.
    pub stopped: bool,
    /// Node count at which the current quiescence search ends.
    pub quiescence_end: u64,
    /// Set with `stopped` if only this iteration ends: another thread has completed it.
    pub overtaken: bool,
    /// Vary the reductions.
    pub(super) jitter: bool,
    /// Mark principal variations in the table.
    pub(super) marks_pv: bool,
    pondering: bool,
    next_check: u64,
}

impl<'a> Search<'a> {
    /// A search about to begin.
    pub fn new(id: usize, job: &'a Job, worker: &'a mut Worker) -> Self {
        let board = &job.root.board;
        let team = job.options.teamwork;
        let Worker {
            node,
            histories,
            corrections,
            stack,
            pv,
            moves,
            accumulators,
            last_score,
            crowding,
        } = worker;
        let allies = job.allies.as_deref();
        let seat = id + allies.map_or(0, Allies::seats_before);
        stack.clear();
        let network = job.networks.of(*node);
        accumulators.reset(network, board);
        // Where nodes stand for time the load of the machine does not matter.
        let real = job.options.nodes_per_millisecond.is_none();
        let crowding = if real { crowding.factor() } else { 1.0 };
        let mut search = Search {
            id,
            seat,
            job,
            network,
            histories,
            corrections: job.corrections.as_deref().unwrap_or(corrections),
            accumulators,
            keys: job.root.history.clone(),
            stack,
            pv,
            moves,
            last_score,
            root_moves: RootMove::all(job),
            pv_index: 0,
            params: job.options.params,
            reductions: Reductions::default(),
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            optimism: 0,
            null_move_from: 0,
            nodes: 0,
            tb_hits: 0,
            time: TimeManager::new(
                &job.limits,
                board.side_to_move(),
                job.options.move_overhead + allies.map_or(Duration::ZERO, Allies::overhead),
                job.options.ponder,
                crowding,
                &job.options.params,
            ),
            tb_men: if job.tb_root.is_some() { 0 } else { job.tb_men() },
            has_table: job.table.mebibytes() > 0,
            prefetch: job.options.prefetch,
            share_from: allies.map_or(i32::MAX, Allies::least_depth),
            stats: TableStats::default(),
            shown: None,
            stopped: false,
            quiescence_end: 0,
            overtaken: false,
            jitter: seat > 0 && team.jitter,
            marks_pv: id == 0 || team.helpers_mark_pv,
            pondering: job.limits.ponder,
            next_check: 0,
        };
        search.schedule_check();
        search
    }

    /// Statistics of the table and the net for this search.
    pub fn stats(&self) -> TableStats {
        TableStats { net: self.accumulators.counters(), ..self.stats }
    }

    /// Counts a node and polls the limits every few hundred. False when the search is over: the
    /// node must not be searched, and while the tree unwinds it is not even counted.
    #[inline]
    pub fn enter_node(&mut self) -> bool {
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.job.counters.of(self.id).set_nodes(self.nodes);
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        !self.stopped
    }

    /// Passes the baton, if there is one, then decides whether to end. Every limit holds from the
    /// first node on: a leader without a finished root move still has a legal one to play.
    fn check_limits(&mut self) {
        #[cfg(feature = "fault-injection")]
        assert!(self.job.options.failing_thread != Some(self.id), "injected fault");
        if let Some(baton) = &self.job.baton {
            baton.pass(self.id);
        }
        let mut end = self.job.is_over();
        if let Some(allies) = &self.job.allies {
            let progress = Progress { thread: self.id, nodes: self.nodes, tb_hits: self.tb_hits };
            end |= !allies.poll(progress, &self.job.table);
            while let Some(iteration) = allies.next_completed() {
                self.job.take_in(iteration);
            }
        }
        if self.id == 0 {
            if self.pondering && !self.job.control.is_pondering(self.job.id) {
                self.pondering = false;
                self.time.restart(self.now());
                // The opponent's time may have been enough: then no more is spent.
                end |= self.time.is_soft_limit_reached(self.now());
            }
            end |= !self.pondering && self.time.is_hard_limit_reached(self.now());
        }
        end |= self.job.limits.nodes.is_some_and(|limit| self.total_nodes() >= limit);
        if end {
            self.job.control.finish(self.job.id);
            self.stopped = true;
        } else if self.is_overtaken() {
            self.stopped = true;
            self.overtaken = true;
        }
        self.schedule_check();
    }

    /// A node limit is met exactly by one thread and closely by several.
    fn schedule_check(&mut self) {
        let mut interval = self.job.baton.as_ref().map_or(CHECK_INTERVAL, Baton::draw);
        if let Some(limit) = self.job.limits.nodes {
            let left =
                limit.saturating_sub(self.total_nodes()) / self.job.counters.threads() as u64;
            interval = interval.min(left.max(1));
        }
        self.next_check = self.nodes + interval;
    }

    /// The time since thinking began, for the clock: that of the wall, unless nodes stand for it.
    pub fn now(&self) -> Duration {
        match self.job.options.nodes_per_millisecond {
            Some(rate) => nodes_as_time(self.nodes, rate),
            None => self.job.started.elapsed(),
        }
    }

    fn total_nodes(&self) -> u64 {
        let alone = self.job.counters.threads() == 1 && self.job.allies.is_none();
        if alone { self.nodes } else { self.job.nodes() }
    }

    /// Whether entries of this search are of use to other processes.
    pub fn shares_entries(&self) -> bool {
        self.share_from < i32::MAX
    }

    /// Whether the engine is pondering.
    pub fn is_pondering(&self) -> bool {
        self.pondering && self.job.control.is_pondering(self.job.id)
    }

    /// The moves played 1, 2, 4 and 6 plies before `ply`.
    #[inline]
    pub fn earlier(&self, ply: usize) -> Earlier {
        [1, 2, 4, 6].map(|back| self.stack.back(ply, back).context)
    }

    /// The last two moves, for the correction history.
    #[inline]
    pub fn last_moves(&self, ply: usize) -> LastMoves {
        [1, 2].map(|back| self.stack.back(ply, back).played.map(Played::piece_to))
    }

    /// A draw score of ±1. If all draws scored the same, the search would shuffle instead of
    /// looking for lines in which a side can still try something.
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

    /// The network's evaluation of a position.
    pub fn evaluate(&mut self, board: &Board) -> Score {
        self.accumulators.evaluate(self.network, board).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// A raw evaluation as the search uses it: scaled down as pieces are traded and as the 50-move
    /// rule nears, with optimism, and corrected by the correction history.
    pub fn corrected(&self, raw: Score, board: &Board, ply: usize) -> Score {
        let material = pawns_worth(board);
        let traded = FULL_BOARD - material;
        // Pieces left on the board are chances for the side that is ahead.
        let own = board.side_to_move() == self.job.root.board.side_to_move();
        let optimism = if own { self.optimism } else { -self.optimism } * (32 + material) / 220;
        let scaled = raw * (8192 - self.params.material_scaling * traded) / 8192 + optimism;
        let faded = scaled * (200 - board.halfmove_clock() as Score) / 200;
        self.corrections.apply(faded, board, self.last_moves(ply), &self.params)
    }

    /// Makes `mv` on a copy of the board. The child's table line is prefetched as soon as its key
    /// is known, so that it arrives while the rest is done.
    #[inline]
    pub fn make(&mut self, board: &Board, mv: Move, ply: usize) -> Board {
        let mut child = *board;
        child.make(mv);
        if self.prefetch {
            self.job.table.prefetch(table_key(&child));
        }
        self.accumulators.push(board, mv);
        self.keys.push(board.key());
        let here = &mut self.stack[ply];
        here.mv = Some(mv);
        let played = Played::new(board, mv);
        here.played = Some(played);
        here.context = played.context();
        here.quiet = None;
        here.capture = None;
        self.corrections.prefetch(&child, self.last_moves(ply + 1));
        child
    }

    /// Makes a null move.
    pub fn make_null(&mut self, board: &Board, ply: usize) -> Board {
        if self.prefetch {
            self.job.table.prefetch(board.key_after_null());
        }
        self.accumulators.push_null();
        self.keys.push(board.key());
        let here = &mut self.stack[ply];
        here.mv = None;
        here.played = None;
        here.context = Context::NONE;
        here.quiet = None;
        here.capture = None;
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
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::request::Limits;
    use crate::tree::{Quiet, START, Scene};

    /// How many polls this many nodes take.
    fn polls(limits: Limits, nodes: u64) -> u64 {
        let quiet = Arc::new(Quiet::default());
        let mut scene = Scene::new(START, 1, limits).with_allies(&quiet);
        let mut search = scene.search(0);
        for _ in 0..nodes {
            search.enter_node();
        }
        quiet.polls.load(Ordering::Relaxed)
    }

    #[test]
    fn the_limits_are_polled_every_512_nodes() {
        assert_eq!(polls(Limits::default(), 511), 0);
        assert_eq!(polls(Limits::default(), 5120), 10);
        assert_eq!(polls(Limits::nodes(100), 99), 0);
        assert_eq!(polls(Limits::nodes(100), 1000), 1, "the search is over");
    }

    /// Threads share what is left of a node limit evenly.
    #[test]
    fn the_next_poll_comes_when_the_nodes_may_be_used_up() {
        let next = |threads: usize, limit: Option<u64>, nodes: &[u64]| {
            let mut scene =
                Scene::new(START, threads, Limits { nodes: limit, ..Limits::default() });
            let mut search = scene.search(0);
            search.nodes = nodes[0];
            for (id, &nodes) in nodes.iter().enumerate() {
                search.job.counters.of(id).set_nodes(nodes);
            }
            search.schedule_check();
            search.next_check - nodes[0]
        };
        assert_eq!(next(1, None, &[100]), 512);
        assert_eq!(next(1, Some(1000), &[100]), 512);
        assert_eq!(next(1, Some(1000), &[900]), 100);
        assert_eq!(next(2, Some(1000), &[100, 300]), 300);
        assert_eq!(next(3, Some(1000), &[100, 300, 500]), 33);
        assert_eq!(next(2, Some(1000), &[500, 600]), 1);
    }

    #[test]
    fn nodes_are_those_of_all_threads() {
        let mut scene = Scene::new(START, 2, Limits::default());
        let mut search = scene.search(1);
        search.nodes = 70;
        search.job.counters.of(0).set_nodes(30);
        search.job.counters.of(1).set_nodes(70);
        assert_eq!(search.total_nodes(), 100);
    }

    #[test]
    fn pondering_ends_with_the_hit() {
        let mut scene = Scene::new(START, 1, Limits { ponder: true, ..Limits::default() });
        let search = scene.search(0);
        assert!(search.is_pondering());
        search.job.control.ponder_hit(search.job.id);
        assert!(!search.is_pondering());
        assert!(!Scene::new(START, 1, Limits::default()).search(0).is_pondering());
    }

    #[test]
    fn draws_score_a_point_more_or_less() {
        let mut scene = Scene::new(START, 1, Limits::default());
        let mut search = scene.search(0);
        let mut score = |nodes| {
            search.nodes = nodes;
            search.draw_score()
        };
        assert_eq!([0, 1, 2, 3, 4].map(&mut score), [-1, -1, 1, 1, -1]);
    }

    #[test]
    fn draws_by_rule() {
        for (fen, drawn) in [
            ("7k/8/8/3Q4/8/8/8/K7 w - - 99 80", false),
            ("7k/8/8/3Q4/8/8/8/K7 w - - 100 80", true),
            ("7k/8/8/8/8/8/8/K6Q b - - 99 80", false),
            ("7k/8/8/8/8/8/8/K6Q b - - 100 80", true),
            // Mate and stalemate.
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80", false),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 100 80", true),
            ("7k/8/8/3N4/8/8/8/K7 w - - 0 80", true),
            (START, false),
        ] {
            let mut scene = Scene::new(fen, 1, Limits::default());
            assert_eq!(scene.search(0).is_draw(&Board::from_fen(fen).unwrap(), 0), drawn, "{fen}");
        }
    }
}
