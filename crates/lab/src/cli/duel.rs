//! `megatherium duel`: is a change an improvement?

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use megatherium_cli::params::ParamArgs;
use megatherium_cli::progress::Progress;
use megatherium_cli::{JobResult, MAX_HASH};
use megatherium_nnue::Network;
use megatherium_nnue::format::FILE_SIZE;
use megatherium_search::{Params, Teamwork};

use super::match_args::MatchArgs;
use crate::duel::{self, Rules, Score, Side};
use crate::game::{Budget, Forfeit};
use crate::machine::{Meter, Usage};
use crate::sprt::{Sprt, Verdict};

#[derive(Args, Debug)]
pub struct DuelArgs {
    #[command(flatten)]
    change: ParamArgs,
    /// The opponent: another UCI engine [default: this engine unchanged]
    #[arg(long, value_name = "BINARY")]
    against: Option<PathBuf>,
    /// The first side: another UCI engine instead of this one
    #[arg(long, value_name = "BINARY", conflicts_with = "changes")]
    engine: Option<PathBuf>,
    /// UCI options of the first side, for example `UCI_LimitStrength=true`
    #[arg(long, value_name = "NAME=VALUE", value_parser = uci_option, requires = "engine")]
    option: Vec<(String, String)>,
    /// UCI options of the opponent
    #[arg(long, value_name = "NAME=VALUE", value_parser = uci_option, requires = "against")]
    against_option: Vec<(String, String)>,
    /// Net of the first side (`EvalFile` of another engine)
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Net of the opponent
    #[arg(long, value_name = "FILE")]
    against_net: Option<PathBuf>,
    /// Table size of the opponent in MiB [default: that of --hash]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    against_hash: Option<u64>,
    /// Table size of the first side in KiB instead: short searches fill it as long ones fill a
    /// large table
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20), conflicts_with = "engine")]
    kib: Option<u64>,
    /// Table size of the opponent in KiB instead
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20), conflicts_with_all = ["against", "against_hash"])]
    against_kib: Option<u64>,
    /// Virtual threads of each side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64), conflicts_with_all = ["against", "engine"])]
    threads: u64,
    /// Rules of teamwork of the first side; an unknown name lists them
    #[arg(long, value_name = "RULE=N,…", requires = "threads")]
    team: Option<Teamwork>,
    /// Maximum pairs of games, each opening with both colours [default: 500; with --sprt 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: Option<u64>,
    /// Stop as soon as the SPRT of ELO0 against ELO1 accepts a hypothesis, for example 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    #[command(flatten)]
    play: MatchArgs,
}

/// Plays the first side against the opponent.
pub(super) fn run(args: &DuelArgs) -> JobResult {
    let changed = [&args.against, &args.engine, &args.net, &args.against_net];
    let sizes = [args.against_hash, args.kib, args.against_kib];
    let equal =
        changed.into_iter().all(Option::is_none) && sizes.into_iter().all(|it| it.is_none());
    let params = args.change.params()?;
    let team = args.team.unwrap_or_default();
    if params == Params::default() && team == Teamwork::default() && equal {
        return Err("the sides are equal: use --set or --team with other values than the \
                    defaults, --net, --kib, --engine, --against, --against-net, --against-hash \
                    or --against-kib"
            .into());
    }
    let mut first = side(args.engine.as_deref(), args.net.as_deref())?;
    first.params = params;
    first.team = team;
    first.options.extend_from_slice(&args.option);
    let mut second = side(args.against.as_deref(), args.against_net.as_deref())?;
    second.options.extend_from_slice(&args.against_option);
    second.mebibytes = args.against_hash.map(|mebibytes| mebibytes as usize);
    first.kibibytes = args.kib.map(|kibibytes| kibibytes as usize);
    second.kibibytes = args.against_kib.map(|kibibytes| kibibytes as usize);
    for side in [&mut first, &mut second] {
        side.threads = args.threads as usize;
    }
    let rules = Rules { sprt: args.sprt, ..args.play.rules() };
    let openings = args.play.openings()?;
    let pairs = match (args.pairs, openings.len()) {
        (Some(pairs), Some(there)) if there < pairs as usize => {
            return Err(format!("the book has {there} openings, fewer than {pairs}").into());
        }
        (Some(pairs), _) => pairs as usize,
        (None, there) => {
            let default = if args.sprt.is_some() { 100_000 } else { 500 };
            there.map_or(default, |there| there.min(default))
        }
    };
    let bar = Progress::new("pairs of games")?;
    bar.begin("pairs of games", pairs as u64);
    let meter = Meter::start();
    let score = duel::run([&first, &second], rules, &openings, 0..pairs, &bar)?;
    bar.clear();
    for line in report(&score, args.sprt, &args.play.budget()) {
        bar.line(line);
    }
    let on_time = matches!(rules.budget, Budget::Clock { .. }) && !args.play.node_clock;
    if let Some(Usage { busy, steal }) = meter.usage().filter(|_| on_time) {
        let [busy, steal] = [busy, steal].map(|share| 100.0 * share);
        bar.line(format!("processors {busy:.0} % busy, {steal:.1} % withheld by the host"));
    }
    Ok(())
}

fn side(binary: Option<&Path>, net: Option<&Path>) -> Result<Side, Box<dyn std::error::Error>> {
    let mut side = Side { binary: binary.map(Path::to_owned), ..Side::default() };
    match net {
        Some(net) if binary.is_some() => {
            side.options.push(("EvalFile".to_owned(), net.display().to_string()));
        }
        Some(net) => {
            let at = |error: &dyn std::fmt::Display| format!("{}: {error}", net.display());
            // No more is read than a net has: some files have no end.
            let mut bytes = Vec::new();
            let file = File::open(net).map_err(|error| at(&error))?;
            file.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes).map_err(|error| at(&error))?;
            side.network = Some(Arc::new(Network::from_bytes(&bytes).map_err(|error| at(&error))?));
        }
        None => {}
    }
    Ok(side)
}

/// Reads `NAME=VALUE`; a name may contain spaces.
fn uci_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// The result in lines that can be quoted.
pub(super) fn report(score: &Score, sprt: Option<Sprt>, budget: &str) -> Vec<String> {
    let pairs = &score.pairs;
    if pairs.count() == 0 {
        return vec!["no pair of games was finished".to_owned()];
    }
    let [won, drawn, lost] = score.games;
    let mut lines = vec![format!(
        "{} games, {budget}: +{won} ={drawn} -{lost}, pairs by half points {:?}",
        won + drawn + lost,
        pairs.pairs,
    )];
    if let Some(elo) = pairs.elo_text() {
        let superiority = 100.0 * pairs.superiority();
        lines.push(format!("{elo}, {superiority:.1} % likely stronger"));
    }
    if let Some(sprt) = sprt {
        let verdict = match score.verdict(Some(sprt)) {
            Some(Verdict::Passed) => "passed",
            Some(Verdict::Failed) => "failed",
            None => "no verdict yet",
        };
        let (llr, bound) = (sprt.llr(pairs), Sprt::bound());
        lines.push(format!("SPRT {sprt}: LLR {llr:+.2} of ±{bound:.2}, {verdict}"));
    }
    let [ours, theirs] = &score.forfeits;
    for (forfeits, who) in [(ours, "the first side"), (theirs, "the opponent")] {
        for Forfeit { left, took, .. } in forfeits {
            let [left, took] = [left, took].map(Duration::as_millis);
            lines.push(format!(
                "lost on time by {who}: the move took {took} ms, {left} ms were left"
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use megatherium_board::Color;

    use super::*;

    #[test]
    fn games_lost_on_time_are_explained() {
        let forfeit = |left| Forfeit {
            side: Color::White,
            left: Duration::from_millis(left),
            took: Duration::from_millis(300),
        };
        let mut score =
            Score { forfeits: [vec![forfeit(120)], vec![forfeit(7)]], ..Score::default() };
        score.pairs.pairs[2] = 1;
        let lines = report(&score, None, "1+0.01 s");
        assert_eq!(
            lines[lines.len() - 2..],
            [
                "lost on time by the first side: the move took 300 ms, 120 ms were left",
                "lost on time by the opponent: the move took 300 ms, 7 ms were left",
            ]
        );
    }
}
