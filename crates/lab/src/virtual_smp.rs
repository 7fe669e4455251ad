//! Scaling on simulated cores: N threads that take turns.
//!
//! Virtual time is what each thread has searched: all nodes divided by N. The effective speed-up of
//! N threads is how much less of it they need to complete a depth than one thread: nodes of one
//! thread ÷ (nodes of N threads ÷ N) = N ÷ overhead. It holds for a machine on which every thread
//! is as fast as one alone; the loss on a real machine is measured separately (see [`crate::real`])
//! and multiplies.

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Teamwork, VirtualSmp};
use serde::{Deserialize, Serialize};

use crate::crew::{Rig, share_out};
use crate::error::LabError;
use crate::hash::Hash;
use crate::identity::Factors;
use crate::journal::Journal;
use crate::machine::processors;
use crate::measure::{Run, compare, search};
use crate::observer::Observer;
use crate::stats::{Estimate, distinct, geometric, mean};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of virtual threads, without 1, which is the baseline.
    pub threads: Vec<usize>,
    /// Positions to search.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position; decides the depth.
    pub nodes: u64,
    /// Size of the table.
    pub hash: Hash,
    /// How threads take turns.
    pub turns: VirtualSmp,
    /// How they work together.
    pub team: Teamwork,
}

/// One search compared with that of a single thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the position.
    pub position: usize,
    /// Number of virtual threads.
    pub threads: usize,
    /// Depth of the iteration that is compared.
    pub depth: u32,
    /// Nodes of all threads when it was complete.
    pub nodes: u64,
    /// Permille of the table in use at the end.
    pub hashfull: u32,
    /// Against a single thread; only the node overhead is meaningful here.
    pub factors: Factors,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Number of virtual threads.
    pub threads: usize,
    /// Positions measured.
    pub positions: usize,
    /// Nodes of all threads over those of one.
    pub overhead: Estimate,
    /// Mean fill of the table in permille.
    pub hashfull: f64,
}

impl Point {
    /// Effective speed-up if every thread were as fast as one alone.
    pub fn speed_up(&self) -> Estimate {
        self.overhead.divide(self.threads as f64)
    }
}

/// The search of one thread that everything is compared with, and the depth it reached.
pub fn baseline(
    engine: &mut Engine,
    board: &Board,
    nodes: u64,
    observer: &dyn Observer,
) -> Option<(Run, u32)> {
    engine.options.virtual_smp = None;
    let run = search(engine, board, Limits::nodes(nodes), observer.stop())?;
    let depth = run.deepest_within(nodes)?.depth;
    Some((run, depth))
}

/// Rough cost of a search with `threads` threads, for estimates of the time left; one thread costs
/// ten.
pub fn effort(threads: usize) -> u64 {
    (10.0 * (threads as f64).powf(0.75)) as u64
}

/// Searches every position with every number of threads; positions are shared out over the
/// processors.
pub fn run(
    settings: &Settings,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<Vec<Sample>, LabError> {
    let steps: u64 =
        settings.threads.iter().map(|&threads| effort(threads)).sum::<u64>() + effort(1);
    let title = format!("virtual threads, turns of {} nodes", settings.turns.quantum);
    observer.begin(&title, steps * settings.positions.len() as u64);
    let results = share_out(&settings.positions, processors(), observer, |position, board| {
        let mut one = Single { settings, board, run: None };
        let mut rig = Rig::default();
        let mut samples = Vec::new();
        for threads in std::iter::once(1).chain(settings.threads.iter().copied()) {
            let quantum = settings.turns.quantum;
            let name = format!("position {position}, {threads} threads, turns of {quantum}");
            let sample = journal.recall_or(&name, || {
                let Some((single, depth)) = one.run(&mut rig, observer)? else { return Ok(None) };
                if threads == 1 {
                    return Ok(sample(position, 1, &single, &single, depth));
                }
                let engine = rig.engine(threads, settings.hash.mebibytes(threads))?;
                engine.options.virtual_smp = Some(settings.turns);
                engine.options.teamwork = settings.team;
                let run = search(engine, board, Limits::depth(depth), observer.stop());
                Ok(run.and_then(|run| sample(position, threads, &single, &run, depth)))
            })?;
            if observer.stopped() && sample.is_none() {
                break;
            }
            samples.extend(sample);
            observer
                .step(effort(threads), &format!("position {}, {threads} threads", position + 1));
        }
        Ok(Some(samples))
    })?;
    Ok(results.into_iter().flatten().flatten().collect())
}

/// The search of one thread, done on first use: a journal may already hold every result.
struct Single<'a> {
    settings: &'a Settings,
    board: &'a Board,
    run: Option<(Run, u32)>,
}

impl Single<'_> {
    fn run(
        &mut self,
        rig: &mut Rig,
        observer: &dyn Observer,
    ) -> Result<Option<(Run, u32)>, LabError> {
        if self.run.is_none() {
            let engine = rig.engine(1, self.settings.hash.mebibytes(1))?;
            self.run = baseline(engine, self.board, self.settings.nodes, observer);
        }
        Ok(self.run.clone())
    }
}

fn sample(position: usize, threads: usize, single: &Run, run: &Run, depth: u32) -> Option<Sample> {
    let factors = compare(&single.marks, &run.marks, depth)?;
    let nodes = run.mark(depth)?.nodes;
    Some(Sample { position, threads, depth, nodes, hashfull: run.hashfull, factors })
}

/// The curve through the samples, by number of threads.
pub fn curve(samples: &[Sample]) -> Vec<Point> {
    distinct(samples.iter().map(|sample| sample.threads))
        .into_iter()
        .map(|threads| {
            let of: Vec<&Sample> =
                samples.iter().filter(|sample| sample.threads == threads).collect();
            let logs: Vec<f64> = of.iter().map(|sample| sample.factors.overhead).collect();
            let fill: Vec<f64> = of.iter().map(|sample| f64::from(sample.hashfull)).collect();
            Point {
                threads,
                positions: of.len(),
                overhead: geometric(&logs),
                hashfull: mean(&fill),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    fn settings() -> Settings {
        Settings {
            threads: vec![2, 4],
            positions: suite(3),
            nodes: 6000,
            hash: Hash::Total(1),
            turns: VirtualSmp::default(),
            team: Teamwork::default(),
        }
    }

    #[test]
    fn the_same_settings_give_the_same_curve() {
        let nodes = |settings: &Settings| {
            let samples = run(settings, &Journal::default(), &Nobody::default()).unwrap();
            assert_eq!(samples.len(), 9);
            samples
                .iter()
                .map(|sample| (sample.position, sample.threads, sample.nodes))
                .collect::<Vec<_>>()
        };
        let first = nodes(&settings());
        assert_eq!(first, nodes(&settings()));
        let mut other = settings();
        other.turns.seed = 99;
        assert_ne!(first, nodes(&other));
    }

    /// A resumed measurement equals an uninterrupted one.
    #[test]
    fn a_journal_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, "test").unwrap();
        let part = Settings { positions: suite(2), threads: vec![2], ..settings() };
        run(&part, &open(), &Nobody::default()).unwrap();
        let whole = Settings { positions: part.positions, ..settings() };
        let journal = open();
        assert_eq!(journal.known(), 4);
        let nodes = |journal: &Journal| {
            let samples = run(&whole, journal, &Nobody::default()).unwrap();
            samples.iter().map(|sample| (sample.threads, sample.nodes)).collect::<Vec<_>>()
        };
        let resumed = nodes(&journal);
        assert_eq!(resumed, nodes(&Journal::default()), "as in one go");
        let journal = open();
        assert_eq!(journal.known(), 6);
        assert_eq!(resumed, nodes(&journal), "and all of it can be read back");
    }

    #[test]
    fn one_thread_is_its_own_baseline() {
        let samples = run(&settings(), &Journal::default(), &Nobody::default()).unwrap();
        let curve = curve(&samples);
        assert_eq!(curve.iter().map(|point| point.threads).collect::<Vec<_>>(), [1, 2, 4]);
        assert!((curve[0].speed_up().value - 1.0).abs() < 1e-12);
        assert!(curve[2].speed_up().value < 4.5, "{curve:?}");
        assert!(curve[2].overhead.value > 0.8, "{curve:?}");
    }
}
