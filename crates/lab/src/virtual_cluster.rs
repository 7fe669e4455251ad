//! A cluster on simulated machines: ranks that take turns and exchange entries with a delay.
//!
//! Each rank is an engine with one thread and its own table. A baton decides whose turn it is, as
//! among [virtual threads](crate::virtual_smp), so the same seed gives the same searches on every
//! machine. Virtual time is what a rank has searched: an entry that is stored at a rank's node `t`
//! reaches another rank when that one has searched `t + delay` nodes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use megatherium_board::Board;
use megatherium_nnue::Network;
use megatherium_search::smp::Baton;
use megatherium_search::{
    Allies, Engine, EngineError, Entry, Limits, Options, Progress, Root, SearchTable, Silent,
    Teamwork, Verdict, VirtualSmp, take_in,
};

use crate::crew::share_out;
use crate::error::LabError;
use crate::game::{Choice, Line, Player};
use crate::journal::Journal;
use crate::machine::processors;
use crate::measure::{Run, compare, go_on};
use crate::observer::Observer;
use crate::stats::{Estimate, geometric};
use crate::virtual_smp::{baseline, effort};

/// How ranks work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// They only vote.
    Vote,
    /// They also exchange entries.
    Exchange {
        /// Entries of at least this depth.
        depth: i32,
        /// How long an entry travels, in nodes of a rank.
        delay: u64,
    },
}

/// What a rank sends at a poll: entries, and an iteration that it has completed.
#[derive(Default)]
struct News {
    entries: Vec<(u64, Entry)>,
    completed: Option<Verdict>,
}

/// A message in transit, and the node count at which it arrives.
type Packet = (u64, Arc<News>);

/// What the ranks of one search share.
struct Hall {
    baton: Baton,
    link: Link,
    mailboxes: Vec<Mutex<VecDeque<Packet>>>,
    over: AtomicBool,
    concluded: AtomicUsize,
    verdicts: Mutex<Vec<Verdict>>,
}

/// A rank's connection to the others.
struct Place {
    rank: usize,
    hall: Arc<Hall>,
    outbox: Mutex<News>,
    completed: Mutex<VecDeque<Verdict>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Allies for Place {
    fn begin(&self, _: &Limits, _: &Options) {}

    fn seats_before(&self) -> usize {
        self.rank
    }

    fn least_depth(&self) -> i32 {
        match self.hall.link {
            Link::Vote => i32::MAX,
            Link::Exchange { depth, .. } => depth,
        }
    }

    fn stored(&self, _: usize, key: u64, entry: Entry) {
        lock(&self.outbox).entries.push((key, entry));
    }

    fn poll(&self, progress: Progress, table: &SearchTable) -> bool {
        if let Link::Exchange { delay, .. } = self.hall.link {
            let news = Arc::new(std::mem::take(&mut *lock(&self.outbox)));
            for (rank, mailbox) in self.hall.mailboxes.iter().enumerate() {
                if rank != self.rank && (!news.entries.is_empty() || news.completed.is_some()) {
                    lock(mailbox).push_back((progress.nodes + delay, Arc::clone(&news)));
                }
            }
        }
        self.hall.baton.pass(self.rank);
        let mut mailbox = lock(&self.hall.mailboxes[self.rank]);
        // Ranks are never more than a turn apart, so what came first is due first, or nearly so.
        while let Some((_, news)) = mailbox.pop_front_if(|(due, _)| *due <= progress.nodes) {
            for &(key, entry) in &news.entries {
                take_in(table, key, entry);
            }
            lock(&self.completed).extend(news.completed.clone());
        }
        !self.hall.over.load(Ordering::Relaxed)
    }

    fn others(&self) -> usize {
        self.hall.mailboxes.len() - 1
    }

    fn completed(&self, iteration: Verdict) {
        lock(&self.outbox).completed = Some(iteration);
    }

    fn next_completed(&self) -> Option<Verdict> {
        lock(&self.completed).pop_front()
    }

    /// Virtual time is the nodes of rank 0 alone.
    fn nodes(&self) -> u64 {
        0
    }

    fn tb_hits(&self) -> u64 {
        0
    }

    fn overhead(&self) -> Duration {
        Duration::ZERO
    }

    fn gather(&self) -> Vec<Verdict> {
        if self.rank != 0 {
            return Vec::new();
        }
        self.hall.over.store(true, Ordering::Relaxed);
        while self.hall.concluded.load(Ordering::Relaxed) < self.hall.mailboxes.len() - 1 {
            self.hall.baton.pass(0);
        }
        std::mem::take(&mut *lock(&self.hall.verdicts))
    }

    fn elected(&self, verdict: Option<&Verdict>, _: Progress) {
        if self.rank != 0 {
            lock(&self.hall.verdicts).extend(verdict.cloned());
            self.hall.concluded.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn forgotten(&self, _: &Network) {}
}

/// A cluster of virtual ranks in one process.
pub struct Cluster {
    engines: Vec<Engine>,
    link: Link,
    turns: VirtualSmp,
}

impl Cluster {
    /// A cluster of `ranks` ranks with a table of `mebibytes` MiB each.
    pub fn new(
        ranks: usize,
        mebibytes: usize,
        link: Link,
        team: Teamwork,
        turns: VirtualSmp,
    ) -> Result<Cluster, LabError> {
        let engine = |_| {
            let mut engine = Engine::new(1, mebibytes)?;
            engine.options.teamwork = team;
            Ok(engine)
        };
        let engines: Result<Vec<Engine>, LabError> = (0..ranks.max(1)).map(engine).collect();
        Ok(Cluster { engines: engines?, link, turns })
    }

    /// Searches with all ranks; what rank 0 did and answered, or `None` if it was stopped. An error
    /// if a rank's thread cannot be started: with fewer ranks it would be another search.
    pub fn search(
        &mut self,
        root: &Root,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Run>, LabError> {
        let ranks = self.engines.len();
        let hall = Arc::new(Hall {
            baton: Baton::new(self.turns, ranks),
            link: self.link,
            mailboxes: (0..ranks).map(|_| Mutex::default()).collect(),
            over: AtomicBool::new(false),
            concluded: AtomicUsize::new(0),
            verdicts: Mutex::default(),
        });
        for (rank, engine) in self.engines.iter_mut().enumerate() {
            let place = Place {
                rank,
                hall: Arc::clone(&hall),
                outbox: Mutex::default(),
                completed: Mutex::default(),
            };
            engine.set_allies(Arc::new(place));
            // A thread without others only polls at the end of a turn.
            let seed = self.turns.seed.wrapping_add(rank as u64);
            engine.options.virtual_smp = Some(VirtualSmp { seed, ..self.turns });
        }
        let Some((leader, followers)) = self.engines.split_first_mut() else { return Ok(None) };
        // Nobody takes a seat before all are there: the baton waits for every seat.
        let complete = Mutex::new(true);
        thread::scope(|scope| {
            let mut all = lock(&complete);
            for (index, engine) in followers.iter_mut().enumerate() {
                let (hall, root, complete) = (&hall, root.clone(), &complete);
                let follow = move || {
                    if *lock(complete) {
                        let _turns = hall.baton.join(index + 1);
                        engine.search(root, Limits::default(), Silent);
                    }
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, follow) {
                    *all = false;
                    return Err(LabError::Engine(EngineError::Thread(error)));
                }
            }
            drop(all);
            let _turns = hall.baton.join(0);
            Ok(go_on(leader, root.clone(), limits, stop))
        })
    }

    /// Forgets the last search.
    pub fn forget(&mut self) {
        for engine in &mut self.engines {
            engine.new_game();
        }
    }
}

impl Player for Cluster {
    fn new_game(&mut self) -> Result<(), LabError> {
        self.forget();
        Ok(())
    }

    fn choose(
        &mut self,
        line: &Line,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Choice>, LabError> {
        let Some(run) = self.search(&line.root, limits, stop)? else { return Ok(None) };
        let best = run.outcome.best;
        let best = best.ok_or_else(|| LabError::Settings("no legal move".to_owned()))?;
        Ok(Some(Choice { best, score: Some(run.outcome.score), time: None }))
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of ranks.
    pub ranks: Vec<usize>,
    /// How they work together.
    pub links: Vec<Link>,
    /// Positions to search.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position; decides the depth.
    pub nodes: u64,
    /// Size of each rank's table in MiB.
    pub mebibytes: usize,
    /// How ranks work together, and threads.
    pub team: Teamwork,
    /// Turns of the ranks.
    pub turns: VirtualSmp,
}

/// A point of the table: how much sooner a depth is complete than with one thread.
#[derive(Clone, Debug)]
pub struct Point {
    /// Number of ranks.
    pub ranks: usize,
    /// How they worked together; `None` for threads that share one table.
    pub link: Option<Link>,
    /// Logarithms of the speed-ups, by position.
    pub logs: Vec<f64>,
}

impl Point {
    /// The speed-up.
    pub fn speed_up(&self) -> Estimate {
        geometric(&self.logs)
    }
}

/// Searches every position with every number of ranks and every link, and with as many threads.
pub fn run(
    settings: &Settings,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<Vec<Point>, LabError> {
    let links = || settings.links.iter().copied().map(Some).chain([None]);
    let arms: Vec<(usize, Option<Link>)> =
        settings.ranks.iter().flat_map(|&ranks| links().map(move |link| (ranks, link))).collect();
    let steps: u64 = arms.iter().map(|&(ranks, _)| effort(ranks)).sum();
    observer.begin("virtual ranks", steps * settings.positions.len() as u64);
    let results = share_out(&settings.positions, processors(), observer, |position, board| {
        let mut single = None;
        let mut logs = Vec::new();
        for &(ranks, link) in &arms {
            let name = format!("position {position}, {ranks} ranks, {link:?}");
            let log = journal.recall_or(&name, || {
                if single.is_none() {
                    let mut engine = Engine::new(1, settings.mebibytes)?;
                    engine.new_game();
                    single = baseline(&mut engine, board, settings.nodes, observer);
                }
                let Some((single, depth)) = &mut single else { return Ok(None) };
                keep_first_marks(single);
                let run = search(settings, ranks, link, board, *depth, observer)?;
                Ok(run.map(|mut run| {
                    keep_first_marks(&mut run);
                    // Nodes of rank 0, or of all threads: virtual time is the nodes of one.
                    let several = if link.is_none() { ranks as f64 } else { 1.0 };
                    let factors = compare(&single.marks, &run.marks, *depth);
                    factors.map(|factors| several.ln() - factors.overhead)
                }))
            })?;
            let Some(log) = log else { return Ok(None) };
            logs.push(log);
            observer.step(effort(ranks), "");
        }
        Ok(Some(logs))
    })?;
    let point = |(arm, &(ranks, link)): (usize, &(usize, Option<Link>))| Point {
        ranks,
        link,
        logs: results.iter().flatten().filter_map(|logs| logs[arm]).collect(),
    };
    Ok(arms.iter().enumerate().map(point).collect())
}

/// A vote may show a line of a depth that was complete before: when it was first complete counts.
fn keep_first_marks(run: &mut Run) {
    let mut deepest = 0;
    run.marks.retain(|mark| {
        let first = mark.depth > deepest;
        deepest = deepest.max(mark.depth);
        first
    });
}

/// One search of one arm.
fn search(
    settings: &Settings,
    ranks: usize,
    link: Option<Link>,
    board: &Board,
    depth: u32,
    observer: &dyn Observer,
) -> Result<Option<Run>, LabError> {
    let Settings { mebibytes, turns, team, .. } = *settings;
    let (root, limits) = (Root::new(*board), Limits::depth(depth));
    Ok(if let Some(link) = link {
        Cluster::new(ranks, mebibytes, link, team, turns)?.search(&root, limits, observer.stop())?
    } else {
        // As much table as all ranks have together.
        let mut engine = Engine::new(ranks, ranks * mebibytes)?;
        engine.options.virtual_smp = Some(turns);
        engine.options.teamwork = team;
        go_on(&mut engine, root, limits, observer.stop())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    fn settings() -> Settings {
        Settings {
            ranks: vec![1, 3],
            links: vec![Link::Vote, Link::Exchange { depth: 2, delay: 100 }],
            positions: suite(3),
            nodes: 6000,
            mebibytes: 1,
            team: Teamwork::default(),
            turns: VirtualSmp::default(),
        }
    }

    #[test]
    fn the_same_settings_give_the_same_numbers() {
        let logs = |settings: &Settings| {
            let points = run(settings, &Journal::default(), &Nobody::default()).unwrap();
            points.into_iter().map(|point| point.logs).collect::<Vec<_>>()
        };
        let first = logs(&settings());
        assert_eq!(first, logs(&settings()));
        assert_eq!(first.len(), 6);
        for point in &first[..3] {
            assert!(point.iter().all(|log| log.abs() < 1e-12), "one rank is one thread: {first:?}");
        }
        assert!(first[3].iter().all(|log| log.abs() < 1e-12), "a vote completes no depth sooner");
        assert_ne!(first[3], first[4], "an exchange changes something");
        let mut other = settings();
        other.turns.seed = 99;
        assert_ne!(first, logs(&other));
    }

    /// A resumed measurement equals an uninterrupted one.
    #[test]
    fn a_journal_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, "test").unwrap();
        let logs = |settings: &Settings, journal: &Journal| {
            let points = run(settings, journal, &Nobody::default()).unwrap();
            points.into_iter().map(|point| point.logs).collect::<Vec<_>>()
        };
        let whole = Settings { ranks: vec![2], positions: suite(2), ..settings() };
        let part = Settings { links: vec![Link::Vote], ..whole.clone() };
        logs(&part, &open());
        let journal = open();
        assert_eq!(journal.known(), 4, "two positions, ranks that vote and threads");
        let resumed = logs(&whole, &journal);
        assert_eq!(resumed, logs(&whole, &Journal::default()), "as in one go");
        assert_eq!(open().known(), 6);
        assert_eq!(resumed, logs(&whole, &open()), "and all of it can be read back");
    }

    #[test]
    fn every_rank_has_a_vote_and_a_stop_ends_all() {
        let link = Link::Exchange { depth: 2, delay: 0 };
        let mut cluster =
            Cluster::new(4, 1, link, Teamwork::default(), VirtualSmp::default()).unwrap();
        let root = Root::new(Board::startpos());
        let run =
            cluster.search(&root, Limits::nodes(2000), &AtomicBool::new(false)).unwrap().unwrap();
        assert!(run.outcome.best.is_some() && run.outcome.nodes >= 2000);
        assert!(
            cluster.search(&root, Limits::default(), &AtomicBool::new(true)).unwrap().is_none()
        );
    }
}
