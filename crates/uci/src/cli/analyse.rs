//! `megatherium analyse`: the best lines of positions, in a table.

use clap::Args;
use megatherium_search::Info;

use super::JobResult;
use super::positions::{NamedPosition, read_all};
use super::search_args::{SearchArgs, line_in_san, progress_bar, score_for_people, search};
use crate::output::Output;

#[derive(Args, Debug)]
pub(super) struct AnalyseArgs {
    /// Positions: FEN or EPD in quotes, or files with one a line
    #[arg(required = true)]
    positions: Vec<String>,
    #[command(flatten)]
    search: SearchArgs,
    /// Number of best lines
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    multipv: u64,
    /// Show every depth, not only the last
    #[arg(long)]
    all_depths: bool,
}

pub(super) fn run(args: &AnalyseArgs) -> JobResult {
    let positions = read_all(&args.positions)?;
    let mut engine = args.search.engine()?;
    engine.options.multi_pv = args.multipv as usize;
    let output = Output::stdout();
    let bar = progress_bar(positions.len());
    for position in &positions {
        let message = bar.clone();
        let board = position.epd.board;
        let each = move |info: &Info| message.set_message(summary(info));
        let (lines, _) = search(&mut engine, board, args.search.limits(), each);
        let mut shown: Vec<_> = lines
            .iter()
            .enumerate()
            .filter(|(index, line)| args.all_depths || is_last(&lines[*index..], line))
            .map(|(_, line)| line)
            .collect();
        if !args.all_depths {
            shown.sort_by_key(|line| line.multipv);
        }
        let rows: Vec<_> = shown.into_iter().map(|line| row(position, line)).collect();
        bar.inc(1);
        bar.suspend(|| print(&output, position, &rows));
    }
    bar.finish_and_clear();
    Ok(())
}

/// Whether no later line of the same rank follows; `lines` begins with `line`.
fn is_last(lines: &[Info], line: &Info) -> bool {
    !lines.iter().skip(1).any(|later| later.multipv == line.multipv)
}

fn print(output: &Output, position: &NamedPosition, rows: &[String]) {
    let board = &position.epd.board;
    output.line(format_args!("{}: {}", position.name, board.fen()));
    if board.has_legal_move() {
        output.line(format_args!("{:>7} {:>8} {:>14} {:>9}  line", "depth", "score", "nodes", "time"));
        for row in rows {
            output.line(row);
        }
    } else {
        output.line(if board.in_check() { "checkmate" } else { "stalemate" });
    }
    output.line("");
}

fn row(position: &NamedPosition, line: &Info) -> String {
    format!(
        "{:>7} {:>8} {:>14} {:>8.2}s  {}",
        format!("{}/{}", line.depth, line.seldepth),
        score_for_people(line.score),
        line.nodes,
        line.time.as_secs_f64(),
        line_in_san(&position.epd.board, &line.pv)
    )
}

fn summary(info: &Info) -> String {
    format!("depth {} {}", info.depth, score_for_people(info.score))
}
