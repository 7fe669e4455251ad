//! The trainer binary: data files in, nets out.

#![forbid(unsafe_code)]

/// Prints a line. Unlike `println!`, it does not panic when standard output is closed.
macro_rules! say {
    ($($text:tt)*) => { megatherium_cli::stdio::line(format_args!($($text)*)) };
}

mod commands;

use clap::{Parser, Subcommand};
use commands::{datagen, export, files, import, nets, train};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "megatherium-train",
    version,
    about = "Makes Megatherium's net from its own games"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Generate training games by self-play
    Datagen(datagen::DatagenArgs),
    /// Import games from PGN files with scores in the comments, as OpenBench stores them
    Import(import::ImportArgs),
    /// Train a net on data files
    Train(train::TrainArgs),
    /// Quantise a checkpoint into a net file
    Quantise(nets::QuantiseArgs),
    /// Average the weights of nets that share an ancestor
    Average(nets::AverageArgs),
    /// Install a net as the embedded one of the source tree, and print the bench count it gives
    Export(export::ExportArgs),
    /// Print and plot the weights and neurons of a net
    Inspect(nets::InspectArgs),
    /// Compare two nets on data files
    Compare(nets::CompareArgs),
    /// Summarise data files
    Stats(files::StatsArgs),
    /// Fit the win/draw/loss model (UCI option `UCI_ShowWDL`) to the results in data files
    Wdl(files::StatsArgs),
    /// Append the games of several data files to one, without duplicates
    Merge(files::MergeArgs),
    /// Shuffle the games of data files into a new one
    Shuffle(files::ShuffleArgs),
}

fn main() -> ExitCode {
    // Without it, a file that reaches `ulimit -f` ends the program without a message.
    if let Err(error) = megatherium_cli::progress::survive_file_size_limit() {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    let result = match Cli::parse().command {
        Command::Datagen(args) => datagen::datagen(&args),
        Command::Import(args) => import::import(&args),
        Command::Train(args) => train::train(&args),
        Command::Quantise(args) => nets::quantise(&args),
        Command::Average(args) => nets::average(&args),
        Command::Export(args) => export::export(&args),
        Command::Inspect(args) => nets::inspect(&args),
        Command::Compare(args) => nets::compare(&args),
        Command::Stats(args) => files::stats(&args),
        Command::Wdl(args) => files::wdl(&args),
        Command::Merge(args) => files::merge(&args),
        Command::Shuffle(args) => files::shuffle(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
