//! The shell's commands on the command line. Without a command it speaks UCI.

mod analyse;
mod bench;
mod genfens;
mod perft;
mod position;
mod spsa;

use std::io::{self, BufReader, IsTerminal as _};
use std::sync::Arc;

use clap::Subcommand;
use megatherium_cli::JobResult;
use megatherium_cli::stdio::Patient;
use megatherium_nnue::Network;

use crate::output::Output;
use crate::shell::Shell;
use crate::version;

/// A command of the shell.
#[derive(Debug, Subcommand)]
pub enum Job {
    /// Search a fixed set of positions; the last line is `N nodes M nps`
    Bench(bench::BenchArgs),
    /// Count leaf nodes at a depth (perft)
    Perft(perft::PerftArgs),
    /// Analyse positions or games: tables, records of many positions, annotated games
    Analyse(analyse::AnalyseArgs),
    /// Show a position: diagram, keys, legal moves
    D(position::PositionArgs),
    /// Show the static evaluation of a position, piece by piece
    Eval(position::PositionArgs),
    /// Make openings for training games, as OpenBench asks for them: `genfens N seed S book B`
    Genfens(genfens::GenfensArgs),
    /// List search parameters as the tuning page of OpenBench takes them
    Spsa(spsa::SpsaArgs),
    /// Show version, commit, compiler and instruction sets
    Version,
}

/// Runs a command.
pub fn run(job: &Job) -> JobResult {
    match job {
        Job::Bench(args) => bench::run(args),
        Job::Perft(args) => perft::run(args),
        Job::Analyse(args) => analyse::run(args),
        Job::D(args) => position::display(args),
        Job::Eval(args) => position::evaluate(args),
        Job::Genfens(args) => genfens::run(args),
        Job::Spsa(args) => spsa::run(args),
        Job::Version => {
            let network = Network::embedded();
            Output::stdout().with(|out| version::write_version(out, &network));
            Ok(())
        }
    }
}

/// Speaks UCI on standard input and output until `quit` or the end of the input.
pub fn speak_uci() -> JobResult {
    let output = Arc::new(Output::stdout());
    let shell = Shell::new(Arc::clone(&output))?;
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        output.with(|out| shell.write_greeting(out));
    }
    shell.run(BufReader::new(Patient(io::stdin().lock())));
    Ok(())
}
