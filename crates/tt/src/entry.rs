//! What the table remembers about a position, and how it fits into one 64-bit word.

/// How the score of an [`Entry`] relates to the true value of its position.
///
/// Alpha-beta seldom computes a value: it proves inequalities. The bound says which one was proved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// Nothing is known about the score: the entry only carries a static evaluation, and perhaps a move.
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
    const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }
}

/// A copied snapshot of what is known about one position.
///
/// `probe` hands out copies, never references: another thread may overwrite the slot at any moment. The table
/// gives no meaning to `mv`, `score` and `eval`; it only promises that they were stored together, for that
/// key.
///
/// # Entries without a score
///
/// A search likes to remember a static evaluation before it knows any score. Such an entry has
/// [`Bound::None`], and its score means nothing: see [`Entry::eval_only`]. It is found like any other, gives
/// way like any other of its depth, and never replaces one that has a score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Entry {
    /// The best move found, in the caller's encoding; 0 means none.
    pub mv: u16,
    /// The result of the search, to be read together with `bound`.
    pub score: i16,
    /// The static evaluation of the position.
    pub eval: i16,
    /// How deep the search was, in plies: 0 to [`Entry::MAX_DEPTH`]; greater depths are stored as the
    /// greatest.
    pub depth: u8,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
    /// What `score` says about the true value.
    pub bound: Bound,
}

impl Entry {
    /// The greatest depth that fits into the seven bits there are for it, of which the value 0 means that
    /// there is no entry.
    pub const MAX_DEPTH: u8 = 126;

    /// An entry that knows a static evaluation and nothing else.
    pub const fn eval_only(eval: i16) -> Self {
        Self { mv: 0, score: 0, eval, depth: 0, pv: false, bound: Bound::None }
    }
}

/// An [`Entry`] and its generation, packed into the data word of a slot.
///
/// ```text
///  63      56 55      48 47              32 31      24 23      16 15     9  8  7        2 1     0
/// ┌──────────┬──────────┬──────────────────┬──────────┬──────────┬────────┬──┬───────────┬───────┐
/// │ eval low │ score low│      move        │ eval high│score high│ depth  │pv│generation │ bound │
/// └──────────┴──────────┴──────────────────┴──────────┴──────────┴────────┴──┴───────────┴───────┘
///   ◄── index side: the key bits up here choose the cluster
/// ```
///
/// **Why the two scores are cut in halves.** If a reader catches the check word of one entry and the data
/// word of another (a *torn* pair), the pair belongs to the key `k ^ d1 ^ d2`. Only the high bits of a key
/// choose its cluster. As long as `d1` and `d2` differ in those bits, the key belongs to another cluster: no
/// probe of this one can ever accept the pair, and a store recognises it as dead. So the bits that differ
/// most between two entries, the low bytes of evaluation and score, sit at the very top; depth and flags,
/// alike in most entries, at the bottom.
///
/// **What marks a slot as occupied.** The depth is stored plus one, so no entry is all zeros, not even that
/// of a drawn position with no move, no depth and no bound; and a word that is all zeros, save perhaps its
/// generation, is empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Data(pub u64);

impl Data {
    /// The bits of the generation: the only ones a refresh changes, and the only ones the check word does not
    /// cover.
    pub const GENERATION: u64 = 0b1111_1100;

    /// The bits of the move.
    const MOVE: u64 = 0xffff << 32;

    /// Packs an entry, stamped with a generation (of which only the low six bits count).
    #[inline]
    pub const fn pack(entry: Entry, generation: u64) -> Self {
        let (eval, score, mv) = (entry.eval as u16 as u64, entry.score as u16 as u64, entry.mv as u64);
        let depth = if entry.depth < Entry::MAX_DEPTH { entry.depth } else { Entry::MAX_DEPTH } as u64;
        let index_side = eval << 56 | (score & 0xff) << 48 | mv << 32;
        let high_bytes = (eval >> 8) << 24 | (score >> 8) << 16;
        let flags = (depth + 1) << 9 | (entry.pv as u64) << 8 | entry.bound as u64;
        Self(index_side | high_bytes | flags | (generation << 2 & Self::GENERATION))
    }

    /// The entry in this word. Meaningless for a word that is not [occupied](Data::is_occupied).
    #[inline]
    pub const fn entry(self) -> Entry {
        let word = self.0;
        Entry {
            mv: (word >> 32) as u16,
            score: (word >> 48 & 0xff | word >> 8 & 0xff00) as i16,
            eval: (word >> 56 | word >> 16 & 0xff00) as i16,
            depth: self.depth() as u8,
            pv: word >> 8 & 1 != 0,
            bound: self.bound(),
        }
    }

    /// The word without its generation: what the check word covers.
    #[inline]
    pub const fn payload(self) -> u64 {
        self.0 & !Self::GENERATION
    }

    /// Whether there is an entry in this word at all.
    #[inline]
    pub const fn is_occupied(self) -> bool {
        self.payload() != 0
    }

    /// The generation the entry was stored in, or last refreshed in.
    #[inline]
    pub const fn generation(self) -> u64 {
        (self.0 & Self::GENERATION) >> 2
    }

    /// The same entry, stamped with another generation.
    #[inline]
    pub const fn with_generation(self, generation: u64) -> Self {
        Self(self.payload() | (generation << 2 & Self::GENERATION))
    }

    /// The depth of the entry; −1 if there is none.
    #[inline]
    pub const fn depth(self) -> i32 {
        (self.0 >> 9 & 0x7f) as i32 - 1
    }

    /// The bound of the entry.
    #[inline]
    pub const fn bound(self) -> Bound {
        Bound::from_bits(self.0 as u8)
    }

    /// Whether the entry knows a move.
    #[inline]
    pub const fn has_move(self) -> bool {
        self.0 & Self::MOVE != 0
    }

    /// This entry, with the move of `other` if it has none of its own.
    #[inline]
    pub const fn or_move_of(self, other: Self) -> Self {
        if self.has_move() { self } else { Self(self.0 | other.0 & Self::MOVE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn entries() -> impl Strategy<Value = Entry> {
        let bound = (0..4u8).prop_map(Bound::from_bits);
        (any::<u16>(), any::<i16>(), any::<i16>(), 0..=Entry::MAX_DEPTH, any::<bool>(), bound)
            .prop_map(|(mv, score, eval, depth, pv, bound)| Entry { mv, score, eval, depth, pv, bound })
    }

    proptest! {
        #[test]
        fn packing_round_trips(entry in entries(), generation in 0..64u64) {
            let data = Data::pack(entry, generation);
            prop_assert!(data.is_occupied());
            prop_assert_eq!(data.entry(), entry);
            prop_assert_eq!(data.generation(), generation);
            prop_assert_eq!(data.has_move(), entry.mv != 0);
        }

        #[test]
        fn a_new_generation_changes_nothing_else(entry in entries(), old in 0..64u64, new in 0..64u64) {
            let data = Data::pack(entry, old).with_generation(new);
            prop_assert_eq!(data, Data::pack(entry, new));
            prop_assert_eq!(data.payload(), Data::pack(entry, old).payload());
        }

        #[test]
        fn a_missing_move_is_taken_over_and_nothing_else(a in entries(), b in entries()) {
            let merged = Data::pack(a, 1).or_move_of(Data::pack(b, 2));
            let mv = if a.mv == 0 { b.mv } else { a.mv };
            prop_assert_eq!(merged, Data::pack(Entry { mv, ..a }, 1));
        }
    }

    #[test]
    fn every_field_sits_where_the_diagram_says() {
        let zero = Entry { bound: Bound::Upper, ..Entry::default() };
        let bits = |entry: Entry| Data::pack(entry, 0).0 ^ Data::pack(zero, 0).0;
        assert_eq!(bits(Entry { eval: 0x00ff, ..zero }), 0xff << 56);
        assert_eq!(bits(Entry { score: 0x00ff, ..zero }), 0xff << 48);
        assert_eq!(bits(Entry { mv: 0xffff, ..zero }), 0xffff << 32);
        assert_eq!(bits(Entry { eval: -256, ..zero }), 0xff << 24);
        assert_eq!(bits(Entry { score: -256, ..zero }), 0xff << 16);
        assert_eq!(bits(Entry { depth: 126, ..zero }), (0x7f ^ 1) << 9);
        assert_eq!(bits(Entry { pv: true, ..zero }), 1 << 8);
        assert_eq!(Data::pack(zero, 63).0 ^ Data::pack(zero, 0).0, Data::GENERATION);
        assert_eq!(Data::pack(zero, 0).0, 1 << 9 | 1, "depth plus one, and the bound in the two lowest bits");
    }

    #[test]
    fn depths_beyond_the_field_are_stored_as_the_greatest() {
        let entry = Entry { depth: 255, bound: Bound::Exact, ..Entry::default() };
        assert_eq!(Data::pack(entry, 0).entry().depth, Entry::MAX_DEPTH);
    }

    #[test]
    fn an_entry_of_nothing_but_zeros_is_not_an_empty_slot() {
        let data = Data::pack(Entry::eval_only(0), 0);
        assert!(data.is_occupied());
        assert_eq!(data.entry(), Entry::eval_only(0));
        assert!(!Data(0).is_occupied());
        assert!(!Data(Data::GENERATION).is_occupied(), "a generation alone is no entry");
    }
}
