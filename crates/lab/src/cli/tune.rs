//! `megatherium tune`: search parameters tuned by games against themselves.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use clap::Args;
use parking_lot::Mutex;

use super::duel::report;
use super::match_args::MatchArgs;
use crate::duel::{self, Rules, Side};
use crate::error::LabError;
use crate::observer::Observer;
use crate::openings::Openings;
use crate::sprt::Sprt;
use crate::spsa::Spsa;
use megatherium_cli::JobResult;
use megatherium_cli::params::{ParamArgs, with_suggestion};
use megatherium_cli::progress::Progress;

#[derive(Args, Debug)]
pub struct TuneArgs {
    /// Parameters to tune (`megatherium params` lists them)
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Rounds; each plays a few openings with both colours and updates the parameters
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rounds: u64,
    /// Openings per round
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pairs: u64,
    /// Share of a step that a parameter moves in the last round for a pair of games won
    #[arg(long, default_value_t = 0.01, value_parser = gain)]
    gain: f64,
    /// Rounds between two lines of output
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Openings of a final match between the tuned and the initial values
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    check: u64,
    /// Stop the final match as soon as the SPRT of ELO0 against ELO1 accepts a hypothesis
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, requires = "check")]
    sprt: Option<Sprt>,
    #[command(flatten)]
    play: MatchArgs,
    #[command(flatten)]
    start: ParamArgs,
}

/// Prints the values periodically, in the form that `--set` takes.
pub(super) fn run(args: &TuneArgs) -> JobResult {
    let start = args.start.params()?;
    let spsa = Spsa::new(&args.names, start, args.rounds, args.gain, args.play.seed)
        .map_err(|error| with_suggestion(&error))?;
    let (rules, openings) = (args.play.rules(), args.play.openings()?);
    let bar = Progress::new("pairs of games")?;
    bar.begin("pairs of games", args.rounds * args.pairs);
    let spsa = play_rounds(args, spsa, rules, &openings, &bar)?;
    bar.line(changes(&spsa));
    if args.check > 0 && !bar.stopped() {
        bar.begin("tuned values against the start", args.check);
        let rules = Rules { sprt: args.sprt, ..rules };
        let sides = [&Side::with(spsa.params()), &Side::with(start)];
        let first = (args.rounds * args.pairs) as usize;
        let numbers = first..first + args.check as usize;
        let score = duel::run(sides, rules, &openings, numbers, &bar)?;
        for line in report(&score, args.sprt, &args.play.budget()) {
            bar.line(line);
        }
    }
    bar.clear();
    Ok(())
}

/// Counts the pairs of all rounds. The score of a single round says nothing.
struct Pairs<'a>(&'a Progress);

impl Observer for Pairs<'_> {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self, steps: u64, _: &str) {
        self.0.step(steps, "");
    }

    fn stop(&self) -> &AtomicBool {
        self.0.stop()
    }
}

/// Plays the rounds, several at a time, asynchronously: a finished round updates the current
/// parameters, and the next starts from them.
fn play_rounds(
    args: &TuneArgs,
    spsa: Spsa,
    rules: Rules,
    openings: &Openings,
    bar: &Progress,
) -> Result<Spsa, LabError> {
    let next = AtomicU64::new(0);
    let shared = Mutex::new((spsa, 0));
    let alone = Rules { concurrency: 1, ..rules };
    let work = || -> Result<(), LabError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= args.rounds || bar.stopped() {
                return Ok(());
            }
            let round = shared.lock().0.round();
            let sides = [&Side::with(round.plus), &Side::with(round.minus)];
            let numbers = (number * args.pairs) as usize..((number + 1) * args.pairs) as usize;
            let pairs = duel::run(sides, alone, openings, numbers, &Pairs(bar))?.pairs;
            if bar.stopped() {
                return Ok(());
            }
            let mut shared = shared.lock();
            let (spsa, done) = &mut *shared;
            spsa.learn(&round, pairs.count() as f64 * (2.0 * pairs.score() - 1.0));
            *done += 1;
            if *done % args.every == 0 {
                bar.line(format!("{done} {}", changes(spsa)));
            }
        }
    };
    thread::scope(|scope| {
        // If a thread cannot be started, the others play its rounds.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..rules.concurrency).filter_map(spawn).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        work().and(workers.into_iter().try_for_each(join))
    })?;
    let (spsa, done) = shared.into_inner();
    if bar.stopped() {
        bar.line(format!("stopped after {done} of {} rounds; the values so far:", args.rounds));
    }
    Ok(spsa)
}

fn gain(text: &str) -> Result<f64, String> {
    let gain: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    (0.0001..=1.0).contains(&gain).then_some(gain).ok_or("not between 0.0001 and 1".to_owned())
}

fn changes(spsa: &Spsa) -> String {
    let params = spsa.params();
    let values = spsa.knobs.iter().filter_map(|knob| {
        let name = knob.spec.name;
        params.get(name).map(|value| format!("{}={value}", name.replace('_', "-")))
    });
    values.collect::<Vec<_>>().join(",")
}
