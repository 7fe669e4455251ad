//! Builds of one engine side by side: how much faster is each than the first?
//!
//! All builds search the same positions with the same number of nodes, in turn, so that drift of
//! the machine affects all alike. Speed is nodes per second of processor time where the system
//! tells it: other programs then matter little.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use megatherium_board::Board;

use crate::error::LabError;
use crate::observer::Observer;
use crate::process::{Info, Process};
use crate::stats::{Estimate, geometric};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Binaries; the others are compared with the first.
    pub engines: Vec<PathBuf>,
    /// Search threads of each.
    pub threads: usize,
    /// Size of each table.
    pub mebibytes: usize,
    /// Nodes per search.
    pub nodes: u64,
    /// No position is begun after this time, but at least two are searched.
    pub time: Duration,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Positions searched by all builds.
    pub positions: usize,
    /// Whether the speeds are by processor time; else by the clock.
    pub by_processor_time: bool,
    /// The speed of each build after the first over that of the first. Empty if fewer than two
    /// positions were measured.
    pub ratios: Vec<Estimate>,
}

/// Runs the measurement.
pub fn run(
    settings: &Settings,
    positions: &[Board],
    observer: &dyn Observer,
) -> Result<Results, LabError> {
    let start = |binary: &PathBuf| Process::start(binary, settings.threads, settings.mebibytes);
    let mut engines = settings.engines.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    let by_processor_time = engines.iter().all(|engine| engine.processor_seconds().is_some());
    observer.begin("seconds", settings.time.as_secs());
    let (started, mut shown) = (Instant::now(), 0);
    let mut logs: Vec<Vec<f64>> = vec![Vec::new(); engines.len()];
    for (number, board) in positions.iter().cycle().enumerate() {
        if number >= 2 && started.elapsed() >= settings.time {
            break;
        }
        let mut speeds = vec![0.0; engines.len()];
        for turn in 0..engines.len() {
            let index = if number % 2 == 1 { engines.len() - 1 - turn } else { turn };
            let Some(speed) =
                speed(&mut engines[index], board, settings.nodes, by_processor_time, observer)?
            else {
                return Ok(summary(&logs, by_processor_time));
            };
            speeds[index] = speed;
        }
        if speeds.iter().all(|&speed| speed > 0.0) {
            for (logs, speed) in logs.iter_mut().zip(&speeds) {
                logs.push((speed / speeds[0]).ln());
            }
        }
        let elapsed = started.elapsed().as_secs();
        observer.step(elapsed - shown, "");
        shown = elapsed;
    }
    Ok(summary(&logs, by_processor_time))
}

/// Nodes per second of one search; `None` if it was stopped, 0 if it was too short for the clock.
fn speed(
    engine: &mut Process,
    board: &Board,
    nodes: u64,
    by_processor_time: bool,
    observer: &dyn Observer,
) -> Result<Option<f64>, LabError> {
    engine.set_up(board)?;
    let (started, before) = (Instant::now(), engine.processor_seconds());
    let mut searched = 0_u64;
    let answer = engine.search(&format!("nodes {nodes}"), observer.stop(), |line| {
        searched = Info::parse(line).and_then(|info| info.nodes).unwrap_or(searched);
    })?;
    if answer.is_none() {
        return Ok(None);
    }
    let seconds = if by_processor_time {
        engine.processor_seconds().zip(before).map_or(0.0, |(after, before)| after - before)
    } else {
        started.elapsed().as_secs_f64()
    };
    Ok(Some(if seconds > 0.0 { searched as f64 / seconds } else { 0.0 }))
}

fn summary(logs: &[Vec<f64>], by_processor_time: bool) -> Results {
    let positions = logs.first().map_or(0, Vec::len);
    let others = logs.iter().skip(1).filter(|_| positions > 1);
    Results { positions, by_processor_time, ratios: others.map(|logs| geometric(logs)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_position_has_no_interval() {
        let once = summary(&[vec![0.0], vec![0.1]], true);
        assert_eq!((once.positions, once.ratios.len()), (1, 0));
        let twice = summary(&[vec![0.0; 2], vec![2f64.ln(); 2]], true);
        assert_eq!(twice.positions, 2);
        assert!((twice.ratios[0].value - 2.0).abs() < 1e-12);
    }
}
