//! Formats `info` and `bestmove` lines. Nothing else does.
//!
//! The caller passes a buffer that it reuses, so a long search does not allocate here.

use std::fmt::Write as _;

use megatherium_board::{Board, Move};
use megatherium_search::score::{Score, moves_to_mate};
use megatherium_search::{Info, Outcome, ScoreBound};

/// Output format, as chosen by UCI options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Write castling as king takes rook in every position.
    pub chess960: bool,
    /// Add win, draw and loss probabilities to every score.
    pub show_wdl: bool,
}

/// Writes a line of analysis, `info depth … pv …`.
pub fn info(out: &mut String, info: &Info, root: &Board, style: Style) {
    let _ = write!(
        out,
        "info depth {} seldepth {} multipv {} score ",
        info.depth, info.seldepth, info.multipv
    );
    score(out, shown(info, root));
    out.push_str(match info.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    });
    if style.show_wdl {
        wdl(out, info.wdl);
    }
    let _ = write!(
        out,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        info.nodes,
        info.nps(),
        info.hashfull,
        info.tb_hits,
        info.time.as_millis()
    );
    if !info.pv.is_empty() {
        out.push_str(" pv");
        for &mv in &info.pv {
            out.push(' ');
            push_move(out, root, mv, style);
        }
    }
    out.push('\n');
}

/// The search scores a draw as 1 or −1, so that it does not shuffle. A line that ends where nobody
/// can mate is shown as what it is.
fn shown(info: &Info, root: &Board) -> Score {
    if info.score.abs() != 1 {
        return info.score;
    }
    let mut board = *root;
    for &mv in &info.pv {
        if !board.is_legal(mv) {
            return info.score;
        }
        board.make(mv);
    }
    if board.is_insufficient_material() { 0 } else { info.score }
}

/// Writes the score of a search that ended without a principal variation, for example because there
/// is no legal move.
pub fn bare_score(out: &mut String, outcome: &Outcome, style: Style) {
    let _ = write!(out, "info depth {} score ", outcome.depth);
    score(out, outcome.score);
    if style.show_wdl {
        wdl(out, outcome.wdl);
    }
    let _ = writeln!(out, " nodes {} time {}", outcome.nodes, outcome.time.as_millis());
}

/// Writes which root move is being searched.
pub fn current_move(
    out: &mut String,
    depth: u32,
    mv: Move,
    number: usize,
    root: &Board,
    style: Style,
) {
    let _ = write!(out, "info depth {depth} currmove ");
    push_move(out, root, mv, style);
    let _ = writeln!(out, " currmovenumber {number}");
}

/// Writes the answer, `bestmove … ponder …`.
pub fn best_move(out: &mut String, outcome: &Outcome, root: &Board, style: Style) {
    out.push_str("bestmove ");
    match outcome.best {
        Some(mv) => push_move(out, root, mv, style),
        None => out.push_str("(none)"),
    }
    if let (Some(_), Some(reply)) = (outcome.best, outcome.ponder) {
        out.push_str(" ponder ");
        push_move(out, root, reply, style);
    }
    out.push('\n');
}

/// Writes `cp N` or `mate N`.
pub fn score(out: &mut String, score: Score) {
    let _ = match moves_to_mate(score) {
        Some(moves) => write!(out, "mate {moves}"),
        None => write!(out, "cp {score}"),
    };
}

/// Writes ` wdl W D L`, the only place that does.
pub fn wdl(out: &mut String, [win, draw, loss]: [u16; 3]) {
    let _ = write!(out, " wdl {win} {draw} {loss}");
}

/// The notation depends on the move alone, so the root's board formats the whole line.
fn push_move(out: &mut String, root: &Board, mv: Move, style: Style) {
    let _ = write!(out, "{}", root.uci(mv, style.chess960));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use megatherium_search::score::{mate_in, mated_in};

    use super::*;

    fn castling_board() -> Board {
        Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap()
    }

    fn example(board: &Board) -> Info {
        let castle = board.parse_uci("e1g1").unwrap();
        let reply = board.after(castle).parse_uci("e8c8").unwrap();
        Info {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            score: 35,
            bound: ScoreBound::Exact,
            wdl: [400, 500, 100],
            nodes: 5000,
            time: Duration::from_millis(10),
            hashfull: 7,
            tb_hits: 2,
            pv: vec![castle, reply],
        }
    }

    fn text(info_line: &Info, board: &Board, style: Style) -> String {
        let mut out = String::new();
        info(&mut out, info_line, board, style);
        out
    }

    #[test]
    fn a_full_line() {
        let board = castling_board();
        let mut line = example(&board);
        assert_eq!(
            text(&line, &board, Style::default()),
            "info depth 12 seldepth 20 multipv 1 score cp 35 nodes 5000 nps 500000 hashfull 7 tbhits 2 time 10 \
             pv e1g1 e8c8\n"
        );
        let style = Style { chess960: true, show_wdl: true };
        line.bound = ScoreBound::Lower;
        assert_eq!(
            text(&line, &board, style),
            "info depth 12 seldepth 20 multipv 1 score cp 35 lowerbound wdl 400 500 100 nodes 5000 nps 500000 \
             hashfull 7 tbhits 2 time 10 pv e1h1 e8a8\n"
        );
        line.pv.clear();
        line.bound = ScoreBound::Upper;
        assert!(text(&line, &board, style).contains("cp 35 upperbound wdl"));
        assert!(text(&line, &board, style).ends_with("time 10\n"));
    }

    /// A knight alone cannot mate.
    #[test]
    fn dead_positions_are_draws() {
        let dead = Board::from_fen("k7/8/8/8/8/NK6/8/8 w - - 0 1").unwrap();
        let line = |score, board: &Board, pv| {
            text(&Info { score, pv, ..example(&castling_board()) }, board, Style::default())
        };
        let knight = dead.parse_uci("a3c4").unwrap();
        assert!(line(1, &dead, vec![knight]).contains(" score cp 0 "));
        assert!(line(-1, &dead, Vec::new()).contains(" score cp 0 "));
        let rooks = castling_board();
        let king = rooks.parse_uci("e1e2").unwrap();
        assert!(line(1, &rooks, vec![king]).contains(" score cp 1 "));
    }

    #[test]
    fn mates() {
        let mate = |score_of_it| {
            let mut out = String::new();
            score(&mut out, score_of_it);
            out
        };
        assert_eq!(mate(mate_in(1)), "mate 1");
        assert_eq!(mate(mate_in(5)), "mate 3");
        assert_eq!(mate(mated_in(4)), "mate -2");
        assert_eq!(mate(mated_in(0)), "mate 0");
        assert_eq!(mate(-250), "cp -250");
    }

    #[test]
    fn answers() {
        let board = castling_board();
        let pv = example(&board).pv;
        let mut outcome = Outcome {
            best: Some(pv[0]),
            ponder: Some(pv[1]),
            score: 0,
            wdl: [0, 1000, 0],
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        };
        let answer = |outcome: &Outcome, style| {
            let mut out = String::new();
            best_move(&mut out, outcome, &board, style);
            out
        };
        let chess960 = Style { chess960: true, ..Style::default() };
        assert_eq!(answer(&outcome, Style::default()), "bestmove e1g1 ponder e8c8\n");
        assert_eq!(answer(&outcome, chess960), "bestmove e1h1 ponder e8a8\n");
        outcome.ponder = None;
        assert_eq!(answer(&outcome, Style::default()), "bestmove e1g1\n");
        outcome.best = None;
        assert_eq!(answer(&outcome, Style::default()), "bestmove (none)\n");
        let mut out = String::new();
        bare_score(&mut out, &outcome, Style { show_wdl: true, ..Style::default() });
        assert_eq!(out, "info depth 0 score cp 0 wdl 0 1000 0 nodes 0 time 0\n");
    }
}
