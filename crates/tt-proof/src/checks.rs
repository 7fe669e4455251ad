//! Every model under every checker.

use crate::model::Step::{Peek, Write};
use crate::model::{A, A1, B, Model, Named, Played, Step};
use crate::models::{
    CLEAR_AGAINST_PROBE, HINT_AGAINST_UPDATE, MODELS, NEW_GENERATION, ONE_SLOT_TWO_KEYS,
    PREEMPTIONS, REFRESH_AGAINST_UPDATE, TWO_REFRESHES, set,
};
use crate::mutants::{LEFT_OUT, TwoGenerations, Uncovered};
use crate::sample::Sample;
use crate::{book, closure, exact, weave};
use megatherium_tt::internals::{Protocol, Xor};
use megatherium_tt::{Packed, Payload};
use std::fmt::Write as _;
use std::sync::Arc;

/// Every model, under every checker, with the shipped code. What it prints is the table in the
/// book.
#[test]
fn every_model_has_exactly_these_outcomes() {
    let mut table = String::from(
        "| model | outcomes | exact: states | order-free: points | loom: iterations |\n\
         |---|---:|---:|---:|---:|\n",
    );
    for model in MODELS {
        let played = Played::<Xor>::new(model);
        let expected = set(model.outcomes);

        let closure = closure::explore(&played);
        let is_wrong = closure.as_ref().is_some_and(closure::Closure::is_wrong);
        let is_clear = model.name == CLEAR_AGAINST_PROBE.name;
        assert_eq!(is_wrong, is_clear, "{}: a wrong entry, in any order", model.name);
        let counts_generations = model.name == NEW_GENERATION.name;
        assert_eq!(closure.is_none(), counts_generations, "{}: does it end?", model.name);

        let exact = exact::explore(&played, closure.as_ref());
        assert_eq!(exact.outcomes, expected, "{}: exact checker", model.name);

        let loom = weave::explore(Arc::new(played), PREEMPTIONS);
        let with_alarms = &expected | &set(model.false_alarms);
        assert_eq!(loom.outcomes, with_alarms, "{}: loom", model.name);

        let points =
            closure.map_or("does not end".to_string(), |closure| closure.effort.to_string());
        let (name, outcomes) = (model.name, expected.len());
        let (states, iterations) = (exact.effort, loom.effort);
        writeln!(table, "| {name} | {outcomes} | {states} | {points} | {iterations} |")
            .expect("strings take everything");
    }
    println!("{table}");
    book::has("08-checking.md", "models", &table);
}

/// With generations of one bit the order-free checker ends on the model that counts them, too, and
/// finds nothing wrong.
#[test]
fn with_two_generations_every_closure_ends() {
    let closure = closure::explore(&Played::<TwoGenerations>::new(NEW_GENERATION));
    assert!(!closure.expect("two generations end").is_wrong());
}

/// The exact checker skips orders that cannot matter. It finds the same without.
#[test]
fn the_reduction_of_the_exact_checker_loses_nothing() {
    for model in [ONE_SLOT_TWO_KEYS, REFRESH_AGAINST_UPDATE, TWO_REFRESHES, HINT_AGAINST_UPDATE] {
        let played = Played::<Xor>::new(model);
        assert_eq!(exact::explore_all(&played).outcomes, set(model.outcomes), "{}", model.name);
    }
}

/// Two writers of different keys with payloads that differ in one bit only, for every bit there is.
/// The shipped protocol shows nothing wrong; the one that leaves this bit out of the XOR does, each
/// time.
#[test]
fn every_bit_of_the_payload_is_covered() {
    // A rank that is one whichever of its bits is flipped.
    let one = Named { value: Sample { rank: 4, ..A1.value }, ..A1 };
    for bit in 0..Packed::BITS {
        let value = Sample::unpack(Packed::new(one.value.bits() ^ 1 << bit));
        let other = Named { name: "b", key: B, value };
        assert_eq!((one.value.bits() ^ other.value.bits()).trailing_zeros(), bit);
        let threads: [&'static [Step]; 3] =
            [vec![Write(one)].leak(), vec![Write(other)].leak(), &[Peek(A)]];
        let threads = Box::leak(Box::new(threads));
        let model = Model { threads, ..ONE_SLOT_TWO_KEYS };
        LEFT_OUT.set(Xor::word(Packed::new(1 << bit), 0));
        let wrong = |closure: Option<closure::Closure>| closure.is_none_or(|it| it.is_wrong());
        assert!(!wrong(closure::explore(&Played::<Xor>::new(model))), "bit {bit}");
        assert!(wrong(closure::explore(&Played::<Uncovered>::new(model))), "bit {bit} left out");
        let exact = exact::explore_all(&Played::<Uncovered>::new(model));
        assert!(exact.outcomes.iter().any(|outcome| outcome.contains('!')), "bit {bit} left out");
    }
}
