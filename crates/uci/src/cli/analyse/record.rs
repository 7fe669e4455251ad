//! The record of an analysed position: a line of EPD or of JSON.

use std::path::Path;

use megatherium_board::epd::{Epd, Operation};
use megatherium_board::{Board, Move};
use megatherium_search::score::{Score, moves_to_mate};
use megatherium_search::{Info, Outcome};
use serde::Serialize;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// The record that was read, with the standard's `acd`, `acn`, `ce`, `dm`, `pm` and `pv`.
    Epd,
    /// One JSON object a line.
    Json,
}

impl Format {
    /// The format of a file, by the end of its name.
    pub(super) fn of(path: &Path) -> Result<Format, String> {
        let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        match end.as_deref() {
            Some("epd") => Ok(Format::Epd),
            Some("jsonl" | "json" | "ndjson") => Ok(Format::Json),
            _ => Err(format!("{}: the name must end in .epd or .jsonl", path.display())),
        }
    }

    /// The line of a position, with its end. `number` counts the records of the input from 1.
    pub(super) fn write(
        self,
        number: usize,
        epd: &Epd,
        lines: &[&Info],
        outcome: &Outcome,
    ) -> Result<String, serde_json::Error> {
        let mut text = match self {
            Format::Epd => write_epd(epd, lines, outcome).to_string(),
            Format::Json => serde_json::to_string(&json(number, epd, lines, outcome))?,
        };
        text.push('\n');
        Ok(text)
    }

    /// The FEN of the position that a line is about; `None` if it is not a record.
    pub(super) fn fen(self, line: &str) -> Option<String> {
        match self {
            Format::Epd => Some(line.parse::<Epd>().ok()?.board.fen()),
            Format::Json => {
                let value: serde_json::Value = serde_json::from_str(line).ok()?;
                Some(value.get("fen")?.as_str()?.to_owned())
            }
        }
    }
}

/// The best line: that of the search if it begins with the move chosen, else the move alone.
fn best_line<'a>(lines: &[&'a Info], outcome: &'a Outcome) -> &'a [Move] {
    let line =
        lines.iter().find(|line| line.multipv == 1 && line.pv.first() == outcome.best.as_ref());
    line.map_or(outcome.best.as_slice(), |line| &line.pv)
}

fn write_epd(epd: &Epd, lines: &[&Info], outcome: &Outcome) -> Epd {
    let mut epd = epd.clone();
    let line = san(&epd.board, best_line(lines, outcome));
    let mate = moves_to_mate(outcome.score).filter(|&moves| moves > 0);
    let found = [
        ("acd", vec![outcome.depth.to_string()]),
        ("acn", vec![outcome.nodes.to_string()]),
        ("ce", vec![centipawns(outcome.score).to_string()]),
        ("dm", mate.iter().map(i32::to_string).collect()),
        ("pm", line.first().cloned().into_iter().collect()),
        ("pv", line),
    ];
    epd.operations.retain(|operation| found.iter().all(|(opcode, _)| operation.opcode != *opcode));
    let known = found.into_iter().filter(|(_, operands)| !operands.is_empty());
    epd.operations
        .extend(known.map(|(opcode, operands)| Operation { opcode: opcode.to_owned(), operands }));
    epd
}

/// The operand of `ce`: a mate in n plies is 32767 − n.
fn centipawns(score: Score) -> i32 {
    match moves_to_mate(score) {
        Some(moves) if moves > 0 => 32_767 - (2 * moves - 1),
        Some(moves) => -32_767 - 2 * moves,
        None => score,
    }
}

/// The moves in SAN, up to the first that is not legal.
fn san(board: &Board, moves: &[Move]) -> Vec<String> {
    let mut board = *board;
    let mut words = Vec::new();
    for &mv in moves {
        if !board.is_legal(mv) {
            break;
        }
        words.push(board.san(mv));
        board.make(mv);
    }
    words
}

/// A record in JSON. Scores are for the side to move; moves are in UCI notation.
#[derive(Serialize)]
struct Record<'a> {
    n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    fen: String,
    depth: u32,
    nodes: u64,
    best: Option<String>,
    #[serde(flatten)]
    score: Value,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    score: Value,
    /// Win, draw and loss in permille.
    wdl: [u16; 3],
    pv: Vec<String>,
}

/// A score as UCI gives it: `"cp": 35` or `"mate": -3`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Value {
    Cp(Score),
    Mate(i32),
}

impl From<Score> for Value {
    fn from(score: Score) -> Value {
        moves_to_mate(score).map_or(Value::Cp(score), Value::Mate)
    }
}

fn json<'a>(number: usize, epd: &'a Epd, lines: &[&Info], outcome: &Outcome) -> Record<'a> {
    let board = &epd.board;
    let uci = |mv: &Move| board.uci(*mv, false).to_string();
    Record {
        n: number,
        id: epd.id(),
        fen: board.fen(),
        depth: outcome.depth,
        nodes: outcome.nodes,
        best: outcome.best.as_ref().map(uci),
        score: outcome.score.into(),
        lines: lines
            .iter()
            .map(|line| Line {
                score: line.score.into(),
                wdl: line.wdl,
                pv: line.pv.iter().map(uci).collect(),
            })
            .collect(),
    }
}
