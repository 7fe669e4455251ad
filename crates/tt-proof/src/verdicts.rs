//! Which checker catches which mutant.

use crate::model::{Model, Played};
use crate::models::{CLEAR_AGAINST_PROBE, MODELS, PREEMPTIONS, set};
use crate::mutants::{every_mutant, *};
use crate::{book, closure, counting, exact, sequential, weave};
use megatherium_tt::internals::{Protocol, Xor};
use std::fmt::Write as _;
use std::sync::Arc;

/// What the checkers say about one mutant.
#[derive(Debug)]
struct Verdict {
    mutant: &'static str,
    /// One thread, against a description.
    sequential: bool,
    /// More accesses than promised.
    counting: bool,
    /// An entry of another position, in some order of things.
    order_free: bool,
    /// The first model with other outcomes than the shipped protocol has …
    exact: Option<Model>,
    /// … and whether loom finds other outcomes there too.
    loom: bool,
}

impl Verdict {
    fn of<X: Protocol>(mutant: &'static str) -> Self {
        let (mut order_free, mut exact) = (false, None);
        for model in MODELS {
            let played = Played::<X>::new(model);
            let closure = closure::explore(&played);
            // The one model that shows wrong entries with the shipped protocol too.
            if model.name != CLEAR_AGAINST_PROBE.name {
                order_free |= closure.as_ref().is_some_and(closure::Closure::is_wrong);
            }
            if exact.is_none()
                && exact::explore(&played, closure.as_ref()).outcomes != set(model.outcomes)
            {
                exact = Some(model);
            }
        }
        Self {
            mutant,
            sequential: sequential::check::<X>(&sequential::drill()).is_err(),
            counting: counting::check::<X>().is_err(),
            order_free,
            exact,
            loom: exact.is_some_and(|model| loom_differs::<X>(&model)),
        }
    }

    fn is_caught(&self) -> bool {
        self.sequential || self.counting || self.order_free || self.exact.is_some()
    }

    fn row(&self) -> String {
        let mark = |caught: bool| if caught { "caught" } else { "–" };
        let exact = self.exact.map_or("–".to_string(), |model| format!("caught: {}", model.name));
        let marks = [self.sequential, self.counting, self.order_free, self.loom].map(mark);
        format!(
            "| {} | {} | {} | {} | {exact} | {} |",
            self.mutant, marks[0], marks[1], marks[2], marks[3]
        )
    }
}

fn loom_differs<X: Protocol>(model: &Model) -> bool {
    let expected = &set(model.outcomes) | &set(model.false_alarms);
    weave::explore(Arc::new(Played::<X>::new(*model)), PREEMPTIONS).outcomes != expected
}

/// The verdicts on several protocols, each under its own name.
macro_rules! verdicts {
    ($($protocol:ident),* $(,)?) => { vec![$(Verdict::of::<$protocol>(stringify!($protocol))),*] };
}

/// No mutant gets away. What it prints is the table in the book.
#[test]
fn every_mutant_is_caught() {
    let verdicts = every_mutant!(verdicts);
    let mut table =
        "| mutant | sequential | counting | order-free | exact | loom |\n|---|---|---|---|---|---|\n"
            .to_string();
    for verdict in &verdicts {
        writeln!(table, "{}", verdict.row()).expect("strings take everything");
    }
    println!("{table}");
    assert!(verdicts.iter().all(Verdict::is_caught));
    book::has("08-checking.md", "mutants", &table);
}

/// Equivalent mutants and the shipped protocol pass everything: no checker has false positives.
#[test]
fn nobody_else_is() {
    for verdict in verdicts![Xor, SwappedStores, SwappedLoads, OccupiedByRank] {
        assert!(!verdict.is_caught(), "{verdict:?}");
    }
}

/// Order does not matter to loom either. (With the shipped order every model is run under loom
/// anyway.)
#[test]
fn loom_finds_the_same_in_the_other_order() {
    for model in MODELS.iter().filter(|model| model.threads.len() == 2 || model.before.is_empty()) {
        assert!(!loom_differs::<SwappedStores>(model), "{}", model.name);
        assert!(!loom_differs::<SwappedLoads>(model), "{}", model.name);
    }
}

/// Emptying the data word alone would make `clear` safe beside a probe, and is the same to a thread
/// alone. The table clears both anyway: no probe can run meanwhile, and a cleared slot is then all
/// zero.
#[test]
fn emptying_the_data_word_alone_is_even_safer() {
    let verdict = Verdict::of::<DataErase>("DataErase");
    assert!(!verdict.sequential && !verdict.order_free);
    assert_eq!(verdict.exact.map(|model| model.name), Some(CLEAR_AGAINST_PROBE.name));
    let played = Played::<DataErase>::new(CLEAR_AGAINST_PROBE);
    let outcomes = exact::explore(&played, closure::explore(&played).as_ref()).outcomes;
    assert_eq!(outcomes, set(&["- - | [. . . .]", "a1 - | [. . . .]"]));
}
