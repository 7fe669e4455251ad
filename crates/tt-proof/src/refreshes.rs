//! Six ways to refresh a generation, and what each of them leaves behind.

use crate::model::{Model, Played};
use crate::models::{REFRESH_AGAINST_EVICTION, REFRESH_AGAINST_UPDATE, TWO_REFRESHES};
use crate::mutants::{CoveredGeneration, CoveredXorRefresh, PairRefresh, StoreRefresh, XorRefresh};
use crate::{book, closure, exact};
use megatherium_tt::internals::{Protocol, Xor};
use std::collections::BTreeSet;

/// What can be in the slot when all is done, over all executions.
fn left<X: Protocol>(model: Model) -> String {
    let played = Played::<X>::new(model);
    let explored = exact::explore(&played, closure::explore(&played).as_ref());
    let first_slot = |outcome: &String| {
        let slots = outcome.rsplit('[').next().unwrap_or_default();
        slots.split(' ').next().unwrap_or_default().to_string()
    };
    explored
        .outcomes
        .iter()
        .map(first_slot)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join(", ")
}

fn row<X: Protocol>(name: &str) -> String {
    let cells = [REFRESH_AGAINST_UPDATE, REFRESH_AGAINST_EVICTION, TWO_REFRESHES].map(left::<X>);
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// The table in the book: only the compare-exchange leaves nothing but what was stored last.
#[test]
fn only_an_exchange_refreshes_cleanly() {
    let shipped =
        row::<Xor>("generation outside the XOR, compare-exchange of the data word (shipped)");
    let table = [
        "| refresh | beside an update to a2 | beside an eviction by b1 | beside another refresh |\n|---|---|---|---|\n"
            .to_string(),
        row::<PairRefresh>("both words written again"),
        row::<CoveredGeneration>("generation inside the XOR, compare-exchange of the data word"),
        row::<CoveredXorRefresh>("generation inside the XOR, bits flipped in both words"),
        row::<StoreRefresh>("generation outside the XOR, data word stored"),
        row::<XorRefresh>("generation outside the XOR, bits flipped in the data word"),
        shipped.clone(),
    ]
    .concat();
    println!("{table}");
    assert!(shipped.ends_with("| a2' | b1' | a1' |\n"), "{shipped}");
    book::has("06-refresh.md", "refreshes", &table);
}
