//! Engines side by side: how several engines, each in its own processes, scale with threads on the
//! same positions.
//!
//! Every engine, this one included, is driven through UCI and compared with its own single thread:
//! engines count nodes and depths differently, so only ratios within one engine are comparable.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use megatherium_board::Board;
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::hash::Hash;
use crate::identity::{Factors, by_position};
use crate::journal::Journal;
use crate::machine::Work;
use crate::measure::{Mark, compare, deepest_within, mark_of};
use crate::observer::Observer;
use crate::process::{Info, Process};
use crate::stats::{Estimate, distinct, geometric, mean};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Binaries of the engines.
    pub engines: Vec<PathBuf>,
    /// Numbers of threads; one is always measured.
    pub threads: Vec<usize>,
    /// Positions to search.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position; decides the depth, engine by engine.
    pub nodes: u64,
    /// Size of the table.
    pub hash: Hash,
    /// How often each position is searched with each number of threads.
    pub repeats: usize,
}

/// One search compared with that of a single thread of the same engine.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Number of the engine.
    pub engine: usize,
    /// Number of the position.
    pub position: usize,
    /// Number of the repeat.
    pub repeat: usize,
    /// Number of threads.
    pub threads: usize,
    /// Depth of the iteration that is compared.
    pub depth: u32,
    /// Nodes and time when it was complete.
    pub mark: Mark,
    /// Ratios to the single thread of the same repeat.
    pub factors: Factors,
    /// Its processor time.
    pub work: Option<Work>,
}

/// An engine with some number of threads.
#[derive(Clone, Debug)]
pub struct Point {
    /// Number of the engine.
    pub engine: usize,
    /// Number of threads.
    pub threads: usize,
    /// Positions measured.
    pub positions: usize,
    /// Mean depth of the compared iterations.
    pub depth: f64,
    /// Nodes per second, geometric mean.
    pub nps: f64,
    /// Nodes per second over those of one thread.
    pub nps_ratio: Estimate,
    /// Nodes to the same depth over those of one thread.
    pub overhead: Estimate,
    /// Speed-up in time to the same depth.
    pub speed_up: Estimate,
    /// Share of their processors that the searches got.
    pub share: Option<f64>,
}

/// The results of all engines.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Names of the engines, as they report them.
    pub names: Vec<String>,
    /// All searches.
    pub samples: Vec<Sample>,
}

/// The iterations of one search.
#[derive(Serialize, Deserialize)]
struct Search {
    marks: Vec<Mark>,
    /// Processor time. Journals of older versions have none.
    #[serde(default)]
    work: Option<Work>,
}

/// One engine with one number of threads.
struct Seat {
    threads: usize,
    process: Process,
}

impl Seat {
    /// Searches a position from scratch; `None` if it was stopped.
    fn search(
        &mut self,
        board: &Board,
        limits: &str,
        stop: &AtomicBool,
    ) -> Result<Option<Search>, LabError> {
        self.process.set_up(board)?;
        let (started, before) = (Instant::now(), self.process.processor_seconds());
        let mut marks = Vec::new();
        let answer = self.process.search(limits, stop, |line| {
            // Timed by our own clock: most engines report whole milliseconds.
            marks.extend(iteration(line).map(|(depth, nodes)| Mark {
                depth,
                nodes,
                seconds: started.elapsed().as_secs_f64(),
            }));
        })?;
        let wanted = self.threads as f64 * started.elapsed().as_secs_f64();
        let spent = self.process.processor_seconds().zip(before);
        let work = spent.map(|(after, before)| Work { wanted, used: after - before });
        Ok(answer.map(|_| Search { marks, work }))
    }
}

/// Depth and nodes, if a line reports a completed iteration.
fn iteration(line: &str) -> Option<(u32, u64)> {
    let info = Info::parse(line).filter(|info| info.exact && info.first && info.score.is_some())?;
    info.depth.zip(info.nodes)
}

/// The order of a block, alternately forwards and backwards, so that drift of the machine affects
/// all alike.
fn order(count: usize, backwards: bool) -> Vec<usize> {
    let forwards = 0..count;
    if backwards { forwards.rev().collect() } else { forwards.collect() }
}

/// Runs the measurement. Engines and thread counts alternate position by position.
pub fn run(
    settings: &Settings,
    journal: &Journal,
    observer: &dyn Observer,
) -> Result<Results, LabError> {
    let counts = distinct(settings.threads.iter().copied().chain([1]));
    let steps = settings.repeats * counts.len() * settings.engines.len() * settings.positions.len();
    observer.begin("engines side by side", steps as u64);
    let mut results = Results::default();
    let mut engines: Vec<Vec<Seat>> = Vec::new();
    for binary in &settings.engines {
        let mut seats = Vec::new();
        for &threads in &counts {
            let mebibytes = settings.hash.mebibytes(threads);
            seats.push(Seat { threads, process: Process::start(binary, threads, mebibytes)? });
        }
        // Two builds of one engine may have the same name.
        let name = seats[0].process.name().to_owned();
        let known = results.names.contains(&name);
        results.names.push(if known { format!("{name} ({})", binary.display()) } else { name });
        engines.push(seats);
    }
    for (position, board) in settings.positions.iter().enumerate() {
        for repeat in 0..settings.repeats {
            let backwards = (position + repeat) % 2 == 1;
            for engine in order(engines.len(), backwards) {
                let block = Block { engine, position, repeat, backwards, nodes: settings.nodes };
                let seats = &mut engines[engine];
                match block.run(seats, board, &results.names[engine], journal, observer)? {
                    Some(samples) => results.samples.extend(samples),
                    None => return Ok(results),
                }
            }
        }
    }
    Ok(results)
}

/// One position, searched by one engine with every number of threads.
struct Block {
    engine: usize,
    position: usize,
    repeat: usize,
    backwards: bool,
    nodes: u64,
}

impl Block {
    fn run(
        &self,
        seats: &mut [Seat],
        board: &Board,
        name: &str,
        journal: &Journal,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Sample>>, LabError> {
        let (position, repeat) = (self.position, self.repeat);
        let fen = board.fen();
        let first = journal.recall_or(&format!("{name}, {fen}, depth"), || {
            seats[0].search(board, &format!("nodes {}", self.nodes), observer.stop())
        })?;
        let Some(first) = first else { return Ok(None) };
        let mut searches: Vec<(usize, Search)> = Vec::new();
        let Some(depth) = deepest_within(&first.marks, self.nodes).map(|mark| mark.depth) else {
            let what = format!("{name} reports no completed iteration in {fen}");
            return Err(LabError::Process(what));
        };
        for index in order(seats.len(), self.backwards) {
            let seat = &mut seats[index];
            let threads = seat.threads;
            let search = journal
                .recall_or(&format!("{name}, {fen}, {threads} threads, {repeat}"), || {
                    seat.search(board, &format!("depth {depth}"), observer.stop())
                })?;
            let Some(search) = search else { return Ok(None) };
            observer.step(1, &format!("position {}: {name}, {threads} threads", position + 1));
            searches.push((threads, search));
        }
        let single = searches.iter().find(|(threads, _)| *threads == 1);
        let Some((_, single)) = single else { return Ok(Some(Vec::new())) };
        let samples = searches.iter().filter_map(|(threads, search)| {
            Some(Sample {
                engine: self.engine,
                position,
                repeat,
                threads: *threads,
                depth,
                mark: mark_of(&search.marks, depth)?,
                factors: compare(&single.marks, &search.marks, depth)?,
                work: search.work,
            })
        });
        Ok(Some(samples.collect()))
    }
}

/// One row per engine and number of threads. The bootstrap resamples positions; repeats of one
/// position are averaged first.
pub fn summary(results: &Results) -> Vec<Point> {
    let samples = &results.samples;
    let rows = distinct(samples.iter().map(|sample| (sample.engine, sample.threads)));
    let row = |(engine, threads)| {
        let of: Vec<&Sample> = samples
            .iter()
            .filter(|sample| (sample.engine, sample.threads) == (engine, threads))
            .collect();
        let by_position =
            by_position(of.iter().map(|sample| (sample.position, Some(sample.factors))));
        let logs = |part: fn(&Factors) -> f64| by_position.iter().map(part).collect::<Vec<_>>();
        let speed = |sample: &&Sample| (sample.mark.nodes as f64 / sample.mark.seconds).ln();
        Point {
            engine,
            threads,
            positions: by_position.len(),
            depth: mean(&of.iter().map(|sample| f64::from(sample.depth)).collect::<Vec<_>>()),
            nps: mean(&of.iter().map(speed).collect::<Vec<_>>()).exp(),
            nps_ratio: geometric(&logs(|factors| factors.nps)),
            overhead: geometric(&logs(|factors| factors.overhead)),
            speed_up: geometric(&logs(|factors| factors.speed_up)),
            share: Work::sum(of.iter().map(|sample| sample.work)).map(|work| work.share()),
        }
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;

    #[test]
    fn only_completed_iterations_count() {
        let whole = "info depth 12 seldepth 19 multipv 1 score cp 31 nodes 4711 nps 9 pv e2e4";
        assert_eq!(iteration(whole), Some((12, 4711)));
        for other in [
            "info depth 12 score cp 31 lowerbound nodes 4711 pv e2e4",
            "info depth 12 score cp 31 nodes 4711 upperbound",
            "info depth 12 multipv 2 score cp 31 nodes 4711 pv e2e4",
            "info depth 12 currmove e2e4 currmovenumber 1",
            "info string depth 12 score cp 31 nodes 4711",
            "bestmove e2e4",
        ] {
            assert_eq!(iteration(other), None, "{other}");
        }
    }

    /// Twice as fast with two threads by time to depth, in every position and repeat.
    #[test]
    fn ratios_are_taken_within_an_engine() {
        let sample = |engine, position, threads: usize, nodes: u64, seconds: f64| {
            let one = ((100 * (position + 1)) as f64, 1.0);
            Sample {
                engine,
                position,
                repeat: 0,
                threads,
                depth: 9,
                mark: Mark { depth: 9, nodes, seconds },
                factors: Factors::new(one, (nodes as f64, seconds)),
                work: Some(Work { wanted: 1.0, used: 1.0 / threads as f64 }),
            }
        };
        let results = Results {
            names: vec!["A".to_owned()],
            samples: vec![
                sample(0, 0, 1, 100, 1.0),
                sample(0, 0, 2, 100, 0.5),
                sample(0, 1, 1, 200, 1.0),
                sample(0, 1, 2, 200, 0.5),
            ],
        };
        let rows = summary(&results);
        assert_eq!(rows.iter().map(|row| row.threads).collect::<Vec<_>>(), [1, 2]);
        assert!((rows[1].speed_up.value - 2.0).abs() < 1e-12, "{rows:?}");
        assert!((rows[1].overhead.value - 1.0).abs() < 1e-12, "{rows:?}");
        assert_eq!(rows[1].positions, 2);
        assert_eq!([rows[0].share, rows[1].share], [Some(1.0), Some(0.5)]);
    }

    #[test]
    fn a_binary_that_is_no_engine_is_an_error() {
        let settings = Settings {
            engines: vec![PathBuf::from("/bin/true")],
            threads: vec![2],
            positions: vec![Board::startpos()],
            nodes: 100,
            hash: Hash::Total(1),
            repeats: 1,
        };
        let result = run(&settings, &Journal::default(), &Nobody::default());
        assert!(matches!(result, Err(LabError::Process(_))));
    }
}
