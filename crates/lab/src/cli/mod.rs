//! The laboratory's commands on the command line.

mod ablate;
mod duel;
mod match_args;
mod params;
mod scale;
mod solver;
mod speedtest;
mod suite;
mod table_value;
mod tune;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Subcommand;
use megatherium_cli::JobResult;
use megatherium_cli::progress::Progress;

use crate::observer::Observer;

/// A command of the laboratory.
#[derive(Debug, Subcommand)]
pub enum Job {
    /// Solve a test suite (EPD with best moves `bm` or moves to avoid `am`) and count the successes
    Suite(suite::SuiteArgs),
    /// List every search parameter with default, range and meaning
    Params,
    /// Measure the speed of the engine on this machine; prints a summary to quote
    Speedtest(speedtest::SpeedtestArgs),
    /// Measure what the transposition table saves, at several sizes
    TableValue(table_value::TableValueArgs),
    /// Measure what each search technique is worth, in nodes and in games without it
    Ablate(ablate::AblateArgs),
    /// Play a match between a changed engine and the current one
    Duel(duel::DuelArgs),
    /// Tune search parameters by games (SPSA)
    Tune(tune::TuneArgs),
    /// Measure how the engine scales with threads, real and virtual; writes a page with charts
    Scale(Box<scale::ScaleArgs>),
}

/// Runs a command.
pub fn run(job: &Job) -> JobResult {
    match job {
        Job::Suite(args) => suite::run(args),
        Job::Params => {
            params::run();
            Ok(())
        }
        Job::Speedtest(args) => speedtest::run(args),
        Job::TableValue(args) => table_value::run(args),
        Job::Ablate(args) => ablate::run(args),
        Job::Duel(args) => duel::run(args),
        Job::Tune(args) => tune::run(args),
        Job::Scale(args) => scale::run(args),
    }
}

/// A path that starts this program again. On Linux not its name: the portable build runs from an
/// anonymous file.
fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

impl Observer for Progress {
    fn begin(&self, title: &str, steps: u64) {
        self.begin(title, steps);
    }

    fn step(&self, steps: u64, message: &str) {
        self.step(steps, message);
    }

    fn stop(&self) -> &AtomicBool {
        self.stop()
    }
}
