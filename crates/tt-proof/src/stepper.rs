//! The stepper page: a shortest witness of every outcome of every model, and of every mutant's
//! first wrong outcome, from the exact checker's own states.

use crate::closure::{self, Closure};
use crate::exact::{self, Taken};
use crate::model::{Model, Played, Step};
use crate::models::{MODELS, set};
use crate::mutants::every_mutant;
use crate::replay::{Access, Threads};
use crate::{book, mutants};
use megatherium_tt::Payload as _;
use megatherium_tt::internals::{Protocol, Xor};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The page without its data.
const PAGE: &str = include_str!("stepper.html");

/// The data of the page. Steps are tuples, because there are thousands.
#[derive(Serialize)]
struct Page {
    models: Vec<Scene>,
    mutants: Vec<Scene>,
}

/// A model with some of its outcomes. Words are hexadecimal: JavaScript has no 64-bit integers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Scene {
    name: String,
    about: String,
    /// What each thread does, in words, and the key it does it for.
    threads: Vec<Vec<(String, String)>>,
    initial: Vec<String>,
    /// The values that each word can have at any time, if there is more than one.
    any_order: Vec<Vec<String>>,
    labels: BTreeMap<String, String>,
    outcomes: Vec<Outcome>,
}

#[derive(Serialize)]
struct Outcome {
    name: String,
    steps: Vec<TakenStep>,
}

/// Thread, call, kind, word, value, result, place, whether it is private, and what else there was.
type TakenStep = (usize, usize, &'static str, usize, String, u64, usize, u8, Vec<(usize, String)>);

fn hex(word: u64) -> String {
    format!("{word:016x}")
}

fn program(step: &Step) -> (String, String) {
    let (line, key) = match step {
        Step::Store(it) => (format!("store {}", it.name), it.key),
        Step::Write(it) => (format!("write {} into slot 0", it.name), it.key),
        Step::WriteTo(slot, it) => (format!("write {} into slot {slot}", it.name), it.key),
        Step::Probe(key) => (format!("probe {}", key_name(*key)), *key),
        Step::Peek(key) => (format!("peek {}", key_name(*key)), *key),
        Step::NewGeneration => ("new generation".to_string(), 0),
        Step::Erase => ("empty slot 0".to_string(), 0),
        Step::Tear(one, other) => (format!("tear {} {}", one.name, other.name), 0),
    };
    (line, hex(key))
}

fn key_name(key: u64) -> String {
    if key == crate::model::A { "A".to_string() } else { format!("{key:x}") }
}

/// What the values of check and data words mean.
fn labels<X: Protocol>(played: &Played<X>) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    for it in &played.named {
        for generation in 0..2 {
            let word = X::word(it.value.pack(), generation);
            let name = it.name.to_string() + &"'".repeat(generation as usize);
            labels.insert(hex(word), name.clone());
            let check = hex(X::seal(it.key, word));
            labels.entry(check).or_insert(format!("✓{name}"));
        }
    }
    labels
}

fn step(taken: &Taken) -> TakenStep {
    let (kind, value) = match taken.access {
        Access::Load { .. } => ("L", taken.result),
        Access::Store { value, .. } => ("S", value),
        Access::Exchange { new, .. } => ("X", new),
    };
    let option = |&(result, place): &(u64, usize)| match taken.access {
        Access::Load { .. } => (place, hex(result)),
        _ => (place, result.to_string()),
    };
    let options = taken.options.iter().map(option).collect();
    let (thread, call, word) = (taken.thread, taken.call, exact::word_of(taken.access));
    let (place, private) = (taken.place, u8::from(taken.private));
    let done = if matches!(taken.access, Access::Exchange { .. }) { taken.result } else { 1 };
    (thread, call, kind, word, hex(value), done, place, private, options)
}

/// Whether somebody reads a torn pair on the way: the words of two different entries, one after the
/// other.
fn mark(path: &[Taken], labels: &BTreeMap<String, String>) -> &'static str {
    let label = |value: u64| labels.get(&hex(value));
    let torn = |thread: usize| {
        let loads: Vec<(usize, u64)> = path
            .iter()
            .filter(|taken| taken.thread == thread && matches!(taken.access, Access::Load { .. }))
            .map(|taken| (exact::word_of(taken.access), taken.result))
            .collect();
        loads.windows(2).any(|pair| {
            let [(check, sealed), (data, word)] = [pair[0], pair[1]];
            let is_pair = check < 16 && check % 2 == 0 && data == check + 1;
            let names = label(sealed).zip(label(word));
            is_pair
                && names.is_some_and(|(check, data)| {
                    check.strip_prefix('✓') != Some(data.trim_end_matches('\''))
                })
        })
    };
    let threads = path.iter().map(|taken| taken.thread).max().unwrap_or(0);
    if (0..=threads).any(torn) { ", having read a torn pair" } else { "" }
}

fn scene<X: Protocol>(name: &str, about: &str, model: Model, only: Option<&str>) -> Scene {
    let played = Played::<X>::new(model);
    let closure: Option<Closure> = closure::explore(&played);
    let labels = labels(&played);
    let witnesses = exact::witnesses(&played, closure.as_ref(), |path| mark(path, &labels));
    let outcomes =
        witnesses.iter().filter(|(outcome, _)| only.is_none_or(|it| outcome.starts_with(it)));
    let outcome = |(name, path): (&String, &Vec<Taken>)| Outcome {
        name: name.clone(),
        steps: path.iter().map(step).collect(),
    };
    let any_order = closure.map_or(Vec::new(), |closure| closure.values);
    let several = |values: &BTreeSet<u64>| {
        values.iter().filter(|_| values.len() > 1).map(|&value| hex(value)).collect()
    };
    Scene {
        name: name.to_string(),
        about: about.to_string(),
        threads: model.threads.iter().map(|steps| steps.iter().map(program).collect()).collect(),
        initial: Threads::new(&played).initial().iter().map(|&value| hex(value)).collect(),
        any_order: any_order.iter().map(several).collect(),
        outcomes: outcomes.map(outcome).collect(),
        labels,
    }
}

/// The first model in which a mutant does what the shipped protocol cannot do: a wrong entry if
/// there is one, or else any outcome of its own. `None` for those that only go wrong after many
/// calls.
fn lie<X: Protocol>(name: &str) -> Option<Scene> {
    let own = |model: &Model| {
        let played = Played::<X>::new(*model);
        let found = exact::explore(&played, closure::explore(&played).as_ref()).outcomes;
        let other: Vec<String> = found.difference(&set(model.outcomes)).cloned().collect();
        other.iter().find(|it| it.contains('!')).or(other.first()).cloned()
    };
    let lies: Vec<(Model, String)> =
        MODELS.iter().filter_map(|model| Some((*model, own(model)?))).collect();
    let (model, outcome) = lies.iter().find(|(_, it)| it.contains('!')).or(lies.first())?;
    let about = format!("The mutant {name} in the model “{}”. {}", model.name, model.about);
    Some(scene::<X>(name, &about, *model, Some(outcome)))
}

macro_rules! lies {
    ($($mutant:ident),* $(,)?) => {
        [$(lie::<mutants::$mutant>(stringify!($mutant))),*].into_iter().flatten().collect()
    };
}

/// The page in the book is the one that the checker makes. `UPDATE_BOOK=1` writes it.
#[test]
fn the_stepper_shows_what_the_checker_finds() {
    let shown = MODELS.iter().map(|model| scene::<Xor>(model.name, model.about, *model, None));
    let page = Page { models: shown.collect(), mutants: every_mutant!(lies) };
    let data = serde_json::to_string(&page).expect("plain data");
    assert!(!data.contains("</"), "nothing ends the script early");
    book::is("stepper.html", &PAGE.replace("/*DATA*/", &data));
}
