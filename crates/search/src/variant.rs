//! What a search is compiled with.
//!
//! An experiment needs the search with something changed: another replacement policy, no prefetching, a correction history that
//! all threads share. A switch for each would be asked in every node of every game. So the search is generic over a [`Variant`]
//! instead: the engine is [`Standard`], and a laboratory compiles its own beside it. What does not vary costs nothing.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicI16, Ordering};

use megatherium_tt::policy::{DepthAge, Policy};

use crate::correction::Corrections;
use crate::job::Job;
use crate::lead::Conclusion;
use crate::worker::Worker;

/// The choices a search is compiled with.
pub trait Variant: Sized + 'static {
    /// Who gives way in the table.
    type Policy: Policy;
    /// What the correction history is made of.
    type Cell: CorrectionCell;
    /// A thread's correction history: its own, or a share in one.
    type Corrections: Deref<Target = Corrections<Self::Cell>>;
    /// What the threads of a pool have in common besides the table.
    type Common: Default + Send + Sync;

    /// The correction history of a thread.
    fn corrections(common: &Self::Common) -> Self::Corrections;

    /// Whether table lines are requested before they are needed.
    fn prefetches() -> bool;

    /// One thread's whole search. Always [`think`](crate::think); that it is called from the implementation of a variant decides in
    /// which crate the search is compiled.
    fn think(id: usize, job: &Job<Self>, worker: &mut Worker<Self>) -> Conclusion;
}

/// The engine as it plays.
#[derive(Debug)]
pub enum Standard {}

impl Variant for Standard {
    type Policy = DepthAge;
    type Cell = Cell<i16>;
    type Corrections = Box<Corrections<Cell<i16>>>;
    type Common = ();

    fn corrections((): &()) -> Self::Corrections {
        Box::default()
    }

    #[inline]
    fn prefetches() -> bool {
        true
    }

    fn think(id: usize, job: &Job, worker: &mut Worker) -> Conclusion {
        crate::think(id, job, worker)
    }
}

/// An entry of a correction history.
pub trait CorrectionCell: Default {
    /// Its value.
    fn get(&self) -> i16;
    /// Replaces it.
    fn set(&self, value: i16);
}

/// For one thread.
impl CorrectionCell for Cell<i16> {
    #[inline]
    fn get(&self) -> i16 {
        Cell::get(self)
    }

    #[inline]
    fn set(&self, value: i16) {
        Cell::set(self, value);
    }
}

/// For several. An update that another one overtakes is lost, as in the table: it was a hint.
impl CorrectionCell for AtomicI16 {
    #[inline]
    fn get(&self) -> i16 {
        self.load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&self, value: i16) {
        self.store(value, Ordering::Relaxed);
    }
}
