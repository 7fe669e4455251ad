//! The rules of chess as two libraries see them that share nothing with our board.

use std::str::FromStr as _;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use fastrand::Rng;

/// A position, in the eyes of `cozy-chess` and, in standard chess, of `chess`.
#[derive(Clone, Debug)]
pub struct Oracle {
    cozy: cozy_chess::Board,
    chess: Option<chess::Board>,
    chess960: bool,
}

impl Oracle {
    /// Reads a position; `None` if the libraries do not take it.
    pub fn new(fen: &str, chess960: bool) -> Option<Oracle> {
        let cozy = cozy_chess::Board::from_fen(fen, chess960).ok()?;
        let chess = if chess960 { None } else { Some(chess::Board::from_str(fen).ok()?) };
        Some(Oracle { cozy, chess, chess960 })
    }

    /// A starting position of Chess960, by its number.
    pub fn chess960(number: u32) -> Oracle {
        let cozy = cozy_chess::Board::chess960_startpos(number % 960);
        Oracle { cozy, chess: None, chess960: true }
    }

    /// The position as FEN; in Chess960 as Shredder-FEN.
    pub fn fen(&self) -> String {
        if self.chess960 { format!("{:#}", self.cozy) } else { self.cozy.to_string() }
    }

    /// Plays a move in UCI notation, if both libraries find it legal.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        let fen = self.fen();
        let illegal = |who: &str| format!("{text} is illegal in {fen} ({who})");
        let mv =
            if self.chess960 { text.parse().ok() } else { parse_uci_move(&self.cozy, text).ok() }
                .filter(|mv| self.cozy.is_legal(*mv))
                .ok_or_else(|| illegal("cozy-chess"))?;
        if let Some(board) = &mut self.chess {
            let other = chess::ChessMove::from_str(text).map_err(|_| illegal("chess"))?;
            if !board.legal(other) {
                return Err(illegal("chess"));
            }
            *board = board.make_move_new(other);
        }
        self.cozy.play_unchecked(mv);
        Ok(())
    }

    /// The legal moves in UCI notation.
    pub fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.cozy.generate_moves(|group| {
            moves.extend(group.into_iter().map(|mv| {
                if self.chess960 {
                    mv.to_string()
                } else {
                    display_uci_move(&self.cozy, mv).to_string()
                }
            }));
            false
        });
        moves
    }

    /// Plays up to `count` random moves and names them, each after a space.
    pub fn wander(&mut self, count: usize, rng: &mut Rng) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let Some(mv) = rng.choice(self.moves()) else { break };
            if self.play(&mv).is_err() {
                break;
            }
            text = text + " " + &mv;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_judge() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut oracle = Oracle::new(start, false).unwrap();
        assert_eq!(oracle.moves().len(), 20);
        assert!(oracle.play("e2e5").is_err());
        for mv in "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1".split(' ') {
            assert_eq!(oracle.play(mv), Ok(()));
        }
        assert!(
            oracle.fen().starts_with("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b")
        );
        assert!(Oracle::new("8/8/8/8/8/8/8/8 w - - 0 1", false).is_none());
        let mut oracle = Oracle::chess960(518);
        assert_eq!(oracle.wander(10, &mut Rng::with_seed(1)).split(' ').count(), 11);
    }
}
