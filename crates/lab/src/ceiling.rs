//! What the machine allows: N threads in one process against N processes with one thread each.
//!
//! N processes share nothing but the machine: its clock, caches, memory and other users. What N
//! threads lose against them is the engine's cost; what both lose against N times one thread alone
//! is the machine's.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use megatherium_board::Board;
use megatherium_search::EngineError;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::journal::Journal;
use crate::machine::{Meter, Usage, Work};
use crate::observer::Observer;
use crate::process::Process;
use crate::stats::{Estimate, bootstrap, distinct, mean, median};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// One position per block.
    pub positions: Vec<Board>,
    /// Nodes per thread and run.
    pub nodes: u64,
    /// Size of the table per thread, in MiB.
    pub mebibytes: usize,
}

/// One block: each arrangement twice, in the order 1 N P P N 1, so that drift cancels.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Number of threads.
    pub threads: usize,
    /// Nodes per second of one thread alone.
    pub alone: f64,
    /// Nodes per second of N threads in one process.
    pub together: f64,
    /// Nodes per second of N processes, added up.
    pub apart: f64,
    /// Processor usage during the measurement.
    pub usage: Option<Usage>,
    /// Processor time of the processes with one thread. Journals of older versions have none.
    #[serde(default)]
    pub work: Option<Work>,
}

/// The result of one number of threads: medians of the ratios of each block.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Number of threads.
    pub threads: usize,
    /// Blocks measured.
    pub blocks: usize,
    /// N processes over one: what the machine allows.
    pub machine: Estimate,
    /// N threads over N processes: what the engine gets out of it.
    pub engine: Estimate,
    /// Share of processor time stolen by the host (steal time).
    pub steal: Option<f64>,
    /// Blocks in which more than 1 % was stolen.
    pub stolen_blocks: usize,
    /// Share of their processors that the processes with one thread got.
    pub share: Option<f64>,
}

/// The speed of some processes together, and the processor time of all of them.
struct Speed {
    nps: f64,
    work: Option<Work>,
}

/// Nodes per second of all processes, searching the same position at the same time. `None` if they
/// were stopped.
fn speed(
    processes: &mut [Process],
    board: &Board,
    nodes: u64,
    stop: &AtomicBool,
) -> Result<Option<Speed>, LabError> {
    for process in processes.iter_mut() {
        process.set_up(board)?;
    }
    // They begin together, when the lock is free, or not at all: with fewer threads than processes
    // it would be another measurement.
    let start = RwLock::new(true);
    let start = &start;
    std::thread::scope(|scope| {
        let mut complete = start.write();
        let mut handles = Vec::new();
        for process in processes.iter_mut() {
            let work = move || {
                if !*start.read() {
                    return Ok(None);
                }
                let (started, before) = (Instant::now(), process.processor_seconds());
                let answer = process.search(&format!("nodes {nodes}"), stop, |_| {})?;
                let wanted = started.elapsed().as_secs_f64();
                let spent = process.processor_seconds().zip(before);
                let work = spent.map(|(after, before)| Work { wanted, used: after - before });
                Ok::<_, LabError>(answer.map(|_| (wanted, work)))
            };
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    *complete = false;
                    return Err(LabError::Engine(EngineError::Thread(error)));
                }
            }
        }
        drop(complete);
        let (mut nps, mut works, mut stopped) = (0.0, Vec::new(), false);
        for handle in handles {
            match handle.join().map_err(|_| LabError::Process("gone".to_owned()))?? {
                Some((seconds, work)) => {
                    nps += nodes as f64 / seconds.max(1e-6);
                    works.push(work);
                }
                None => stopped = true,
            }
        }
        Ok((!stopped).then(|| Speed { nps, work: Work::sum(works.into_iter()) }))
    })
}

/// Measures with processes of `binary`, an engine called `name`.
pub fn run(
    (name, binary): (&str, &Path),
    settings: &Settings,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<Vec<Block>, LabError> {
    let counts: Vec<usize> =
        settings.threads.iter().copied().filter(|&threads| threads > 1).collect();
    observer.begin("threads against processes", (counts.len() * settings.positions.len()) as u64);
    let mut blocks = Vec::new();
    for &threads in &counts {
        let mut alone = vec![Process::start(binary, 1, settings.mebibytes)?];
        let mut together = vec![Process::start(binary, threads, settings.mebibytes * threads)?];
        let mut apart = Vec::new();
        for _ in 0..threads {
            apart.push(Process::start(binary, 1, settings.mebibytes)?);
        }
        for board in &settings.positions {
            let block = journal.recall_or(
                &format!("{name}, {}, {threads} threads and processes", board.fen()),
                || {
                    let meter = Meter::start();
                    let (mut sums, mut works) = ([0.0; 3], Vec::new());
                    for arm in [0, 1, 2, 2, 1, 0] {
                        let (nodes, stop) = (settings.nodes, observer.stop());
                        let speed = match arm {
                            0 => speed(&mut alone, board, nodes, stop)?,
                            1 => speed(&mut together, board, nodes * threads as u64, stop)?,
                            _ => speed(&mut apart, board, nodes, stop)?,
                        };
                        let Some(speed) = speed else { return Ok(None) };
                        sums[arm] += speed.nps / 2.0;
                        // Threads of one process may have to wait for each other.
                        works.push(speed.work.filter(|_| arm != 1));
                    }
                    let ([alone, together, apart], usage) = (sums, meter.usage());
                    let work = Work::sum(works.into_iter());
                    Ok(Some(Block { threads, alone, together, apart, usage, work }))
                },
            )?;
            let Some(block) = block else { return Ok(blocks) };
            blocks.push(block);
            observer.step(1, name);
        }
    }
    Ok(blocks)
}

/// Medians over the blocks, by number of threads.
pub fn summary(blocks: &[Block]) -> Vec<Point> {
    distinct(blocks.iter().map(|block| block.threads))
        .into_iter()
        .map(|threads| {
            let of: Vec<&Block> = blocks.iter().filter(|block| block.threads == threads).collect();
            let ratios =
                |ratio: fn(&Block) -> f64| of.iter().map(|block| ratio(block)).collect::<Vec<_>>();
            let steal: Vec<f64> =
                of.iter().filter_map(|block| block.usage).map(|usage| usage.steal).collect();
            Point {
                threads,
                blocks: of.len(),
                machine: bootstrap(&ratios(|block| block.apart / block.alone), median),
                engine: bootstrap(&ratios(|block| block.together / block.apart), median),
                steal: (!steal.is_empty()).then(|| mean(&steal)),
                stolen_blocks: steal.iter().filter(|&&steal| steal > 0.01).count(),
                share: Work::sum(of.iter().map(|block| block.work)).map(|work| work.share()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;

    #[test]
    fn medians_of_ratios() {
        let block = |alone, together, apart| Block {
            threads: 2,
            alone,
            together,
            apart,
            usage: None,
            work: Some(Work { wanted: 2.0, used: 1.0 }),
        };
        let points = summary(&[block(1.0, 1.8, 2.0), block(2.0, 3.6, 4.0), block(1.0, 0.2, 1.0)]);
        assert_eq!((points.len(), points[0].blocks), (1, 3));
        assert!((points[0].machine.value - 2.0).abs() < 1e-12);
        assert!(
            (points[0].engine.value - 0.9).abs() < 1e-12,
            "one disturbed block does not matter"
        );
        assert_eq!((points[0].steal, points[0].share), (None, Some(0.5)));
    }

    #[test]
    fn a_binary_that_is_no_engine_is_an_error() {
        let settings = Settings {
            threads: vec![2],
            positions: vec![Board::startpos()],
            nodes: 10,
            mebibytes: 1,
        };
        for binary in ["/nowhere", "/bin/true"] {
            let result = run(
                ("none", Path::new(binary)),
                &settings,
                &Journal::default(),
                &Nobody::default(),
            );
            assert!(matches!(result, Err(LabError::Process(_))), "{binary}");
        }
        let nothing = Settings { threads: vec![1], ..settings };
        let blocks =
            run(("none", Path::new("/nowhere")), &nothing, &Journal::default(), &Nobody::default());
        assert!(blocks.unwrap().is_empty());
    }
}
