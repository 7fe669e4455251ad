//! The models: what threads can do to each other in one cluster, with every outcome there is.
//!
//! An outcome reads `what thread 1 saw | what thread 2 saw | … | [the four slots in the end]`.
//! Threads that look at nothing are left out. `-` is a miss, `.` an empty slot; a tick is a
//! refresh. An exclamation mark would be an entry of another key: the one thing that must not
//! happen.

use crate::model::Step::{Erase, NewGeneration, Peek, Probe, Store, Tear, Write, WriteTo};
use crate::model::{A, A1, A1_DATA, A2, A3, A4, B1, B2, C1, D1, E1, F1, Model, Step};

/// A full cluster, in which the entry of `A` in the first slot is worth least.
const FULL: &[Step] = &[Store(A1), Store(C1), Store(D1), Store(E1)];

/// All models.
pub const MODELS: [Model; 16] = [
    ONE_SLOT_TWO_KEYS,
    ONE_SLOT_ALIKE,
    ONE_SLOT_ONE_KEY,
    CLUSTER_ONE_KEY,
    CLUSTER_TWO_KEYS,
    UPDATE_AGAINST_EVICTION,
    HINT_AGAINST_UPDATE,
    HINT_AGAINST_EVICTION,
    HEALING,
    REFRESH_AGAINST_UPDATE,
    REFRESH_AGAINST_EVICTION,
    TWO_REFRESHES,
    NEW_GENERATION,
    CLEAR_AGAINST_PROBE,
    CLEAR_AGAINST_STORE,
    RESURRECTION,
];

pub(crate) const ONE_SLOT_TWO_KEYS: Model = Model {
    name: "one slot, two keys",
    about: "Two writers meet in one slot, with entries of different keys. The reader gets the \
            right entry or none. What is left is either of them, or torn: the check word of one \
            and the data word of the other, an entry of no key of this cluster.",
    before: &[],
    threads: &[&[Write(A1)], &[Write(B1)], &[Peek(A)]],
    outcomes: &[
        "- | [a1 . . .]",
        "- | [b1 . . .]",
        "- | [torn . . .]",
        "a1 | [a1 . . .]",
        "a1 | [b1 . . .]",
        "a1 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const ONE_SLOT_ALIKE: Model = Model {
    name: "one slot, alike entries",
    about: "The same, with entries so alike that a torn pair still belongs to a key of this \
            cluster: not to A, and not to B.",
    before: &[],
    threads: &[&[Write(A1)], &[Write(B2)], &[Peek(A)]],
    outcomes: &[
        "- | [a1 . . .]",
        "- | [b2 . . .]",
        "- | [torn . . .]",
        "a1 | [a1 . . .]",
        "a1 | [b2 . . .]",
        "a1 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const ONE_SLOT_ONE_KEY: Model = Model {
    name: "one slot, one key",
    about: "Two writers of the same key. The reader may see either entry, whole; and either \
            may be what is left, or neither.",
    before: &[],
    threads: &[&[Write(A1)], &[Write(A2)], &[Peek(A)]],
    outcomes: &[
        "- | [a1 . . .]",
        "- | [a2 . . .]",
        "- | [torn . . .]",
        "a1 | [a1 . . .]",
        "a1 | [a2 . . .]",
        "a1 | [torn . . .]",
        "a2 | [a1 . . .]",
        "a2 | [a2 . . .]",
        "a2 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const CLUSTER_ONE_KEY: Model = Model {
    name: "cluster, one key",
    about: "Two threads store the same key into an empty cluster. If one sees the slot of the \
            other half written, or not at all, strange things are left: the position twice \
            (duplicate), of which a probe finds the first, perhaps the older one (stale); or not \
            at all (lost).",
    before: &[],
    threads: &[&[Store(A1)], &[Store(A2)], &[Peek(A)]],
    outcomes: &[
        "- | [a1 . . .]",
        "- | [a1 a2 . .]",
        "- | [a2 . . .]",
        "- | [a2 a1 . .]",
        "- | [torn . . .]",
        "a1 | [a1 . . .]",
        "a1 | [a1 a2 . .]",
        "a1 | [a2 . . .]",
        "a1 | [a2 a1 . .]",
        "a1 | [torn . . .]",
        "a2 | [a1 . . .]",
        "a2 | [a1 a2 . .]",
        "a2 | [a2 . . .]",
        "a2 | [a2 a1 . .]",
        "a2 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const CLUSTER_TWO_KEYS: Model = Model {
    name: "cluster, two keys",
    about: "Two threads store different keys into an empty cluster. Both take the first slot \
            if neither sees the other in time: one is lost, or both are.",
    before: &[],
    threads: &[&[Store(A1)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | [a1 . . .]",
        "- | [a1 b1 . .]",
        "- | [b1 . . .]",
        "- | [b1 a1 . .]",
        "- | [torn . . .]",
        "a1 | [a1 . . .]",
        "a1 | [a1 b1 . .]",
        "a1 | [b1 . . .]",
        "a1 | [b1 a1 . .]",
        "a1 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const UPDATE_AGAINST_EVICTION: Model = Model {
    name: "update against eviction",
    about: "In a full cluster one thread updates the very entry that another one evicts.",
    before: FULL,
    threads: &[&[Store(A2)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | [a2 c1 d1 e1]",
        "- | [b1 c1 d1 e1]",
        "- | [torn c1 d1 e1]",
        "a1 | [a2 c1 d1 e1]",
        "a1 | [b1 c1 d1 e1]",
        "a1 | [torn c1 d1 e1]",
        "a2 | [a2 c1 d1 e1]",
        "a2 | [b1 c1 d1 e1]",
        "a2 | [torn c1 d1 e1]",
    ],
    false_alarms: &[],
};

pub(crate) const HINT_AGAINST_EVICTION: Model = Model {
    name: "kept hint against eviction",
    about: "The update brings no move and takes over the known one. Whatever the slot holds by the \
            time it is written, the move is one of A, never one of B.",
    before: FULL,
    threads: &[&[Store(A3)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | [a3 c1 d1 e1]",
        "- | [a3+a1 c1 d1 e1]",
        "- | [b1 c1 d1 e1]",
        "- | [torn c1 d1 e1]",
        "a1 | [a3 c1 d1 e1]",
        "a1 | [a3+a1 c1 d1 e1]",
        "a1 | [b1 c1 d1 e1]",
        "a1 | [torn c1 d1 e1]",
        "a3 | [a3 c1 d1 e1]",
        "a3 | [torn c1 d1 e1]",
        "a3+a1 | [a3+a1 c1 d1 e1]",
        "a3+a1 | [b1 c1 d1 e1]",
        "a3+a1 | [torn c1 d1 e1]",
    ],
    false_alarms: &[],
};

pub(crate) const HINT_AGAINST_UPDATE: Model = Model {
    name: "kept hint against update",
    about: "Two updates of one position, one of them without a move: it takes over the move of \
            whichever entry it saw, or none if it saw the slot torn and took it for another's.",
    before: FULL,
    threads: &[&[Store(A3)], &[Store(A2)]],
    outcomes: &[
        "[a2 c1 d1 e1]",
        "[a3 c1 d1 e1]",
        "[a3+a1 c1 d1 e1]",
        "[a3+a2 c1 d1 e1]",
        "[torn c1 d1 e1]",
    ],
    false_alarms: &[],
};

pub(crate) const HEALING: Model = Model {
    name: "healing",
    about: "A torn slot that looks very deep, beside three deep entries. It would stay for ever if \
            depth alone counted; but both writers know it for dead and take it.",
    before: &[Store(A1), Store(C1), Store(D1), Store(E1), Tear(B1, F1)],
    threads: &[&[Store(A2)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | [a2 c1 d1 e1]",
        "- | [b1 c1 d1 e1]",
        "- | [torn c1 d1 e1]",
        "a2 | [a2 c1 d1 e1]",
        "a2 | [b1 c1 d1 e1]",
        "a2 | [torn c1 d1 e1]",
    ],
    false_alarms: &[],
};

pub(crate) const REFRESH_AGAINST_UPDATE: Model = Model {
    name: "refresh against update",
    about: "A probe finds an entry of an earlier search and refreshes it while it is updated. The \
            update always wins: it is neither undone nor torn.",
    before: &[Store(A1), NewGeneration],
    threads: &[&[Probe(A)], &[Store(A2)]],
    outcomes: &["- | [a2' . . .]", "a1 | [a2' . . .]", "a2 | [a2' . . .]"],
    false_alarms: &["a1 | [torn . . .]"],
};

pub(crate) const REFRESH_AGAINST_EVICTION: Model = Model {
    name: "refresh against eviction",
    about: "The same with an entry of another key that takes the slot.",
    before: &[Store(A1), Store(C1), Store(D1), Store(E1), NewGeneration],
    threads: &[&[Probe(A)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | - | [b1' c1 d1 e1]",
        "- | a1 | [b1' c1 d1 e1]",
        "a1 | - | [b1' c1 d1 e1]",
        "a1 | a1 | [b1' c1 d1 e1]",
    ],
    false_alarms: &["a1 | - | [torn c1 d1 e1]", "a1 | a1 | [torn c1 d1 e1]"],
};

pub(crate) const TWO_REFRESHES: Model = Model {
    name: "two refreshes",
    about: "Two probes refresh the same entry: once is enough, twice is harmless, and a third \
            thread finds it at any time.",
    before: &[Store(A1), NewGeneration],
    threads: &[&[Probe(A)], &[Probe(A)], &[Peek(A)]],
    outcomes: &["a1 | a1 | a1 | [a1' . . .]"],
    false_alarms: &[],
};

pub(crate) const NEW_GENERATION: Model = Model {
    name: "a new generation begins",
    about: "The generation changes while others probe and store: they stamp the old one or the new \
            one. (Not what an engine does, but nothing breaks.)",
    before: FULL,
    threads: &[&[NewGeneration], &[Probe(A)], &[Store(B1)]],
    outcomes: &[
        "- | [b1 c1 d1 e1]",
        "- | [b1' c1 d1 e1]",
        "a1 | [b1 c1 d1 e1]",
        "a1 | [b1' c1 d1 e1]",
    ],
    false_alarms: &["a1 | [torn c1 d1 e1]"],
};

pub(crate) const CLEAR_AGAINST_PROBE: Model = Model {
    name: "clear against probe",
    about: "Why clear takes &mut self. While a slot is emptied beside a reader, its check word may \
            be gone and its data still there: to a reader whose key equals the data that is an \
            entry, and one that was never stored for this key. Hashes do not equal data words by \
            accident, but keys that are not hashes may.",
    before: &[Write(A1)],
    threads: &[&[Erase], &[Peek(A), Peek(A1_DATA)]],
    outcomes: &["- - | [. . . .]", "- a1! | [. . . .]", "a1 - | [. . . .]", "a1 a1! | [. . . .]"],
    false_alarms: &[],
};

pub(crate) const CLEAR_AGAINST_STORE: Model = Model {
    name: "clear against store",
    about: "And beside a writer it may tear a slot, or leave an entry behind.",
    before: &[Write(A1)],
    threads: &[&[Erase], &[Store(A2)], &[Peek(A)]],
    outcomes: &[
        "- | [. . . .]",
        "- | [. a2 . .]",
        "- | [a2 . . .]",
        "- | [torn . . .]",
        "a1 | [. . . .]",
        "a1 | [. a2 . .]",
        "a1 | [a2 . . .]",
        "a1 | [torn . . .]",
        "a2 | [. . . .]",
        "a2 | [. a2 . .]",
        "a2 | [a2 . . .]",
        "a2 | [torn . . .]",
    ],
    false_alarms: &[],
};

pub(crate) const RESURRECTION: Model = Model {
    name: "resurrection",
    about: "One thread alone, in a cluster where a race has left A twice (a2, then a1). It has \
            updated the first copy to a4. Now it stores another key, which evicts that copy, and \
            then it finds the second one: a1, older than what it has stored itself.",
    before: &[WriteTo(0, A2), WriteTo(1, A1), WriteTo(2, C1), WriteTo(3, D1), Store(A4)],
    threads: &[&[Store(B1), Peek(A)]],
    outcomes: &["a1 | [b1 a1 c1 d1]"],
    false_alarms: &[],
};

/// How many preemptions loom may use in each execution. One would do for these models; two costs
/// seconds.
pub const PREEMPTIONS: Option<usize> = Some(2);

/// Outcomes as a set.
pub fn set(outcomes: &[&str]) -> std::collections::BTreeSet<String> {
    outcomes.iter().map(ToString::to_string).collect()
}
