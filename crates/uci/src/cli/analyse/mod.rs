//! `megatherium analyse`: positions as tables, files of positions as records, games annotated.

mod annotate;
mod batch;
mod judge;
mod record;
mod table;

use std::path::{Path, PathBuf};

use clap::Args;
use megatherium_cli::JobResult;
use megatherium_cli::search::SearchArgs;

#[derive(Args, Debug)]
pub struct AnalyseArgs {
    /// Positions: `startpos`, FEN or EPD in quotes, or files with one a line; or files of games
    /// (`.pgn`), which are annotated
    #[arg(required_unless_present = "epd", conflicts_with = "epd")]
    positions: Vec<String>,
    /// Analyse the positions of this file and write one record for each to --out
    #[arg(long, value_name = "IN", requires = "out")]
    epd: Option<PathBuf>,
    /// Where the results go: EPD (`.epd`) or JSON lines (`.jsonl`) with --epd; annotated games
    /// (`.pgn`), on standard output by default
    #[arg(long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Analyse only every n-th position of --epd, beginning with the i-th: shards 1/n to n/n
    /// together do the whole file
    #[arg(long, value_name = "i/n", requires = "epd", default_value = "1/1")]
    shard: batch::Shard,
    /// Continue an interrupted --epd run: keep the records that --out has, and add the rest
    #[arg(long, requires = "epd")]
    resume: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// Number of best lines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    multipv: u64,
    /// Show every depth, not only the last
    #[arg(long, conflicts_with = "epd")]
    all_depths: bool,
}

pub(super) fn run(args: &AnalyseArgs) -> JobResult {
    if let (Some(input), Some(out)) = (&args.epd, &args.out) {
        return batch::run(args, input, out);
    }
    let is_games = |text: &String| {
        let path = Path::new(text);
        path.extension().is_some_and(|end| end.eq_ignore_ascii_case("pgn")) && path.exists()
    };
    if args.positions.iter().any(is_games) {
        if !args.positions.iter().all(is_games) {
            return Err("games (.pgn) and positions cannot be mixed".into());
        }
        if args.multipv > 1 || args.all_depths {
            return Err("--multipv and --all-depths do not apply to games".into());
        }
        return annotate::run(args);
    }
    if args.out.is_some() {
        return Err("--out needs --epd or games (.pgn)".into());
    }
    table::run(args)
}
