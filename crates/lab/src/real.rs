//! Scaling on this machine: the same positions to the same depth with one thread and with
//! several, at full speed.

use megatherium_board::Board;
use megatherium_search::{Engine, Limits};

use crate::error::LabError;
use crate::hash::Hash;
use crate::identity::{Factors, by_position};
use crate::machine::{Meter, Usage, process_time};
use crate::measure::{Run, compare, search};
use crate::observer::Observer;
use crate::stats::{Estimate, distinct, geometric, mean};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of threads; one is always measured.
    pub threads: Vec<usize>,
    /// Positions to search.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position; decides the depth.
    pub nodes: u64,
    /// Size of the table.
    pub hash: Hash,
    /// How often each position is searched with each number of threads.
    pub repeats: usize,
}

/// One search of a position.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Number of the position.
    pub position: usize,
    /// Number of the repeat.
    pub repeat: usize,
    /// Number of threads.
    pub threads: usize,
    /// Depth of the iteration that is compared.
    pub depth: u32,
    /// Nodes of all threads when it was complete.
    pub nodes: u64,
    /// Seconds until it was complete.
    pub seconds: f64,
    /// Permille of the table in use at the end.
    pub hashfull: u32,
    /// Processor time per thread and second.
    pub share: Option<f64>,
    /// Processor usage during the measurement.
    pub usage: Option<Usage>,
    /// Ratios to the single thread of the same repeat.
    pub factors: Option<Factors>,
}

/// The result of one number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Number of threads.
    pub threads: usize,
    /// Positions measured.
    pub positions: usize,
    /// Nodes per second, geometric mean.
    pub nps: f64,
    /// Nodes per second over those of one thread.
    pub nps_ratio: Estimate,
    /// Nodes to the same depth over those of one thread.
    pub overhead: Estimate,
    /// Speed-up in time to the same depth.
    pub speed_up: Estimate,
    /// Error of the identity of the three.
    pub residue: f64,
    /// Mean fill of the table in permille.
    pub hashfull: f64,
    /// Processor time per thread and second, averaged.
    pub share: Option<f64>,
    /// Nodes per second of processor time, which other processes disturb less than wall time.
    pub per_processor: Option<f64>,
    /// Share of processor time stolen by the host (steal time).
    pub steal: Option<f64>,
}

/// Runs the measurement. Thread counts alternate in blocks, forwards and backwards, so that drift
/// of the machine affects all alike.
pub fn run(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Sample>, LabError> {
    let counts = distinct(settings.threads.iter().copied().chain([1]));
    let steps = settings.positions.len() * (1 + settings.repeats * counts.len());
    observer.begin("real threads", steps as u64);
    let mut engines = Vec::new();
    for &threads in &counts {
        engines.push(Engine::new(threads, settings.hash.mebibytes(threads))?);
    }
    let mut samples = Vec::new();
    for (position, board) in settings.positions.iter().enumerate() {
        let Some(first) =
            search(&mut engines[0], board, Limits::nodes(settings.nodes), observer.stop())
        else {
            return Ok(samples);
        };
        let Some(mark) = first.deepest_within(settings.nodes) else { continue };
        observer.step(1, "");
        for repeat in 0..settings.repeats {
            let mut block: Vec<(Sample, Run)> = Vec::new();
            let forwards: Vec<usize> = (0..counts.len()).collect();
            let backwards = forwards.iter().rev().copied().collect();
            let order = if (position + repeat) % 2 == 0 { forwards } else { backwards };
            for index in order {
                let Some(pair) = measure(&mut engines[index], board, mark.depth, observer) else {
                    return Ok(samples);
                };
                let (mut sample, run) = pair;
                (sample.position, sample.repeat) = (position, repeat);
                let speed = run.outcome.nodes as f64 / run.outcome.time.as_secs_f64().max(1e-6);
                observer.step(1, &format!("{} threads: {:.0} kn/s", sample.threads, speed / 1e3));
                block.push((sample, run));
            }
            let single =
                block.iter().find(|(sample, _)| sample.threads == 1).map(|(_, run)| run.clone());
            for (mut sample, run) in block {
                sample.factors = single
                    .as_ref()
                    .and_then(|single| compare(&single.marks, &run.marks, mark.depth));
                samples.push(sample);
            }
        }
    }
    Ok(samples)
}

fn measure(
    engine: &mut Engine,
    board: &Board,
    depth: u32,
    observer: &dyn Observer,
) -> Option<(Sample, Run)> {
    let (meter, before) = (Meter::start(), process_time());
    let run = search(engine, board, Limits::depth(depth), observer.stop())?;
    let (usage, after) = (meter.usage(), process_time());
    let (threads, seconds) = (engine.threads(), run.outcome.time.as_secs_f64());
    let used = after.zip(before).map(|(after, before)| after.saturating_sub(before).as_secs_f64());
    let mark = run.mark(depth)?;
    let sample = Sample {
        position: 0,
        repeat: 0,
        threads,
        depth,
        nodes: mark.nodes,
        seconds: mark.seconds,
        hashfull: run.hashfull,
        share: used.map(|used| (used / (seconds * threads as f64).max(1e-6)).min(1.0)),
        usage,
        factors: None,
    };
    Some((sample, run))
}

/// The curve through the samples. The bootstrap resamples positions; repeats of one position are
/// averaged first.
pub fn curve(samples: &[Sample]) -> Vec<Point> {
    let counts = distinct(samples.iter().map(|sample| sample.threads));
    counts.into_iter().map(|threads| point(samples, threads)).collect()
}

fn point(samples: &[Sample], threads: usize) -> Point {
    let of: Vec<&Sample> = samples.iter().filter(|sample| sample.threads == threads).collect();
    let by_position = by_position(of.iter().map(|sample| (sample.position, sample.factors)));
    let logs = |part: fn(&Factors) -> f64| by_position.iter().map(part).collect::<Vec<_>>();
    let average = |values: Vec<f64>| (!values.is_empty()).then(|| mean(&values));
    let speeds: Vec<f64> = of
        .iter()
        .filter(|sample| sample.seconds > 0.0)
        .map(|sample| (sample.nodes as f64 / sample.seconds).ln())
        .collect();
    let worked = of.iter().filter_map(|sample| {
        let got = sample.share.filter(|&share| share > 0.0)? * sample.seconds * threads as f64;
        (got > 0.0).then(|| (sample.nodes as f64 / got).ln())
    });
    let worked: Vec<f64> = worked.collect();
    Point {
        threads,
        positions: by_position.len(),
        nps: mean(&speeds).exp(),
        nps_ratio: geometric(&logs(|factors| factors.nps)),
        overhead: geometric(&logs(|factors| factors.overhead)),
        speed_up: geometric(&logs(|factors| factors.speed_up)),
        residue: Factors::mean(&by_position).residue(),
        hashfull: mean(&of.iter().map(|sample| f64::from(sample.hashfull)).collect::<Vec<_>>()),
        share: average(of.iter().filter_map(|sample| sample.share).collect()),
        per_processor: average(worked).map(f64::exp),
        steal: average(
            of.iter().filter_map(|sample| sample.usage).map(|usage| usage.steal).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    #[test]
    fn the_three_factors_belong_together() {
        let settings = Settings {
            threads: vec![2],
            positions: suite(3),
            nodes: 20_000,
            hash: Hash::PerThread(1),
            repeats: 2,
        };
        let samples = run(&settings, &Nobody::default()).unwrap();
        assert_eq!(samples.len(), 3 * 2 * 2);
        let curve = curve(&samples);
        assert_eq!(curve.len(), 2);
        assert!((curve[0].speed_up.value - 1.0).abs() < 1e-12, "one thread against itself");
        for point in &curve {
            assert_eq!(point.positions, 3);
            assert!(point.residue.abs() < 1e-9, "{point:?}");
            let product = point.nps_ratio.value / point.overhead.value;
            assert!((point.speed_up.value / product - 1.0).abs() < 1e-9, "{point:?}");
        }
    }
}
