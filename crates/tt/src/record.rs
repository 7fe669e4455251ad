//! Statistics that cost nothing when nobody wants them.

/// Where a stored entry ended up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Placement {
    /// In the slot of the same position.
    Updated,
    /// Nowhere: the position is known, and better. See [`Policy::updates`](crate::policy::Policy::updates).
    Kept,
    /// In an empty slot.
    Filled,
    /// In a slot that two writers had torn.
    Healed,
    /// In place of another position's entry from an earlier search.
    ReplacedOld,
    /// In place of another position's entry from the current search.
    ReplacedCurrent,
    /// Nowhere: the policy turned it down.
    Declined,
}

impl Placement {
    /// All placements, in the order of [`Counters::stores`].
    pub const ALL: [Self; 7] = [
        Self::Updated,
        Self::Kept,
        Self::Filled,
        Self::Healed,
        Self::ReplacedOld,
        Self::ReplacedCurrent,
        Self::Declined,
    ];
}

/// Someone who wants to hear what the table does on behalf of one thread.
///
/// The recorder is passed to each call and belongs to the caller: no counter is shared, none is atomic. `()`
/// hears nothing, and a call with `()` compiles to the same code as one without.
pub trait Record {
    /// A probe found its position, or did not.
    #[inline]
    fn probe(&mut self, hit: bool) {
        let _ = hit;
    }

    /// A hit was stamped with the current generation.
    #[inline]
    fn refresh(&mut self) {}

    /// An entry was stored, or was not worth storing.
    #[inline]
    fn store(&mut self, placement: Placement) {
        let _ = placement;
    }

    /// The search returned the score of an entry. Only the search can know.
    #[inline]
    fn cutoff(&mut self) {}

    /// The search could not use the score of an entry, but tried its move first. Only the search can know.
    #[inline]
    fn move_hint(&mut self) {}
}

impl Record for () {}

impl<R: Record> Record for &mut R {
    #[inline]
    fn probe(&mut self, hit: bool) {
        (**self).probe(hit);
    }

    #[inline]
    fn refresh(&mut self) {
        (**self).refresh();
    }

    #[inline]
    fn store(&mut self, placement: Placement) {
        (**self).store(placement);
    }

    #[inline]
    fn cutoff(&mut self) {
        (**self).cutoff();
    }

    #[inline]
    fn move_hint(&mut self) {
        (**self).move_hint();
    }
}

/// A recorder that counts. One per thread; add them up at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// How often a position was looked up.
    pub probes: u64,
    /// How often it was found.
    pub hits: u64,
    /// How often a hit came from an earlier search.
    pub refreshes: u64,
    /// How often the score found ended the search of a node.
    pub cutoffs: u64,
    /// How often only the move was of use.
    pub move_hints: u64,
    /// How often an entry was placed in each of the ways of [`Placement::ALL`].
    pub stores: [u64; 7],
}

impl Counters {
    /// How often an entry was placed in this way.
    pub fn placed(&self, placement: Placement) -> u64 {
        self.stores[placement as usize]
    }

    /// The share of probes that were hits, in permille.
    pub fn hit_permille(&self) -> u64 {
        (1000 * self.hits).checked_div(self.probes).unwrap_or(0)
    }
}

impl core::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.refreshes += other.refreshes;
        self.cutoffs += other.cutoffs;
        self.move_hints += other.move_hints;
        for (mine, theirs) in self.stores.iter_mut().zip(other.stores) {
            *mine += theirs;
        }
    }
}

impl Record for Counters {
    #[inline]
    fn probe(&mut self, hit: bool) {
        self.probes += 1;
        self.hits += u64::from(hit);
    }

    #[inline]
    fn refresh(&mut self) {
        self.refreshes += 1;
    }

    #[inline]
    fn store(&mut self, placement: Placement) {
        self.stores[placement as usize] += 1;
    }

    #[inline]
    fn cutoff(&mut self) {
        self.cutoffs += 1;
    }

    #[inline]
    fn move_hint(&mut self) {
        self.move_hints += 1;
    }
}
