//! The best lines of positions, in a table for people.

use std::fmt::Write as _;
use std::sync::Arc;

use megatherium_cli::JobResult;
use megatherium_cli::positions::{NamedPosition, read_all};
use megatherium_cli::progress::Progress;
use megatherium_cli::search::{line_in_san, score_for_people, search};
use megatherium_search::Info;

use super::AnalyseArgs;

pub(super) fn run(args: &AnalyseArgs) -> JobResult {
    let positions = read_all(&args.positions)?;
    let mut engine = args.search.engine()?;
    engine.options.multi_pv = args.multipv as usize;
    let bar = Arc::new(Progress::new("positions")?);
    bar.begin("positions", positions.len() as u64);
    for position in &positions {
        let shared = Arc::clone(&bar);
        let each = move |info: &Info| shared.step(0, &summary(info));
        let limits = args.search.limits();
        let (lines, _) = search(&mut engine, position.epd.board, limits, bar.stop(), each);
        let mut shown: Vec<_> = lines
            .iter()
            .enumerate()
            .filter(|(index, line)| args.all_depths || is_last(&lines[*index..], line))
            .map(|(_, line)| line)
            .collect();
        if !args.all_depths {
            shown.sort_by_key(|line| line.multipv);
        }
        bar.step(1, "");
        bar.line(table(position, &shown));
        if bar.stopped() {
            break;
        }
    }
    bar.clear();
    Ok(())
}

/// Whether no later line of the same rank follows; `lines` begins with `line`.
pub(super) fn is_last(lines: &[Info], line: &Info) -> bool {
    !lines.iter().skip(1).any(|later| later.multipv == line.multipv)
}

/// The position and its lines, or how the game has ended.
fn table(position: &NamedPosition, lines: &[&Info]) -> String {
    let board = &position.epd.board;
    let mut text = format!("{}: {}\n", position.name, board.fen());
    if board.has_legal_move() {
        let [depth, score, nodes, time] = ["depth", "score", "nodes", "time"];
        let _ = writeln!(text, "{depth:>7} {score:>8} {nodes:>14} {time:>9}  line");
        for line in lines {
            text += &row(position, line);
            text.push('\n');
        }
    } else {
        text += if board.in_check() { "checkmate\n" } else { "stalemate\n" };
    }
    text
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
