//! Iterative deepening, aspiration windows, several lines, and when to stop.

use std::cmp::Reverse;

use megatherium_board::SEE_VALUES;

use super::line::Line;
use super::strength;
use crate::report::ScoreBound;
use crate::score::{DRAW, INFINITY, MATE, MAX_PLY, Score, is_decisive, is_loss, is_mate, mate_in};
use crate::smp::Opinion;
use crate::time::Outlook;
use crate::tree::{LONG_SEARCH, ROOT, Search};

/// A lead of this many centipawns gives half of the greatest optimism.
const OPTIMISM_HALF: Score = 180;

impl Search<'_> {
    /// Iterative deepening, until a limit says stop.
    pub(super) fn deepen(&mut self) {
        let limits = &self.job.limits;
        let max_depth = limits
            .depth
            .filter(|_| self.id == 0)
            .map_or(MAX_PLY as i32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1) as i32);
        let last_depth =
            limits.depth.map_or(MAX_PLY as i32, |depth| depth.min(MAX_PLY as u32) as i32);
        self.root_depth = if self.seat % 2 == 1 { self.job.options.teamwork.ahead } else { 0 };
        let lines = self.lines();
        let mut stable_iterations = 0u16;
        let mut last_best = self.root_moves[0].mv;
        let before = *self.last_score;
        let mut last_scores = [None; 2];

        while self.root_depth < max_depth && !self.stopped {
            self.root_depth = self.next_depth().min(max_depth);
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate();
                self.root_moves[..=index].sort_by_key(|root_move| Reverse(root_move.score));
                if self.stopped {
                    break;
                }
            }
            if !self.stopped {
                self.publish(last_depth);
            } else if !self.take_over() {
                break;
            }
            self.completed_depth = self.root_depth;
            let best = &self.root_moves[0];
            stable_iterations = if best.mv == last_best { stable_iterations + 1 } else { 0 };
            last_best = best.mv;
            let opinion = Opinion { mv: best.mv.raw(), stable: stable_iterations };
            self.job.counters.of(self.id).set_opinion(opinion);
            if self.id != 0 {
                continue;
            }
            for index in 0..lines {
                self.report_line(index, ScoreBound::Exact);
            }

            let best = &self.root_moves[0];
            let score = best.score;
            let fall = |from: Option<Score>| from.map_or(0, |from| from - score);
            let drops = [fall(before), fall(last_scores[0])];
            last_scores = [last_scores[1], Some(score)];
            *self.last_score = (!is_decisive(score)).then_some(score);
            let best_move_share = best.nodes as f64 / self.nodes.max(1) as f64;
            if self.root_depth >= 6 {
                let (stable_iterations, disagreement) = self.stability(opinion);
                let score_drops = if is_decisive(score) { [0; 2] } else { drops };
                let outlook =
                    Outlook { stable_iterations, score_drops, best_move_share, disagreement };
                self.time.rescale(&outlook, &self.params);
            }
            if self.is_enough(score) {
                break;
            }
        }
    }

    /// For how many iterations the leader's move has been the best, averaged over the threads, and
    /// the share of the others that prefer another move. Alone, or if the leader decides alone, it
    /// is what the leader sees.
    fn stability(&self, leader: Opinion) -> (f64, Option<f64>) {
        let alone = (f64::from(leader.stable), None);
        if self.job.counters.threads() == 1 || !self.job.options.teamwork.decide_together {
            return alone;
        }
        let (mut threads, mut stable, mut against) = (0.0, 0.0, 0.0);
        for opinion in self.job.counters.opinions() {
            threads += 1.0;
            if opinion.mv == leader.mv {
                stable += f64::from(opinion.stable);
            } else {
                against += 1.0;
            }
        }
        if threads < 2.0 {
            return alone;
        }
        (stable / threads, Some(against / (threads - 1.0)))
    }

    /// If the search was stopped before its first root move was finished, ranks the moves without
    /// searching, so that the answer is a sensible move under any limit.
    pub(super) fn ensure_answer(&mut self) {
        if self.root_moves[0].known_score() != -INFINITY {
            return;
        }
        let board = self.job.root.board;
        for index in 0..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let child = self.make(&board, mv, 0);
            self.root_moves[index].score = if !child.has_legal_move() {
                if child.in_check() { mate_in(1) } else { DRAW }
            } else if self.is_draw(&child, 1) {
                DRAW
            } else {
                let hanging = if board.see_ge(mv, 0) {
                    0
                } else {
                    SEE_VALUES[board.moved(mv).piece_type().index()]
                };
                -self.evaluate(&child) - hanging
            };
            self.unmake();
        }
        self.root_moves.sort_by_key(|root_move| Reverse(root_move.score));
    }

    /// Lines to search: as many as asked for, more when a weaker move may have to be chosen.
    fn lines(&self) -> usize {
        let wanted = if self.job.options.elo.is_some() && self.id == 0 {
            self.job.options.multi_pv.max(strength::CANDIDATES)
        } else {
            self.job.options.multi_pv
        };
        wanted.clamp(1, self.root_moves.len())
    }

    /// Whether the iteration that just ended was the last one needed.
    fn is_enough(&self, score: Score) -> bool {
        let limits = &self.job.limits;
        if limits
            .mate
            .is_some_and(|moves| score >= mate_in((2 * moves.min(120) as usize).saturating_sub(1)))
        {
            return true;
        }
        if limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes)
            || self.job.options.elo.is_some_and(|elo| self.nodes >= strength::nodes(elo))
        {
            return true;
        }
        if limits.infinite || self.is_pondering() || !self.time.has_soft_limit() {
            return false;
        }
        let forced = self.root_moves.len() == 1 && self.root_depth >= 8;
        let mate_found = is_mate(score) && self.root_depth >= 2 * (MATE - score.abs()) + 6;
        forced || mate_found || self.time.is_soft_limit_reached(self.now())
    }

    /// Searches the current line with an aspiration window, widened until the score lies inside.
    fn aspirate(&mut self) {
        let expected = self.root_moves[self.pv_index].average_score;
        let lead = expected.unwrap_or(0);
        self.optimism = self.params.optimism * lead / (lead.abs() + OPTIMISM_HALF);
        let (mut alpha, mut beta, mut delta) = (-INFINITY, INFINITY, INFINITY);
        if let (Some(expected), true) = (expected, self.root_depth >= self.params.aspiration_depth)
        {
            // Helpers start with slightly different windows, so that they do not all fail alike.
            delta = self.params.aspiration_delta
                + if self.job.options.teamwork.windows_by_id {
                    (self.seat % 8) as Score
                } else {
                    0
                }
                + expected.abs().min(2000) / 100;
            alpha = (expected - delta).max(-INFINITY);
            beta = (expected + delta).min(INFINITY);
        }
        let mut fail_highs = 0;
        loop {
            let depth = (self.root_depth - fail_highs).max(1);
            let board = self.job.root.board;
            let score = self.search::<ROOT>(&board, 0, alpha, beta, depth, false);
            self.root_moves[self.pv_index..].sort_by_key(|root_move| Reverse(root_move.score));
            if self.stopped {
                return;
            }
            if score <= alpha && alpha > -INFINITY {
                beta = Score::midpoint(alpha, beta);
                alpha = (score - delta).max(-INFINITY);
                fail_highs = 0;
                self.report_bound(ScoreBound::Upper);
            } else if score >= beta && beta < INFINITY {
                beta = (score + delta).min(INFINITY);
                fail_highs = (fail_highs + 1).min(3);
                self.report_bound(ScoreBound::Lower);
            } else {
                return;
            }
            delta += delta / 2;
            if delta > 1500 || is_decisive(score) {
                (alpha, beta) =
                    (if score <= alpha || is_loss(score) { -INFINITY } else { alpha }, INFINITY);
            }
        }
    }

    fn report_line(&mut self, index: usize, bound: ScoreBound) {
        let root_move = &self.root_moves[index];
        if root_move.known_score() == -INFINITY {
            return;
        }
        let line = Line {
            rank: index + 1,
            depth: self.root_depth as u32,
            seldepth: root_move.seldepth as u32,
            score: root_move.shown_score(),
            bound,
            pv: root_move.pv.clone(),
        };
        if index == 0 {
            let exact = bound == ScoreBound::Exact;
            self.shown = exact.then_some((root_move.mv, line.score));
        }
        line.lengthened(self.job, self.root_depth as usize / 2).report(self.job);
    }

    fn report_bound(&mut self, bound: ScoreBound) {
        if self.id == 0
            && self.job.options.multi_pv == 1
            && self.job.started.elapsed() >= LONG_SEARCH
        {
            self.report_line(self.pv_index, bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::params::Params;
    use crate::request::Limits;
    use crate::score::mated_in;
    use crate::tree::{Bound, Quiet, START, Scene};

    const TACTICAL: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    const FORCED: &str = "7k/6pp/8/8/8/8/q7/K7 w - - 0 1";

    fn clock(seconds: u64) -> Limits {
        Limits { clock: [Some(Duration::from_secs(seconds)); 2], ..Limits::default() }
    }

    /// The time manager after each depth is one that is told what the reports show: for how long
    /// the best move has been the same, how the score falls, and what it cost.
    #[test]
    fn the_clock_is_told_what_the_reports_show() {
        // Every part matters and none is at the end of its range.
        let params = Params {
            time_unstable: 150,
            time_stable: 8,
            time_fall_game: 30,
            time_fall_search: 40,
            time_fall_min: 30,
            time_fall_max: 300,
            time_effort: 250,
            time_effort_slope: 100,
            time_effort_min: 20,
            time_effort_max: 300,
            time_max_scale: 500,
            ..Params::default()
        };
        for (fen, depth) in
            [START, TACTICAL].into_iter().flat_map(|fen| (5..=9).map(move |d| (fen, d)))
        {
            let mut scene = Scene::new(fen, 1, Limits { depth: Some(depth), ..clock(3600) });
            scene.job.options.params = params;
            let told = Arc::clone(&scene.told);
            let mut search = scene.search(0);
            let mut expected = search.time.clone();
            let (mut best, mut stable) = (search.root_moves[0].mv, 0);
            *search.last_score = Some(35);
            search.deepen();
            let told = told.lock();
            for line in told.iter() {
                stable = if line.pv[0] == best { stable + 1 } else { 0 };
                best = line.pv[0];
            }
            let scores: Vec<Score> = told.iter().map(|line| line.score).collect();
            let &[.., older, _, score] = scores.as_slice() else { panic!("{scores:?}") };
            if depth >= 6 {
                let outlook = Outlook {
                    stable_iterations: f64::from(stable),
                    score_drops: [35 - score, older - score],
                    best_move_share: search.root_moves[0].nodes as f64 / search.nodes as f64,
                    disagreement: None,
                };
                expected.rescale(&outlook, &params);
            }
            assert_eq!(format!("{:?}", search.time), format!("{expected:?}"), "{fen}, {depth}");
            assert_eq!(*search.last_score, Some(score));
        }
    }

    #[test]
    fn a_proven_score_is_not_compared_with_in_the_next_search() {
        let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let mut scene = Scene::new(mate, 1, Limits::depth(3));
        let mut search = scene.search(0);
        *search.last_score = Some(35);
        search.deepen();
        assert_eq!(*search.last_score, None);
    }

    /// The opponent has thought for so long that the answer is due at the next poll, although the
    /// own clock has just begun to run. Nodes are the clock here.
    #[test]
    fn a_late_ponder_hit_is_answered_at_once() {
        let mut scene = Scene::new(START, 1, Limits { ponder: true, ..clock(20) });
        scene.job.options.nodes_per_millisecond = Some(1);
        let (control, id) = (Arc::clone(&scene.job.control), scene.job.id);
        let hit = move |nodes| {
            if nodes >= 10_000 {
                control.ponder_hit(id);
            }
        };
        let allies = Arc::new(Quiet { when_polled: Some(Box::new(hit)), ..Quiet::default() });
        let mut scene = scene.with_allies(&allies);
        let mut search = scene.search(0);
        search.deepen();
        assert_eq!(search.nodes, 10_240, "the first poll after the hit");
    }

    #[test]
    fn threads_are_asked_how_settled_they_are() {
        let stability = |threads, together, opinions: &[(u16, u16)]| {
            let mut scene = Scene::new(START, threads, Limits::default());
            scene.job.options.teamwork.decide_together = together;
            let opinion = |&(mv, stable)| Opinion { mv, stable };
            for (id, given) in opinions.iter().enumerate() {
                scene.job.counters.of(id).set_opinion(opinion(given));
            }
            scene.search(0).stability(opinion(&opinions[0]))
        };
        let four = [(7, 6), (7, 3), (9, 8), (7, 0)];
        assert_eq!(stability(4, true, &four), (2.25, Some(1.0 / 3.0)));
        assert_eq!(stability(4, false, &four), (6.0, None));
        assert_eq!(stability(1, true, &four[..1]), (6.0, None));
        // Of four threads only one or two have completed an iteration.
        assert_eq!(stability(4, true, &four[..1]), (6.0, None));
        assert_eq!(stability(4, true, &four[1..3]), (1.5, Some(1.0)));
        assert_eq!(stability(4, true, &[(7, 6), (7, 1)]), (3.5, Some(0.0)));
    }

    #[test]
    fn the_leader_of_a_weak_player_searches_several_lines() {
        let lines = |id, multi_pv, elo| {
            let mut scene = Scene::new(START, 2, Limits::default());
            (scene.job.options.multi_pv, scene.job.options.elo) = (multi_pv, elo);
            scene.search(id).lines()
        };
        assert_eq!((lines(0, 1, None), lines(1, 1, None)), (1, 1));
        assert_eq!((lines(0, 3, None), lines(1, 3, None)), (3, 3));
        assert_eq!((lines(0, 1, Some(1500)), lines(1, 1, Some(1500))), (4, 1));
        assert_eq!((lines(0, 6, Some(1500)), lines(0, 500, None), lines(0, 0, None)), (6, 20, 1));
    }

    /// Whether a search ends after this iteration. A node is a millisecond.
    fn enough(
        fen: &str,
        limits: Limits,
        elo: Option<u32>,
        after: (i32, u64),
        score: Score,
    ) -> bool {
        let mut scene = Scene::new(fen, 1, limits);
        scene.job.options.elo = elo;
        scene.job.options.nodes_per_millisecond = Some(1);
        let mut search = scene.search(0);
        (search.root_depth, search.nodes) = after;
        search.is_enough(score)
    }

    #[test]
    fn a_mate_a_number_of_nodes_or_a_weak_player_ends_a_search() {
        let mate = |moves, score| {
            enough(START, Limits { mate: Some(moves), ..Limits::default() }, None, (9, 9), score)
        };
        assert!(mate(1, mate_in(1)) && !mate(1, mate_in(3)));
        assert!(mate(4, mate_in(7)) && !mate(4, mate_in(9)) && !mate(4, mated_in(2)));
        assert!(mate(u32::MAX, mate_in(239)) && !mate(u32::MAX, 900));
        let soft = |nodes| {
            let limits = Limits { soft_nodes: Some(1000), ..Limits::default() };
            enough(START, limits, None, (9, nodes), 0)
        };
        assert!(!soft(999) && soft(1000) && soft(1001));
        let budget = strength::nodes(1500);
        let weak = |nodes| enough(START, Limits::default(), Some(1500), (9, nodes), 0);
        assert!(!weak(budget - 1) && weak(budget) && weak(budget + 1));
        assert!(!enough(START, Limits::default(), None, (9, 1 << 40), 0));
    }

    #[test]
    fn a_clock_ends_a_search_unless_it_is_infinite_or_pondering() {
        let after = |nodes, limits| enough(START, limits, None, (9, nodes), 0);
        assert!(!after(100, clock(60)) && after(100_000, clock(60)));
        assert!(!after(100_000, Limits { infinite: true, ..clock(60) }));
        assert!(!after(100_000, Limits { ponder: true, ..clock(60) }));
        assert!(!after(100_000, Limits::default()));
    }

    #[test]
    fn a_forced_move_or_a_mate_saves_time() {
        let forced = |depth, limits| enough(FORCED, limits, None, (depth, 9), -900);
        assert!(!forced(7, clock(60)) && forced(8, clock(60)) && forced(9, clock(60)));
        assert!(!forced(9, Limits::default()), "there is nothing to save");
        let free = |depth, score| enough(START, clock(60), None, (depth, 9), score);
        assert!(!free(60, 900));
        // Six more than twice the distance.
        assert!(!free(11, mate_in(3)) && free(12, mate_in(3)) && free(13, mate_in(3)));
        assert!(!free(13, mated_in(4)) && free(14, mated_in(4)));
    }

    #[test]
    fn a_line_is_shown_with_its_rank_and_at_least_half_as_long_as_it_is_deep() {
        let known = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "c2c3", "g8f6", "d2d3"];
        let mut scene = Scene::new(START, 1, Limits::default());
        scene.know(&known, Bound::Exact);
        let line = scene.line(&known);
        let told = Arc::clone(&scene.told);
        let mut search = scene.search(0);
        search.root_depth = 6;
        for index in 0..3 {
            search.root_moves[index].mv = line[0];
            search.root_moves[index].pv = line[..1].to_vec();
            search.root_moves[index].score = 10;
            search.report_line(index, ScoreBound::Exact);
        }
        let told = told.lock();
        assert!(told.iter().all(|info| info.depth == 6 && info.pv == line[..3]), "{told:?}");
        assert_eq!(told.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn only_a_leader_reports_bounds_and_only_after_a_while() {
        let hour = Duration::from_hours(1);
        let (long, short) = (Instant::now().checked_sub(hour), Instant::now().checked_add(hour));
        let Some((long, short)) = long.zip(short) else { return };
        for (id, multi_pv, started, expected) in
            [(0, 1, long, 1), (1, 1, long, 0), (0, 2, long, 0), (0, 1, short, 0), (1, 2, short, 0)]
        {
            let mut scene = Scene::new(START, 2, Limits::default());
            scene.job.started = started;
            scene.job.options.multi_pv = multi_pv;
            let told = Arc::clone(&scene.told);
            let mut search = scene.search(id);
            search.root_moves[0].score = 10;
            search.report_bound(ScoreBound::Lower);
            let told = told.lock();
            assert_eq!(told.len(), expected, "{id} {multi_pv}");
            assert!(told.iter().all(|info| info.bound == ScoreBound::Lower));
        }
    }
}
