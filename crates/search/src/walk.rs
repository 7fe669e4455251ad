//! Lengthening a short principal variation from the table.
//!
//! A cutoff or an interrupted iteration can leave a line of one or two moves. The table often knows how it goes on; but its moves
//! are hints: each must be legal here, and the walk ends where the game would, or where it would go in circles.

use megatherium_board::Move;
use megatherium_tt::policy::Policy;
use megatherium_tt::{Bound, Table};

use crate::engine::Root;
use crate::thread::table_key;

/// Appends table moves to `pv` (which must be legal from `root`) until it has `target` moves or the trail ends.
pub fn lengthen<P: Policy>(table: &Table<P>, root: &Root, pv: &mut Vec<Move>, target: usize) {
    let mut line = root.clone();
    for &mv in pv.iter() {
        line.play(mv);
    }
    while pv.len() < target {
        let ply = pv.len();
        let over = line.board.halfmove_clock() >= 100
            || line.board.is_insufficient_material()
            || line.history.repetition(&line.board, ply);
        let next = table
            .peek(table_key(&line.board))
            .filter(|entry| entry.bound == Bound::Exact)
            .and_then(|entry| Move::from_raw(entry.mv))
            .filter(|&mv| !over && line.board.is_legal(mv));
        let Some(mv) = next else { return };
        pv.push(mv);
        line.play(mv);
    }
}
