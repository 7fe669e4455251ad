//! A match between two engines: other parameters, another net, or another binary.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use megatherium_board::Board;
use megatherium_nnue::Network;
use megatherium_search::{Engine, Params, Teamwork, VirtualSmp};

use crate::error::LabError;
use crate::game::{Budget, Forfeit, Player, play_pair};
use crate::observer::Observer;
use crate::openings::Openings;
use crate::pentanomial::Pentanomial;
use crate::process::Process;
use crate::sprt::{Sprt, Verdict};

/// One side of a duel.
#[derive(Clone, Debug)]
pub struct Side {
    /// Another engine, in its own process; only its options and table size can be set then.
    pub binary: Option<PathBuf>,
    /// UCI options of the other engine.
    pub options: Vec<(String, String)>,
    /// Search parameters.
    pub params: Params,
    /// The net; the embedded one by default.
    pub network: Option<Arc<Network>>,
    /// Play without a transposition table.
    pub without_table: bool,
    /// Size of the table in MiB, if not that of the rules.
    pub mebibytes: Option<usize>,
    /// Size of a smaller table in KiB.
    pub kibibytes: Option<usize>,
    /// Virtual threads.
    pub threads: usize,
    /// How they work together.
    pub team: Teamwork,
}

impl Default for Side {
    fn default() -> Side {
        Side {
            binary: None,
            options: Vec::new(),
            params: Params::default(),
            network: None,
            without_table: false,
            mebibytes: None,
            kibibytes: None,
            threads: 1,
            team: Teamwork::default(),
        }
    }
}

impl Side {
    /// This engine with other parameters.
    pub fn with(params: Params) -> Side {
        Side { params, ..Side::default() }
    }

    /// This side as an engine in this process.
    pub fn engine(&self, mebibytes: usize) -> Result<Engine, LabError> {
        let mut engine = Engine::new(self.threads, mebibytes)?;
        engine.options.params = self.params;
        engine.options.teamwork = self.team;
        engine.options.virtual_smp = (self.threads > 1).then(VirtualSmp::default);
        if let Some(network) = &self.network {
            engine.set_network(Arc::clone(network));
        }
        if self.without_table {
            engine.disable_table()?;
        } else if let Some(kibibytes) = self.kibibytes {
            engine.shrink_table(kibibytes << 10 >> 6)?;
        }
        Ok(engine)
    }

    fn player(&self, rules: Rules) -> Result<Box<dyn Player>, LabError> {
        let mebibytes = self.mebibytes.unwrap_or(rules.mebibytes);
        let Some(binary) = &self.binary else {
            let mut engine = self.engine(mebibytes)?;
            engine.options.nodes_per_millisecond = rules.nodes_per_millisecond;
            if rules.nodes_per_millisecond.is_some() {
                // No time is lost between the nodes and their clock.
                engine.options.move_overhead = Duration::ZERO;
            }
            return Ok(Box::new(engine));
        };
        if rules.nodes_per_millisecond.is_some() {
            return Err(LabError::Settings("a node clock needs this engine on both sides".into()));
        }
        let mut process = Process::start(binary, 1, mebibytes)?;
        for (name, value) in &self.options {
            process.set_option(name, value)?;
        }
        Ok(Box::new(process))
    }
}

/// How a duel is played.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Nodes or time of each side.
    pub budget: Budget,
    /// Nodes that count as a millisecond on a clock, if nodes stand for time.
    pub nodes_per_millisecond: Option<u64>,
    /// Size of each side's table in MiB.
    pub mebibytes: usize,
    /// Games played at the same time.
    pub concurrency: usize,
    /// Ends the match as soon as this test has a verdict.
    pub sprt: Option<Sprt>,
}

/// The result of the first side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Pairs of games by points.
    pub pairs: Pentanomial,
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Games lost on time by the first side and by the second.
    pub forfeits: [Vec<Forfeit>; 2],
}

impl Score {
    /// The decision of an SPRT.
    pub fn verdict(&self, sprt: Option<Sprt>) -> Option<Verdict> {
        sprt?.verdict(&self.pairs)
    }

    /// The result in a few words, for a bar.
    fn summary(&self, sprt: Option<Sprt>) -> String {
        let [won, drawn, lost] = self.games;
        let elo = self.pairs.elo_text().unwrap_or_else(|| "few pairs".to_owned());
        let llr = sprt.map(|sprt| format!(" LLR {:+.2}", sprt.llr(&self.pairs)));
        format!("+{won} ={drawn} -{lost} {elo}{}", llr.unwrap_or_default())
    }
}

/// Plays the openings of these numbers, each twice with colours reversed. Every pair is a step for
/// the observer. Unfinished pairs do not count.
pub fn run(
    sides: [&Side; 2],
    rules: Rules,
    openings: &Openings,
    numbers: std::ops::Range<usize>,
    observer: &dyn Observer,
) -> Result<Score, LabError> {
    let next = AtomicUsize::new(numbers.start);
    let decided = AtomicBool::new(false);
    let score = Mutex::new(Score::default());
    let failure = Mutex::new(None);
    let work = || {
        let result = (|| {
            let mut players = [sides[0].player(rules)?, sides[1].player(rules)?];
            while !observer.stopped() && !decided.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if !numbers.contains(&number) {
                    break;
                }
                let opening = openings.get(number)?;
                let Some(pair) = score_pair(&mut players, rules, &opening, observer.stop())? else {
                    break;
                };
                let mut score = score.lock().unwrap_or_else(PoisonError::into_inner);
                // Counting pairs that end after the verdict would favour long games.
                if decided.load(Ordering::Relaxed) {
                    break;
                }
                score.add(pair);
                observer.step(1, &score.summary(rules.sprt));
                if score.verdict(rules.sprt).is_some() {
                    decided.store(true, Ordering::Relaxed);
                }
            }
            Ok(())
        })();
        if let Err(error) = result {
            decided.store(true, Ordering::Relaxed);
            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..rules.concurrency.clamp(1, numbers.len().max(1)) {
            // If a thread cannot be started, the others play its games.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(score.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// One opening with both colours; `None` if it was stopped.
fn score_pair(
    players: &mut [Box<dyn Player>; 2],
    rules: Rules,
    opening: &Board,
    stop: &AtomicBool,
) -> Result<Option<Score>, LabError> {
    let mut score = Score::default();
    let [first, second] = players;
    let players: [&mut dyn Player; 2] = [first.as_mut(), second.as_mut()];
    let result = play_pair(opening, players, [rules.budget; 2], stop, |first, finish| {
        score.games[2 - finish.outcome.half_points(first)] += 1;
        if let Some(late) = finish.forfeit {
            score.forfeits[usize::from(late.side != first)].push(late);
        }
    })?;
    Ok(result.map(|half_points| {
        score.pairs.pairs[half_points] += 1;
        score
    }))
}

impl Score {
    fn add(&mut self, other: Score) {
        let add = |to: &mut [u64], from: &[u64]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        };
        add(&mut self.pairs.pairs, &other.pairs.pairs);
        add(&mut self.games, &other.games);
        for (all, more) in self.forfeits.iter_mut().zip(other.forfeits) {
            all.extend(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    const RULES: Rules = Rules {
        budget: Budget::Nodes(1500),
        nodes_per_millisecond: None,
        mebibytes: 1,
        concurrency: 2,
        sprt: None,
    };

    #[test]
    fn equals_draw_and_the_slow_lose() {
        let book = Openings::Book(suite(12));
        let default = Side::default();
        let equal = run([&default, &default], RULES, &book, 0..4, &Nobody::default()).unwrap();
        assert_eq!(
            equal.pairs.pairs,
            [0, 0, 4, 0, 0],
            "the same engine plays the same game with either colour"
        );
        assert_eq!(equal.games.iter().sum::<u64>(), 8);
        let mut slow = Side { without_table: true, ..Side::default() };
        for change in
            ["lmr_depth=128", "null_depth=128", "reverse_futility_depth=0", "late_move_base=10000"]
        {
            slow.params.apply(change).unwrap();
        }
        let result = run([&slow, &default], RULES, &book, 0..12, &Nobody::default()).unwrap();
        assert!(result.pairs.score() < 0.45, "{result:?}");
    }

    #[test]
    fn a_table_may_be_smaller_than_a_mebibyte() {
        let entries = |side: &Side| side.engine(1).unwrap().table().capacity();
        let small = Side { kibibytes: Some(3), ..Side::default() };
        assert_eq!(entries(&small), 3 << 10 >> 4, "of 16 bytes");
        assert_eq!(entries(&Side::default()), 1 << 16);
        assert_eq!(entries(&Side { without_table: true, ..small }), 4, "one cache line");
    }

    #[test]
    fn games_on_a_node_clock_are_the_same_every_time() {
        let millisecond = Duration::from_millis(1);
        let rules = Rules {
            budget: Budget::Clock { base: 60 * millisecond, increment: millisecond },
            nodes_per_millisecond: Some(1000),
            ..RULES
        };
        let book = Openings::Book(suite(4));
        let mut hasty = Side::default();
        hasty.params.apply("time_horizon=60").unwrap();
        let together = Side { threads: 2, ..Side::default() };
        for first in [hasty, together] {
            let play = || run([&first, &Side::default()], rules, &book, 0..4, &Nobody::default());
            let result = play().unwrap();
            assert_eq!(result, play().unwrap());
            assert_eq!(result.games.iter().sum::<u64>(), 8);
            assert_eq!(result.forfeits, [vec![], vec![]]);
        }
        let process = Side { binary: Some("engine".into()), ..Side::default() };
        let refused = run([&process, &process], rules, &book, 0..1, &Nobody::default());
        assert!(refused.unwrap_err().to_string().contains("node clock"));
    }

    #[test]
    fn a_test_ends_the_match() {
        let (default, mut weak) = (Side::default(), Side::default());
        weak.params.apply("quiescence_see=50").unwrap();
        weak.without_table = true;
        let rules = Rules { sprt: Some("-50,0".parse().unwrap()), ..RULES };
        let book = Openings::Book(suite(60));
        let result = run([&weak, &default], rules, &book, 0..2000, &Nobody::default()).unwrap();
        assert!(result.verdict(rules.sprt).is_some() && result.pairs.count() < 2000, "{result:?}");
    }
}
