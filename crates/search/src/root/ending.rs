//! The end of a search: collect what the threads concluded, elect a line, and answer. Exactly once,
//! whatever happened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use megatherium_board::Move;
use parking_lot::Mutex;

use super::line::Line;
use super::strength;
use crate::report::{Outcome, Report, ScoreBound};
use crate::score::{DRAW, INFINITY, Score, mated_in};
use crate::smp::Monitor;
use crate::smp::vote::{Ballot, elect};
use crate::tree::{Job, Progress, Search, TableStats, Verdict};

/// What a thread concluded.
pub(super) struct Conclusion {
    /// Number of the thread.
    thread: usize,
    /// Its best line; empty if it has none.
    pv: Vec<Move>,
    /// Score of that line.
    score: Score,
    /// Whether that score is exact.
    bound: ScoreBound,
    /// Last finished iteration.
    depth: i32,
    /// Deepest ply of that line's search.
    seldepth: i32,
    /// Whether exactly this line was the last one reported.
    reported: bool,
    /// Table statistics of the thread.
    stats: TableStats,
}

impl Conclusion {
    /// The conclusion of a thread without a line.
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

    /// The vote for its line, if it has one.
    fn ballot(&self) -> Option<Ballot> {
        let mv = *self.pv.first()?;
        Some(Ballot { mv, score: self.score, depth: self.depth, pv_len: self.pv.len() })
    }

    /// The best line of a finished search, or the one a weaker player would choose.
    pub fn of(mut search: Search<'_>) -> Conclusion {
        let thread = search.id;
        let stats = search.stats();
        let elo = search.job.options.elo.filter(|_| thread == 0);
        let chosen = elo.map_or(0, |elo| strength::choose(&search.root_moves, elo));
        let best = search.root_moves.swap_remove(chosen);
        if best.known_score() == -INFINITY {
            // A helper that was stopped before its first root move was finished.
            return Conclusion { stats, ..Conclusion::none(thread) };
        }
        let score = best.shown_score();
        Conclusion {
            thread,
            reported: search.shown == Some((best.mv, score)),
            score,
            bound: best.bound,
            pv: best.pv,
            depth: search.completed_depth,
            seldepth: best.seldepth,
            stats,
        }
    }
}

/// What is kept of the last search.
#[derive(Clone, Debug, Default)]
pub struct LastSearch {
    /// Table statistics, summed over threads.
    pub stats: TableStats,
    /// Nodes of each thread.
    pub nodes: Vec<u64>,
    /// What each thread voted for, the leader first.
    pub ballots: Vec<Ballot>,
}

/// Where the threads of one search meet when they are done.
#[derive(Default)]
pub struct Ending {
    /// What the helpers concluded.
    helpers: Monitor<Vec<Conclusion>>,
    last: Arc<Mutex<LastSearch>>,
}

impl Ending {
    /// The ending of a search whose statistics go to `last`.
    pub fn new(last: Arc<Mutex<LastSearch>>) -> Ending {
        Ending { helpers: Monitor::default(), last }
    }

    /// A helper is done.
    pub(super) fn conclude(&self, conclusion: Conclusion) {
        self.helpers.change(|helpers| helpers.push(conclusion));
    }

    /// The leader is done: waits until the answer is wanted, stops the helpers, and answers.
    pub(super) fn answer(&self, job: &Job, leader: Conclusion) {
        // Under `infinite` and `ponder` an answer may be ready long before it is wanted.
        job.control.wait_for_release(job.id);
        job.control.stop(job.id);
        let helpers = job.counters.threads() - 1;
        let mut all = self
            .helpers
            .wait_for(|concluded| (concluded.len() == helpers).then(|| std::mem::take(concluded)));
        all.push(leader);
        all.sort_by_key(|conclusion| conclusion.thread);
        let mut stats = TableStats::default();
        for conclusion in &all {
            stats += conclusion.stats;
        }
        let ballots = all.iter().filter_map(Conclusion::ballot).collect();
        *self.last.lock() = LastSearch { stats, nodes: job.counters.nodes_by_thread(), ballots };
        let outcome = catch_unwind(AssertUnwindSafe(|| decide(job, all)));
        let outcome = outcome.unwrap_or_else(|_| without_search(job));
        job.report(Report::Done(&outcome));
    }
}

/// Elects a line, and shows it unless it was the last one shown.
fn decide(job: &Job, mut speakers: Vec<Conclusion>) -> Outcome {
    speakers.retain(|conclusion| !conclusion.pv.is_empty());
    // With `MultiPV` or limited strength the leader's choice is the one shown.
    let leader_decides = job.options.multi_pv > 1 || job.options.elo.is_some();
    keep_elected(&mut speakers, leader_decides);
    // Processes vote like threads, each with the line that its own threads elected.
    speakers.extend(allied(job, speakers.first()));
    if speakers.is_empty() {
        return without_search(job);
    }
    let chosen = &speakers[if leader_decides { 0 } else { winner(&speakers) }];
    let line = Line {
        rank: 1,
        depth: chosen.depth as u32,
        seldepth: chosen.seldepth as u32,
        score: chosen.score,
        bound: chosen.bound,
        pv: chosen.pv.clone(),
    };
    let line = line.extended(job, chosen.depth.max(2) as usize);
    let outcome = line.outcome(job);
    if !chosen.reported {
        line.report(job);
    }
    outcome
}

/// Keeps one conclusion: the leader's, which comes first, or the elected one.
fn keep_elected(speakers: &mut Vec<Conclusion>, leader_decides: bool) {
    if !leader_decides && speakers.len() > 1 {
        let best = winner(speakers);
        speakers.swap(0, best);
    }
    speakers.truncate(1);
}

/// Elects one of the conclusions.
fn winner(speakers: &[Conclusion]) -> usize {
    elect(&speakers.iter().filter_map(Conclusion::ballot).collect::<Vec<Ballot>>())
}

/// Tells the allies what was concluded here, and returns what they concluded. Their lines are not
/// trusted: every move must be legal.
fn allied(job: &Job, own: Option<&Conclusion>) -> Vec<Conclusion> {
    let Some(allies) = &job.allies else { return Vec::new() };
    let own = own.map(|own| Verdict {
        pv: own.pv.clone(),
        score: own.score,
        bound: own.bound,
        depth: own.depth,
        seldepth: own.seldepth,
    });
    let counters = &job.counters;
    let total = Progress { thread: 0, nodes: counters.nodes(), tb_hits: counters.tb_hits() };
    allies.elected(own.as_ref(), total);
    let mut verdicts = allies.gather();
    verdicts.retain(|verdict| job.is_playable(verdict));
    let conclusion = |verdict: Verdict| Conclusion {
        pv: verdict.pv,
        score: verdict.score,
        bound: verdict.bound,
        depth: verdict.depth,
        seldepth: verdict.seldepth,
        ..Conclusion::none(usize::MAX)
    };
    verdicts.into_iter().map(conclusion).collect()
}

/// No thread has a line. A game that is over was reported at the start; if every thread failed, the
/// move to play is shown now.
fn without_search(job: &Job) -> Outcome {
    let line = unsearched(job);
    let outcome = line.outcome(job);
    if outcome.best.is_some() {
        line.report(job);
    }
    outcome
}

/// The verdict of the rules: the score of a finished game, or any legal move.
pub(super) fn unsearched(job: &Job) -> Line {
    let board = &job.root.board;
    let first_legal = || board.legal_moves().first().copied();
    let best = job.limits.search_moves.first().copied().or_else(first_legal);
    Line {
        rank: 1,
        depth: 0,
        seldepth: 0,
        score: if best.is_none() && board.in_check() { mated_in(0) } else { DRAW },
        bound: ScoreBound::Exact,
        pv: best.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use megatherium_board::Board;

    use super::*;
    use crate::request::Limits;
    use crate::tree::{START, Scene};

    /// A helper that was stopped before it finished a move must not vote.
    #[test]
    fn a_thread_without_a_score_has_no_line() {
        let mut scene = Scene::new(START, 2, Limits::default());
        let mut search = scene.search(1);
        search.stats.cutoffs = 5;
        let conclusion = Conclusion::of(search);
        assert!(conclusion.pv.is_empty() && conclusion.ballot().is_none());
        assert_eq!((conclusion.thread, conclusion.stats.cutoffs), (1, 5));
    }

    #[test]
    fn only_the_leader_plays_like_a_weaker_player() {
        let chosen = |id: usize, elo: Option<u32>| {
            let choose = |_| {
                let mut scene = Scene::new(START, 2, Limits::default());
                scene.job.options.elo = elo;
                let mut search = scene.search(id);
                search.root_moves.iter_mut().for_each(|root_move| root_move.score = 10);
                let first = search.root_moves[0].mv;
                Conclusion::of(search).pv[0] == first
            };
            (0..64).map(choose).filter(|&is_first| is_first).count()
        };
        assert_eq!((chosen(0, None), chosen(1, None), chosen(1, Some(1000))), (64, 64, 64));
        // One of four, by lot.
        assert!((1..64).contains(&chosen(0, Some(1000))));
    }

    #[test]
    fn a_check_is_no_mate() {
        let check = "7k/8/8/8/8/8/8/K6Q b - - 0 1";
        let line = unsearched(&Scene::new(check, 1, Limits::default()).job);
        assert_eq!((line.score, line.pv.len()), (DRAW, 1));
    }

    #[test]
    fn a_helper_can_win_the_vote_but_not_over_a_leader_who_decides() {
        let speaker = |thread, mv, score| Conclusion {
            pv: vec![Board::startpos().parse_uci(mv).unwrap()],
            score,
            depth: 10,
            ..Conclusion::none(thread)
        };
        let kept = |leader_decides| {
            let mut all = vec![speaker(0, "a2a3", 10), speaker(1, "e2e4", 40)];
            keep_elected(&mut all, leader_decides);
            all.iter().map(|speaker| speaker.thread).collect::<Vec<_>>()
        };
        assert_eq!(kept(false), [1]);
        assert_eq!(kept(true), [0]);
        let mut nobody = Vec::new();
        keep_elected(&mut nobody, false);
        assert!(nobody.is_empty());
    }
}
