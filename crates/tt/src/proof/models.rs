//! The models: what threads can do to each other in one cluster, with every outcome there is.
//!
//! An outcome reads `what thread 1 saw | what thread 2 saw | … | [the four slots in the end]`. Threads that
//! look at nothing are left out. `-` is a miss, `.` an empty slot; a tick is a refresh. An exclamation mark
//! would be an entry of another position: the one thing that must not happen.

use super::model::Step::{Erase, NewSearch, Peek, Probe, Store, Tear, Write};
use super::model::{A, A1, A1_DATA, A2, A3, B1, B2, C1, D1, E1, F1, Model, Played, Step};
use super::{book, closure, exact, weave};
use crate::protocol::Xor;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// A full cluster, in which the entry of `A` in the first slot is worth least.
const FULL: &[Step] = &[Store(A1), Store(C1), Store(D1), Store(E1)];

/// All models.
pub(super) const MODELS: [Model; 15] = [
    ONE_SLOT_TWO_KEYS,
    ONE_SLOT_ALIKE,
    ONE_SLOT_ONE_KEY,
    CLUSTER_ONE_KEY,
    CLUSTER_TWO_KEYS,
    UPDATE_AGAINST_EVICTION,
    MOVE_AGAINST_UPDATE,
    MOVE_AGAINST_EVICTION,
    HEALING,
    REFRESH_AGAINST_UPDATE,
    REFRESH_AGAINST_EVICTION,
    TWO_REFRESHES,
    NEW_SEARCH,
    CLEAR_AGAINST_PROBE,
    CLEAR_AGAINST_STORE,
];

/// Two writers meet in one slot, with entries of different positions. The reader gets the right entry or
/// none. What is left is either of them, or *torn*: the check word of one and the data word of the other, an
/// entry of no position of this cluster.
pub(super) const ONE_SLOT_TWO_KEYS: Model = Model {
    name: "one slot, two keys",
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

/// The same, with entries so alike that a torn pair still belongs to a key of this cluster: not to `A`, and
/// not to `B`.
pub(super) const ONE_SLOT_ALIKE: Model = Model {
    name: "one slot, alike entries",
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

/// Two writers of the same position. The reader may see either entry, whole; and either may be what is left,
/// or neither.
pub(super) const ONE_SLOT_ONE_KEY: Model = Model {
    name: "one slot, one key",
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

/// Two threads store the same position into an empty cluster. If one sees the slot of the other half written,
/// or not at all, strange things are left: the position twice (*duplicate*), of which a probe finds the
/// first, perhaps the older one (*stale*); or not at all (*lost*).
pub(super) const CLUSTER_ONE_KEY: Model = Model {
    name: "cluster, one key",
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

/// Two threads store different positions into an empty cluster. Both take the first slot if neither sees the
/// other in time: one is lost, or both are.
pub(super) const CLUSTER_TWO_KEYS: Model = Model {
    name: "cluster, two keys",
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

/// In a full cluster one thread updates the very entry that another one evicts.
pub(super) const UPDATE_AGAINST_EVICTION: Model = Model {
    name: "update against eviction",
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

/// The update brings no move and takes over the known one. Whatever the slot holds by the time it is written,
/// the move is one of `A`, never one of `B`.
pub(super) const MOVE_AGAINST_EVICTION: Model = Model {
    name: "kept move against eviction",
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

/// Two updates of one position, one of them without a move: it takes over the move of whichever entry it saw,
/// or none if it saw the slot torn and took it for another's.
pub(super) const MOVE_AGAINST_UPDATE: Model = Model {
    name: "kept move against update",
    before: FULL,
    threads: &[&[Store(A3)], &[Store(A2)]],
    outcomes: &["[a2 c1 d1 e1]", "[a3 c1 d1 e1]", "[a3+a1 c1 d1 e1]", "[a3+a2 c1 d1 e1]", "[torn c1 d1 e1]"],
    false_alarms: &[],
};

/// A torn slot that looks very deep, beside three deep entries. It would stay for ever if depth alone
/// counted; but both writers know it for dead and take it.
pub(super) const HEALING: Model = Model {
    name: "healing",
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

/// A probe finds an entry of an earlier search and refreshes it while it is updated. The update always wins:
/// it is neither undone nor torn.
pub(super) const REFRESH_AGAINST_UPDATE: Model = Model {
    name: "refresh against update",
    before: &[Store(A1), NewSearch],
    threads: &[&[Probe(A)], &[Store(A2)]],
    outcomes: &["- | [a2' . . .]", "a1 | [a2' . . .]", "a2 | [a2' . . .]"],
    false_alarms: &["a1 | [torn . . .]"],
};

/// The same with an entry of another position that takes the slot.
pub(super) const REFRESH_AGAINST_EVICTION: Model = Model {
    name: "refresh against eviction",
    before: &[Store(A1), Store(C1), Store(D1), Store(E1), NewSearch],
    threads: &[&[Probe(A)], &[Store(B1)], &[Peek(A)]],
    outcomes: &[
        "- | - | [b1' c1 d1 e1]",
        "- | a1 | [b1' c1 d1 e1]",
        "a1 | - | [b1' c1 d1 e1]",
        "a1 | a1 | [b1' c1 d1 e1]",
    ],
    false_alarms: &["a1 | - | [torn c1 d1 e1]", "a1 | a1 | [torn c1 d1 e1]"],
};

/// Two probes refresh the same entry: once is enough, twice is harmless, and a third thread finds it at any
/// time.
pub(super) const TWO_REFRESHES: Model = Model {
    name: "two refreshes",
    before: &[Store(A1), NewSearch],
    threads: &[&[Probe(A)], &[Probe(A)], &[Peek(A)]],
    outcomes: &["a1 | a1 | a1 | [a1' . . .]"],
    false_alarms: &[],
};

/// The generation changes while others probe and store: they stamp the old one or the new one. (Not what an
/// engine does, but nothing breaks.)
pub(super) const NEW_SEARCH: Model = Model {
    name: "a new search begins",
    before: FULL,
    threads: &[&[NewSearch], &[Probe(A)], &[Store(B1)]],
    outcomes: &["- | [b1 c1 d1 e1]", "- | [b1' c1 d1 e1]", "a1 | [b1 c1 d1 e1]", "a1 | [b1' c1 d1 e1]"],
    false_alarms: &["a1 | [torn c1 d1 e1]"],
};

/// Why `clear` takes `&mut self`. While a slot is emptied beside a reader, its check word may be gone and its
/// data still there: to a reader whose key equals the data that is an entry, and one that was never stored
/// for this key. Hashes do not equal data words by accident, but keys that are not hashes may.
pub(super) const CLEAR_AGAINST_PROBE: Model = Model {
    name: "clear against probe",
    before: &[Write(A1)],
    threads: &[&[Erase], &[Peek(A), Peek(A1_DATA)]],
    outcomes: &["- - | [. . . .]", "- a1! | [. . . .]", "a1 - | [. . . .]", "a1 a1! | [. . . .]"],
    false_alarms: &[],
};

/// And beside a writer it may tear a slot, or leave an entry behind.
pub(super) const CLEAR_AGAINST_STORE: Model = Model {
    name: "clear against store",
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

/// How many preemptions loom may use in each execution. One would do for these models; two costs seconds.
pub(super) const PREEMPTIONS: Option<usize> = Some(2);

pub(super) fn set(outcomes: &[&str]) -> BTreeSet<String> {
    outcomes.iter().map(ToString::to_string).collect()
}

/// Every model, under every checker, with the shipped code. What it prints is the table in the book.
#[test]
fn every_model_has_exactly_these_outcomes() {
    let mut table = String::from(
        "| model | outcomes | exact: states | order-free: points | loom: iterations |\n|---|---:|---:|---:|---:|\n",
    );
    for model in MODELS {
        let played = Played::<Xor>::new(model);
        let expected = set(model.outcomes);

        let closure = closure::explore(&played);
        let is_wrong = closure.as_ref().is_some_and(closure::Closure::is_wrong);
        assert_eq!(
            is_wrong,
            model.name == CLEAR_AGAINST_PROBE.name,
            "{}: a wrong entry, in any order",
            model.name
        );

        let exact = exact::explore(&played, closure.as_ref());
        assert_eq!(exact.outcomes, expected, "{}: exact checker", model.name);

        let loom = weave::explore(Arc::new(played), PREEMPTIONS);
        let with_alarms = &expected | &set(model.false_alarms);
        assert_eq!(loom.outcomes, with_alarms, "{}: loom", model.name);

        let points = closure.map_or("does not end".to_string(), |closure| closure.effort.to_string());
        writeln!(
            table,
            "| {} | {} | {} | {points} | {} |",
            model.name,
            expected.len(),
            exact.effort,
            loom.effort
        )
        .expect("strings take everything");
    }
    println!("{table}");
    book::has("08-checking.md", "models", &table);
}

/// The exact checker skips orders that cannot matter. It finds the same without.
#[test]
fn the_reduction_of_the_exact_checker_loses_nothing() {
    for model in [ONE_SLOT_TWO_KEYS, REFRESH_AGAINST_UPDATE, TWO_REFRESHES, MOVE_AGAINST_UPDATE] {
        let played = Played::<Xor>::new(model);
        assert_eq!(exact::explore_all(&played).outcomes, set(model.outcomes), "{}", model.name);
    }
}
