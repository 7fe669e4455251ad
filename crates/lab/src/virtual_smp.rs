//! Scaling on simulated cores: N threads that take turns.
//!
//! Virtual time is what each thread has searched: all nodes divided by N. The effective speed-up of
//! N threads is how much less of it they need to complete a depth than one thread: nodes of one
//! thread ÷ (nodes of N threads ÷ N) = N ÷ overhead. It holds for a machine on which every thread
//! is as fast as one alone; the loss on a real machine is measured separately (see [`crate::real`])
//! and multiplies.

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, VirtualSmp};

use crate::crew::{Rig, share_out};
use crate::error::LabError;
use crate::hash::Hash;
use crate::identity::Factors;
use crate::machine::processors;
use crate::measure::{Run, compare, search};
use crate::observer::Observer;
use crate::stats::{Estimate, geometric, mean};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of virtual threads, one not among them: that is the baseline.
    pub threads: Vec<usize>,
    /// The positions.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position; decides the depth.
    pub nodes: u64,
    /// Size of the table.
    pub hash: Hash,
    /// How threads take turns.
    pub turns: VirtualSmp,
}

/// One search compared with that of a single thread.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Number of the position.
    pub position: usize,
    /// Virtual threads.
    pub threads: usize,
    /// Depth that was to be completed.
    pub depth: u32,
    /// Nodes of all threads when it was.
    pub nodes: u64,
    /// Permille of the table in use at the end.
    pub hashfull: u32,
    /// Against a single thread; only the node overhead is meaningful here.
    pub factors: Factors,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Virtual threads.
    pub threads: usize,
    /// Positions it rests on.
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

/// How long a search with so many threads takes, roughly, in units of one with one thread times
/// ten. For estimates of the time left.
pub fn effort(threads: usize) -> u64 {
    (10.0 * (threads as f64).powf(0.75)) as u64
}

/// Searches every position with every number of threads; positions are shared out over the
/// processors.
pub fn run(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Sample>, LabError> {
    let steps: u64 =
        settings.threads.iter().map(|&threads| effort(threads)).sum::<u64>() + effort(1);
    let title = format!("virtual threads, turns of {} nodes", settings.turns.quantum);
    observer.begin(&title, steps * settings.positions.len() as u64);
    let results = share_out(&settings.positions, processors(), observer, |position, board| {
        let mut rig = Rig::default();
        let mut samples = Vec::new();
        let engine = rig.engine(1, settings.hash.mebibytes(1))?;
        let Some((single, depth)) = baseline(engine, board, settings.nodes, observer) else {
            return Ok(None);
        };
        let sample = |threads: usize, run: &Run| {
            let factors = compare(&single, run, depth)?;
            let nodes = run.mark(depth)?.nodes;
            Some(Sample { position, threads, depth, nodes, hashfull: run.hashfull, factors })
        };
        samples.extend(sample(1, &single));
        observer.step(effort(1), "");
        for &threads in &settings.threads {
            let engine = rig.engine(threads, settings.hash.mebibytes(threads))?;
            engine.options.virtual_smp = Some(settings.turns);
            let Some(run) = search(engine, board, Limits::depth(depth), observer.stop()) else {
                break;
            };
            samples.extend(sample(threads, &run));
            observer
                .step(effort(threads), &format!("position {}, {threads} threads", position + 1));
        }
        Ok(Some(samples))
    })?;
    Ok(results.into_iter().flatten().flatten().collect())
}

/// The curve through the samples, by number of threads.
pub fn curve(samples: &[Sample]) -> Vec<Point> {
    let mut counts: Vec<usize> = samples.iter().map(|sample| sample.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
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
        }
    }

    #[test]
    fn the_same_settings_give_the_same_curve() {
        let nodes = |settings: &Settings| {
            let samples = run(settings, &Nobody::default()).unwrap();
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

    #[test]
    fn one_thread_is_its_own_baseline() {
        let samples = run(&settings(), &Nobody::default()).unwrap();
        let curve = curve(&samples);
        assert_eq!(curve.iter().map(|point| point.threads).collect::<Vec<_>>(), [1, 2, 4]);
        assert!((curve[0].speed_up().value - 1.0).abs() < 1e-12);
        assert!(curve[2].speed_up().value < 4.5, "{curve:?}");
        assert!(curve[2].overhead.value > 0.8, "{curve:?}");
    }
}
