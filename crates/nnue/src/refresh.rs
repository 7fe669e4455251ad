//! Rebuilding an accumulator cheaply after a king has changed its side's view.
//!
//! For every view the table keeps the accumulator it last built and the pieces that were on the
//! board then. The next rebuild of that view only adds and removes the pieces that differ, usually
//! a handful of the thirty.

use std::collections::TryReserveError;

use crate::layout::{VIEWS, View};
use crate::network::{Accumulator, Network};
use megatherium_board::{Bitboard, Board, Color, Piece, PieceType, Square};

/// The accumulators last built, by side and view.
pub(crate) struct RefreshTable {
    /// The checksum of the net whose accumulators these are.
    network: u64,
    /// `[side][view]`.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    values: Accumulator,
    pieces: [[Bitboard; 6]; 2],
}

impl Entry {
    fn empty_board(network: &Network) -> Entry {
        Entry { values: network.input_bias, pieces: [[Bitboard(0); 6]; 2] }
    }
}

/// Rows of input weights to add or to remove: no more than the board has squares.
struct Inputs {
    rows: [u16; 64],
    len: usize,
}

impl Inputs {
    const NONE: Inputs = Inputs { rows: [0; 64], len: 0 };

    fn extend(&mut self, view: View, piece: Piece, squares: Bitboard) {
        for square in squares {
            self.rows[self.len] = view.input(piece, square) as u16;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[u16] {
        &self.rows[..self.len]
    }
}

impl RefreshTable {
    /// A table of empty boards.
    pub(crate) fn try_new(network: &Network) -> Result<RefreshTable, TryReserveError> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(2 * VIEWS)?;
        entries.resize(2 * VIEWS, Entry::empty_board(network));
        Ok(RefreshTable { network: network.checksum(), entries })
    }

    /// Starts over if the accumulators are those of another net. Otherwise they stay: the next
    /// search is likely to begin near the last.
    pub(crate) fn reset(&mut self, network: &Network) {
        if self.network != network.checksum() {
            self.network = network.checksum();
            self.entries.fill(Entry::empty_board(network));
        }
    }

    /// Writes into `to` the accumulator of `board` as `perspective` sees it.
    pub(crate) fn refresh(
        &mut self,
        network: &Network,
        board: &Board,
        perspective: Color,
        king: Square,
        to: &mut Accumulator,
    ) {
        let view = View::new(perspective, king);
        let entry = &mut self.entries[perspective.index() * VIEWS + view.slot()];
        let (mut added, mut removed) = (Inputs::NONE, Inputs::NONE);
        for color in Color::ALL {
            for kind in PieceType::ALL {
                let piece = Piece::new(color, kind);
                let now = board.pieces_of(color, kind);
                let then = std::mem::replace(&mut entry.pieces[color.index()][kind.index()], now);
                added.extend(view, piece, now & !then);
                removed.extend(view, piece, then & !now);
            }
        }
        network.simd.accumulate(
            &mut entry.values,
            &network.input,
            added.as_slice(),
            removed.as_slice(),
        );
        *to = entry.values;
    }
}
