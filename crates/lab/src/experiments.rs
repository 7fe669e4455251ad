//! Experiments that change one part of the engine and keep everything else equal.
//!
//! Two kinds: those about *work* compare nodes to the same depth under virtual SMP, which the
//! machine cannot disturb; those about *speed* compare nodes per second of processor time, of arms
//! that alternate in short blocks.

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Replacement, Root, Teamwork, VirtualSmp};

use crate::crew::{Rig, share_out};
use crate::error::LabError;
use crate::machine::{process_time, processors};
use crate::measure::{Run, go_on};
use crate::observer::Observer;
use crate::stats::{Estimate, bootstrap, geometric, mean, median};

/// An experiment: what it asks, how it is run and how its result is shown.
#[derive(Debug)]
pub struct Question {
    /// Its name on the command line.
    pub name: &'static str,
    /// Title of its section in a report.
    pub title: &'static str,
    /// What the numbers are.
    pub text: &'static str,
    /// Whether it is about speed on real threads, not about work on virtual ones.
    pub is_timed: bool,
    /// Whether the size of the table is what it varies.
    pub varies_size: bool,
    /// Default table size in MiB.
    pub mebibytes: usize,
    /// Default positions and nodes per position with `--quick`.
    pub quick: (usize, u64),
    /// The same without `--quick`.
    pub full: (usize, u64),
    run: fn(&Settings, &dyn Observer) -> Result<Vec<Outcome>, LabError>,
}

impl Question {
    /// What questions about work on virtual threads have in common.
    const WORK: Question = Question {
        name: "",
        title: "",
        text: "",
        is_timed: false,
        varies_size: false,
        mebibytes: 16,
        quick: (12, 20_000),
        full: (64, 80_000),
        run: table,
    };

    /// What questions about speed on real threads have in common.
    const SPEED: Question = Question {
        is_timed: true,
        mebibytes: 256,
        quick: (4, 100_000),
        full: (24, 400_000),
        ..Question::WORK
    };

    /// All experiments. A new one is a new entry here.
    pub const ALL: &[Question] = &[
        Question {
            name: "table",
            title: "The table on and off",
            text: "Nodes to the depth one thread reaches without a table. Off means a single \
                   cluster, which remembers next to nothing. The threads share the table and \
                   nothing else: plain Lazy SMP.",
            run: table,
            ..Question::WORK
        },
        Question {
            name: "sizes",
            title: "Table sizes",
            text: "Nodes to the same depth with tables of several sizes.",
            varies_size: true,
            run: sizes,
            ..Question::WORK
        },
        Question {
            name: "policies",
            title: "Replacement policies",
            text: "Nodes to the same depths in six consecutive positions of a game. The table is \
                   kept between them.",
            // A small table, searched six times: entries compete.
            mebibytes: 1,
            quick: (6, 15_000),
            full: (32, 60_000),
            run: policies,
            ..Question::WORK
        },
        Question {
            name: "huge-pages",
            title: "Huge pages",
            text: "Nodes per second of processor time with the table in huge pages and without, \
                   in blocks of the order 1 2 2 1; medians over blocks.",
            run: huge_pages,
            ..Question::SPEED
        },
        Question {
            name: "prefetch",
            title: "Prefetching",
            text: "Nodes per second of processor time with table lines prefetched and without, in \
                   blocks of the order 1 2 2 1; medians over blocks.",
            run: prefetch,
            ..Question::SPEED
        },
        Question {
            name: "correction",
            title: "Shared or private correction history",
            text: "Nodes to the same depth when every thread learns its own corrections of the \
                   static evaluation, and when all share one history.",
            run: correction,
            ..Question::WORK
        },
    ];

    /// The experiment of a name.
    pub fn find(name: &str) -> Option<&'static Question> {
        Question::ALL.iter().find(|question| question.name == name)
    }

    /// Runs the experiment; returns a row per arm and number of threads.
    pub fn ask(
        &self,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<Vec<Outcome>, LabError> {
        (self.run)(settings, observer)
    }
}

/// Settings of an experiment.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Numbers of threads: virtual ones for questions about work, real ones for questions about
    /// speed.
    pub threads: Vec<usize>,
    /// Positions to search.
    pub positions: Vec<Board>,
    /// About how many nodes one thread searches per position.
    pub nodes: u64,
    /// Size of the table in MiB, unless the experiment varies it.
    pub mebibytes: usize,
    /// Sizes of the table in MiB, if it does.
    pub sizes: Vec<usize>,
    /// How virtual threads take turns.
    pub turns: VirtualSmp,
}

/// An arm of an experiment with some number of threads.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the arm.
    pub arm: String,
    /// Number of threads.
    pub threads: usize,
    /// Positions measured.
    pub positions: usize,
    /// Nodes to depth, or nodes per second of processor time: the mean over positions.
    pub value: f64,
    /// Ratio to the first arm with the same number of threads.
    pub against_first: Estimate,
    /// Ratio to one thread of the same arm.
    pub against_single: Estimate,
}

/// Positions to search one after the other with the same table, each with its depth.
type Line = Vec<(Root, u32)>;

/// The logarithm of the nodes, by number of threads and position; missing where it was stopped.
type LogNodes = Vec<Vec<Option<f64>>>;

/// Plays `moves` moves from each position and records the depth reached at each. With more than one
/// move, entries of earlier searches compete with new ones.
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
            let Some(run) =
                go_on(&mut engine, root.clone(), Limits::nodes(settings.nodes), observer.stop())
            else {
                return Ok(None);
            };
            let (Some(mark), Some(best)) = (run.deepest_within(settings.nodes), run.outcome.best)
            else {
                break;
            };
            line.push((root.clone(), mark.depth));
            root.play(best);
        }
        observer.step(1, "");
        Ok(Some(line))
    })
}

/// The logarithm of the nodes to `depth`, averaged over the last three depths as everywhere in the
/// lab.
fn log_nodes(run: &Run, depth: u32) -> Option<f64> {
    let marks: Vec<f64> = (depth.saturating_sub(2)..=depth)
        .filter_map(|depth| run.mark(depth))
        .map(|mark| (mark.nodes as f64).ln())
        .collect();
    (!marks.is_empty()).then(|| mean(&marks))
}

/// Nodes to depth of one arm for every number of threads and every line.
fn work(
    name: &str,
    settings: &Settings,
    mebibytes: usize,
    lines: &[Option<Line>],
    prepare: &(dyn Fn(&mut Engine) -> Result<(), LabError> + Sync),
    observer: &dyn Observer,
) -> Result<LogNodes, LabError> {
    observer.begin(name, (lines.len() * settings.threads.len()) as u64);
    let mut by_threads = LogNodes::new();
    for &threads in &settings.threads {
        let results = share_out(lines, processors(), observer, |_, line| {
            let Some(line) = line else { return Ok(None) };
            let mut rig = Rig::default();
            let engine = rig.engine(threads, mebibytes)?;
            prepare(engine)?;
            engine.options.virtual_smp = Some(settings.turns);
            let mut logs = Vec::new();
            for (root, depth) in line {
                let Some(run) = go_on(engine, root.clone(), Limits::depth(*depth), observer.stop())
                else {
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
fn nothing(_: &mut Engine) -> Result<(), LabError> {
    Ok(())
}

fn table(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let on = |engine: &mut Engine| {
        engine.options.teamwork = Teamwork::PLAIN;
        Ok(())
    };
    let off = |engine: &mut Engine| {
        on(engine)?;
        Ok(engine.disable_table()?)
    };
    // The depth is what one thread reaches without the table; with it, that depth is easy.
    let lines = lines(settings, 1, &off, observer)?;
    let mebibytes = settings.mebibytes;
    let arms = [
        ("on".to_owned(), work("table on", settings, mebibytes, &lines, &on, observer)?),
        ("off".to_owned(), work("table off", settings, mebibytes, &lines, &off, observer)?),
    ];
    Ok(outcomes(settings, &arms))
}

fn sizes(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let lines = lines(settings, 1, &nothing, observer)?;
    let mut arms = Vec::new();
    for &mebibytes in settings.sizes.iter().rev() {
        let name = format!("{mebibytes} MiB");
        let nodes = work(&name, settings, mebibytes, &lines, &nothing, observer)?;
        arms.push((name, nodes));
    }
    Ok(outcomes(settings, &arms))
}

/// Nodes to depth with each choice, over the positions of `moves` moves of a game.
fn choices<C: Copy + Sync>(
    settings: &Settings,
    moves: usize,
    choices: &[(&str, C)],
    choose: impl Fn(&mut Engine, C) -> Result<(), LabError> + Sync,
    observer: &dyn Observer,
) -> Result<Vec<Outcome>, LabError> {
    let lines = lines(settings, moves, &nothing, observer)?;
    let mut arms = Vec::new();
    for &(name, choice) in choices {
        let choose = |engine: &mut Engine| choose(engine, choice);
        let nodes = work(name, settings, settings.mebibytes, &lines, &choose, observer)?;
        arms.push((name.to_owned(), nodes));
    }
    Ok(outcomes(settings, &arms))
}

/// Moves of a game that policies are compared on.
const GAME: usize = 6;

fn policies(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let policies = Replacement::ALL.map(|policy| (policy.name(), policy));
    let choose = |engine: &mut Engine, policy| Ok(engine.set_replacement(policy)?);
    choices(settings, GAME, &policies, choose, observer)
}

fn correction(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    let choose = |engine: &mut Engine, shared| {
        engine.options.teamwork.shared_corrections = shared;
        Ok(())
    };
    choices(settings, 1, &[("private", false), ("shared", true)], choose, observer)
}

/// Nodes per second of processor time, which other processes disturb less than wall time. Where the
/// system does not report it, wall time is used.
fn speed(
    engine: &mut Engine,
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

/// Speeds of the engine as it is and of one changed by `change`, in blocks of the order 1 2 2 1,
/// one block per position.
fn speeds(
    names: [&str; 2],
    settings: &Settings,
    observer: &dyn Observer,
    change: impl Fn(&mut Engine) -> Result<(), LabError>,
) -> Result<Vec<Outcome>, LabError> {
    let mut engines = Vec::new();
    for &threads in &settings.threads {
        let engine = || Engine::new(threads, settings.mebibytes);
        let mut pair = [engine()?, engine()?];
        change(&mut pair[1])?;
        engines.push(pair);
    }
    observer.begin(names[1], (4 * settings.positions.len() * settings.threads.len()) as u64);
    let mut rows = Vec::new();
    let mut singles: [f64; 2] = [0.0; 2];
    for (pair, &threads) in engines.iter_mut().zip(&settings.threads) {
        let mut logs: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        'blocks: for board in &settings.positions {
            let mut sums = [0.0; 2];
            for arm in [0, 1, 1, 0] {
                let limits = Limits::nodes(settings.nodes * threads as u64);
                let Some(speed) = speed(&mut pair[arm], board, limits, observer) else {
                    break 'blocks;
                };
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
            let ratios: Vec<f64> =
                logs[arm].iter().zip(&logs[0]).map(|(own, first)| own - first).collect();
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
    Ok(rows)
}

fn huge_pages(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    speeds(["huge pages", "small pages"], settings, observer, |engine| {
        Ok(engine.set_hash_without_huge_pages(settings.mebibytes)?)
    })
}

fn prefetch(settings: &Settings, observer: &dyn Observer) -> Result<Vec<Outcome>, LabError> {
    speeds(["prefetch", "no prefetch"], settings, observer, |engine| {
        engine.options.prefetch = false;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;
    use crate::positions::suite;
    use megatherium_search::Silent;

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
            let name = question.name;
            let rows = question.ask(&settings(3000), &Nobody::default()).unwrap();
            let arms = if name == "policies" { 5 } else { 2 };
            assert_eq!(rows.len(), 2 * arms, "{name}");
            let measured = |row: &Outcome| row.positions == 3 && row.value > 100.0;
            assert!(rows.iter().all(measured), "{name}: {rows:?}");
            assert!((rows[0].against_first.value - 1.0).abs() < 1e-12, "{name}");
        }
    }

    /// Without a table helpers gain nothing: two threads do the same work twice.
    #[test]
    fn without_the_table_lazy_smp_is_worth_nothing() {
        let settings = Settings { positions: suite(48), ..settings(15_000) };
        let question = Question::find("table").unwrap();
        let rows = question.ask(&settings, &Nobody::default()).unwrap();
        let find = |arm: &str, threads| {
            rows.iter().find(|row| row.arm == arm && row.threads == threads).unwrap()
        };
        let (on, off) = (find("on", 2).against_single.value, find("off", 2).against_single.value);
        assert!((1.7..=2.4).contains(&off) && on < off, "{rows:?}");
    }

    /// The engine's own choices search the engine's tree; each other choice changes it, except the
    /// one that only takes time.
    #[test]
    fn choices_do_what_they_say() {
        let nodes = |choose: &dyn Fn(&mut Engine)| {
            let mut engine = Engine::new(2, 1).unwrap();
            choose(&mut engine);
            engine.options.virtual_smp = Some(VirtualSmp::default());
            let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
            let mut root = Root::new(Board::from_fen(fen).unwrap());
            // Deep enough to fill the table, so that entries are evicted.
            let first = engine.search(root.clone(), Limits::depth(15), Silent);
            root.play(first.best.unwrap());
            engine.search(root, Limits::depth(14), Silent);
            engine.nodes_by_thread()
        };
        let standard = nodes(&|_| {});
        assert_eq!(nodes(&|engine| engine.options.prefetch = false), standard);
        assert_ne!(nodes(&|engine| engine.options.teamwork.shared_corrections = true), standard);
        for replacement in Replacement::ALL {
            let chosen = nodes(&|engine| engine.set_replacement(replacement).unwrap());
            assert_eq!(chosen == standard, replacement == Replacement::DepthAge, "{replacement:?}");
        }
    }
}
