//! Games in, annotated games out: the score and the best line of every move, faults marked.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;

use megatherium_board::pgn::{self, Game};
use megatherium_board::referee::Ending;
use megatherium_board::{Board, Move};
use megatherium_cli::progress::Progress;
use megatherium_cli::search::{follow, line_in_san};
use megatherium_cli::{JobResult, build};
use megatherium_search::score::{Score, mated_in, moves_to_mate};
use megatherium_search::{Engine, Info, Root};

use super::AnalyseArgs;
use super::judge::Mark;

/// Longest best line that is written, in plies.
const LINE: usize = 10;
/// Columns of the movetext.
const WIDTH: usize = 80;

/// What is known about a position of a game.
struct Verdict {
    /// For the side to move.
    score: Score,
    depth: u32,
    line: Vec<Move>,
}

pub(super) fn run(args: &AnalyseArgs) -> JobResult {
    let mut games = Vec::new();
    for path in args.positions.iter().map(Path::new) {
        let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| at(&error))?;
        for game in pgn::read(BufReader::new(file)) {
            games.push(game.map_err(|error| at(&error))?);
        }
    }
    let mut out = match &args.out {
        Some(path) => {
            let file = File::create_new(path);
            Some(file.map_err(|error| format!("{}: {error}", path.display()))?)
        }
        None => None,
    };
    let mut engine = args.search.engine()?;
    let bar = Arc::new(Progress::new("positions")?);
    bar.begin("positions", games.iter().map(|game| game.plies.len() as u64 + 1).sum());
    let (mut done, mut faults) = (0, [0; 3]);
    // Moves of a game that was interrupted.
    let mut more = 0;
    for game in &games {
        let verdicts = analyse(game, args, &mut engine, &bar);
        let complete = verdicts.len() > game.plies.len();
        if !complete {
            // A move is judged by the positions before and after it.
            more = verdicts.len().saturating_sub(1);
            if more == 0 {
                break;
            }
        }
        let (text, marks) = annotated(game, &verdicts);
        for mark in marks {
            faults[mark as usize] += 1;
        }
        // A game at a time: what is done stays if the rest is interrupted.
        match &mut out {
            Some(file) => file.write_all(text.as_bytes())?,
            None => bar.line(text.trim_end_matches('\n').to_owned() + "\n"),
        }
        if !complete {
            break;
        }
        done += 1;
    }
    bar.clear();
    if let Some(path) = &args.out {
        let [inaccuracies, mistakes, blunders] = faults;
        bar.line(format_args!(
            "{}: games {done}, blunders {blunders}, mistakes {mistakes}, inaccuracies {inaccuracies}",
            path.display()
        ));
    }
    if done < games.len() {
        let more = match more {
            0 => String::new(),
            1 => " and 1 move".to_owned(),
            more => format!(" and {more} moves"),
        };
        return Err(format!("stopped after {done} of {} games{more}", games.len()).into());
    }
    Ok(())
}

/// Searches every position of a game, the last one too; fewer if that was interrupted.
fn analyse(
    game: &Game,
    args: &AnalyseArgs,
    engine: &mut Engine,
    bar: &Arc<Progress>,
) -> Vec<Verdict> {
    engine.new_game();
    let mut root = Root::new(game.start);
    let mut verdicts = Vec::with_capacity(game.plies.len() + 1);
    for number in 0..=game.plies.len() {
        let verdict = match Ending::of(&root.board, &root.history) {
            Some(Ending::Mate) => Verdict { score: mated_in(0), depth: 0, line: Vec::new() },
            Some(_) => Verdict { score: 0, depth: 0, line: Vec::new() },
            None => {
                let shared = Arc::clone(bar);
                let each = move |info: &Info| {
                    shared.step(0, &format!("depth {}", info.depth));
                };
                let limits = args.search.limits();
                let (lines, outcome) = follow(engine, root.clone(), limits, bar.stop(), each);
                if bar.stopped() {
                    break;
                }
                let line = lines.last().map(|line| line.pv.clone()).unwrap_or_default();
                let elected = line.first() == outcome.best.as_ref();
                let line = if elected { line } else { outcome.best.into_iter().collect() };
                Verdict { score: outcome.score, depth: outcome.depth, line }
            }
        };
        bar.step(1, "");
        verdicts.push(verdict);
        if let Some(ply) = game.plies.get(number) {
            root.play(ply.mv);
        }
    }
    verdicts
}

/// The game as PGN, and the faults in it. Moves after the last verdict stand as they were.
fn annotated(game: &Game, verdicts: &[Verdict]) -> (String, Vec<Mark>) {
    let mut text = String::new();
    let ours = |name: &str| matches!(name, "Annotator" | "Result");
    let kept = game.tags.iter().filter(|(name, _)| !ours(name));
    let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
    let new = [("Result", game.result()), ("Annotator", build::NAME)];
    for (name, value) in kept.chain(new) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let mut movetext = Movetext::default();
    let mut board = game.start;
    let mut marks = Vec::new();
    for (number, ply) in game.plies.iter().enumerate() {
        let next = board.after(ply.mv);
        let Some([before, after]) = verdicts.get(number..number + 2) else {
            movetext.play(&board, ply.mv);
            movetext.comment(&ply.comment);
            board = next;
            continue;
        };
        let best = before.line.first() == Some(&ply.mv);
        let mark = Mark::of((before.score, &board), (-after.score, &next)).filter(|_| !best);
        movetext.play(&board, ply.mv);
        if let Some(mark) = mark {
            movetext.push(mark.glyph());
            marks.push(mark);
        }
        let continuation = before.line.get(1..).filter(|line| best && !line.is_empty());
        let parts = [
            eval(after, &next),
            mark.map(|mark| mark.name().to_owned()),
            continuation.map(|line| numbered(&next, line)),
        ];
        movetext.comment(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
        movetext.comment(&ply.comment);
        if !best && !before.line.is_empty() {
            let score = for_white(before.score, &board);
            let line = numbered(&board, &before.line);
            movetext.push_all(&format!("({line} {{{score}}})"));
        }
        board = next;
    }
    movetext.push(game.result());
    text += &movetext.text;
    text += "\n\n";
    (text, marks)
}

/// The score after a move as GUIs read it, with the depth. A mate on the board needs none.
fn eval(verdict: &Verdict, board: &Board) -> Option<String> {
    let mated = verdict.score == mated_in(0);
    (!mated).then(|| format!("[%eval {},{}]", for_white(verdict.score, board), verdict.depth))
}

/// A score of the side to move from White's view: pawns, or `#` and the moves to mate.
fn for_white(score: Score, board: &Board) -> String {
    let sign = if board.side_to_move().is_white() { 1 } else { -1 };
    match moves_to_mate(score) {
        Some(moves) => format!("#{}", sign * moves),
        None => format!("{:.2}", f64::from(sign * score) / 100.0),
    }
}

/// The start of a line with move numbers, `12. Nf3 d5` or `12... d5 13. O-O`.
fn numbered(board: &Board, moves: &[Move]) -> String {
    line_in_san(board, &moves[..moves.len().min(LINE)]).replace('…', "...")
}

/// Words in lines of bounded width.
struct Movetext {
    text: String,
    column: usize,
    /// Whether the next move needs its number even if Black plays it.
    interrupted: bool,
}

impl Default for Movetext {
    fn default() -> Self {
        Movetext { text: String::new(), column: 0, interrupted: true }
    }
}

impl Movetext {
    fn push(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let fits = self.column + length < WIDTH;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text += word;
        self.column += length;
    }

    fn push_all(&mut self, words: &str) {
        for word in words.split_ascii_whitespace() {
            self.push(word);
        }
        self.interrupted = true;
    }

    /// A comment, if there is any; a brace in it would end it early.
    fn comment(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.push_all(&format!("{{{}}}", text.replace('}', ")")));
    }

    fn play(&mut self, board: &Board, mv: Move) {
        let number = board.fullmove_number();
        if board.side_to_move().is_white() {
            self.push(&format!("{number}."));
        } else if self.interrupted {
            self.push(&format!("{number}..."));
        }
        self.push(&board.san(mv));
        self.interrupted = false;
    }
}
