//! Programs made of calls to the table, written as data.

use crate::program::Program;
use crate::replay;
use crate::sample::{Keep, Kind, Sample};
use core::marker::PhantomData;
use megatherium_tt::internals::{Backed, Protocol, Snapshot};
use megatherium_tt::{Hit, Payload, Table};

/// A value with a name, and the key it is stored for.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// What outcomes call it.
    pub name: &'static str,
    /// Its key.
    pub key: u64,
    /// The value.
    pub value: Sample,
}

/// One call of the table, or one look at it.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// `Table::store`.
    Store(Named),
    /// `Table::probe`, which may refresh what it finds.
    Probe(u64),
    /// `Table::peek`.
    Peek(u64),
    /// `Table::new_generation`.
    NewGeneration,
    /// The last part of a store: writes this entry into the first slot, whatever is there.
    Write(Named),
    /// The same, into any slot.
    WriteTo(usize, Named),
    /// Empties the first slot, as `Table::clear` does with every slot.
    Erase,
    /// Leaves the first slot as two writers may leave it: the check word of one entry, the data
    /// word of another.
    Tear(Named, Named),
}

/// A model: the initial state, what the threads do, and every possible outcome.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What it is called.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: &'static str,
    /// What the table is made to hold before the threads start.
    pub before: &'static [Step],
    /// What each thread does.
    pub threads: &'static [&'static [Step]],
    /// Every outcome of the shipped protocol: what the threads saw, then the slots of the cluster.
    pub outcomes: &'static [&'static str],
    /// Outcomes that loom reports besides, although they cannot happen: see
    /// `litmus::loom_breaks_exchanges_apart`.
    pub false_alarms: &'static [&'static str],
}

/// Two clusters, so that a torn slot can be told from a whole one. All keys of the models belong to
/// the first.
const CLUSTERS: usize = 2;

/// A model as a program, with the shipped protocol or with a mutated one.
pub struct Played<X> {
    /// The model.
    pub model: Model,
    protocol: PhantomData<fn() -> X>,
    /// All values the model stores, and those that come about by merging two of them.
    pub named: Vec<Named>,
}

impl<X> Played<X> {
    /// A model under a protocol.
    pub fn new(model: Model) -> Self {
        let steps = model.before.iter().chain(model.threads.iter().copied().flatten());
        let mut named: Vec<Named> = steps
            .filter_map(|step| match step {
                Step::Store(it) | Step::Write(it) | Step::WriteTo(_, it) => Some(*it),
                _ => None,
            })
            .collect();
        named.extend(MERGED);
        Self { model, protocol: PhantomData, named }
    }
}

impl<X: Protocol> Program for Played<X> {
    type Shared<W: Backed> = Shared<W, X>;

    fn before<W: Backed>(&self) -> Shared<W, X> {
        let table = Table::with_clusters(CLUSTERS).expect("two clusters fit anywhere");
        let shared = Shared { table };
        self.play(&shared.table, self.model.before);
        shared
    }

    fn threads(&self) -> usize {
        self.model.threads.len()
    }

    fn thread<W: Backed>(&self, shared: &Shared<W, X>, thread: usize) -> String {
        self.play(&shared.table, self.model.threads[thread])
    }

    fn after<W: Backed>(&self, shared: &Shared<W, X>) -> String {
        let slots =
            shared.table.cluster(0).slots.each_ref().map(|slot| self.survey(slot.read::<X>()));
        format!("[{}]", slots.join(" "))
    }
}

/// What the threads of a model share: a table, nothing else.
pub struct Shared<W: Backed, X: Protocol> {
    table: Table<Sample, Keep, W, X>,
}

impl<X: Protocol> Played<X> {
    fn play<W: Backed>(&self, table: &Table<Sample, Keep, W, X>, steps: &[Step]) -> String {
        let word = |it: Named| X::word(it.value.pack(), 0);
        let mut saw = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            replay::begin_call(number);
            match *step {
                Step::Store(it) => table.store(it.key, it.value),
                Step::Probe(key) => saw.push(self.name(key, table.probe(key))),
                Step::Peek(key) => saw.push(self.name(key, table.peek(key))),
                Step::NewGeneration => table.new_generation(),
                Step::Write(it) => table.cluster(0).slots[0].write::<X>(it.key, word(it)),
                Step::WriteTo(slot, it) => {
                    table.cluster(0).slots[slot].write::<X>(it.key, word(it));
                }
                Step::Erase => X::erase(&table.cluster(0).slots[0]),
                Step::Tear(one, other) => {
                    let slot = &table.cluster(0).slots[0];
                    slot.check.store(X::seal(one.key, word(one)));
                    slot.data.store(word(other));
                }
            }
        }
        saw.join(" ")
    }

    /// The name of what was found for a key: `-` for nothing, and with an exclamation mark what was
    /// never stored for it.
    fn name(&self, key: u64, found: Option<Hit<Sample>>) -> String {
        let Some(hit) = found else { return "-".to_string() };
        self.name_of(key, hit.get()).map_or_else(
            || {
                let wrong = self.named.iter().find(|it| it.value == hit.get());
                format!("{}!", wrong.map_or("garbage", |it| it.name))
            },
            str::to_string,
        )
    }

    fn name_of(&self, key: u64, value: Sample) -> Option<&'static str> {
        self.named.iter().find(|it| it.key == key && it.value == value).map(|it| it.name)
    }

    /// What a slot holds: `.` nothing, the name of an entry with a tick for each generation it was
    /// refreshed in, or `torn`.
    pub fn survey(&self, seen: Snapshot) -> String {
        if X::payload(seen.data) == 0 {
            return ".".to_string();
        }
        let value = Sample::unpack(X::packed(seen.data));
        self.name_of(X::key_of(seen), value).map_or("torn".to_string(), |name| {
            name.to_string() + &"'".repeat(X::generation(seen.data) as usize)
        })
    }
}

const fn named(name: &'static str, key: u64, value: Sample) -> Named {
    Named { name, key, value }
}

const fn sample(hint: u16, byte: u8, rank: u8, flag: bool, kind: Kind) -> Sample {
    Sample { extra: (byte as u16) << 8 | byte as u16, hint, value: byte as u16, rank, flag, kind }
}

/// Two keys of the first cluster, which reaches up to half of all keys.
pub const A: u64 = 0x0a0a_0a0a_0a0a_0a0a;
/// The second of them.
pub const B: u64 = 0x4b4b_4b4b_4b4b_4b4b;

/// A value of `A`. Those of `A1` and `B1`, and of `A1` and `A2`, differ in the highest bit, the one
/// that chooses between the two clusters: torn pairs of them are dead. No two have the same flag
/// and kind.
pub const A1: Named = named("a1", A, sample(0x11, 0x11, 3, false, Kind::High));
/// Another value of `A`.
pub const A2: Named = named("a2", A, sample(0x12, 0x92, 4, true, Kind::Exact));
/// A value of `B`.
pub const B1: Named = named("b1", B, sample(0x21, 0xa1, 3, true, Kind::Low));

/// A value of `B` that is like `A1` in its upper half: a torn pair of the two belongs to a key of
/// this cluster, and is not dead.
pub const B2: Named = named("b2", B, Sample { rank: 6, ..A1.value });

/// A value of `A` without a hint, and what it becomes when it takes over one.
pub const A3: Named = named("a3", A, sample(0, 0x93, 4, true, Kind::High));
const MERGED: [Named; 2] = [
    named("a3+a1", A, Sample { hint: A1.value.hint, ..A3.value }),
    named("a3+a2", A, Sample { hint: A2.value.hint, ..A3.value }),
];

/// A value of `A` of less rank than `A1`, stored later.
pub const A4: Named = named("a4", A, sample(0x14, 0x94, 2, false, Kind::Low));

/// Three values of great rank of other keys, to fill a cluster with.
pub const C1: Named = named("c1", 0x0c0c_0c0c_0c0c_0c0c, sample(0x31, 0x31, 40, true, Kind::High));
/// The second of them.
pub const D1: Named = named("d1", 0x0d0d_0d0d_0d0d_0d0d, sample(0x41, 0x41, 40, false, Kind::Low));
/// The third of them.
pub const E1: Named = named("e1", 0x4e4e_4e4e_4e4e_4e4e, sample(0x51, 0x51, 40, true, Kind::Exact));

/// A value of very high rank that no thread stores: its data word is in a torn slot.
pub const F1: Named = named("f1", 0x0f0f_0f0f_0f0f_0f0f, sample(0x61, 0x61, 60, false, Kind::High));

/// A key that equals the data word of `A1`, as no hash ever would.
pub const A1_DATA: u64 = A1.value.bits() << 6;
