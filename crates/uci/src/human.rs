//! Answers for people at a terminal.

use std::fmt::Write as _;

use megatherium_board::{Board, Piece, Square};
use megatherium_nnue::{Explanation, Network};
use megatherium_search::{Engine, Root, wdl};
use megatherium_tt::{Counters, Placement};

use crate::command::COMMANDS;
use crate::format::{self, Style};

/// Writes the position: diagram, FEN, keys, checkers and legal moves.
pub fn write_position(out: &mut String, root: &Root, style: Style) {
    let board = &root.board;
    let _ = writeln!(out, "{board}");
    let _ = writeln!(out, "Pawn key: {:016x}", board.pawn_key());
    out.push_str("Checkers:");
    for square in board.checkers() {
        let _ = write!(out, " {square}");
    }
    let _ = writeln!(out, "\nOccurred before: {} times", root.history.count(board));
    let moves = board.legal_moves();
    let _ = write!(out, "Legal moves: {}", moves.len());
    for (index, &mv) in moves.iter().enumerate() {
        let _ = write!(
            out,
            "{}{}",
            if index % 12 == 0 { "\n  " } else { " " },
            board.uci(mv, style.chess960)
        );
    }
    out.push('\n');
}

/// Writes the evaluation and the contribution of each piece, in pawns from White's point of view.
pub fn write_evaluation(out: &mut String, board: &Board, network: &Network) {
    let explanation = network.explain(board);
    for rank in (0..8).rev() {
        write_rank(out, board, &explanation, rank);
    }
    let _ = writeln!(out, "  {RULE}");
    out.push_str("  ");
    for file in 'a'..='h' {
        let _ = write!(out, "    {file}   ");
    }
    out.push_str("\n\nby output head:");
    let sign = if board.side_to_move().is_white() { 1 } else { -1 };
    for (bucket, score) in explanation.buckets.iter().enumerate() {
        let mark = if bucket == explanation.bucket { "*" } else { "" };
        let _ = write!(out, " {}{mark}", pawns(sign * score));
    }
    let _ =
        writeln!(out, "\nstatic evaluation: {} pawns for White", pawns(explanation.white_score));
    let _ = write!(out, "for the side to move: {} cp,", explanation.score);
    format::wdl(out, wdl::wdl(explanation.score, board));
    out.push('\n');
}

const RULE: &str = "+-------+-------+-------+-------+-------+-------+-------+-------+";

/// One rank: a line of pieces above a line of their values.
fn write_rank(out: &mut String, board: &Board, explanation: &Explanation, rank: u8) {
    let _ = writeln!(out, "  {RULE}");
    let _ = write!(out, "{} |", rank + 1);
    for file in 0..8 {
        let letter = board.piece_on(Square::new(file, rank)).map_or(' ', Piece::letter);
        let _ = write!(out, "   {letter}   |");
    }
    out.push_str("\n  |");
    for file in 0..8 {
        let value = explanation.pieces.get(Square::new(file, rank).index()).copied().flatten();
        let _ = write!(out, "{:^7}|", value.map(pawns).unwrap_or_default());
    }
    out.push('\n');
}

/// The position with colours reversed: White's moves become Black's.
pub fn flipped(board: &Board) -> Board {
    let fen = board.shredder_fen();
    let mut fields = fen.split(' ');
    let mut next = || fields.next().unwrap_or("-").to_owned();
    let swapped = |text: &str| -> String {
        let swap = |letter: char| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        };
        text.chars().map(swap).collect()
    };
    let ranks: Vec<String> = next().split('/').rev().map(swapped).collect();
    let side = if next() == "w" { "b" } else { "w" };
    let castling = swapped(&next());
    let en_passant = next().replace('3', "?").replace('6', "3").replace('?', "6");
    let (clock, number) = (next(), next());
    let fen = format!("{} {side} {castling} {en_passant} {clock} {number}", ranks.join("/"));
    // The mirror image of a legal position is legal.
    Board::from_fen(&fen).unwrap_or(*board)
}

/// Centipawns as pawns with a sign.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}

/// Writes size and fill of the transposition table, and its statistics for the last search.
pub fn write_table(out: &mut String, engine: &Engine) {
    let table = engine.table();
    let stats = engine.table_stats();
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / (whole.max(1)) as f64;
    let pages = table.huge_pages();
    let pages = match pages.resident {
        Some(0) => "not used yet".to_owned(),
        _ => pages.to_string(),
    };
    let (mebibytes, entries) = (table.mebibytes(), table.capacity());
    let _ = writeln!(out, "size: {mebibytes} MiB, {entries} entries, {pages}");
    let _ = writeln!(
        out,
        "written or used in the last search: {:.1} %",
        f64::from(table.hashfull()) / 10.0
    );
    out.push_str("last search, all threads:\n");
    let Counters { probes, hits, refreshes, stores } = stats.table;
    let stored = stores.iter().sum();
    let mut rows = vec![
        ("probes", probes, probes, "probes"),
        ("hits", hits, probes, "probes"),
        ("  from old searches", refreshes, hits, "hits"),
        ("cutoffs", stats.cutoffs, hits, "hits"),
        ("move hints", stats.move_hints, hits, "hits"),
        (
            "evaluations reused",
            stats.evals_reused,
            stats.evals_reused + stats.net.evaluations,
            "evaluations needed",
        ),
        ("stores", stored, probes, "probes"),
    ];
    rows.extend(Placement::ALL.map(|placement| {
        let name = match placement {
            Placement::Updated => "  same position",
            Placement::Kept => "  known better",
            Placement::Filled => "  empty slot",
            Placement::Healed => "  torn slot",
            Placement::ReplacedOld => "  replaced an old one",
            Placement::ReplacedCurrent => "  replaced a new one",
            Placement::Declined => "  rejected",
        };
        (name, stats.table.placed(placement), stored, "stores")
    }));
    for (name, count, of, what) in rows {
        let _ = writeln!(out, "  {name:<22} {count:>14}  {:>5.1} % of {what}", percent(count, of));
    }
    out.push_str("fill by age, newest search first:");
    let fill = table.fill_by_age();
    let oldest = fill.iter().rposition(|&permille| permille > 0).unwrap_or(0);
    for permille in &fill[..=oldest] {
        let _ = write!(out, " {:.1} %", f64::from(*permille) / 10.0);
    }
    out.push('\n');
}

/// The list of commands.
pub fn write_help(out: &mut String) {
    for entry in COMMANDS {
        let _ = writeln!(out, "{:<40} {}", entry.usage, entry.meaning);
    }
    out.push_str("\nThe manual is docs/uci.md. On the command line, see: megatherium --help\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_for_people() {
        let mut root = Root::new(Board::startpos());
        let mut out = String::new();
        write_position(&mut out, &root, Style::default());
        assert!(
            out.contains("FEN: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"),
            "{out}"
        );
        assert!(out.contains("Legal moves: 20\n"), "{out}");
        for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
            let mv = root.board.parse_uci(mv).unwrap();
            root.play(mv);
        }
        out.clear();
        write_position(&mut out, &root, Style::default());
        assert!(out.contains("Checkers: h4\n"), "{out}");
        assert!(out.ends_with("Legal moves: 0\n"), "{out}");
    }

    #[test]
    fn a_flipped_position_has_the_same_moves_and_value() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mirror = flipped(&board);
            assert_ne!(mirror, board);
            assert_eq!(flipped(&mirror), board);
            assert_eq!(mirror.legal_moves().len(), board.legal_moves().len(), "{fen}");
            let network = Network::embedded();
            assert_eq!(network.explain(&mirror).score, network.explain(&board).score, "{fen}");
        }
    }

    #[test]
    fn an_evaluation_for_people() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1").unwrap();
        let mut out = String::new();
        write_evaluation(&mut out, &board, &Network::embedded());
        assert!(out.contains("static evaluation: +"), "a queen up is good for White:\n{out}");
        assert!(out.contains("for the side to move: -"), "{out}");
        assert_eq!(out.lines().filter(|line| line.contains(RULE)).count(), 9);
    }
}
