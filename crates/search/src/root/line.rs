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
