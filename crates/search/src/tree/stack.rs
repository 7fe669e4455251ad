//! What the search remembers about each ply of the line it is in.

use std::collections::TryReserveError;

use megatherium_board::Move;

use crate::learning::{CaptureIndex, Context, Played, QuietIndex};
use crate::score::{MAX_PLY, NONE, Score};

/// Plies of context below the root, so that "six plies ago" always exists.
pub const BELOW_ROOT: usize = 7;

/// What is known about one ply of the current line.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    /// Corrected static evaluation, or [`NONE`] in check.
    pub static_eval: Score,
    /// The move being searched from here; `None` for a null move.
    pub mv: Option<Move>,
    /// The same as histories know it.
    pub played: Option<Played>,
    /// The same as a context of later moves.
    pub context: Context,
    /// Where the butterfly history keeps the move, if it is quiet and searched by the main search.
    pub quiet: Option<QuietIndex>,
    /// Where the capture history keeps the move, if it is noisy and searched by the main search.
    pub capture: Option<CaptureIndex>,
    /// The place of the move in the order, from 1.
    pub number: usize,
    /// The move is the table's.
    pub is_table_move: bool,
    /// The move that is left out while its singularity is tested.
    pub excluded: Option<Move>,
    /// A quiet move that refuted a sibling.
    pub killer: Option<Move>,
    /// Fail-highs among the children.
    pub cutoffs: u32,
    /// Extensions of more than one ply on the way here.
    pub double_extensions: u32,
    /// Reduction in force when this node's child is searched, 1/1024 ply.
    pub reduction: i32,
    /// On a principal variation, now or in an earlier visit.
    pub table_pv: bool,
}

impl Default for Ply {
    fn default() -> Self {
        Ply {
            static_eval: NONE,
            mv: None,
            played: None,
            context: Context::NONE,
            quiet: None,
            capture: None,
            number: 0,
            is_table_move: false,
            excluded: None,
            killer: None,
            cutoffs: 0,
            double_extensions: 0,
            reduction: 0,
            table_pv: false,
        }
    }
}

/// The line from the root, addressed by ply; a few plies before the root exist and are empty.
pub struct Stack {
    plies: Box<[Ply]>,
}

impl Stack {
    /// An empty line. Fails if the memory cannot be allocated.
    pub fn new() -> Result<Stack, TryReserveError> {
        let mut plies = Vec::new();
        plies.try_reserve_exact(BELOW_ROOT + MAX_PLY + 3)?;
        plies.resize(BELOW_ROOT + MAX_PLY + 3, Ply::default());
        Ok(Stack { plies: plies.into_boxed_slice() })
    }

    /// Clears all plies for a new search.
    pub fn clear(&mut self) {
        self.plies.fill(Ply::default());
    }

    /// The ply `back` plies before `ply`, which may lie before the root.
    #[inline]
    pub fn back(&self, ply: usize, back: usize) -> &Ply {
        &self.plies[ply + BELOW_ROOT - back]
    }
}

impl std::ops::Index<usize> for Stack {
    type Output = Ply;
    #[inline]
    fn index(&self, ply: usize) -> &Ply {
        &self.plies[ply + BELOW_ROOT]
    }
}

impl std::ops::IndexMut<usize> for Stack {
    #[inline]
    fn index_mut(&mut self, ply: usize) -> &mut Ply {
        &mut self.plies[ply + BELOW_ROOT]
    }
}
