//! The first layer, kept up to date along the search path.
//!
//! A move changes two to four of the net's inputs, so the first layer is not recomputed for each
//! position: the parent's sums are copied with the changed rows added and subtracted. Updates are
//! lazy. `push` only records what a move changes; the sums are computed when a position is
//! evaluated, starting from the nearest position on the path whose sums are known. Positions that
//! are cut off without an evaluation cost next to nothing.

use std::collections::TryReserveError;

use crate::layout::{View, output_bucket};
use crate::network::{Accumulator, Network};
use crate::refresh::RefreshTable;
use crate::simd::Row;
use megatherium_board::{Board, Changes, Color, Move, PieceType};

/// Plies allocated in advance: more than the deepest search line.
const PLIES: usize = 256;

/// The accumulators of one thread, one pair for every position on its search path.
///
/// ```
/// use megatherium_board::Board;
/// use megatherium_nnue::{Accumulators, Network};
///
/// let network = Network::embedded();
/// let mut board = Board::startpos();
/// let mut accumulators = Accumulators::new(&network, &board);
/// let e4 = board.parse_uci("e2e4").unwrap();
/// accumulators.push(&board, e4);
/// board.make(e4);
/// assert_eq!(accumulators.evaluate(&network, &board), network.evaluate(&board));
/// accumulators.pop();
/// ```
pub struct Accumulators {
    /// `path[..=top]` is in use.
    path: Vec<Ply>,
    top: usize,
    refreshes: RefreshTable,
    counters: Counters,
}

/// How the accumulators were kept up to date: one count for each side's view of each position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Evaluations requested.
    pub evaluations: u64,
    /// Incremental updates from the position before.
    pub updates: u64,
    /// Refreshes through the refresh table: at the root, and where a king move changed a view.
    pub refreshes: u64,
}

/// One position on the path. The arrays have an element for White's view and one for Black's.
#[derive(Clone)]
struct Ply {
    sums: [Accumulator; 2],
    /// Whether the sums are those of this position yet.
    known: [bool; 2],
    /// Whether the sums cannot be updated from the position before: the view has changed.
    apart: [bool; 2],
    /// What the move into this position changed; nothing for a null move.
    changes: Option<Changes>,
}

impl Ply {
    const EMPTY: Ply =
        Ply { sums: [Row::ZERO; 2], known: [false; 2], apart: [true; 2], changes: None };
}

impl Accumulators {
    /// Accumulators at the root `board`.
    ///
    /// # Panics
    ///
    /// If they cannot be allocated; see [`try_new`](Self::try_new).
    pub fn new(network: &Network, board: &Board) -> Accumulators {
        Accumulators::try_new(network, board).expect("memory for the accumulators")
    }

    /// Accumulators at the root `board`, unless they cannot be allocated: about half a megabyte.
    pub fn try_new(network: &Network, board: &Board) -> Result<Accumulators, TryReserveError> {
        let mut path = Vec::new();
        path.try_reserve_exact(PLIES)?;
        path.resize(PLIES, Ply::EMPTY);
        let refreshes = RefreshTable::try_new(network)?;
        let mut accumulators =
            Accumulators { path, top: 0, refreshes, counters: Counters::default() };
        accumulators.reset(network, board);
        Ok(accumulators)
    }

    /// Starts over at the root `board`, perhaps with another network.
    pub fn reset(&mut self, network: &Network, board: &Board) {
        self.refreshes.reset(network);
        self.counters = Counters::default();
        self.top = 0;
        self.path[0] = Ply::EMPTY;
        for side in Color::ALL {
            self.bring_up(network, board, side);
        }
    }

    /// Follows the move `mv`, legal on `before`.
    #[inline]
    pub fn push(&mut self, before: &Board, mv: Move) {
        let changes = before.changes(mv);
        let mover = before.side_to_move();
        let mut apart = [false; 2];
        // Castling too moves the king first and foremost.
        if let Some(&(piece, to)) = changes.added().first()
            && piece.piece_type() == PieceType::King
        {
            apart[mover.index()] = View::new(mover, before.king(mover)) != View::new(mover, to);
        }
        self.enter(apart, Some(changes));
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        self.enter([false; 2], None);
    }

    /// Goes back by one move or null move.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "the root cannot be taken back");
        self.top = self.top.saturating_sub(1);
    }

    /// Evaluates `board`, the position at the end of the path, in centipawns from the side to
    /// move's view.
    ///
    /// The network must be the one of the last [`reset`](Self::reset).
    #[inline]
    pub fn evaluate(&mut self, network: &Network, board: &Board) -> i32 {
        self.counters.evaluations += 1;
        for side in Color::ALL {
            self.bring_up(network, board, side);
        }
        let mover = board.side_to_move();
        let sums = &self.path[self.top].sums;
        let bucket = output_bucket(board.occupied().count());
        network.output(&sums[mover.index()], &sums[(!mover).index()], bucket)
    }

    /// Counts of updates and refreshes since the last [`reset`](Self::reset).
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn enter(&mut self, apart: [bool; 2], changes: Option<Changes>) {
        self.top += 1;
        if self.top == self.path.len() {
            self.path.push(Ply::EMPTY);
        }
        let ply = &mut self.path[self.top];
        ply.known = [false; 2];
        ply.apart = apart;
        ply.changes = changes;
    }

    /// Brings the accumulator of the last position up to date for `side`.
    #[inline]
    fn bring_up(&mut self, network: &Network, board: &Board, side: Color) {
        let mut from = self.top;
        while !self.path[from].known[side.index()] {
            if self.path[from].apart[side.index()] {
                self.counters.refreshes += 1;
                let ply = &mut self.path[self.top];
                let to = &mut ply.sums[side.index()];
                self.refreshes.refresh(network, board, side, board.king(side), to);
                ply.known[side.index()] = true;
                return;
            }
            // The root is always refreshed, so there is a position before this one.
            from -= 1;
        }
        // Since `from` the king has kept its view, so the last position's is that of all on the
        // way.
        let view = View::new(side, board.king(side));
        for number in from + 1..=self.top {
            self.counters.updates += 1;
            let (before, after) = self.path.split_at_mut(number);
            let (before, after) = (&before[number - 1], &mut after[0]);
            let sums = &mut after.sums[side.index()];
            update(network, view, after.changes.as_ref(), &before.sums[side.index()], sums);
            after.known[side.index()] = true;
        }
    }
}

/// Updates the sums incrementally for a move, in one pass over memory.
#[inline]
fn update(
    network: &Network,
    view: View,
    changes: Option<&Changes>,
    from: &Accumulator,
    to: &mut Accumulator,
) {
    let Some(changes) = changes else {
        *to = *from;
        return;
    };
    let row = |&(piece, square)| &network.input[view.input(piece, square)];
    let simd = network.simd;
    match (changes.added(), changes.removed()) {
        // A quiet move or a promotion.
        ([a], [r]) => simd.apply(from, to, [row(a)], [row(r)]),
        // A capture.
        ([a], [r, s]) => simd.apply(from, to, [row(a)], [row(r), row(s)]),
        // Castling.
        ([a, b], [r, s]) => simd.apply(from, to, [row(a), row(b)], [row(r), row(s)]),
        (added, removed) => {
            let rows = |pieces: &[_]| -> Vec<u16> {
                pieces.iter().map(|&(piece, square)| view.input(piece, square) as u16).collect()
            };
            *to = *from;
            simd.accumulate(to, &network.input, &rows(added), &rows(removed));
        }
    }
}
