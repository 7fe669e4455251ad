//! The moves at the root, and what the tree reports about them.

use std::time::Duration;

use megatherium_board::Move;

use super::job::Job;
use super::search::Search;
use crate::report::{Report, ScoreBound};
use crate::score::{INFINITY, Score, is_mate};

/// From this time on, bounds and the current move are reported too.
pub const LONG_SEARCH: Duration = Duration::from_secs(3);

/// A move at the root, with what is known about it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The root move itself.
    pub mv: Move,
    /// Score in this iteration; `-INFINITY` until it is known to be better than what came before.
    pub score: Score,
    /// Score in the last iteration.
    pub previous_score: Score,
    /// Running mean of the scores, the centre of the next window.
    pub average_score: Option<Score>,
    /// The line, beginning with the move.
    pub pv: Vec<Move>,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// Deepest ply reached below it.
    pub seldepth: i32,
    /// Nodes spent on it in the whole search.
    pub nodes: u64,
    /// The tablebase's score. Only moves of the best rank are searched.
    pub tb_score: Option<Score>,
}

impl RootMove {
    /// The moves to search, as the limits and the tablebases allow.
    pub fn all(job: &Job) -> Vec<RootMove> {
        let wanted = &job.limits.search_moves;
        let tb_root = job.tb_root.as_ref().filter(|_| wanted.is_empty());
        let allowed = |mv: Move| {
            (wanted.is_empty() || wanted.contains(&mv))
                && tb_root.is_none_or(|tb| tb.moves.contains(&mv))
        };
        let legal = job.root.board.legal_moves();
        let allowed = legal.iter().copied().filter(|&mv| allowed(mv));
        allowed.map(|mv| RootMove::new(mv, tb_root.map(|tb| tb.score))).collect()
    }

    fn new(mv: Move, tb_score: Option<Score>) -> RootMove {
        RootMove {
            mv,
            score: -INFINITY,
            previous_score: -INFINITY,
            average_score: None,
            pv: vec![mv],
            bound: ScoreBound::Exact,
            seldepth: 0,
            nodes: 0,
            tb_score,
        }
    }

    /// The most recent score.
    pub fn known_score(&self) -> Score {
        if self.score == -INFINITY { self.previous_score } else { self.score }
    }

    /// The score to show: what the tablebase says, unless a mate was found.
    pub fn shown_score(&self) -> Score {
        let score = self.known_score();
        self.tb_score.filter(|_| !is_mate(score)).unwrap_or(score)
    }
}

impl Search<'_> {
    /// Step 16 at the root: records the result of a finished move.
    pub(super) fn update_root_move(
        &mut self,
        mv: Move,
        score: Score,
        first: bool,
        (alpha, beta): (Score, Score),
        nodes_before: u64,
    ) {
        let spent = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv)
        else {
            return;
        };
        root_move.nodes += spent;
        if first || score > alpha {
            root_move.score = score;
            root_move.average_score = Some(
                root_move.average_score.map_or(score, |average| Score::midpoint(average, score)),
            );
            root_move.seldepth = seldepth;
            root_move.bound = ScoreBound::of(score, alpha, beta);
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(self.pv.line(1));
        } else {
            // Not better than the best: its place in the order stays, whatever the bound says.
            root_move.score = -INFINITY;
        }
    }

    /// Reports the root move being searched (`currmove`), once the search has run for a while.
    pub(super) fn report_current_move(&self, mv: Move, number: usize) {
        if self.id == 0 && self.job.started.elapsed() >= LONG_SEARCH {
            self.job.report(Report::CurrentMove {
                depth: self.root_depth as u32,
                mv,
                number: number + self.pv_index,
            });
        }
    }
}
