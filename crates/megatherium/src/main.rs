//! The program: the UCI shell and the laboratory behind one command line.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use megatherium_cli::progress::survive_file_size_limit;
use megatherium_cli::{JobResult, stdio};

/// A lock-free multi-threaded chess engine. Without a command it speaks UCI on standard input and
/// output.
#[derive(Debug, Parser)]
#[command(name = "megatherium", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Job>,
}

#[derive(Debug, Subcommand)]
enum Job {
    #[command(flatten)]
    Shell(megatherium_uci::cli::Job),
    #[command(flatten)]
    Lab(Box<megatherium_lab::cli::Job>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write those of all commands to a folder
    Man {
        /// A folder for `megatherium.1`, `megatherium-analyse.1` and so on
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    // First of all: it does nothing once there is a second thread.
    megatherium_tt::give_back_large_blocks();
    megatherium_tt::share_one_heap();
    // Without it, a file that reaches `ulimit -f` ends the program without a message.
    if let Err(error) = survive_file_size_limit() {
        let _ = writeln!(io::stderr(), "megatherium: {error}");
        return ExitCode::FAILURE;
    }
    let cli = match Cli::try_parse_from(arguments(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let result = match &cli.command {
        None => megatherium_uci::cli::speak_uci(),
        Some(Job::Shell(job)) => megatherium_uci::cli::run(job),
        Some(Job::Lab(job)) => megatherium_lab::cli::run(job),
        Some(Job::Completions { shell }) => completions(*shell),
        Some(Job::Man { out }) => man(out.as_deref()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "megatherium: {error}");
            ExitCode::FAILURE
        }
    }
}

/// OpenBench writes a command and its words as one argument: `"genfens 8 seed 1 book None"`.
fn arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(text) = arguments.get(1).and_then(|first| first.to_str())
        && text.starts_with("genfens ")
    {
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        arguments.splice(1..2, words);
    }
    arguments
}

fn completions(shell: Shell) -> JobResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "megatherium", &mut script);
    stdio::print(&String::from_utf8(script)?);
    Ok(())
}

fn man(folder: Option<&Path>) -> JobResult {
    if let Some(folder) = folder {
        let write = || -> io::Result<()> {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(Cli::command(), folder)
        };
        return Ok(write().map_err(|error| format!("{}: {error}", folder.display()))?);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    stdio::print(&String::from_utf8(page)?);
    Ok(())
}

/// Shows help and version as they are, and an error as one line without the usage text.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(io::stderr(), "megatherium: {}", one_line(&error.to_string()));
    ExitCode::from(2)
}

/// The message and the tips of a clap error; the usage and the hint at `--help` are left out.
fn one_line(text: &str) -> String {
    let words = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = text.split("\n\n").filter(|paragraph| {
        let paragraph = paragraph.trim_start();
        !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more information")
    });
    let line = kept.map(words).collect::<Vec<_>>().join("; ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_arguments_mean_uci() {
        assert!(Cli::try_parse_from(["megatherium"]).unwrap().command.is_none());
        for refused in [["bench", "--depth", "0"], ["bench", "--threads", "100000"]] {
            assert!(Cli::try_parse_from(["megatherium"].into_iter().chain(refused)).is_err());
        }
        assert!(Cli::try_parse_from(["megatherium", "suite"]).is_err());
    }

    #[test]
    fn a_misspelt_command_gets_a_suggestion() {
        let line = |words: &[&str]| one_line(&Cli::try_parse_from(words).unwrap_err().to_string());
        let command = line(&["megatherium", "bnech"]);
        assert!(command.contains("'bench'") && !command.contains('\n'), "{command}");
        let option = line(&["megatherium", "bench", "--dept", "3"]);
        assert!(option.contains("'--depth'") && !option.contains("Usage"), "{option}");
    }
}
