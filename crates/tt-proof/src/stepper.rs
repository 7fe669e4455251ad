//! The stepper page: a shortest witness of every outcome of every model, and of every mutant's
//! first wrong outcome, from the exact checker's own states.

use crate::closure::{self, Closure};
use crate::exact::{self, Taken};
use crate::model::{Model, Played, Step};
use crate::models::{MODELS, set};
use crate::replay::{Access, Threads};
use crate::{book, mutants};
use megatherium_tt::Payload as _;
use megatherium_tt::internals::{Protocol, Xor};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The page without its data.
const PAGE: &str = include_str!("stepper.html");

fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// What a thread does, in words, and the key it does it for.
fn program(step: &Step) -> String {
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
    format!("[{},\"{key:016x}\"]", text(&line))
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
            labels.insert(format!("{word:016x}"), name.clone());
            let check = format!("{:016x}", X::seal(it.key, word));
            labels.entry(check).or_insert(format!("✓{name}"));
        }
    }
    labels
}

/// One step: thread, call, kind, word, value, result, place, whether it is private, and what else
/// there was.
fn step(taken: &Taken) -> String {
    let (kind, value) = match taken.access {
        Access::Load { .. } => ("L", taken.result),
        Access::Store { value, .. } => ("S", value),
        Access::Exchange { new, .. } => ("X", new),
    };
    let options = list(taken.options.iter().map(|(result, place)| match taken.access {
        Access::Load { .. } => format!("[{place},\"{result:016x}\"]"),
        _ => format!("[{place},\"{result}\"]"),
    }));
    let (thread, call, word) = (taken.thread, taken.call, exact::word_of(taken.access));
    let (place, private) = (taken.place, u8::from(taken.private));
    let done = if matches!(taken.access, Access::Exchange { .. }) { taken.result } else { 1 };
    format!(
        "[{thread},{call},\"{kind}\",{word},\"{value:016x}\",{done},{place},{private},{options}]"
    )
}

/// Whether somebody reads a torn pair on the way: the words of two different entries, one after the
/// other.
fn mark(path: &[Taken], labels: &BTreeMap<String, String>) -> &'static str {
    let label = |value: u64| labels.get(&format!("{value:016x}"));
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

/// A model with some of its outcomes.
fn scene<X: Protocol>(name: &str, about: &str, model: Model, only: Option<&str>) -> String {
    let played = Played::<X>::new(model);
    let closure: Option<Closure> = closure::explore(&played);
    let labels = labels(&played);
    let witnesses = exact::witnesses(&played, closure.as_ref(), |path| mark(path, &labels));
    let initial = Threads::new(&played).initial().to_vec();
    let outcomes =
        witnesses.iter().filter(|(outcome, _)| only.is_none_or(|it| outcome.starts_with(it)));
    let outcomes = list(outcomes.map(|(outcome, path)| {
        format!("{{\"name\":{},\"steps\":{}}}", text(outcome), list(path.iter().map(step)))
    }));
    let labels: Vec<String> =
        labels.iter().map(|(value, name)| format!("{}:{}", text(value), text(name))).collect();
    let any_order = closure.map_or(Vec::new(), |closure| closure.values);
    let any_order = list(any_order.iter().map(|values| {
        list(values.iter().filter(|_| values.len() > 1).map(|value| format!("\"{value:016x}\"")))
    }));
    let threads = list(model.threads.iter().map(|steps| list(steps.iter().map(program))));
    let before = list(initial.iter().map(|value| format!("\"{value:016x}\"")));
    format!(
        "{{\"name\":{},\"about\":{},\"threads\":{threads},\"initial\":{before},\
         \"anyOrder\":{any_order},\"labels\":{{{}}},\"outcomes\":{outcomes}}}",
        text(name),
        text(about),
        labels.join(",")
    )
}

/// The first model in which a mutant does what the shipped protocol cannot do: a wrong entry if
/// there is one, or else any outcome of its own. `None` for those that only go wrong after many
/// calls.
fn lie<X: Protocol>(name: &str) -> Option<String> {
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
        [$(lie::<mutants::$mutant>(stringify!($mutant))),*].into_iter().flatten()
    };
}

/// The page in the book is the one that the checker makes. `UPDATE_BOOK=1` writes it.
#[test]
fn the_stepper_shows_what_the_checker_finds() {
    let mut data = String::from("{\"models\":");
    let shown = MODELS.iter().map(|model| scene::<Xor>(model.name, model.about, *model, None));
    data += &list(shown);
    let _ = write!(
        data,
        ",\"mutants\":{}}}",
        list(lies![
            NoXor,
            LowerHalf,
            UpperHalf,
            DoubleRead,
            NarrowCompare,
            NoValidBit,
            CoveredGeneration,
            UnmaskedCompare,
            PairRefresh,
            StoreRefresh,
            XorRefresh,
            CoveredXorRefresh,
            WrongSlot,
            SeesNoRoom,
            LazyCheck,
            HalfErase,
            StaleIndex,
            NoHealing,
            LosesTheHint,
            HintOfAnother,
        ])
    );
    assert!(!data.contains("</"), "nothing ends the script early");
    book::is("stepper.html", &PAGE.replace("/*DATA*/", &data));
}
