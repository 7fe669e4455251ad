//! What a search thread owns and keeps from one search to the next.

use megatherium_nnue::Accumulators;

use crate::history::Histories;
use crate::job::Job;
use crate::pv::PvTable;
use crate::stack::Stack;
use crate::variant::{Standard, Variant};

/// The memory of one thread. The histories are what it has learnt in the game; the rest is scratch space, kept so that a search of a
/// few hundred nodes does not begin with megabytes of allocation.
pub struct Worker<V: Variant = Standard> {
    /// What the thread has learnt.
    pub histories: Histories,
    /// How far the static evaluation was off in similar positions.
    pub corrections: V::Corrections,
    /// Context of the current line.
    pub stack: Stack,
    /// Best lines.
    pub pv: PvTable,
    accumulators: Option<Accumulators>,
}

/// The parts of a [`Worker`], ready for one search.
pub struct Parts<'a, V: Variant> {
    /// What the thread has learnt.
    pub histories: &'a mut Histories,
    /// How far the static evaluation was off in similar positions.
    pub corrections: &'a V::Corrections,
    /// Context of the current line, cleared.
    pub stack: &'a mut Stack,
    /// Best lines.
    pub pv: &'a mut PvTable,
    /// The network's hidden layer at the root.
    pub accumulators: &'a mut Accumulators,
}

impl<V: Variant> Worker<V> {
    /// A thread that has learnt nothing.
    pub fn new(common: &V::Common) -> Self {
        Worker {
            histories: Histories::default(),
            corrections: V::corrections(common),
            stack: Stack::default(),
            pv: PvTable::default(),
            accumulators: None,
        }
    }

    /// Forgets the game.
    pub fn forget(&mut self) {
        self.histories = Histories::default();
        self.corrections.clear();
    }

    /// Prepares for a search.
    pub fn prepare(&mut self, job: &Job<V>) -> Parts<'_, V> {
        self.stack.clear();
        let board = &job.root.board;
        let accumulators = match &mut self.accumulators {
            Some(accumulators) => {
                accumulators.reset(&job.network, board);
                accumulators
            }
            none => none.insert(Accumulators::new(&job.network, board)),
        };
        Parts {
            histories: &mut self.histories,
            corrections: &self.corrections,
            stack: &mut self.stack,
            pv: &mut self.pv,
            accumulators,
        }
    }
}
