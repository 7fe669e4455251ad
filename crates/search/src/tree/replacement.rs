//! Replacement policies for chess entries: the engine's, and those of the textbooks to compare
//! with.

use megatherium_tt::{Newcomer, Policy, Resident};

use super::entry::{Bound, Entry};

/// The engine's rule for a position it already knows: the newer entry wins, unless it knows clearly
/// less.
///
/// Clearly less is: a static evaluation where there was a score; or, within one search and short of
/// an exact score, four plies or more of depth. Such shallow results come from reduced searches,
/// and would only make the next visitor do the deep one again.
#[inline]
fn newer_unless_clearly_less(newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
    let bound = newcomer.get().bound;
    let much_shallower = newcomer.rank() + 4 <= known.rank();
    if much_shallower && known.age == 0 && bound != Bound::Exact {
        return false;
    }
    bound != Bound::None || known.get().bound == Bound::None
}

/// The engine's policy: evicts the entry with the smallest depth − `PENALTY` · age.
///
/// One search of age weighs as much as `PENALTY` plies of depth: deep results survive for a few
/// searches, but not forever.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthAge<const PENALTY: i32 = 8>;

impl<const PENALTY: i32> Policy<Entry> for DepthAge<PENALTY> {
    #[inline]
    fn worth(&self, resident: Resident<Entry>, _: Newcomer<Entry>, _: usize) -> i32 {
        resident.rank() - PENALTY * resident.age
    }

    #[inline]
    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        newer_unless_clearly_less(newcomer, known)
    }
}

/// Always replace: the key alone chooses the slot, as if clusters had one slot each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Always;

impl Policy<Entry> for Always {
    #[inline]
    fn worth(&self, _: Resident<Entry>, newcomer: Newcomer<Entry>, slot: usize) -> i32 {
        i32::from(slot != newcomer.lot)
    }
}

/// Depth-preferred: evicts the shallowest entry, but only for one at least as deep. Deep entries
/// are never evicted: after some searches the table is full of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthPreferred;

impl Policy<Entry> for DepthPreferred {
    #[inline]
    fn worth(&self, resident: Resident<Entry>, _: Newcomer<Entry>, _: usize) -> i32 {
        resident.rank()
    }

    #[inline]
    fn admits(&self, newcomer: Newcomer<Entry>, victim: Resident<Entry>) -> bool {
        newcomer.rank() >= victim.rank()
    }

    #[inline]
    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        newcomer.rank() >= known.rank()
    }
}

/// Age-based: anything evicts entries of earlier searches; those of this search are evicted by
/// entries at least as deep.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgeBased;

impl Policy<Entry> for AgeBased {
    #[inline]
    fn worth(&self, resident: Resident<Entry>, _: Newcomer<Entry>, _: usize) -> i32 {
        resident.rank() - 128 * resident.age
    }

    #[inline]
    fn admits(&self, newcomer: Newcomer<Entry>, victim: Resident<Entry>) -> bool {
        victim.age != 0 || newcomer.rank() >= victim.rank()
    }

    #[inline]
    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        known.age != 0 || newcomer.rank() >= known.rank()
    }
}

/// Two tiers: two slots for the deepest entries, two that take whatever comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwoTier;

impl Policy<Entry> for TwoTier {
    #[inline]
    fn worth(&self, resident: Resident<Entry>, newcomer: Newcomer<Entry>, slot: usize) -> i32 {
        let deep_tier = slot < 2;
        let outdone = resident.age != 0 || newcomer.rank() >= resident.rank();
        match (deep_tier, outdone) {
            // The shallowest or oldest of the deep tier, if the newcomer is deeper …
            (true, true) => resident.rank() - 8 * resident.age - 1024,
            // … otherwise one slot of the other tier, drawn by lot.
            (false, _) => i32::from(slot & 1 != newcomer.lot & 1),
            (true, false) => 1024,
        }
    }

    #[inline]
    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        newer_unless_clearly_less(newcomer, known)
    }
}

/// Any of these policies, chosen at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// [`DepthAge`], the engine's.
    #[default]
    DepthAge,
    /// [`Always`].
    Always,
    /// [`DepthPreferred`].
    DepthPreferred,
    /// [`AgeBased`].
    AgeBased,
    /// [`TwoTier`].
    TwoTier,
}

impl Replacement {
    /// All of them, the engine's first.
    pub const ALL: [Replacement; 5] = [
        Replacement::DepthAge,
        Replacement::Always,
        Replacement::DepthPreferred,
        Replacement::AgeBased,
        Replacement::TwoTier,
    ];

    /// A short description for tables of results.
    pub fn name(self) -> &'static str {
        match self {
            Replacement::DepthAge => "depth and age (default)",
            Replacement::Always => "always replace",
            Replacement::DepthPreferred => "depth-preferred",
            Replacement::AgeBased => "age-based",
            Replacement::TwoTier => "two tiers",
        }
    }
}

macro_rules! dispatch {
    ($replacement:expr, $question:ident($($argument:expr),*)) => {
        match $replacement {
            Replacement::DepthAge => DepthAge::<8>.$question($($argument),*),
            Replacement::Always => Always.$question($($argument),*),
            Replacement::DepthPreferred => DepthPreferred.$question($($argument),*),
            Replacement::AgeBased => AgeBased.$question($($argument),*),
            Replacement::TwoTier => TwoTier.$question($($argument),*),
        }
    };
}

impl Policy<Entry> for Replacement {
    #[inline]
    fn worth(&self, resident: Resident<Entry>, newcomer: Newcomer<Entry>, slot: usize) -> i32 {
        dispatch!(self, worth(resident, newcomer, slot))
    }

    #[inline]
    fn admits(&self, newcomer: Newcomer<Entry>, victim: Resident<Entry>) -> bool {
        dispatch!(self, admits(newcomer, victim))
    }

    #[inline]
    fn updates(&self, newcomer: Newcomer<Entry>, known: Resident<Entry>) -> bool {
        dispatch!(self, updates(newcomer, known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use megatherium_tt::{Payload, Table};

    fn entry(depth: u8, bound: Bound) -> Entry {
        Entry { mv: 1, score: 2, eval: 3, depth, pv: false, bound }
    }

    fn newcomer(depth: u8, bound: Bound, lot: usize) -> Newcomer<Entry> {
        Newcomer::new(entry(depth, bound).pack(), lot)
    }

    fn resident(depth: u8, age: i32) -> Resident<Entry> {
        Resident::new(entry(depth, Bound::Lower).pack(), age)
    }

    /// The slot a policy picks in a full cluster, or `None` if it rejects the newcomer.
    fn victim<P: Policy<Entry>>(
        residents: [Resident<Entry>; 4],
        new: Newcomer<Entry>,
    ) -> Option<usize> {
        let slot = (0..4).min_by_key(|&slot| P::default().worth(residents[slot], new, slot))?;
        P::default().admits(new, residents[slot]).then_some(slot)
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
        assert!(Always.updates(newcomer(0, Bound::None, 0), resident(60, 0)), "whatever comes");
    }

    #[test]
    fn depth_preferred_turns_shallow_entries_down() {
        let full = [resident(9, 0), resident(7, 9), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<DepthPreferred>(full, newcomer(6, Bound::Upper, 0)), None);
        assert_eq!(victim::<DepthPreferred>(full, newcomer(7, Bound::Upper, 0)), Some(1));
        let updates =
            |depth| DepthPreferred.updates(newcomer(depth, Bound::Exact, 0), resident(7, 3));
        assert_eq!([6, 7, 8].map(updates), [false, true, true], "of the same position too");
    }

    #[test]
    fn age_based_prefers_any_old_entry() {
        let full = [resident(9, 0), resident(126, 1), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<AgeBased>(full, newcomer(0, Bound::Upper, 0)), Some(1));
        let full = [resident(9, 0), resident(12, 0), resident(8, 0), resident(20, 0)];
        assert_eq!(victim::<AgeBased>(full, newcomer(7, Bound::Upper, 0)), None);
        assert_eq!(victim::<AgeBased>(full, newcomer(8, Bound::Upper, 0)), Some(2));
        let updates =
            |depth, age| AgeBased.updates(newcomer(depth, Bound::Upper, 0), resident(7, age));
        assert_eq!([updates(6, 0), updates(7, 0), updates(6, 1)], [false, true, true]);
    }

    #[test]
    fn two_tiers_keep_the_deep_and_take_the_new() {
        let full = [resident(9, 0), resident(12, 0), resident(50, 0), resident(60, 0)];
        assert_eq!(victim::<TwoTier>(full, newcomer(9, Bound::Upper, 0)), Some(0));
        assert_eq!(victim::<TwoTier>(full, newcomer(3, Bound::Upper, 0)), Some(2));
        assert_eq!(victim::<TwoTier>(full, newcomer(3, Bound::Upper, 1)), Some(3));
        let full = [resident(9, 0), resident(12, 1), resident(50, 0), resident(60, 0)];
        let new = newcomer(12, Bound::Upper, 0);
        assert_eq!(
            victim::<TwoTier>(full, new),
            Some(1),
            "a search of age is eight plies here too"
        );
        assert_eq!(
            victim::<TwoTier>(full, newcomer(3, Bound::Upper, 0)),
            Some(1),
            "an old entry does not stay for its depth"
        );
    }

    #[test]
    fn a_known_position_keeps_what_is_clearly_more() {
        fn rule<P: Policy<Entry>>() {
            let new = |depth, bound| newcomer(depth, bound, 0);
            assert!(
                P::default().updates(new(10, Bound::Upper), resident(13, 0)),
                "three plies less"
            );
            assert!(
                !P::default().updates(new(10, Bound::Upper), resident(14, 0)),
                "four plies less"
            );
            assert!(
                P::default().updates(new(10, Bound::Exact), resident(14, 0)),
                "exact scores are rare"
            );
            assert!(
                P::default().updates(new(10, Bound::Upper), resident(14, 1)),
                "from an earlier search"
            );
            assert!(!P::default().updates(new(0, Bound::None), resident(0, 1)), "it has a score");
            let evaluated = Resident::new(entry(0, Bound::None).pack(), 0);
            assert!(P::default().updates(new(0, Bound::None), evaluated));
        }
        rule::<DepthAge>();
        rule::<TwoTier>();
    }

    /// The lot comes from bits that do not choose the cluster: the keys of one cluster draw all
    /// four.
    #[test]
    fn the_lot_is_drawn_by_the_low_bits_of_the_key() {
        let table = Table::<Entry, Always>::with_clusters(1).unwrap();
        for key in 0..4u64 {
            table.store(key << 8, entry(9, Bound::Lower));
        }
        for key in 0..4u64 {
            table.store(0x1_0000 + key, entry(1, Bound::Lower));
            let left = (0..4u64).filter(|&old| table.peek(old << 8).is_some()).count() as u64;
            assert_eq!(left, 3 - key.min(3), "key {key} took slot {key}");
        }
    }
}
