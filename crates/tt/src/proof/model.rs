//! Programs made of calls to the table, written as data.

use super::program::Program;
use crate::entry::{Data, Entry};
use crate::policy::DepthAge;
use crate::protocol::Protocol;
use crate::slot::Snapshot;
use crate::table::Table;
use crate::word::Word;
use core::marker::PhantomData;

/// An entry with a name, and the key it is stored for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub name: &'static str,
    pub key: u64,
    pub entry: Entry,
}

/// One call of the table, or one look at it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// `Table::store`.
    Store(Named),
    /// `Table::probe`, which may refresh what it finds.
    Probe(u64),
    /// `Table::peek`.
    Peek(u64),
    /// `Table::new_search`.
    NewSearch,
    /// The last part of a store: writes this entry into the first slot, whatever is there.
    Write(Named),
    /// Empties the first slot, as `Table::clear` does with every slot.
    Erase,
    /// Leaves the first slot as two writers may leave it: the check word of one entry, the data word of
    /// another.
    Tear(Named, Named),
}

/// A model: what is there, what the threads do, and all that can come of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub name: &'static str,
    /// What the table is made to hold before the threads start.
    pub before: &'static [Step],
    pub threads: &'static [&'static [Step]],
    /// Every outcome of the shipped protocol: what the threads saw, then the slots of the cluster.
    pub outcomes: &'static [&'static str],
    /// Outcomes that loom reports besides, although they cannot happen: see
    /// `litmus::loom_breaks_exchanges_apart`.
    pub false_alarms: &'static [&'static str],
}

/// Two clusters, so that a torn slot can be told from a whole one. All keys of the models belong to the
/// first.
const CLUSTERS: usize = 2;

/// A model as a program, with the shipped protocol or with a mutated one.
pub(super) struct Played<X> {
    pub model: Model,
    pub protocol: PhantomData<fn() -> X>,
}

impl<X> Played<X> {
    pub fn new(model: Model) -> Self {
        Self { model, protocol: PhantomData }
    }
}

impl<X: Protocol> Program for Played<X> {
    type Shared<W: Word> = Shared<W, X>;

    fn before<W: Word>(&self) -> Shared<W, X> {
        let table = Table::with_clusters(CLUSTERS).expect("two clusters fit anywhere");
        let shared = Shared { table };
        self.play(&shared.table, self.model.before);
        shared
    }

    fn threads(&self) -> usize {
        self.model.threads.len()
    }

    fn thread<W: Word>(&self, shared: &Shared<W, X>, thread: usize) -> String {
        self.play(&shared.table, self.model.threads[thread])
    }

    fn after<W: Word>(&self, shared: &Shared<W, X>) -> String {
        let slots = shared.table.cluster(0).slots.each_ref().map(|slot| self.survey(slot.read::<X>()));
        format!("[{}]", slots.join(" "))
    }
}

/// What the threads of a model share: a table, nothing else.
pub(super) struct Shared<W: Word, X: Protocol> {
    table: Table<DepthAge, W, X>,
}

impl<X: Protocol> Played<X> {
    fn play<W: Word>(&self, table: &Table<DepthAge, W, X>, steps: &[Step]) -> String {
        let mut saw = Vec::new();
        for step in steps {
            match *step {
                Step::Store(it) => table.store(it.key, it.entry),
                Step::Probe(key) => saw.push(self.name(key, table.probe(key))),
                Step::Peek(key) => saw.push(self.name(key, table.peek(key))),
                Step::NewSearch => table.new_search(),
                Step::Write(it) => table.cluster(0).slots[0].write::<X>(it.key, Data::pack(it.entry, 0)),
                Step::Erase => table.cluster(0).slots[0].erase::<X>(),
                Step::Tear(one, other) => {
                    let slot = &table.cluster(0).slots[0];
                    let check = X::seal(one.key, Data::pack(one.entry, 0));
                    slot.check.store(check);
                    slot.data.store(Data::pack(other.entry, 0).0);
                }
            }
        }
        saw.join(" ")
    }

    /// The name of what was found for a key: `-` for nothing, and with an exclamation mark what was never
    /// stored for it.
    fn name(&self, key: u64, found: Option<Entry>) -> String {
        let Some(entry) = found else { return "-".to_string() };
        let named = self.named();
        let right = named.iter().find(|it| it.key == key && it.entry == entry);
        let wrong = named.iter().find(|it| it.entry == entry);
        match (right, wrong) {
            (Some(it), _) => it.name.to_string(),
            (None, Some(it)) => format!("{}!", it.name),
            (None, None) => "garbage!".to_string(),
        }
    }

    /// What a slot holds: `.` nothing, the name of an entry with a tick for each search it was refreshed in,
    /// or `torn`.
    fn survey(&self, seen: Snapshot) -> String {
        if !seen.data.is_occupied() {
            return ".".to_string();
        }
        let (key, entry) = (X::key_of(seen), seen.data.entry());
        let named = self.named();
        let Some(it) = named.iter().find(|it| it.key == key && it.entry == entry) else {
            return "torn".to_string();
        };
        it.name.to_string() + &"'".repeat(seen.data.generation() as usize)
    }

    /// All entries the model stores, and those that come about when one of them takes over the move of
    /// another.
    fn named(&self) -> Vec<Named> {
        let steps = self.model.before.iter().chain(self.model.threads.iter().copied().flatten());
        let mut named: Vec<Named> = steps
            .filter_map(|step| match step {
                Step::Store(it) | Step::Write(it) => Some(*it),
                _ => None,
            })
            .collect();
        named.extend(MERGED);
        named
    }
}

const fn named(name: &'static str, key: u64, entry: Entry) -> Named {
    Named { name, key, entry }
}

const fn entry(mv: u16, value: i16, depth: u8) -> Entry {
    Entry { mv, score: value, eval: value, depth, pv: false, bound: crate::Bound::Lower }
}

/// Two positions of the first cluster, which reaches up to half of all keys.
pub(super) const A: u64 = 0x0a0a_0a0a_0a0a_0a0a;
pub(super) const B: u64 = 0x4b4b_4b4b_4b4b_4b4b;

/// Their entries. The evaluations of `A1` and `B1`, and of `A1` and `A2`, differ in the highest bit of the
/// low byte, the one that chooses between the two clusters: torn pairs of them are dead.
pub(super) const A1: Named = named("a1", A, entry(0x11, 0x11, 3));
pub(super) const A2: Named = named("a2", A, entry(0x12, 0x92, 4));
pub(super) const B1: Named = named("b1", B, entry(0x21, 0xa1, 3));

/// An entry of `B` that is like `A1` in its upper half: a torn pair of the two belongs to a key of this
/// cluster, and is not dead.
pub(super) const B2: Named = named("b2", B, Entry { depth: 6, ..A1.entry });

/// An entry of `A` without a move, and what it becomes when it takes over one.
pub(super) const A3: Named = named("a3", A, entry(0, 0x93, 4));
const MERGED: [Named; 2] = [named("a3+a1", A, entry(0x11, 0x93, 4)), named("a3+a2", A, entry(0x12, 0x93, 4))];

/// Three deep entries of other positions, to fill a cluster with.
pub(super) const C1: Named = named("c1", 0x0c0c_0c0c_0c0c_0c0c, entry(0x31, 0x31, 40));
pub(super) const D1: Named = named("d1", 0x0d0d_0d0d_0d0d_0d0d, entry(0x41, 0x41, 40));
pub(super) const E1: Named = named("e1", 0x4e4e_4e4e_4e4e_4e4e, entry(0x51, 0x51, 40));

/// A very deep entry, which nobody stores: its data word is found in a torn slot.
pub(super) const F1: Named = named("f1", 0x0f0f_0f0f_0f0f_0f0f, entry(0x61, 0x61, 60));

/// A key that equals the data word of `A1`, as no hash ever would.
pub(super) const A1_DATA: u64 = Data::pack(A1.entry, 0).payload();
