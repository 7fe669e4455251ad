//! `megatherium speedtest`: the speed of the engine on this machine, with a summary to quote, or
//! beside that of other builds.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use megatherium_board::Board;
use megatherium_cli::progress::Progress;
use megatherium_cli::search::search;
use megatherium_cli::{JobResult, MAX_HASH, MAX_THREADS, build};
use megatherium_nnue::Network;
use megatherium_search::report::nodes_per_second;
use megatherium_search::{Engine, Limits, bench};

use crate::builds::{self, Settings};
use crate::machine::{facts, processors};
use crate::positions;

#[derive(Args, Debug)]
pub struct SpeedtestArgs {
    /// Search threads [default: one per processor]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,
    /// Table size in MiB [default: 64 per thread]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: Option<u64>,
    /// Total time in seconds
    #[arg(default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Another build: searches the same nodes in turn with this one, and prints the ratio of the
    /// speeds. May be repeated
    #[arg(long, value_name = "BINARY")]
    against: Vec<PathBuf>,
    /// Nodes per search with --against
    #[arg(long, default_value_t = 500_000, requires = "against", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
}

/// Searches the bench positions, each for an equal share of the time.
pub(super) fn run(args: &SpeedtestArgs) -> JobResult {
    let threads = args.threads.map_or_else(processors, |threads| threads as usize);
    let mebibytes = args.hash.map_or(64 * threads, |hash| hash as usize);
    if !args.against.is_empty() {
        return compare(args, threads, mebibytes);
    }
    let mut engine = Engine::new(threads, mebibytes)?;
    let bar = Progress::new("positions")?;
    bar.begin("positions", bench::POSITIONS.len() as u64);
    let share = Duration::from_secs(args.seconds) / bench::POSITIONS.len() as u32;
    let (mut nodes, mut time, mut depths, mut done) = (0, Duration::ZERO, 0, 0);
    for fen in bench::POSITIONS {
        let board = Board::from_fen(fen)?;
        let started = Instant::now();
        let limits = Limits::move_time(share);
        let (_, outcome) = search(&mut engine, board, limits, bar.stop(), |_| {});
        if bar.stopped() {
            break;
        }
        time += started.elapsed();
        nodes += outcome.nodes;
        depths += outcome.depth;
        done += 1;
        bar.step(1, &format!("{} kn/s", nodes_per_second(nodes, time) / 1000));
    }
    bar.clear();
    if done == 0 {
        return Err("stopped before the first position was done".into());
    }
    let processor = facts().into_iter().find(|(name, _)| name == "processor");
    let processor = processor.map_or_else(|| "unknown".to_owned(), |(_, model)| model);
    for (name, value) in [
        ("version", format!("{}, commit {}", build::NAME, build::COMMIT)),
        ("compiler", format!("{} for {}", build::COMPILER, build::TARGET)),
        ("SIMD", Network::embedded().simd().name().to_owned()),
        ("processor", format!("{processor}, {} usable", processors())),
        ("threads", threads.to_string()),
        ("hash", format!("{mebibytes} MiB")),
        ("positions", format!("{done}, {:.1} s in all", time.as_secs_f64())),
        ("mean depth", format!("{:.1}", f64::from(depths) / f64::from(done))),
        ("nodes", nodes.to_string()),
        ("nodes/second", nodes_per_second(nodes, time).to_string()),
    ] {
        bar.line(format_args!("{name:<13} {value}"));
    }
    Ok(())
}

/// How fast the other builds are beside this one.
fn compare(args: &SpeedtestArgs, threads: usize, mebibytes: usize) -> JobResult {
    let settings = Settings {
        engines: [super::this_program()?].into_iter().chain(args.against.clone()).collect(),
        threads,
        mebibytes,
        nodes: args.nodes,
        time: Duration::from_secs(args.seconds),
    };
    let bar = Progress::new("starting")?;
    let results = builds::run(&settings, &positions::all(), &bar)?;
    bar.clear();
    if results.ratios.is_empty() {
        return Err("stopped before two positions were measured".into());
    }
    let clock = if results.by_processor_time { "processor time" } else { "the clock" };
    for (binary, ratio) in args.against.iter().zip(&results.ratios) {
        bar.line(format_args!(
            "{}: {:.3} times as fast as this program ({:.3} to {:.3})",
            binary.display(),
            ratio.value,
            ratio.low,
            ratio.high
        ));
    }
    bar.line(format_args!(
        "geometric means and 95 % intervals of {} positions, {} nodes each, by {clock}",
        results.positions, args.nodes
    ));
    Ok(())
}
