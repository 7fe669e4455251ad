//! Policies that only exist here: the table's own, with another rule for positions it already knows.

use std::marker::PhantomData;

use megatherium_tt::policy::{Newcomer, Policy, Resident};

/// Gives way as `P` does, and lets a newer entry of the same position replace the known one only if it is at most
/// `PLIES − 1` plies shallower. (Left-overs of earlier searches always give way.)
pub struct Within<P, const PLIES: i32>(PhantomData<P>);

impl<P: Policy, const PLIES: i32> Policy for Within<P, PLIES> {
    fn worth(resident: Resident, newcomer: Newcomer, slot: usize) -> i32 {
        P::worth(resident, newcomer, slot)
    }

    fn admits(newcomer: Newcomer, victim: Resident) -> bool {
        P::admits(newcomer, victim)
    }

    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        known.age != 0 || newcomer.depth + PLIES > known.depth
    }
}
