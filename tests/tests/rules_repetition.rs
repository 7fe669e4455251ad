//! Repetition, upcoming repetition and dead positions, against definitions that use no keys.

mod rules_support;

use megatherium_board::{Board, KeyHistory, Move};
use rules_support::{Rng, any_start, random_move};

/// A game with all its positions.
struct Game {
    boards: Vec<Board>,
    /// What makes each position the one it is.
    names: Vec<String>,
    history: KeyHistory,
}

impl Game {
    fn new(start: Board) -> Self {
        Self { boards: vec![start], names: vec![name(&start)], history: KeyHistory::new() }
    }

    fn last(&self) -> &Board {
        &self.boards[self.boards.len() - 1]
    }

    fn play(&mut self, mv: Move) {
        let mut next = *self.last();
        self.history.push(next.key());
        next.make(mv);
        self.boards.push(next);
        self.names.push(name(&next));
    }

    /// How many plies before the last one the position was there, nearest first.
    fn earlier(&self, board: &Board) -> Vec<usize> {
        let wanted = name(board);
        let names = self.names.iter().rev().enumerate().skip(1);
        names.filter(|(_, other)| **other == wanted).map(|(ago, _)| ago).collect()
    }
}

/// Placement, side to move, rights: all that makes two positions the same.
fn name(board: &Board) -> String {
    let fen = board.shredder_fen();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// Did the position occur once within the search or twice in all? As the documentation says it.
fn is_repetition(earlier: &[usize], ply: usize) -> bool {
    earlier.len() >= 2 || earlier.first().is_some_and(|ago| *ago < ply)
}

#[test]
fn shuffling_games() {
    let mut random = Rng::with_seed(21);
    let (mut repeated, mut upcoming, mut positions) = (0, 0, 0);
    for _ in 0..250 {
        let mut game = Game::new(any_start(&mut random));
        for _ in 0..60 {
            // Going back is likely, so positions come again.
            let retreat = if random.usize(..4) == 0 { None } else { last_move_reversed(&game) };
            let Some(mv) = retreat.or_else(|| random_move(game.last(), &mut random)) else {
                break;
            };
            game.play(mv);
            positions += 1;
            let board = game.last();
            let earlier = game.earlier(board);
            let after_each_move: Vec<_> = board
                .legal_moves()
                .iter()
                .map(|mv| {
                    let mut next = *board;
                    next.make(*mv);
                    game.earlier(&next)
                })
                .collect();
            assert_eq!(game.history.count(board), earlier.len(), "{board:?}");
            for ply in [0, 1, 3, 4, 5, 8, 9, 20, 100] {
                let ply = ply.min(game.history.len());
                let repeats = is_repetition(&earlier, ply);
                let can_repeat = after_each_move.iter().any(|earlier| is_repetition(earlier, ply));
                assert_eq!(game.history.repetition(board, ply), repeats, "ply {ply}, {board:?}");
                assert_eq!(
                    game.history.upcoming_repetition(board, ply),
                    can_repeat,
                    "ply {ply}, {board:?}"
                );
                repeated += usize::from(repeats);
                upcoming += usize::from(can_repeat);
            }
        }
    }
    assert!(
        positions > 5_000 && repeated > 5_000 && upcoming > 5_000,
        "{positions} {repeated} {upcoming}"
    );
}

/// The move that undoes the last move of the side to move, if it is legal.
fn last_move_reversed(game: &Game) -> Option<Move> {
    let [.., before, after, now] = game.boards.as_slice() else {
        return None;
    };
    before.legal_moves().iter().copied().find_map(|mv| {
        let mut next = *before;
        next.make(mv);
        let reversed = Move::new(mv.to(), mv.from());
        (next == *after && now.is_legal(reversed)).then_some(reversed)
    })
}

#[test]
fn a_null_move_ends_the_memory() {
    let mut board = Board::startpos();
    let mut history = KeyHistory::new();
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        assert!(!history.repetition(&board, 100));
        history.push(board.key());
        board.make(board.parse_uci(uci).unwrap());
    }
    assert!(history.repetition(&board, 5) && !history.repetition(&board, 4));
    for _ in 0..2 {
        history.push(board.key());
        board.make_null();
        assert!(!history.repetition(&board, 100) && !history.upcoming_repetition(&board, 100));
    }
    history.clear();
    assert!(history.is_empty());
}

#[test]
fn dead_positions() {
    for (fen, dead) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true), // both on dark squares
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/2B1KN2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false), // a mate exists, if the loser helps
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", false),
    ] {
        assert_eq!(Board::from_fen(fen).unwrap().is_insufficient_material(), dead, "{fen}");
    }
}
