//! Thread 0's last duty: collect what the threads concluded, elect a line, and answer. Exactly once, whatever happened.

use megatherium_board::{Board, Move};

use crate::job::Job;
use crate::report::{Info, Outcome, Report, ScoreBound};
use crate::score::{DRAW, Score, mated_in};
use crate::table_stats::TableStats;
use crate::variant::Variant;
use crate::vote::{Ballot, elect};
use crate::walk::lengthen;
use crate::wdl::wdl;

/// What a thread has to say at the end of a search.
pub struct Conclusion {
    /// Which thread.
    pub thread: usize,
    /// Its best line; empty if the thread has nothing to offer.
    pub pv: Vec<Move>,
    /// Score of that line.
    pub score: Score,
    /// Whether that score is exact.
    pub bound: ScoreBound,
    /// Last finished iteration.
    pub depth: i32,
    /// Deepest ply of that line's search.
    pub seldepth: i32,
    /// Whether exactly this line was the last one reported.
    pub reported: bool,
    /// Table statistics of the thread.
    pub stats: TableStats,
}

impl Conclusion {
    /// Nothing to say.
    pub fn none(thread: usize) -> Conclusion {
        Conclusion {
            thread,
            pv: Vec::new(),
            score: DRAW,
            bound: ScoreBound::Exact,
            depth: 0,
            seldepth: 0,
            reported: false,
            stats: TableStats::default(),
        }
    }
}

/// Answers the search: the elected line if it was not the last one shown, then the move.
pub fn answer<V: Variant>(job: &Job<V>, conclusions: &[Conclusion]) {
    let speakers: Vec<&Conclusion> =
        conclusions.iter().filter(|conclusion| !conclusion.pv.is_empty()).collect();
    let outcome = if speakers.is_empty() {
        without_search(job)
    } else {
        let ballots: Vec<Ballot> = speakers
            .iter()
            .map(|speaker| Ballot {
                mv: speaker.pv[0],
                score: speaker.score,
                depth: speaker.depth,
                pv_len: speaker.pv.len(),
            })
            .collect();
        // With several lines on show, or a weakened opponent to play, the leader's choice is the one shown.
        let leader_decides = job.options.multi_pv > 1 || job.options.elo.is_some();
        let chosen = speakers[if leader_decides { 0 } else { elect(&ballots) }];
        let mut pv = chosen.pv.clone();
        lengthen(&job.table, &job.root, &mut pv, chosen.depth.max(2) as usize);
        let outcome = Outcome {
            best: Some(pv[0]),
            ponder: pv.get(1).copied(),
            score: chosen.score,
            depth: chosen.depth as u32,
            nodes: job.nodes(),
            time: job.started.elapsed(),
        };
        if !chosen.reported {
            show(job, &outcome, chosen.bound, chosen.seldepth as u32, pv);
        }
        outcome
    };
    job.sink.report(Report::Done(&outcome));
}

/// No thread has a line: the game is over, or every thread failed.
fn without_search<V: Variant>(job: &Job<V>) -> Outcome {
    let board = &job.root.board;
    let best = job.limits.search_moves.first().copied().or_else(|| board.legal_moves().first().copied());
    let score = if best.is_none() && board.in_check() { mated_in(0) } else { DRAW };
    let outcome =
        Outcome { best, ponder: None, score, depth: 0, nodes: job.nodes(), time: job.started.elapsed() };
    show(job, &outcome, ScoreBound::Exact, 0, best.into_iter().collect());
    outcome
}

fn show<V: Variant>(job: &Job<V>, outcome: &Outcome, bound: ScoreBound, seldepth: u32, pv: Vec<Move>) {
    job.sink.report(Report::Info(&Info {
        depth: outcome.depth,
        seldepth,
        multipv: 1,
        score: outcome.score,
        bound,
        wdl: final_wdl(outcome.score, &job.root.board, pv.is_empty()),
        nodes: outcome.nodes,
        time: outcome.time,
        hashfull: job.table.hashfull(),
        tb_hits: job.tb_hits(),
        pv,
    }));
}

fn final_wdl(score: Score, board: &Board, game_over: bool) -> [u16; 3] {
    if game_over && score == DRAW { [0, 1000, 0] } else { wdl(score, board) }
}
