//! Copy and make, or make and unmake? Both run on a model of the board with the same fields and do
//! the same work for the move itself. Finding checkers and pins is left out: it is the same either
//! way.

use std::hint::black_box;

use megatherium_benches::ratio::{Contest, Contestant};
use megatherium_board::{Board, Color, Move, Piece, Square};

/// What unmake cannot recompute and must restore: the keys and the rest of the state.
#[derive(Clone, Copy)]
struct State {
    keys: [u64; 5],
    castling: u64,
    clocks: u64,
    /// Checkers, pins and the en passant square, which only have to be carried along.
    rest: [u64; 3],
}

/// The fields of a board.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Model {
    sets: [u64; 8],
    mailbox: [Option<Piece>; 64],
    state: State,
    side: Color,
}

impl Model {
    fn new(board: &Board) -> Self {
        let mut model = Self {
            sets: [0; 8],
            mailbox: [None; 64],
            state: State {
                keys: [board.key(); 5],
                castling: board.castling_rooks().0,
                clocks: u64::from(board.halfmove_clock()),
                rest: [board.checkers().0, board.pinned(board.side_to_move()).0, 0],
            },
            side: board.side_to_move(),
        };
        for square in board.occupied() {
            if let Some(piece) = board.piece_on(square) {
                model.mailbox[square.index()] = Some(piece);
                model.toggle(piece, square.bitboard().0);
            }
        }
        model
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, squares: u64) {
        self.sets[piece.piece_type().index()] ^= squares;
        self.sets[6 + piece.color().index()] ^= squares;
    }

    /// A number for a piece on a square: a stand-in for the table of random numbers.
    #[inline(always)]
    fn number(piece: Piece, square: Square) -> u64 {
        (piece.index() as u64 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(square.index() as u32)
    }

    /// Plays an ordinary move; returns what it took.
    #[inline(always)]
    fn make(&mut self, mv: Move) -> Option<Piece> {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.mailbox[from.index()]?;
        let captured = self.mailbox[to.index()];
        if let Some(captured) = captured {
            self.toggle(captured, to.bitboard().0);
            let number = Self::number(captured, to);
            self.state.keys.iter_mut().for_each(|key| *key ^= number);
        }
        self.toggle(piece, from.bitboard().0 | to.bitboard().0);
        self.mailbox[from.index()] = None;
        self.mailbox[to.index()] = Some(piece);
        let number = Self::number(piece, from) ^ Self::number(piece, to);
        self.state.keys.iter_mut().for_each(|key| *key ^= number);
        self.state.castling &= !(from.bitboard().0 | to.bitboard().0);
        self.state.clocks += 1;
        self.side = !self.side;
        captured
    }

    /// Takes the move back.
    #[inline(always)]
    fn unmake(&mut self, mv: Move, captured: Option<Piece>, state: State) {
        let (from, to) = (mv.from(), mv.to());
        if let Some(piece) = self.mailbox[to.index()] {
            self.toggle(piece, from.bitboard().0 | to.bitboard().0);
            self.mailbox[from.index()] = Some(piece);
        }
        self.mailbox[to.index()] = captured;
        if let Some(captured) = captured {
            self.toggle(captured, to.bitboard().0);
        }
        self.state = state;
        self.side = !self.side;
    }
}

/// Every ordinary move of every board, made both ways.
pub fn compare(boards: &[Board]) {
    let mut models: Vec<(Model, Vec<Move>)> = boards
        .iter()
        .map(|board| {
            let moves = board.legal_moves();
            let ordinary =
                |mv: &Move| !mv.is_castling() && !mv.is_en_passant() && !mv.is_promotion();
            (Model::new(board), moves.iter().copied().filter(ordinary).collect())
        })
        .collect();
    let total: usize = models.iter().map(|(_, moves)| moves.len()).sum();
    let copies = models.clone();
    Contest::new("a model of the board, without finding checkers")
        .per(total as u64)
        .enter(Contestant::new("copy, make", || {
            let mut sum = 0u64;
            for (model, moves) in &copies {
                for mv in moves {
                    let mut next = *model;
                    next.make(*mv);
                    let state = &black_box(&next).state;
                    sum ^= state.keys[0] ^ state.rest[0];
                }
            }
            sum
        }))
        .enter(Contestant::new("make, unmake", || {
            let mut sum = 0u64;
            for (model, moves) in &mut models {
                for mv in moves {
                    let state = model.state;
                    let captured = model.make(*mv);
                    let made = &black_box(&*model).state;
                    sum ^= made.keys[0] ^ made.rest[0];
                    model.unmake(*mv, captured, state);
                }
            }
            sum
        }))
        .run();
}
