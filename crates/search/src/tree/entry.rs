//! What the transposition table remembers about a position: the chess payload of `megatherium-tt`.

use megatherium_tt::{Packed, Payload};

/// How the score of an [`Entry`] relates to the true value of its position.
///
/// Alpha-beta seldom computes a value: it proves inequalities. The bound says which one was proved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// Nothing is known about the score: the entry only carries a static evaluation, and perhaps a
    /// move.
    #[default]
    None = 0,
    /// Fail low: the true value is at most the score.
    Upper = 1,
    /// Fail high: the true value is at least the score.
    Lower = 2,
    /// The score is the value.
    Exact = 3,
}

impl Bound {
    /// The bound written in the two lowest bits of `bits`.
    const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }
}

/// What is known about one position.
///
/// # Entries without a score
///
/// A search remembers a static evaluation before it knows any score. Such an entry has
/// [`Bound::None`], and its score means nothing: see [`Entry::eval_only`]. It is found and evicted
/// like any other of its depth, and never replaces one that has a score.
///
/// # Layout
///
/// ```text
///  57      50 49      42 41              26 25      18 17      10 9       3  2  1     0
/// ┌──────────┬──────────┬──────────────────┬──────────┬──────────┬─────────┬──┬───────┐
/// │ eval low │ score low│      move        │ eval high│score high│ depth+1 │pv│ bound │
/// └──────────┴──────────┴──────────────────┴──────────┴──────────┴─────────┴──┴───────┘
///   ◄── index side: the key bits up here choose the cluster
/// ```
///
/// The bits that differ most between two entries, the low bytes of evaluation and score, are at the
/// top; depth and flags, alike in most entries, at the bottom. Then a torn pair nearly always
/// belongs to another cluster and is dead: see [`Payload`]. That is why the two scores are cut in
/// halves.
///
/// The depth is stored plus one, so no entry is all zeros, not even that of a drawn position with
/// no move, no depth and no bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Entry {
    /// The best move found, as [`Move::raw`](megatherium_board::Move::raw); 0 means none.
    pub mv: u16,
    /// The result of the search, to be read together with `bound`.
    pub score: i16,
    /// The static evaluation of the position.
    pub eval: i16,
    /// How deep the search was, in plies: 0 to [`Entry::MAX_DEPTH`]; greater depths are stored as
    /// the greatest.
    pub depth: u8,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
    /// What `score` says about the true value.
    pub bound: Bound,
}

impl Entry {
    /// The greatest depth that fits into seven bits plus one.
    pub const MAX_DEPTH: u8 = 126;

    /// The bits of the move.
    const MOVE: u64 = 0xffff << 26;

    /// An entry that knows a static evaluation and nothing else.
    pub const fn eval_only(eval: i16) -> Self {
        Self { mv: 0, score: 0, eval, depth: 0, pv: false, bound: Bound::None }
    }
}

impl Payload for Entry {
    #[inline]
    fn pack(self) -> Packed {
        let [eval, score, mv] = [self.eval as u16, self.score as u16, self.mv].map(u64::from);
        let depth = u64::from(self.depth.min(Self::MAX_DEPTH)) + 1;
        let index_side = (eval & 0xff) << 50 | (score & 0xff) << 42 | mv << 26;
        let high_bytes = (eval >> 8) << 18 | (score >> 8) << 10;
        let flags = depth << 3 | u64::from(self.pv) << 2 | self.bound as u64;
        Packed::new(index_side | high_bytes | flags)
    }

    #[inline]
    fn unpack(packed: Packed) -> Self {
        let bits = packed.bits();
        Self {
            mv: (bits >> 26) as u16,
            score: (bits >> 42 & 0xff | bits >> 2 & 0xff00) as i16,
            eval: (bits >> 50 & 0xff | bits >> 10 & 0xff00) as i16,
            depth: Self::rank(packed) as u8,
            pv: bits >> 2 & 1 != 0,
            bound: Bound::from_bits(bits),
        }
    }

    /// The depth.
    #[inline]
    fn rank(packed: Packed) -> i32 {
        (packed.bits() >> 3 & 0x7f) as i32 - 1
    }

    /// A fail-low has no best move, but the move that was best before is still the best guess.
    #[inline]
    fn merge(new: Packed, known: Packed) -> Packed {
        let missing = if new.bits() & Self::MOVE == 0 { Self::MOVE } else { 0 };
        Packed::new(new.bits() | known.bits() & missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::replacement::DepthAge;
    use megatherium_tt::{Hit, Table, check_layout};
    use proptest::prelude::*;

    fn entries() -> impl Strategy<Value = Entry> {
        let bound = (0..4u64).prop_map(Bound::from_bits);
        (any::<u16>(), any::<i16>(), any::<i16>(), 0..=Entry::MAX_DEPTH, any::<bool>(), bound)
            .prop_map(|(mv, score, eval, depth, pv, bound)| Entry {
                mv,
                score,
                eval,
                depth,
                pv,
                bound,
            })
    }

    proptest! {
        #[test]
        fn packing_round_trips(entry in entries()) {
            prop_assert_eq!(Entry::unpack(entry.pack()), entry);
            prop_assert_eq!(Entry::rank(entry.pack()), i32::from(entry.depth));
        }

        #[test]
        fn a_missing_move_is_taken_over_and_nothing_else(a in entries(), b in entries()) {
            for a in [a, Entry { mv: 0, ..a }] {
                let mv = if a.mv == 0 { b.mv } else { a.mv };
                prop_assert_eq!(Entry::merge(a.pack(), b.pack()), Entry { mv, ..a }.pack());
            }
        }
    }

    #[test]
    fn every_field_sits_where_the_diagram_says() {
        let zero = Entry { bound: Bound::Upper, ..Entry::default() };
        let bits = |entry: Entry| entry.pack().bits() ^ zero.pack().bits();
        assert_eq!(bits(Entry { eval: 0x00ff, ..zero }), 0xff << 50);
        assert_eq!(bits(Entry { score: 0x00ff, ..zero }), 0xff << 42);
        assert_eq!(bits(Entry { mv: 0xffff, ..zero }), 0xffff << 26);
        assert_eq!(bits(Entry { eval: -256, ..zero }), 0xff << 18);
        assert_eq!(bits(Entry { score: -256, ..zero }), 0xff << 10);
        assert_eq!(bits(Entry { depth: 126, ..zero }), (0x7f ^ 1) << 3);
        assert_eq!(bits(Entry { pv: true, ..zero }), 1 << 2);
        assert_eq!(zero.pack().bits(), 1 << 3 | 1, "depth plus one, and the bound at the bottom");
    }

    #[test]
    fn depths_beyond_the_field_are_stored_as_the_greatest() {
        let entry = Entry { depth: 255, bound: Bound::Exact, ..Entry::default() };
        assert_eq!(Entry::unpack(entry.pack()).depth, Entry::MAX_DEPTH);
    }

    #[test]
    fn an_entry_of_nothing_but_zeros_is_an_entry() {
        let table = Table::<Entry, DepthAge>::with_mebibytes(1).unwrap();
        assert!(table.probe(0).is_none());
        table.store(0, Entry::eval_only(0));
        assert_eq!(table.probe(0).map(Hit::get), Some(Entry::eval_only(0)));
        let empty = Entry { mv: 0, score: 0, eval: 5, depth: 0, pv: false, bound: Bound::None };
        assert_eq!(Entry::eval_only(5), empty);
    }

    #[test]
    fn an_evaluation_alone_is_an_entry_but_does_not_replace_a_score() {
        let table = Table::<Entry, DepthAge>::with_mebibytes(1).unwrap();
        let scored = Entry { mv: 3, score: 17, bound: Bound::Lower, ..Entry::eval_only(4) };
        table.store(5, Entry::eval_only(8));
        table.store(5, scored);
        table.store(5, Entry::eval_only(9));
        assert_eq!(table.probe(5).map(Hit::get), Some(scored));
    }

    /// Entries such as a search stores: evaluations around zero, scores near them, two in five
    /// without a move, shallow ones far more often than deep ones.
    fn plausible(random: &mut fastrand::Rng) -> Entry {
        let mut around_zero = |size: f64| {
            let size = -size * (1.0 - random.f64()).ln();
            (if random.bool() { size } else { -size }) as i16
        };
        let eval = around_zero(80.0);
        let score = eval.saturating_add(around_zero(40.0));
        let mv = if random.u8(..5) < 2 { 0 } else { random.u16(..64) * 64 + random.u16(..16) };
        let depth = (random.u32(..) | 1 << 20).trailing_zeros() as u8;
        let bound = if random.bool() { Bound::Upper } else { Bound::Lower };
        Entry { mv, score, eval, depth, pv: false, bound }
    }

    /// The fields in the order in which they are declared, the move on top.
    #[derive(Clone, Copy, PartialEq)]
    struct InDeclaredOrder(Entry);

    impl Payload for InDeclaredOrder {
        fn pack(self) -> Packed {
            let [mv, score, eval] =
                [self.0.mv, self.0.score as u16, self.0.eval as u16].map(u64::from);
            let flags = u64::from(self.0.depth + 1) << 3 | self.0.bound as u64;
            Packed::new(mv << 42 | score << 26 | eval << 10 | flags)
        }

        fn unpack(packed: Packed) -> Self {
            let bits = packed.bits();
            let (mv, score, eval) = ((bits >> 42) as u16, (bits >> 26) as i16, (bits >> 10) as i16);
            let (depth, bound) = ((bits >> 3 & 0x7f) as u8 - 1, Bound::from_bits(bits));
            Self(Entry { mv, score, eval, depth, pv: false, bound })
        }
    }

    /// Torn pairs of plausible entries in a table of 16 MiB, in this layout and in the obvious one.
    #[test]
    fn torn_pairs_seldom_belong_to_their_cluster() {
        let mut random = fastrand::Rng::with_seed(1);
        let samples: Vec<Entry> = (0..200_000).map(|_| plausible(&mut random)).collect();
        let shipped = check_layout(&samples, 16 << 14).expect("the layout is sound");
        let declared: Vec<_> = samples.into_iter().map(InDeclaredOrder).collect();
        let declared = check_layout(&declared, 16 << 14).expect_err("the layout is weak");
        println!("as shipped: {shipped:?}; the move on top: {declared}");
        assert!(shipped.alive * 10_000 < shipped.pairs, "{shipped:?}");
    }
}
