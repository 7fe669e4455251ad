//! Statistics that cost nothing when unused.

/// Where a stored value ended up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Placement {
    /// In the slot of the same key.
    Updated,
    /// Nowhere: the known entry of the key is better. See
    /// [`Policy::updates`](crate::Policy::updates).
    Kept,
    /// In an empty slot.
    Filled,
    /// In a slot that two writers had torn.
    Healed,
    /// In place of another key's entry from an earlier generation.
    ReplacedOld,
    /// In place of another key's entry from the current generation.
    ReplacedCurrent,
    /// Nowhere: the policy rejected it. See [`Policy::admits`](crate::Policy::admits).
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

/// Records what the table does for one thread.
///
/// The recorder is passed to each call and belongs to the caller: no counter is shared, none is
/// atomic. `()` records nothing, and a call with `()` compiles to the same code as one without.
pub trait Record {
    /// A probe found its key, or did not.
    #[inline]
    fn probe(&mut self, hit: bool) {
        let _ = hit;
    }

    /// A hit was stamped with the current generation.
    #[inline]
    fn refresh(&mut self) {}

    /// A value was stored, or was not worth storing.
    #[inline]
    fn store(&mut self, placement: Placement) {
        let _ = placement;
    }
}

impl Record for () {}

/// A recorder that counts. One per thread; add them up at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// How often a key was looked up.
    pub probes: u64,
    /// How often it was found.
    pub hits: u64,
    /// How often a hit came from an earlier generation.
    pub refreshes: u64,
    /// How often a value was placed in each of the ways of [`Placement::ALL`].
    pub stores: [u64; 7],
}

impl Counters {
    /// How often a value was placed in this way.
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
}
