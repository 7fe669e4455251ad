//! `import`: PGN files into a data file.

use super::{Failure, at, load_network};
use clap::Args;
use megatherium_board::pgn;
use megatherium_cli::progress::Progress;
use megatherium_train::data::{Game, Writer};
use megatherium_train::import::{Refused, game};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// Arguments of `import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// PGN files with a score in the comment of each move; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The data file to append to; compressed if its name ends in .xz
    #[arg(short, long)]
    output: PathBuf,
    /// The net that played, recorded in the games
    #[arg(long)]
    net: Option<PathBuf>,
}

/// Counts of imported and dropped games.
#[derive(Default)]
struct Counts {
    written: u64,
    repeated: u64,
    unreadable: u64,
    unfinished: u64,
    forfeits: u64,
    unscored: u64,
}

/// Appends the games of PGN files to a data file, each game once.
pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let net = match &args.net {
        Some(path) => load_network(path)?.checksum() as u32,
        None => 0,
    };
    let target = at(&args.output);
    let mut seen = HashSet::new();
    let see = |game: &Game| {
        seen.insert(game.fingerprint());
    };
    let (mut writer, _) =
        Writer::append_after(&args.output, see).map_err(|error| target(&error))?;
    let progress = Progress::new("files").map_err(|error| error.to_string())?;
    progress.begin("files", args.files.len() as u64);
    let mut counts = Counts::default();
    'files: for path in &args.files {
        for record in pgn::read(BufReader::new(open(path)?)) {
            if progress.stopped() {
                break 'files;
            }
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    if let pgn::Fault::Io(error) = &error.fault {
                        return Err(at(path)(error));
                    }
                    // The first one is named; a file of another kind would fill the screen.
                    if counts.unreadable == 0 {
                        progress.line(at(path)(&error));
                    }
                    counts.unreadable += 1;
                    continue;
                }
            };
            match game(&record, net) {
                Ok(game) if seen.insert(game.fingerprint()) => {
                    writer.write(&game).map_err(|error| target(&error))?;
                    counts.written += 1;
                }
                Ok(_) => counts.repeated += 1,
                Err(Refused::Unfinished) => counts.unfinished += 1,
                Err(Refused::Forfeit) => counts.forfeits += 1,
                Err(Refused::Unscored) => counts.unscored += 1,
                Err(Refused::Start) => counts.unreadable += 1,
            }
            progress.step(0, &format!("{} games", counts.written));
        }
        progress.step(1, "");
    }
    progress.clear();
    writer.finish().map_err(|error| target(&error))?;
    say!("{} games appended to {}", counts.written, args.output.display());
    for (count, why) in [
        (counts.repeated, "are duplicates"),
        (counts.unreadable, "could not be read"),
        (counts.unfinished, "were not finished"),
        (counts.forfeits, "ended by a forfeit or a crash"),
        (counts.unscored, "have no scores"),
    ] {
        if count > 0 {
            say!("{count} games {why} and were dropped");
        }
    }
    if progress.stopped() { Err("stopped before the end of the files".to_owned()) } else { Ok(()) }
}

fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path).map_err(|error| at(path)(&error))?))
}
