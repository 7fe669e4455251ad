//! What a search thread owns and keeps from one search to the next.

use std::collections::TryReserveError;
use std::sync::Arc;

use megatherium_board::Board;
use megatherium_nnue::{Accumulators, Network};

use super::movepick::MoveStack;
use super::pv::PvTable;
use super::stack::Stack;
use crate::crowding::Crowding;
use crate::learning::{Corrections, Histories};
use crate::score::Score;

/// The memory of one thread. The histories are what it has learnt in the game; the rest is scratch
/// space, kept so that a search of a few hundred nodes does not begin with megabytes of allocation.
pub struct Worker {
    /// The memory node it lives on.
    pub(super) node: usize,
    /// Move histories, perhaps shared by a group of threads.
    pub(super) histories: Arc<Histories>,
    /// How far the static evaluation was off in similar positions.
    pub(super) corrections: Corrections,
    /// Context of the current line.
    pub(super) stack: Stack,
    /// Principal variations by ply.
    pub(super) pv: PvTable,
    /// Generated moves of the current line.
    pub(super) moves: MoveStack,
    /// The network's hidden layer along the current line.
    pub(super) accumulators: Accumulators,
    /// Score of the last move played in this game, if any; the time manager compares with it.
    pub(super) last_score: Option<Score>,
    /// How long it had to wait for a processor in its last searches.
    pub crowding: Crowding,
}

impl Worker {
    /// The memory of a new thread on a memory node. Fails if it cannot be allocated.
    pub fn new(
        node: usize,
        network: &Network,
        histories: Arc<Histories>,
    ) -> Result<Worker, TryReserveError> {
        Ok(Worker {
            node,
            histories,
            corrections: Corrections::new()?,
            stack: Stack::new()?,
            pv: PvTable::new()?,
            moves: MoveStack::new()?,
            accumulators: Accumulators::try_new(network, &Board::startpos())?,
            last_score: None,
            crowding: Crowding::default(),
        })
    }

    /// Forgets the game.
    pub fn forget(&mut self) {
        match Arc::get_mut(&mut self.histories) {
            Some(own) => own.clear_own(),
            None => self.histories.clear(),
        }
        self.corrections.clear();
        self.last_score = None;
    }
}
