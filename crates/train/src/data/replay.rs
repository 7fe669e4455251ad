//! Replays a game, and flags positions that may not suit training.

use super::{Ending, Game, NO_SCORE};
use megatherium_board::{Board, Move};
use std::collections::HashSet;

/// Reasons why a position may not suit training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// No search chose the move played here: a random opening.
    pub random: bool,
    /// The side to move is in check: the position is not quiet.
    pub in_check: bool,
    /// The move played is a capture or a promotion: the position is not quiet.
    pub noisy: bool,
    /// The position occurred earlier in the game.
    pub repeated: bool,
}

/// A position of a game.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The position.
    pub board: Board,
    /// The move played.
    pub mv: Move,
    /// The search's score from the mover's view, or [`NO_SCORE`].
    pub score: i16,
    /// The game's result from the mover's view: 0, ½ or 1, doubled.
    pub doubled_result: u8,
    /// A node of a search tree: the result says which bound the score is.
    pub tree: bool,
    /// Reasons against training on it.
    pub flags: Flags,
}

/// Which positions to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Drop positions with the side to move in check.
    pub in_check: bool,
    /// Drop positions in which the move played is noisy.
    pub noisy: bool,
    /// Drop positions that occurred earlier in the game.
    pub repeated: bool,
    /// Drop positions with a larger score, for either side: they are decided.
    pub max_score: i16,
    /// Drop positions with a larger halfmove clock.
    pub max_halfmove_clock: u32,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            in_check: true,
            noisy: true,
            repeated: true,
            max_score: 2000,
            max_halfmove_clock: 90,
        }
    }
}

impl Filter {
    /// Keeps every position that has a score.
    pub const NONE: Filter = Filter {
        in_check: false,
        noisy: false,
        repeated: false,
        max_score: i16::MAX,
        max_halfmove_clock: u32::MAX,
    };

    /// Whether to keep a position. One without a score is never kept: there is nothing to learn
    /// from it.
    pub fn keeps(&self, position: &Position) -> bool {
        let Flags { random, in_check, noisy, repeated } = position.flags;
        !(random
            || self.in_check && in_check
            || self.noisy && noisy
            || self.repeated && repeated
            || position.score.unsigned_abs() > self.max_score.unsigned_abs()
            || position.board.halfmove_clock() > self.max_halfmove_clock)
    }
}

/// An iterator over the positions of a game.
///
/// It ends early at an illegal move, which only a faulty writer produces: see
/// [`Replay::illegal`].
pub struct Replay<'a> {
    game: &'a Game,
    board: Option<Board>,
    next: usize,
    seen: HashSet<u64>,
    illegal: bool,
}

impl Game {
    /// Replays the game.
    pub fn replay(&self) -> Replay<'_> {
        let board = self.start.unpack();
        Replay { game: self, board, next: 0, seen: HashSet::new(), illegal: board.is_none() }
    }
}

impl Replay<'_> {
    /// Whether the replay met an impossible start or an illegal move.
    pub fn illegal(&self) -> bool {
        self.illegal
    }
}

impl Iterator for Replay<'_> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let board = self.board?;
        let ply = *self.game.plies.get(self.next)?;
        if !board.is_legal(ply.mv) {
            self.board = None;
            self.illegal = true;
            return None;
        }
        self.next += 1;
        self.board = Some(board.after(ply.mv));
        Some(Position {
            board,
            mv: ply.mv,
            score: ply.score,
            doubled_result: self.game.outcome.half_points(board.side_to_move()) as u8,
            tree: self.game.ending == Ending::Tree,
            flags: Flags {
                random: ply.score == NO_SCORE,
                in_check: board.in_check(),
                noisy: board.is_noisy(ply.mv),
                repeated: !self.seen.insert(board.key()),
            },
        })
    }
}
