//! Who gives way: replacement policies.
//!
//! Some things are no policy's business. A new entry first goes to the slot of its own position, then to an
//! empty slot, then to a dead one, and only then does a live entry of another position have to give way. A
//! policy answers the three questions left: which of them, whether at all, and whether a position already
//! known takes the new entry.
//!
//! Every answer is a pure function of what is passed in, so that policies can be compared on recorded probes
//! and stores.

use crate::entry::Bound;

/// What a policy may know about an entry in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resident {
    /// How deep it was searched.
    pub depth: i32,
    /// How many searches ago it was stored or last found: 0 is the current search, 63 the most.
    pub age: i32,
    /// What it knows about its score.
    pub bound: Bound,
}

/// What a policy may know about the entry that wants a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Newcomer {
    /// How deep it was searched.
    pub depth: i32,
    /// What it knows about its score.
    pub bound: Bound,
    /// A slot, 0 to 3, drawn from bits of the key that had no part in choosing the cluster.
    pub lot: usize,
}

/// How to choose between entries when there is not room for all.
pub trait Policy: 'static {
    /// What it is worth to keep `resident`, an entry of another position that sits in `slot`. The least worth
    /// gives way, the first of several. Within ±2²⁸.
    fn worth(resident: Resident, newcomer: Newcomer, slot: usize) -> i32;

    /// Whether the least worth resident gives way at all, or the newcomer is turned down.
    fn admits(newcomer: Newcomer, victim: Resident) -> bool;

    /// Whether a newcomer takes the place of `known`, an entry of the same position.
    fn updates(newcomer: Newcomer, known: Resident) -> bool;
}

/// The rule of the table for a position it already knows: the newer entry wins, unless it knows clearly less.
///
/// Clearly less is: a static evaluation where there was a score; or, within one search and short of an exact
/// score, four plies or more of depth. Such shallow results come from reduced searches, and would only make
/// the next visitor do the deep one again.
#[inline]
fn newer_unless_clearly_less(newcomer: Newcomer, known: Resident) -> bool {
    let Newcomer { bound, depth, .. } = newcomer;
    let knows_no_score = bound == Bound::None && known.bound != Bound::None;
    let as_good = bound == Bound::Exact || known.age != 0 || depth + 4 > known.depth;
    !knows_no_score && as_good
}

/// The default: the least of depth − `PENALTY` · age gives way, always.
///
/// One search of age weighs as much as `PENALTY` plies of depth: deep results survive for a few searches,
/// useless ones do not survive for ever.
#[derive(Debug)]
pub enum DepthAge<const PENALTY: i32 = 8> {}

impl<const PENALTY: i32> Policy for DepthAge<PENALTY> {
    #[inline]
    fn worth(resident: Resident, _: Newcomer, _: usize) -> i32 {
        resident.depth - PENALTY * resident.age
    }

    #[inline]
    fn admits(_: Newcomer, _: Resident) -> bool {
        true
    }

    #[inline]
    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        newer_unless_clearly_less(newcomer, known)
    }
}

/// Always replace: the key alone says which slot, as if clusters had one slot each. The simplest policy there
/// is.
#[derive(Debug)]
pub enum Always {}

impl Policy for Always {
    #[inline]
    fn worth(_: Resident, newcomer: Newcomer, slot: usize) -> i32 {
        i32::from(slot != newcomer.lot)
    }

    #[inline]
    fn admits(_: Newcomer, _: Resident) -> bool {
        true
    }

    #[inline]
    fn updates(_: Newcomer, _: Resident) -> bool {
        true
    }
}

/// Depth-preferred: the shallowest resident gives way, but only to an entry at least as deep. Deep entries
/// never leave: after some searches the table is full of them.
#[derive(Debug)]
pub enum DepthPreferred {}

impl Policy for DepthPreferred {
    #[inline]
    fn worth(resident: Resident, _: Newcomer, _: usize) -> i32 {
        resident.depth
    }

    #[inline]
    fn admits(newcomer: Newcomer, victim: Resident) -> bool {
        newcomer.depth >= victim.depth
    }

    #[inline]
    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        newcomer.depth >= known.depth
    }
}

/// Age-based: entries of earlier searches give way to anything, those of this search to entries at least as
/// deep.
#[derive(Debug)]
pub enum AgeBased {}

impl Policy for AgeBased {
    #[inline]
    fn worth(resident: Resident, _: Newcomer, _: usize) -> i32 {
        resident.depth - 128 * resident.age
    }

    #[inline]
    fn admits(newcomer: Newcomer, victim: Resident) -> bool {
        victim.age != 0 || newcomer.depth >= victim.depth
    }

    #[inline]
    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        known.age != 0 || newcomer.depth >= known.depth
    }
}

/// Two tiers: two slots for the deepest entries, two that take whatever comes.
#[derive(Debug)]
pub enum TwoTier {}

impl Policy for TwoTier {
    #[inline]
    fn worth(resident: Resident, newcomer: Newcomer, slot: usize) -> i32 {
        let deep_tier = slot < 2;
        let outdone = resident.age != 0 || newcomer.depth >= resident.depth;
        match (deep_tier, outdone) {
            // The shallowest or oldest of the deep tier, if the newcomer is deeper …
            (true, true) => resident.depth - 8 * resident.age - 1024,
            // … otherwise one slot of the other tier, drawn by lot.
            (false, _) => i32::from(slot & 1 != newcomer.lot & 1),
            (true, false) => 1024,
        }
    }

    #[inline]
    fn admits(_: Newcomer, _: Resident) -> bool {
        true
    }

    #[inline]
    fn updates(newcomer: Newcomer, known: Resident) -> bool {
        newer_unless_clearly_less(newcomer, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newcomer(depth: i32, bound: Bound, lot: usize) -> Newcomer {
        Newcomer { depth, bound, lot }
    }

    fn resident(depth: i32, age: i32) -> Resident {
        Resident { depth, age, bound: Bound::Lower }
    }

    /// The slot a policy picks in a full cluster, or `None` if it turns the newcomer down.
    fn victim<P: Policy>(residents: [Resident; 4], new: Newcomer) -> Option<usize> {
        let slot = (0..4).min_by_key(|&slot| P::worth(residents[slot], new, slot))?;
        P::admits(new, residents[slot]).then_some(slot)
    }

    #[test]
    fn depth_and_age_trade_at_eight_plies_a_search() {
        let new = newcomer(1, Bound::Upper, 0);
        let young_and_shallow = resident(3, 0);
        let old_and_deep = resident(12, 1);
        let older = resident(12, 2);
        let full = [old_and_deep, young_and_shallow, resident(30, 0), resident(30, 3)];
        assert_eq!(victim::<DepthAge>(full, new), Some(1));
        let full = [old_and_deep, young_and_shallow, older, resident(30, 0)];
        assert_eq!(victim::<DepthAge>(full, new), Some(2));
    }

    #[test]
    fn always_replaces_where_the_lot_falls() {
        let full = [resident(60, 0); 4];
        for lot in 0..4 {
            assert_eq!(victim::<Always>(full, newcomer(0, Bound::Upper, lot)), Some(lot));
        }
    }

    #[test]
    fn depth_preferred_turns_shallow_entries_down() {
        let full = [resident(9, 0), resident(7, 9), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<DepthPreferred>(full, newcomer(6, Bound::Upper, 0)), None);
        assert_eq!(victim::<DepthPreferred>(full, newcomer(7, Bound::Upper, 0)), Some(1));
    }

    #[test]
    fn age_based_prefers_any_old_entry() {
        let full = [resident(9, 0), resident(127, 1), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<AgeBased>(full, newcomer(0, Bound::Upper, 0)), Some(1));
        let full = [resident(9, 0), resident(12, 0), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<AgeBased>(full, newcomer(7, Bound::Upper, 0)), None);
        assert_eq!(victim::<AgeBased>(full, newcomer(8, Bound::Upper, 0)), Some(2));
    }

    #[test]
    fn two_tiers_keep_the_deep_and_take_the_new() {
        let full = [resident(9, 0), resident(12, 0), resident(50, 0), resident(60, 0)];
        assert_eq!(victim::<TwoTier>(full, newcomer(10, Bound::Upper, 0)), Some(0));
        assert_eq!(victim::<TwoTier>(full, newcomer(3, Bound::Upper, 0)), Some(2));
        assert_eq!(victim::<TwoTier>(full, newcomer(3, Bound::Upper, 1)), Some(3));
    }

    #[test]
    fn a_known_position_keeps_what_is_clearly_more() {
        let updates = |new: Newcomer, known: Resident| <DepthAge as Policy>::updates(new, known);
        assert!(updates(newcomer(10, Bound::Upper, 0), resident(13, 0)), "three plies less: newer wins");
        assert!(!updates(newcomer(10, Bound::Upper, 0), resident(14, 0)), "four plies less: deeper stays");
        assert!(updates(newcomer(10, Bound::Exact, 0), resident(14, 0)), "exact scores are rare and wanted");
        assert!(updates(newcomer(10, Bound::Upper, 0), resident(14, 1)), "left over from an earlier search");
        assert!(
            !updates(newcomer(0, Bound::None, 0), resident(0, 1)),
            "an evaluation does not erase a score"
        );
        let evaluated = Resident { bound: Bound::None, ..resident(0, 0) };
        assert!(updates(newcomer(0, Bound::None, 0), evaluated));
    }
}
