//! A bounded run of the hostile tester: `cargo run --release -p megatherium-tests --example
//! adversary` runs for an hour.
#![cfg(target_os = "linux")]

use megatherium_tests::adversary::{Case, Class, Counts};

fn hold(class: Class, cases: u64) {
    let mut counts = Counts::default();
    for number in 0..cases {
        let case = Case::new(class, number);
        match case.run() {
            Ok(judged) => counts += judged,
            Err(error) => {
                let (case, error) = case.shrink(error, 60);
                panic!("{class:?}:{number}: {error}\n{case}");
            }
        }
    }
    println!("{class:?}: {counts:?}");
    assert!(counts.lines > 0);
}

#[test]
fn games() {
    hold(Class::Games, 25);
}

#[test]
fn chess960() {
    hold(Class::Chess960, 25);
}

#[test]
fn crowded() {
    hold(Class::Crowded, 25);
}

#[test]
fn races() {
    hold(Class::Races, 40);
}

#[test]
fn noise() {
    hold(Class::Noise, 25);
}

#[test]
fn numbers() {
    hold(Class::Numbers, 40);
}

#[test]
fn files() {
    hold(Class::Files, 25);
}

#[test]
fn memory() {
    hold(Class::Memory, 25);
}

#[test]
fn threads() {
    hold(Class::Threads, 25);
}

#[test]
fn pipes() {
    hold(Class::Pipes, 25);
}
