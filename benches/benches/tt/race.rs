//! Lanes run in turns, round after round, so that whatever disturbs the machine disturbs them all.

use crate::drive::{Sample, Workload, run};
use crate::keys::Universe;
use crate::tables::Contender;

/// One way of running one table.
pub struct Lane<'a> {
    /// Name in the report.
    pub label: String,
    ahead: usize,
    run: Box<dyn Fn(Workload, u64) -> Sample + 'a>,
}

impl<'a> Lane<'a> {
    /// A table with a prefetch distance.
    pub fn new<T: Contender>(table: &'a T, universe: Universe, ahead: usize) -> Self {
        let label =
            if ahead == 0 { T::NAME.to_owned() } else { format!("{}, prefetch {ahead}", T::NAME) };
        let run = move |work, round| run(table, universe, work, round);
        Self { label, ahead, run: Box::new(run) }
    }
}

/// The best of a lane's rounds: the one with the least disturbance.
#[derive(Clone, Debug)]
pub struct Best {
    /// Name of the lane.
    pub label: String,
    /// Nanoseconds of an operation in the fastest round.
    pub nanos: f64,
    /// Share of the probes that hit in the last round.
    pub hit_rate: f64,
    /// Threads that ran at once, averaged over the rounds.
    pub concurrency: f64,
}

/// Runs every lane once per round and returns the best of each, in the order of the lanes.
pub fn race(lanes: &[Lane], work: Workload, rounds: usize) -> Vec<Best> {
    let mut samples: Vec<Vec<Sample>> = lanes.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for turn in 0..lanes.len() {
            // Another lane goes first each time, so that none always follows the same one.
            let number = (turn + round) % lanes.len();
            let lane = &lanes[number];
            samples[number].push((lane.run)(work.ahead(lane.ahead), round as u64));
        }
    }
    lanes.iter().zip(samples).map(|(lane, samples)| best(lane, &samples)).collect()
}

fn best(lane: &Lane, samples: &[Sample]) -> Best {
    Best {
        label: lane.label.clone(),
        nanos: samples.iter().map(|sample| sample.nanos).fold(f64::INFINITY, f64::min),
        hit_rate: samples.last().map_or(0.0, |sample| sample.hit_rate),
        concurrency: samples.iter().map(|sample| sample.concurrency).sum::<f64>()
            / samples.len() as f64,
    }
}
