//! Questions about one part of the engine, asked with everything else equal.
//!
//! Two kinds: those about *work* compare nodes to the same depth under virtual SMP, which the machine cannot disturb; those about *speed*
//! compare nodes per second of processor time, of arms that alternate in short blocks.

use std::fmt;

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Root, Standard, Variant, VirtualSmp};

use crate::crew::{Rig, share_out};
use crate::error::LabError;
use crate::laboratory::{Bench, Choices, Laboratory, Replacement};
use crate::machine::{process_time, processors};
use crate::measure::{Run, go_on};
use crate::observer::Observer;
use crate::stats::{Estimate, bootstrap, geometric, mean, median};

/// What to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// With the table and without.
    Table,
    /// Tables of several sizes.
    Sizes,
    /// Who gives way in a full table.
    Policies,
    /// The table in huge pages, or in small ones.
    HugePages,
    /// Table lines requested ahead, or not.
    Prefetch,
    /// One correction history for all threads, or one for each.
    Correction,
}

impl Question {
    /// All of them.
    pub const ALL: [Question; 6] = [
        Question::Table,
        Question::Sizes,
        Question::Policies,
        Question::HugePages,
        Question::Prefetch,
        Question::Correction,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Question::Table => "table",
            Question::Sizes => "sizes",
            Question::Policies => "policies",
            Question::HugePages => "huge-pages",
            Question::Prefetch => "prefetch",
            Question::Correction => "correction",
        }
    }

    /// Whether it is about speed, not about work.
    pub fn is_timed(self) -> bool {
        matches!(self, Question::HugePages | Question::Prefetch)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How to ask.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of threads: virtual ones for questions about work, real ones for questions about speed.
    pub threads: Vec<usize>,
    /// The positions.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position.
    pub nodes: u64,
    /// Size of the table in MiB, where it is not the question.
    pub mebibytes: usize,
    /// Sizes of the table in MiB, where it is.
    pub sizes: Vec<usize>,
    /// How virtual threads take turns.
    pub turns: VirtualSmp,
}

/// An arm of an experiment with some number of threads.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was different.
    pub arm: String,
    /// Threads.
    pub threads: usize,
    /// Positions it rests on.
    pub positions: usize,
    /// Nodes to depth, or nodes per second of processor time: the mean over positions.
    pub value: f64,
    /// The same over that of the first arm with as many threads.
    pub against_first: Estimate,
    /// The same over that of one thread of the same arm.
    pub against_single: Estimate,
}

/// Asks; returns a row per arm and number of threads.
pub fn run(
    question: Question,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Vec<Outcome>, LabError> {
    let bench = Bench::occupy();
    match question {
        Question::Table => table(settings, observer),
        Question::Sizes => sizes(settings, observer),
        Question::Policies => policies(&bench, settings, observer),
        Question::Correction => correction(&bench, settings, observer),
        Question::HugePages => huge_pages(settings, observer),
        Question::Prefetch => prefetch(&bench, settings, observer),
    }
}

/// Positions to search one after the other with the same table, each with its depth.
type Line = Vec<(Root, u32)>;

/// The logarithm of the nodes, by number of threads and position; missing where it was stopped.
type LogNodes = Vec<Vec<Option<f64>>>;

/// Searches forgotten moves of a game: with more than one, entries of earlier searches compete with new ones.
fn lines(
    settings: &Settings,
    moves: usize,
    prepare: &(dyn Fn(&mut Engine) -> Result<(), LabError> + Sync),
    observer: &dyn Observer,
) -> Result<Vec<Option<Line>>, LabError> {
    observer.begin("depths", settings.positions.len() as u64);
    share_out(&settings.positions, processors(), observer, |_, board| {
        let mut engine = Engine::new(1, settings.mebibytes)?;
        prepare(&mut engine)?;
        let mut root = Root::new(*board);
        let mut line = Line::new();
        for _ in 0..moves {
            let Some(run) = go_on(&mut engine, root.clone(), Limits::nodes(settings.nodes), observer.stop())
            else {
                return Ok(None);
            };
            let (Some(mark), Some(best)) = (run.deepest_within(settings.nodes), run.outcome.best) else {
                break;
            };
            line.push((root.clone(), mark.depth));
            root.play(best);
        }
        observer.step(1, "");
        Ok(Some(line))
    })
}

/// The nodes a run needed to depth, averaged in the logarithm over the last depths as everywhere in the lab.
fn log_nodes(run: &Run, depth: u32) -> Option<f64> {
    let marks: Vec<f64> = (depth.saturating_sub(2)..=depth)
        .filter_map(|depth| run.mark(depth))
        .map(|mark| (mark.nodes as f64).ln())
        .collect();
    (!marks.is_empty()).then(|| mean(&marks))
}

/// Nodes to depth of one arm for every number of threads and every line.
fn work<V: Variant>(
    name: &str,
    settings: &Settings,
    mebibytes: usize,
    lines: &[Option<Line>],
    prepare: &(dyn Fn(&mut Engine<V>) -> Result<(), LabError> + Sync),
    observer: &dyn Observer,
) -> Result<LogNodes, LabError> {
    observer.begin(name, (lines.len() * settings.threads.len()) as u64);
    let mut by_threads = LogNodes::new();
    for &threads in &settings.threads {
        let results = share_out(lines, processors(), observer, |_, line| {
            let Some(line) = line else { return Ok(None) };
            let mut rig = Rig::<V>::default();
            let engine = rig.engine(threads, mebibytes)?;
            prepare(engine)?;
            engine.options.virtual_smp = Some(settings.turns);
            let mut logs = Vec::new();
            for (root, depth) in line {
                let Some(run) = go_on(engine, root.clone(), Limits::depth(*depth), observer.stop()) else {
                    return Ok(None);
                };
                logs.extend(log_nodes(&run, *depth));
            }
            observer.step(1, &format!("{threads} threads"));
            Ok((!logs.is_empty()).then(|| mean(&logs)))
        })?;
        by_threads.push(results);
    }
    Ok(by_threads)
}

/// Turns the logarithms of all arms into rows.
fn outcomes(settings: &Settings, arms: &[(String, LogNodes)]) -> Vec<Outcome> {
    let mut rows = Vec::new();
    for (index, &threads) in settings.threads.iter().enumerate() {
        for (arm, logs) in arms {
            let own = &logs[index];
            let known: Vec<f64> = own.iter().flatten().copied().collect();
            if known.is_empty() {
                continue;
            }
            rows.push(Outcome {
                arm: arm.clone(),
                threads,
                positions: known.len(),
                value: mean(&known).exp(),
                against_first: geometric(&differences(own, &arms[0].1[index])),
                against_single: geometric(&differences(own, &logs[0])),
            });
        }
    }
    rows
}

/// Differences where both are known.
fn differences(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<f64> {
    one.iter().zip(other).filter_map(|(one, other)| Some((*one)? - (*other)?)).collect()
}

#[expect(clippy::unnecessary_wraps, reason = "one of several ways to prepare an engine")]
fn nothing<V: Variant>(_: &mut Engine<V>) -> Result<(), LabError> {
    Ok(())
}

fn table(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let off = |engine: &mut Engine| Ok(engine.disable_table()?);
    // The depth is what one thread reaches without the table: with it, the same depth is easy.
    let lines = lines(settings, 1, &off, observer)?;
    let mebibytes = settings.mebibytes;
    let arms = [
        ("on".to_owned(), work::<Standard>("table on", settings, mebibytes, &lines, &nothing, observer)?),
        ("off".to_owned(), work::<Standard>("table off", settings, mebibytes, &lines, &off, observer)?),
    ];
    Ok(outcomes(settings, &arms))
}

fn sizes(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let lines = lines(settings, 1, &nothing, observer)?;
    let mut arms = Vec::new();
    for &mebibytes in settings.sizes.iter().rev() {
        let name = format!("{mebibytes} MiB");
        let nodes = work::<Standard>(&name, settings, mebibytes, &lines, &nothing, observer)?;
        arms.push((name, nodes));
    }
    Ok(outcomes(settings, &arms))
}

/// Moves of a game that policies are compared on.
const GAME: usize = 6;

fn policies(bench: &Bench, settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let lines = lines(settings, GAME, &nothing, observer)?;
    let mut arms = Vec::new();
    for replacement in Replacement::ALL {
        bench.choose(Choices { replacement, ..Choices::default() });
        let name = replacement.name();
        let nodes = work::<Laboratory>(name, settings, settings.mebibytes, &lines, &nothing, observer)?;
        arms.push((name.to_owned(), nodes));
    }
    bench.choose(Choices::default());
    Ok(outcomes(settings, &arms))
}

fn correction(bench: &Bench, settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let lines = lines(settings, 1, &nothing, observer)?;
    let mut arms = Vec::new();
    for (name, shared_corrections) in [("private", false), ("shared", true)] {
        bench.choose(Choices { shared_corrections, ..Choices::default() });
        let nodes = work::<Laboratory>(name, settings, settings.mebibytes, &lines, &nothing, observer)?;
        arms.push((name.to_owned(), nodes));
    }
    bench.choose(Choices::default());
    Ok(outcomes(settings, &arms))
}

/// Nodes per second of processor time, or of any time where the system does not tell: others at work then take less away from
/// the comparison.
fn speed<V: Variant>(
    engine: &mut Engine<V>,
    board: &Board,
    limits: Limits,
    observer: &dyn Observer,
) -> Option<f64> {
    engine.new_game();
    let before = process_time();
    let run = go_on(engine, Root::new(*board), limits, observer.stop())?;
    let used = process_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    let time = used.unwrap_or(run.outcome.time);
    Some(run.outcome.nodes as f64 / time.as_secs_f64().max(1e-6))
}

/// Speeds of two arms in blocks of the order 1 2 2 1, one block per position.
fn speeds<V: Variant>(
    names: [&str; 2],
    settings: &Settings,
    mut engines: Vec<[Engine<V>; 2]>,
    switch: &dyn Fn(usize),
    observer: &dyn Observer,
) -> Vec<Outcome> {
    observer.begin(names[1], (4 * settings.positions.len() * settings.threads.len()) as u64);
    let mut rows = Vec::new();
    let mut singles: [f64; 2] = [0.0; 2];
    for (pair, &threads) in engines.iter_mut().zip(&settings.threads) {
        let mut logs: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        'blocks: for board in &settings.positions {
            let mut sums = [0.0; 2];
            for arm in [0, 1, 1, 0] {
                switch(arm);
                let limits = Limits::nodes(settings.nodes * threads as u64);
                let Some(speed) = speed(&mut pair[arm], board, limits, observer) else { break 'blocks };
                sums[arm] += speed / 2.0;
                observer.step(1, &format!("{threads} threads"));
            }
            for arm in 0..2 {
                logs[arm].push(sums[arm].ln());
            }
        }
        for arm in 0..2 {
            if logs[arm].is_empty() {
                continue;
            }
            let ratios: Vec<f64> = logs[arm].iter().zip(&logs[0]).map(|(own, first)| own - first).collect();
            let value = mean(&logs[arm]).exp();
            if singles[arm] == 0.0 {
                singles[arm] = value;
            }
            rows.push(Outcome {
                arm: names[arm].to_owned(),
                threads,
                positions: logs[arm].len(),
                value,
                against_first: bootstrap(&ratios, median).map(f64::exp),
                against_single: Estimate::exact(value / singles[arm]),
            });
        }
    }
    rows
}

fn huge_pages(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let mut engines = Vec::new();
    for &threads in &settings.threads {
        let with = Engine::new(threads, settings.mebibytes)?;
        let mut without = Engine::new(threads, 1)?;
        without.set_hash_without_huge_pages(settings.mebibytes)?;
        engines.push([with, without]);
    }
    Ok(speeds(["huge pages", "small pages"], settings, engines, &|_| {}, observer))
}

fn prefetch(bench: &Bench, settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let mut engines = Vec::new();
    for &threads in &settings.threads {
        let engine = || Engine::<Laboratory>::variant(threads, settings.mebibytes);
        engines.push([engine()?, engine()?]);
    }
    let switch = |arm: usize| bench.choose(Choices { prefetch: arm == 0, ..Choices::default() });
    let rows = speeds(["prefetch", "no prefetch"], settings, engines, &switch, observer);
    bench.choose(Choices::default());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;

    fn settings(nodes: u64) -> Settings {
        Settings {
            threads: vec![1, 2],
            positions: suite(3),
            nodes,
            mebibytes: 1,
            sizes: vec![1, 2],
            turns: VirtualSmp::default(),
        }
    }

    #[test]
    fn every_question_has_an_answer() {
        for question in Question::ALL {
            let rows = run(question, &settings(3000), &Nobody::default()).unwrap();
            let arms = if question == Question::Policies { 5 } else { 2 };
            assert_eq!(rows.len(), 2 * arms, "{question}");
            assert!(rows.iter().all(|row| row.positions == 3 && row.value > 100.0), "{question}: {rows:?}");
            assert!((rows[0].against_first.value - 1.0).abs() < 1e-12, "{question}");
        }
    }

    /// Without a table the helpers cannot help: two threads do the work of one twice.
    #[test]
    fn without_the_table_lazy_smp_is_worth_nothing() {
        let settings = Settings { positions: suite(12), ..settings(15_000) };
        let rows = run(Question::Table, &settings, &Nobody::default()).unwrap();
        let find =
            |arm: &str, threads| rows.iter().find(|row| row.arm == arm && row.threads == threads).unwrap();
        let (on, off) = (find("on", 2).against_single.value, find("off", 2).against_single.value);
        assert!((1.7..=2.4).contains(&off) && on < off, "{rows:?}");
    }
}
