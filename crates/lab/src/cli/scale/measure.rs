//! From arguments to measurements to sections of the report.

use crate::equal_strength::equal_strength;
use crate::experiments::{self, Question};
use crate::journal::Journal;
use crate::machine::doubt;
use crate::observer::Observer;
use crate::openings::Openings;
use crate::report::{Highlight, Report};
use crate::stats::Estimate;
use crate::virtual_smp::{self, curve};
use crate::{ceiling, elo as games, machine, positions, real, rivals, sections, table_map};
use megatherium_search::{EngineError, VirtualSmp};

use super::super::this_program;
use super::ScaleArgs;
use megatherium_board::{Board, position_file};
use megatherium_cli::{JobResult, build};

/// A larger share of stolen time distorts a comparison of threads with processes.
const STOLEN: f64 = 0.01;

/// Nodes of each run when threads are compared with processes.
const CEILING_NODES: u64 = 300_000;

/// Doublings up to the number of processors, and that number.
fn doublings() -> Vec<usize> {
    let processors = machine::processors();
    let mut threads: Vec<usize> = (0..=processors.ilog2()).map(|power| 1 << power).collect();
    threads.push(processors);
    // Two threads are worth measuring even on one processor.
    threads.push(2);
    threads
}

fn facts(report: &mut Report, facts: &[(&str, String)]) {
    report.facts.extend(facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
}

/// Real threads, the machine's ceiling, virtual threads, and a map of the table.
pub(super) fn everything(
    args: &ScaleArgs,
    report: &mut Report,
    observer: &dyn Observer,
) -> JobResult {
    let quick = args.quick;
    let settings = real::Settings {
        threads: args.threads(&doublings()),
        positions: args.boards(if quick { 16 } else { 100 })?,
        nodes: args.nodes.unwrap_or(if quick { 120_000 } else { 400_000 }),
        hash: args.hash(64),
        repeats: args.repeats.map_or(if quick { 1 } else { 2 }, |repeats| repeats as usize),
    };
    facts(
        report,
        &[
            ("hash", settings.hash.to_string()),
            ("nodes per position, about", settings.nodes.to_string()),
        ],
    );
    let samples = real::run(&settings, observer)?;
    if !samples.is_empty() {
        let curve = real::curve(&samples);
        let warning = doubt(curve.iter().filter_map(|point| point.share).reduce(f64::min));
        for point in curve.iter().filter(|point| point.threads > 1) {
            for (estimate, name) in
                [(point.nps_ratio, "nodes per second"), (point.speed_up, "time to depth")]
            {
                let meaning = format!("{name}, {} threads", point.threads);
                let highlight = Highlight::new(estimate, 2, " ×", meaning);
                report.highlights.push(Highlight { warning: warning.clone(), ..highlight });
            }
        }
        report.sections.extend(sections::real(&samples));
    }
    let settings = ceiling_settings(args, settings.threads, &settings.positions, 16);
    if !observer.stopped() {
        let (engine, journal) = ((build::NAME, &*this_program()?), Journal::default());
        let blocks = ceiling::run(engine, &settings, &journal, observer)?;
        if !blocks.is_empty() {
            report.highlights.extend(ceiling_tiles(&blocks));
            report.sections.push(sections::ceilings(&[(build::NAME.to_owned(), blocks)]));
        }
    }
    let virtual_part = VirtualPart {
        threads: if quick { vec![2, 4, 8, 16] } else { vec![2, 4, 8, 16, 32, 64] },
        positions: if quick { 8 } else { 32 },
        nodes: if quick { 25_000 } else { 100_000 },
    };
    virtual_sections(args, &virtual_part, report, observer)
}

/// A headline for each number of threads, in doubt if the machine was busy.
fn ceiling_tiles(blocks: &[ceiling::Block]) -> Vec<Highlight> {
    let tile = |point: ceiling::Point| {
        let what = format!("{0} threads against {0} processes, nodes per second", point.threads);
        let warning = doubt(point.share).or_else(|| {
            let stolen = point.steal.filter(|&steal| steal > STOLEN)?;
            Some(format!("busy host: {:.0} % of the processor time was stolen", 100.0 * stolen))
        });
        Highlight { warning, ..Highlight::new(point.engine, 3, "", what) }
    };
    ceiling::summary(blocks).into_iter().map(tile).collect()
}

/// A headline for each engine and number of threads, in doubt if the machine was busy then or
/// during the searches of one thread, with which they are compared.
fn rival_tiles(results: &rivals::Results) -> Vec<Highlight> {
    let points = rivals::summary(results);
    let tile = |point: &rivals::Point| {
        let what =
            format!("time to depth, {} threads, {}", point.threads, results.names[point.engine]);
        let single = points.iter().find(|other| other.engine == point.engine && other.threads == 1);
        let shares = [Some(point), single].into_iter().flatten().filter_map(|point| point.share);
        let warning = doubt(shares.reduce(f64::min));
        Highlight { warning, ..Highlight::new(point.speed_up, 2, " ×", what) }
    };
    points.iter().filter(|point| point.threads > 1).map(tile).collect()
}

/// Threads against processes, in `blocks` blocks, or a quarter of them with `--quick`.
fn ceiling_settings(
    args: &ScaleArgs,
    threads: Vec<usize>,
    boards: &[Board],
    blocks: usize,
) -> ceiling::Settings {
    let (blocks, nodes) =
        if args.quick { (blocks / 4, CEILING_NODES / 3) } else { (blocks, CEILING_NODES) };
    let blocks = args.blocks.map_or(blocks, |blocks| blocks as usize);
    let positions = positions::spread(boards, blocks);
    ceiling::Settings { threads, positions, nodes, mebibytes: 16 }
}

/// Defaults of the measurement of virtual threads.
struct VirtualPart {
    threads: Vec<usize>,
    positions: usize,
    nodes: u64,
}

/// Measures only virtual threads.
pub(super) fn virtual_threads(
    args: &ScaleArgs,
    report: &mut Report,
    observer: &dyn Observer,
) -> JobResult {
    let quick = args.quick;
    let part = VirtualPart {
        threads: args.threads(if quick { &[1, 2, 4, 8, 16] } else { &[1, 2, 4, 8, 16, 32, 64] }),
        positions: if quick { 16 } else { 64 },
        nodes: args.nodes.unwrap_or(if quick { 30_000 } else { 150_000 }),
    };
    virtual_sections(args, &part, report, observer)
}

fn virtual_sections(
    args: &ScaleArgs,
    part: &VirtualPart,
    report: &mut Report,
    observer: &dyn Observer,
) -> JobResult {
    if observer.stopped() {
        return Ok(());
    }
    let turns = args.turns();
    let mut settings = virtual_smp::Settings {
        threads: part.threads.iter().copied().filter(|&threads| threads > 1).collect(),
        positions: args.boards(part.positions)?,
        nodes: part.nodes,
        hash: args.hash(64),
        turns,
        team: args.team.unwrap_or_default(),
    };
    facts(
        report,
        &[
            ("virtual threads: nodes per position, about", settings.nodes.to_string()),
            ("virtual threads: hash", settings.hash.to_string()),
            ("virtual threads: seed", turns.seed.to_string()),
            ("virtual threads: nodes per turn", turns.quantum.to_string()),
        ],
    );
    let journal = args.journal(
        report,
        &format!(
            "virtual threads, {} nodes, {}, seed {}, positions {:016x}, {:?}",
            settings.nodes,
            settings.hash,
            turns.seed,
            positions::checksum(&settings.positions),
            settings.team
        ),
    )?;
    let samples = virtual_smp::run(&settings, &journal, observer)?;
    if samples.is_empty() {
        return Ok(());
    }
    if let Some(last) = curve(&samples).last() {
        let what = format!("time to depth, {} virtual threads", last.threads);
        report.highlights.push(Highlight::new(last.speed_up(), 1, " ×", what));
    }
    report.sections.extend(sections::virtual_smp(&samples));

    let quanta: &[u32] =
        if args.quick { &[16, 64, 1024] } else { &[1, 4, 16, 64, 256, 1024, 4096] };
    let quanta = if args.quanta.is_empty() { quanta } else { &args.quanta };
    let threads = if args.quick { 4 } else { 8 };
    settings.threads = vec![threads];
    settings.positions = positions::spread(&settings.positions, if args.quick { 8 } else { 32 });
    let mut points = Vec::new();
    for &quantum in quanta {
        settings.turns = VirtualSmp { quantum, ..turns };
        let samples = virtual_smp::run(&settings, &Journal::default(), observer)?;
        points.extend(
            curve(&samples)
                .into_iter()
                .filter(|point| point.threads == threads)
                .map(|point| (quantum, point)),
        );
    }
    if !points.is_empty() {
        report.sections.push(sections::quanta(threads, &points));
    }
    table_maps(args, &settings.positions, turns, report, observer)
}

/// Maps of the table after some moves, with one thread and with several that search as many nodes
/// together.
fn table_maps(
    args: &ScaleArgs,
    boards: &[Board],
    turns: VirtualSmp,
    report: &mut Report,
    observer: &dyn Observer,
) -> JobResult {
    let (nodes, moves) = if args.quick { (30_000, 12) } else { (200_000, 14) };
    let mebibytes = if args.quick { 1 } else { 8 };
    let Some(board) = boards.first() else { return Ok(()) };
    observer.begin("maps of the table", 2 * moves as u64);
    let mut maps = Vec::new();
    for threads in [1, 8] {
        let settings = table_map::Settings { threads, nodes, moves, mebibytes, turns };
        maps.extend(table_map::run(board, &settings, observer)?);
    }
    if !maps.is_empty() {
        let about = format!(
            "After {moves} moves of a game with {nodes} nodes each, all threads together, in a table of {mebibytes} MiB."
        );
        report.sections.push(sections::table_maps(&maps, &about));
    }
    Ok(())
}

/// The first random openings of a seed; `None` if that was stopped. Each is searched, which takes a
/// while.
pub(super) fn random_openings(
    seed: u64,
    count: usize,
    observer: &dyn Observer,
) -> Result<Option<Vec<Board>>, EngineError> {
    observer.begin("making openings", count as u64);
    let (source, mut openings) = (Openings::Random { seed }, Vec::new());
    for number in 0..count {
        if observer.stopped() {
            return Ok(None);
        }
        openings.push(source.get(number)?);
        observer.step(1, "");
    }
    Ok(Some(openings))
}

/// Measures strength in games.
pub(super) fn elo(args: &ScaleArgs, report: &mut Report, observer: &dyn Observer) -> JobResult {
    let threads =
        args.threads.first().map_or(if args.quick { 2 } else { 4 }, |&threads| threads as usize);
    let pairs = args.pairs.map_or(if args.quick { 12 } else { 100 }, |pairs| pairs as usize);
    let turns = args.turns();
    let mut source = "random openings".to_owned();
    let openings = match &args.book {
        None => match random_openings(turns.seed, pairs, observer)? {
            Some(openings) => openings,
            None => return Ok(()),
        },
        Some(path) => {
            let boards: Vec<_> = position_file::read(path)?.iter().map(|epd| epd.board).collect();
            if boards.len() < pairs {
                return Err(format!(
                    "{}: {} openings are fewer than {pairs}",
                    path.display(),
                    boards.len()
                )
                .into());
            }
            let openings = positions::spread(&boards, pairs);
            source = format!("openings {:016x}", positions::checksum(&openings));
            openings
        }
    };
    let against = args.against_threads.map_or(1, |threads| threads as usize);
    let several = threads as f64 / against as f64;
    let default = [(0.4 * several).max(1.0), (0.7 * several).max(1.0), several];
    let settings = games::Settings {
        threads,
        team: args.team.unwrap_or_default(),
        against,
        nodes: args.nodes.unwrap_or(if args.quick { 2000 } else { 8000 }),
        factors: if args.factors.is_empty() { default.to_vec() } else { args.factors.clone() },
        openings,
        mebibytes: args.hash.map_or(16, |hash| hash as usize),
        turns: (!args.real).then_some(turns),
    };
    facts(
        report,
        &[
            (
                "threads",
                format!(
                    "{threads}, {}",
                    if args.real { "running at once" } else { "taking turns" }
                ),
            ),
            ("nodes per move and thread", settings.nodes.to_string()),
            ("hash per side", format!("{} MiB", settings.mebibytes)),
            ("seed", turns.seed.to_string()),
        ],
    );
    let journal = args.journal(
        report,
        &format!(
            "strength, {threads} {} threads against {against}, {} nodes, factors {:?}, {} MiB, \
         {turns:?}, {source}, {:?}",
            if args.real { "real" } else { "virtual" },
            settings.nodes,
            settings.factors,
            settings.mebibytes,
            settings.team
        ),
    )?;
    let matches = games::run(&settings, &journal, observer)?;
    if matches.iter().all(|games| games.pairs.is_empty()) {
        return Ok(());
    }
    // One pair for each factor says nothing about where the strengths are equal.
    let scattered = matches.iter().any(|games| games.result().has_interval());
    let equal = equal_strength(&matches).filter(|_| scattered);
    if let Some(equal) = equal {
        let (low, high) = (equal.low.unwrap_or(f64::NAN), equal.high.unwrap_or(f64::NAN));
        let estimate = Estimate { value: equal.factor, low, high };
        let meaning = format!("times the nodes make {against} as strong as {threads} threads");
        report.highlights.push(Highlight::new(estimate, 2, "", meaning));
    }
    for games in matches.iter().filter(|games| games.result().has_interval()) {
        let meaning = format!(
            "Elo, {threads} threads against {against} with {} times the nodes",
            games.factor
        );
        report.highlights.push(Highlight::new(games.result().elo(), 0, "", meaning));
    }
    report.sections.push(sections::elo((threads, against), &matches, equal));
    Ok(())
}

/// Measures this engine and others, each in its own processes.
pub(super) fn engines(args: &ScaleArgs, report: &mut Report, observer: &dyn Observer) -> JobResult {
    let quick = args.quick;
    let mut binaries = vec![this_program()?];
    binaries.extend(args.engine.iter().cloned());
    let settings = rivals::Settings {
        engines: binaries,
        threads: args.threads(&doublings()),
        positions: args.boards(if quick { 12 } else { 100 })?,
        nodes: args.nodes.unwrap_or(if quick { 100_000 } else { 400_000 }),
        hash: args.hash(64),
        repeats: args.repeats.map_or(1, |repeats| repeats as usize),
    };
    facts(
        report,
        &[
            ("hash", settings.hash.to_string()),
            ("nodes per position, about", settings.nodes.to_string()),
        ],
    );
    let journal = args.journal(
        report,
        &format!("engines side by side, {} nodes, {}", settings.nodes, settings.hash),
    )?;
    let results = rivals::run(&settings, &journal, observer)?;
    report.highlights.extend(rival_tiles(&results));
    if !results.samples.is_empty() {
        report.sections.extend(sections::rivals(&results));
    }
    let ceiling = ceiling_settings(args, settings.threads, &settings.positions, 8);
    let mut ceilings = Vec::new();
    for (binary, name) in settings.engines.iter().zip(&results.names) {
        if !observer.stopped() {
            ceilings
                .push((name.clone(), ceiling::run((name, binary), &ceiling, &journal, observer)?));
        }
    }
    if ceilings.iter().any(|(_, blocks)| !blocks.is_empty()) {
        report.sections.push(sections::ceilings(&ceilings));
    }
    Ok(())
}

/// Runs an experiment.
pub(super) fn experiment(
    args: &ScaleArgs,
    question: &Question,
    report: &mut Report,
    observer: &dyn Observer,
) -> JobResult {
    let mut threads = args.threads(&if question.is_timed { doublings() } else { vec![1, 2, 4, 8] });
    if !question.is_timed && threads[0] != 1 {
        // Every arm is also compared with itself on one thread.
        threads.insert(0, 1);
    }
    let (positions, nodes) = if args.quick { question.quick } else { question.full };
    let settings = experiments::Settings {
        threads,
        positions: args.boards(positions)?,
        nodes: args.nodes.unwrap_or(nodes),
        mebibytes: args.hash.map_or(question.mebibytes, |hash| hash as usize),
        sizes: if args.sizes.is_empty() {
            vec![1, 4, 16, 64, 256]
        } else {
            args.sizes.iter().map(|&size| size as usize).collect()
        },
        turns: args.turns(),
    };
    facts(report, &[("nodes per position, about", settings.nodes.to_string())]);
    if !question.varies_size {
        facts(report, &[("hash", format!("{} MiB", settings.mebibytes))]);
    }
    let rows = question.ask(&settings, observer)?;
    if !rows.is_empty() {
        report.sections.push(sections::experiment(question, &rows));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Stops after two steps.
    #[derive(Default)]
    struct Impatient {
        stages: Mutex<Vec<String>>,
        steps: Mutex<u64>,
        stop: AtomicBool,
    }

    impl Observer for Impatient {
        fn begin(&self, title: &str, steps: u64) {
            self.stages.lock().unwrap().push(format!("{title} {steps}"));
        }

        fn step(&self, steps: u64, _: &str) {
            let mut done = self.steps.lock().unwrap();
            *done += steps;
            self.stop.store(*done >= 2, Ordering::Relaxed);
        }

        fn stop(&self) -> &AtomicBool {
            &self.stop
        }
    }

    /// The tiles of threads against processes and of other engines are amber on a busy machine.
    #[test]
    fn tiles_are_in_doubt_on_a_busy_machine() {
        use crate::identity::Factors;
        use crate::machine::{Usage, Work};
        use crate::measure::Mark;

        let block = |used, steal| ceiling::Block {
            threads: 2,
            alone: 1.0,
            together: 1.9,
            apart: 2.0,
            usage: Some(Usage { busy: 1.0 - steal, steal }),
            work: Some(Work { wanted: 1.0, used }),
        };
        let warning = |block| ceiling_tiles(&[block])[0].warning.clone().unwrap_or_default();
        assert!(warning(block(0.6, 0.0)).contains("60 % of their processors"));
        assert!(warning(block(1.0, 0.2)).contains("20 % of the processor time was stolen"));
        assert_eq!(warning(block(1.0, 0.0)), "");

        let sample = |threads, used| rivals::Sample {
            engine: 0,
            position: 0,
            repeat: 0,
            threads,
            depth: 9,
            mark: Mark { depth: 9, nodes: 100, seconds: 1.0 },
            factors: Factors::new((100.0, 1.0), (100.0, 1.0)),
            work: Some(Work { wanted: 1.0, used }),
        };
        let doubtful = |single, both| {
            let samples = vec![sample(1, single), sample(2, both)];
            let tiles = rival_tiles(&rivals::Results { names: vec!["A".to_owned()], samples });
            assert_eq!(tiles.len(), 1);
            let report = Report { highlights: tiles, ..Report::default() };
            let folder = tempfile::tempdir().unwrap();
            let files = report.save(folder.path()).unwrap();
            std::fs::read_to_string(&files[0]).unwrap().contains("tile doubtful")
        };
        assert!(doubtful(1.0, 0.7) && doubtful(0.7, 1.0) && !doubtful(1.0, 1.0));
    }

    #[test]
    fn openings_are_made_in_steps_and_can_be_stopped() {
        let observer = Impatient::default();
        assert!(random_openings(1, 1000, &observer).unwrap().is_none());
        assert_eq!(*observer.steps.lock().unwrap(), 2);
        assert_eq!(*observer.stages.lock().unwrap(), ["making openings 1000"]);
        let observer = Impatient::default();
        assert_eq!(random_openings(1, 2, &observer).unwrap().map(|made| made.len()), Some(2));
    }
}
