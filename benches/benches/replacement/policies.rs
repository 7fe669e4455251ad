//! Policies for this bench only: known ones with another rule for updates of the same position.

use megatherium_search::Entry;
use megatherium_tt::{Newcomer, Policy, Resident};

/// Evicts as `P` does, and lets a newer entry of the same position replace the known one only if it
/// is at most `PLIES − 1` plies shallower. (Left-overs of earlier searches are always replaced.)
#[derive(Clone, Copy, Default)]
pub struct Within<P, const PLIES: i32>(P);

impl<P: Policy<Entry>, const PLIES: i32> Policy<Entry> for Within<P, PLIES> {
    fn worth(&self, resident: Resident<Entry>, newcomer: Newcomer<Entry>, slot: usize) -> i32 {
        self.0.worth(resident, newcomer, slot)
    }

    fn admits(&self, newcomer: Newcomer<Entry>, victim: Resident<Entry>) -> bool {
        self.0.admits(newcomer, victim)
    }

    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        known.age != 0 || newcomer.rank() + PLIES > known.rank()
    }
}
