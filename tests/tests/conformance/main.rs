//! Does an engine keep to the UCI protocol?
//!
//! Any engine can be asked:
//!
//! ```sh
//! ENGINE=/usr/games/stockfish cargo test -p megatherium-tests --test conformance
//! cargo test -p megatherium-tests --test conformance -- [--list] [--long] [PART OF A NAME]
//! ```
//!
//! Each check is something that the specification says or that every GUI relies on. What only
//! Megatherium's manual promises is checked in the tests `uci_*`. `--long` (or `--ignored`) repeats
//! the races thousands of times.

#![forbid(unsafe_code)]

mod go;
mod handshake;
mod input;
mod options;
mod races;
mod subject;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use subject::{Check, Done, Subject};

/// Checks that run side by side.
const SIDE_BY_SIDE: usize = 2;

/// The result of a check.
enum Result {
    Passed,
    Skipped(&'static str),
    Failed(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked =
        |names: &[&str]| arguments.iter().any(|argument| names.contains(&argument.as_str()));
    let wanted: Vec<&String> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let all =
        [handshake::CHECKS, options::CHECKS, go::CHECKS, input::CHECKS, races::CHECKS].concat();
    let checks: Vec<Check> = all
        .into_iter()
        .filter(|check| wanted.iter().all(|part| check.name.contains(part.as_str())))
        .collect();
    if asked(&["--list"]) {
        for check in &checks {
            println!("{}: test", check.name);
        }
        return ExitCode::SUCCESS;
    }
    let long = asked(&["--long", "--ignored", "--include-ignored"]);
    // A failed check is reported below, with the conversation: no need to say it twice.
    std::panic::set_hook(Box::new(|_| {}));
    let subject = match catch_unwind(|| Subject::meet(long)) {
        Ok(subject) => subject,
        Err(panic) => {
            println!("not a UCI engine: {}", message(panic.as_ref()));
            return ExitCode::FAILURE;
        }
    };
    println!("\n{} ({})\n", subject.name, subject.path.display());
    let results = run(&checks, &subject);
    report(&checks, &results, &subject)
}

/// Runs the checks, a few at a time, each with engines of its own.
fn run(checks: &[Check], subject: &Subject) -> Vec<(Result, Duration)> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<(Result, Duration)>>> =
        checks.iter().map(|_| Mutex::default()).collect();
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some((check, place)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    checks.get(index).zip(results.get(index))
                } {
                    let started = Instant::now();
                    let result = match catch_unwind(AssertUnwindSafe(|| (check.run)(subject))) {
                        Ok(Done::Passed) => Result::Passed,
                        Ok(Done::Skipped(why)) => Result::Skipped(why),
                        Err(panic) => Result::Failed(message(panic.as_ref())),
                    };
                    *place.lock().expect("nobody panics here") = Some((result, started.elapsed()));
                }
            });
        }
    });
    let results = results.into_iter().map(|place| place.into_inner().expect("nobody panics here"));
    results.map(|result| result.expect("every check was run")).collect()
}

fn report(checks: &[Check], results: &[(Result, Duration)], subject: &Subject) -> ExitCode {
    let mut counts = [0, 0, 0];
    for (check, (result, time)) in checks.iter().zip(results) {
        let (column, word) = match result {
            Result::Passed => (0, "ok".to_owned()),
            Result::Skipped(why) => (1, format!("skipped: {why}")),
            Result::Failed(_) => (2, "FAILED".to_owned()),
        };
        counts[column] += 1;
        println!("  {:<60} {word} ({:.1} s)", check.name, time.as_secs_f64());
        if let Result::Failed(why) = result {
            // For another engine the first lines are enough.
            let shown = if subject.own { usize::MAX } else { 4 };
            for line in why.lines().take(shown) {
                println!("      {}", line.chars().take(300).collect::<String>());
            }
        }
    }
    let [passed, skipped, failed] = counts;
    println!("  {passed} passed, {failed} failed, {skipped} skipped\n");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
        .to_owned()
}
