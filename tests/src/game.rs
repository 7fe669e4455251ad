//! Checks the output of an engine against the rules of chess.

pub use megatherium_board::referee::Ending;
use megatherium_board::{Board, KeyHistory, Move};

use crate::Conversation;
use crate::conversation::{field, pv};

/// Judges everything an engine said about one search of `board`: legal lines, one answer at the
/// end, and that a legal move with a legal move to ponder on. Returns the move, or `None` if the
/// game is over and the engine says so.
pub fn judge(lines: &[String], board: &Board) -> Result<Option<Move>, String> {
    let (answer, infos) = lines.split_last().ok_or("nothing was said")?;
    if let Some(early) = infos.iter().find(|line| line.starts_with("bestmove")) {
        return Err(format!("two answers: {early}, {answer}"));
    }
    for line in infos.iter().filter(|line| line.contains(" pv ")) {
        play(*board, &pv(line)).map_err(|error| format!("{line}: {error}"))?;
    }
    let best = field(answer, "bestmove").ok_or_else(|| format!("no move in {answer}"))?;
    if !board.has_legal_move() && matches!(best, "(none)" | "0000") {
        return Ok(None);
    }
    let after = play(*board, &[best])?;
    if let Some(reply) = field(answer, "ponder") {
        play(after, &[reply]).map_err(|error| format!("ponder: {error}"))?;
    }
    Ok(board.parse_uci(best).ok())
}

/// The engine plays on: a search of the initial position has one legal answer.
pub fn plays_on(engine: &mut Conversation) {
    engine.send("position startpos");
    let lines = engine.go("go depth 3");
    if let Err(error) = judge(&lines, &Board::startpos()) {
        engine.fail(&error);
    }
}

/// The position after some moves.
pub fn play(mut board: Board, moves: &[&str]) -> Result<Board, String> {
    for text in moves {
        let mv =
            board.parse_uci(text).map_err(|error| format!("{text} in {}: {error}", board.fen()))?;
        board.make(mv);
    }
    Ok(board)
}

/// A game in progress.
#[derive(Clone)]
pub struct Game {
    /// The position.
    pub board: Board,
    /// The moves so far, in UCI notation, each after a space.
    pub moves: String,
    /// Number of moves so far.
    pub plies: usize,
    start: String,
    history: KeyHistory,
    chess960: bool,
}

impl Game {
    /// A game from a position.
    pub fn new(start: Board, chess960: bool) -> Game {
        Game {
            board: start,
            moves: String::new(),
            plies: 0,
            start: if chess960 { start.shredder_fen() } else { start.fen() },
            history: KeyHistory::new(),
            chess960,
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.moves.push(' ');
        self.moves += &self.board.uci(mv, self.chess960).to_string();
        self.history.push(self.board.key());
        self.board.make(mv);
        self.plies += 1;
    }

    /// The line that tells an engine of this game, with one more move if it is a guess.
    pub fn position(&self, guess: Option<&str>) -> String {
        let space = if guess.is_some() { " " } else { "" };
        format!(
            "position fen {} moves{}{space}{}",
            self.start,
            self.moves,
            guess.unwrap_or_default()
        )
    }

    /// Whether the game is over, and how.
    pub fn ending(&self) -> Option<Ending> {
        Ending::of(&self.board, &self.history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&str]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn answers_are_judged() {
        let board = Board::startpos();
        let judged = |lines: &[&str]| judge(&said(lines), &board);
        assert!(
            judged(&["info depth 1 pv e2e4 e7e5", "bestmove e2e4 ponder e7e5"])
                .is_ok_and(|mv| mv.is_some())
        );
        assert!(judged(&["bestmove e2e5"]).is_err());
        assert!(judged(&["bestmove e2e4 ponder e2e4"]).is_err());
        assert!(judged(&["bestmove (none)"]).is_err(), "there are moves");
        assert!(judged(&["info depth 1 pv e2e4 e2e4", "bestmove e2e4"]).is_err());
        assert!(judged(&["bestmove e2e4", "bestmove e2e4"]).is_err());
        assert!(judged(&[]).is_err());
    }

    #[test]
    fn games_end() {
        let ending = |fen: &str| Game::new(Board::from_fen(fen).unwrap(), false).ending();
        assert_eq!(ending("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), Some(Ending::Mate));
        assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(Ending::Stalemate));
        assert_eq!(ending("4k3/8/8/8/8/8/4P3/4K3 w - - 100 90"), Some(Ending::FiftyMoves));
        assert_eq!(ending("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Some(Ending::Material));
        let mut game = Game::new(Board::startpos(), false);
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            game.play(game.board.parse_uci(text).unwrap());
            assert_eq!(game.ending(), None, "after {}", game.moves);
        }
        game.play(game.board.parse_uci("f6g8").unwrap());
        assert_eq!(game.ending(), Some(Ending::Repetition));
        assert!(game.position(Some("e2e4")).ends_with(" f6g8 e2e4"));
    }
}
