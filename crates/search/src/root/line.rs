//! A line of play as it is shown: lengthened from the table, and reported.

use megatherium_board::Move;
use megatherium_tt::Hit;

use crate::report::{Info, Outcome, Report, ScoreBound};
use crate::score::{DRAW, Score, is_mate};
use crate::tree::{Bound, Job, table_key};
use crate::wdl::wdl;

/// A line with its score.
pub(super) struct Line {
    /// Its place among the best lines, from 1.
    pub rank: usize,
    /// Depth of the iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// The principal variation.
    pub pv: Vec<Move>,
}

impl Line {
    /// Lengthens an exact line that is not a mate.
    pub fn lengthened(self, job: &Job, target: usize) -> Line {
        if self.bound == ScoreBound::Exact && !is_mate(self.score) {
            self.extended(job, target)
        } else {
            self
        }
    }

    /// Appends table moves until the line has `target` moves or the table has no more.
    ///
    /// A cutoff or an interrupted iteration can leave a line of one or two moves, and the table
    /// often knows how it goes on. Its moves are hints: each must be legal, and the walk ends where
    /// the game would end or repeat.
    pub fn extended(mut self, job: &Job, target: usize) -> Line {
        let mut end = job.root.clone();
        for &mv in &self.pv {
            end.play(mv);
        }
        while self.pv.len() < target {
            let over = end.board.halfmove_clock() >= 100
                || end.board.is_insufficient_material()
                || end.history.repetition(&end.board, self.pv.len());
            let next = job
                .table
                .peek(table_key(&end.board))
                .map(Hit::get)
                .filter(|entry| entry.bound == Bound::Exact)
                .and_then(|entry| Move::from_raw(entry.mv))
                .filter(|&mv| !over && end.board.is_legal(mv));
            let Some(mv) = next else { break };
            self.pv.push(mv);
            end.play(mv);
        }
        self
    }

    /// Win, draw and loss in permille.
    fn wdl(&self, job: &Job) -> [u16; 3] {
        let game_over = self.pv.is_empty();
        // A draw by rule is certain, unlike a score of 0.
        if game_over && self.score == DRAW {
            [0, 1000, 0]
        } else {
            wdl(self.score, &job.root.board)
        }
    }

    /// Reports the line.
    pub fn report(self, job: &Job) {
        job.report(Report::Info(&Info {
            depth: self.depth,
            seldepth: self.seldepth,
            multipv: self.rank,
            score: self.score,
            bound: self.bound,
            wdl: self.wdl(job),
            nodes: job.nodes(),
            time: job.started.elapsed(),
            hashfull: job.table.hashfull(),
            tb_hits: job.tb_hits(),
            pv: self.pv,
        }));
    }

    /// The answer that plays this line.
    pub fn outcome(&self, job: &Job) -> Outcome {
        Outcome {
            best: self.pv.first().copied(),
            ponder: self.pv.get(1).copied(),
            score: self.score,
            wdl: self.wdl(job),
            depth: self.depth,
            nodes: job.nodes(),
            time: job.started.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Limits;
    use crate::score::{mate_in, mated_in};
    use crate::tree::{Entry, START, Scene};

    const ITALIAN: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"];

    fn line(pv: Vec<Move>, score: Score, bound: ScoreBound) -> Line {
        Line { rank: 1, depth: 9, seldepth: 9, score, bound, pv }
    }

    /// How long the line of the first move becomes, if the table knows how it goes on.
    fn extended(fen: &str, known: &[&str], bound: Bound, target: usize) -> usize {
        let scene = Scene::new(fen, 1, Limits::default());
        scene.know(known, bound);
        let all = scene.line(known);
        let found = line(all[..1].to_vec(), 20, ScoreBound::Exact).extended(&scene.job, target);
        assert_eq!(found.pv, all[..found.pv.len()]);
        found.pv.len()
    }

    #[test]
    fn lines_are_lengthened_up_to_a_target_by_exact_moves() {
        let lengths =
            [0, 1, 2, 5, 50].map(|target| extended(START, &ITALIAN, Bound::Exact, target));
        assert_eq!(lengths, [1, 1, 2, 5, 6]);
        assert_eq!(extended(START, &ITALIAN, Bound::Lower, 5), 1);
    }

    #[test]
    fn lines_end_where_the_game_does() {
        let queen = "7k/8/8/3Q4/8/8/8/K7 w - - 98 80";
        let shuffled = ["d5d4", "h8g8", "d4d5", "g8h8"];
        assert_eq!(extended(queen, &shuffled, Bound::Exact, 4), 2, "fifty moves");
        let bare = "7k/8/8/8/8/8/1q6/K7 w - - 0 1";
        assert_eq!(extended(bare, &["a1b2", "h8g8"], Bound::Exact, 2), 1, "two kings");
        let knights = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6"];
        assert_eq!(extended(START, &knights, Bound::Exact, 6), 5, "a repetition");
    }

    /// Two positions may have the same key: what the table says need not be legal.
    #[test]
    fn illegal_moves_of_the_table_are_not_played() {
        let scene = Scene::new(START, 1, Limits::default());
        scene.know(&ITALIAN[..1], Bound::Exact);
        let mut board = scene.job.root.board;
        let pv = scene.line(&ITALIAN[..1]);
        board.make(pv[0]);
        let mv = pv[0].raw();
        let entry = Entry { mv, depth: 5, bound: Bound::Exact, ..Entry::default() };
        scene.job.table.store(table_key(&board), entry);
        assert_eq!(line(pv.clone(), 20, ScoreBound::Exact).extended(&scene.job, 4).pv, pv);
    }

    #[test]
    fn mates_and_bounds_are_not_lengthened() {
        let scene = Scene::new(START, 1, Limits::default());
        scene.know(&ITALIAN, Bound::Exact);
        let length = |score, bound| {
            line(scene.line(&ITALIAN[..1]), score, bound).lengthened(&scene.job, 4).pv.len()
        };
        assert_eq!(length(20, ScoreBound::Exact), 4);
        assert_eq!(length(mate_in(7), ScoreBound::Exact), 1);
        assert_eq!(length(20, ScoreBound::Lower), 1);
        assert_eq!(length(mate_in(7), ScoreBound::Upper), 1);
    }

    #[test]
    fn only_a_draw_by_rule_is_certain() {
        let scene = Scene::new(START, 1, Limits::default());
        let chances = |pv: Vec<Move>, score| line(pv, score, ScoreBound::Exact).wdl(&scene.job);
        assert_eq!(chances(Vec::new(), DRAW), [0, 1000, 0]);
        assert_eq!(chances(Vec::new(), mated_in(0)), [0, 0, 1000]);
        let first = scene.line(&ITALIAN[..1]);
        assert_eq!(chances(first.clone(), DRAW), wdl(DRAW, &scene.job.root.board));
        assert_ne!(chances(first.clone(), DRAW), [0, 1000, 0]);
        assert_eq!(chances(first, 90), wdl(90, &scene.job.root.board));
    }
}
