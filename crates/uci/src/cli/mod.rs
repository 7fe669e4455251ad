//! The command line. Without arguments the engine speaks UCI; with them it does one job and exits.

mod ablate;
mod analyse;
mod bar;
mod duel;
mod param_args;
mod positions;
mod scale;
mod search_args;
mod solver;
mod suite;
mod table_value;
mod tune;

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Parser, Subcommand};
use megatherium_board::Board;
use megatherium_search::{Engine, VirtualSmp, bench};

use self::param_args::ParamArgs;
use crate::options::{MAX_HASH, MAX_THREADS};
use crate::output::Output;
use crate::shell::Shell;
use crate::task;

/// A lock-free multi-threaded chess engine. Without a command it speaks UCI on standard input and output.
#[derive(Debug, Parser)]
#[command(name = "megatherium", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Job>,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Search a fixed set of positions; the last line is `N nodes M nps`
    Bench(BenchArgs),
    /// Count the move sequences of a length
    Perft(PerftArgs),
    /// Analyse positions and show the best lines in a table
    Analyse(analyse::AnalyseArgs),
    /// Solve a test suite (EPD with best moves `bm` or moves to avoid `am`) and count the successes
    Suite(suite::SuiteArgs),
    /// Measure what the transposition table saves, at several sizes
    TableValue(table_value::TableValueArgs),
    /// Measure what each technique of the search is worth: the engine without it, in nodes and in games
    Ablate(ablate::AblateArgs),
    /// Play the engine with other search parameters (`--set`) against the engine as it is
    Duel(duel::DuelArgs),
    /// Tune search parameters by games (SPSA)
    Tune(tune::TuneArgs),
    /// Measure how the engine scales with threads: real ones, virtual ones, in games; writes a page with plots
    Scale(Box<scale::ScaleArgs>),
}

#[derive(Args, Debug)]
struct BenchArgs {
    /// Depth of each search
    #[arg(long, default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: u32,
    /// Search threads; only one gives the same count every time, unless they take turns
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: u64,
    /// Table size in MiB
    #[arg(long, default_value_t = bench::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    hash: u64,
    /// Virtual SMP: the threads take turns, so that the count is the same every time
    #[arg(long)]
    r#virtual: bool,
    #[command(flatten)]
    params: ParamArgs,
}

#[derive(Args, Debug)]
struct PerftArgs {
    /// Length of the sequences
    depth: u32,
    /// The position; the initial one if none is given
    fen: Option<String>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: u64,
    /// Write castling as king takes rook
    #[arg(long)]
    chess960: bool,
}

/// The program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let result = match cli.command {
        None => speak_uci(),
        Some(Job::Bench(args)) => run_bench(&args),
        Some(Job::Perft(args)) => run_perft(&args),
        Some(Job::Analyse(args)) => analyse::run(&args),
        Some(Job::Suite(args)) => suite::run(&args),
        Some(Job::TableValue(args)) => table_value::run(&args),
        Some(Job::Ablate(args)) => ablate::run(&args),
        Some(Job::Duel(args)) => duel::run(&args),
        Some(Job::Tune(args)) => tune::run(&args),
        Some(Job::Scale(args)) => scale::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "megatherium: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Shows help and version as they are, and anything else as one line: what is wrong, without the manual.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>();
    let line = lines.join(" ");
    let _ = writeln!(io::stderr(), "megatherium: {}", line.strip_prefix("error: ").unwrap_or(&line));
    ExitCode::from(2)
}

/// What a job comes to: an error is one line on standard error and a failure.
type JobResult = Result<(), Box<dyn Error>>;

fn speak_uci() -> JobResult {
    Shell::new(Arc::new(Output::stdout()))?.run(io::stdin().lock());
    Ok(())
}

fn run_bench(args: &BenchArgs) -> JobResult {
    let never = AtomicBool::new(false);
    let mut engine = Engine::new(args.threads as usize, args.hash as usize)?;
    engine.options.virtual_smp = args.r#virtual.then(VirtualSmp::default);
    engine.options.params = args.params.params()?;
    task::run_bench_on(&Output::stdout(), &mut engine, args.depth, &never);
    Ok(())
}

fn run_perft(args: &PerftArgs) -> JobResult {
    let board = match &args.fen {
        None => Board::startpos(),
        Some(fen) => Board::from_fen(fen).map_err(|error| format!("{fen:?}: {error}"))?,
    };
    let never = AtomicBool::new(false);
    task::run_perft(&Output::stdout(), &board, args.depth, args.threads as usize, args.chess960, &never);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn no_arguments_mean_uci() {
        assert!(Cli::try_parse_from(["megatherium"]).unwrap().command.is_none());
        assert!(Cli::try_parse_from(["megatherium", "bench", "--depth", "0"]).is_err());
        assert!(Cli::try_parse_from(["megatherium", "bench", "--threads", "100000"]).is_err());
        assert!(Cli::try_parse_from(["megatherium", "suite"]).is_err());
    }
}
