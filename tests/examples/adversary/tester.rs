//! The command line, the run, and what is printed at its end.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::progress::Progress;
use megatherium_tests::adversary::{Case, Class};

/// Attempts to shrink a failure.
const ATTEMPTS: usize = 200;

struct Options {
    deadline: Instant,
    cases: u64,
    seed: u64,
    jobs: u64,
    classes: Vec<Class>,
    state: Option<PathBuf>,
}

/// The whole command.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str, default: u64| {
        value(name).map_or(default, |text| text.parse().expect("a number after an option"))
    };
    let class = |name: &str| {
        let named = |class: &Class| format!("{class:?}").eq_ignore_ascii_case(name);
        *Class::ALL.iter().find(|class| named(class)).expect("a class of Class::ALL")
    };
    let seed = number("--seed", 1);
    if let Some(text) = value("--replay") {
        let (name, number) = text.split_once(':').expect("CLASS:NUMBER");
        return replay(class(name), number.parse().expect("a number"));
    }
    let options = Options {
        deadline: Instant::now() + Duration::from_secs(60 * number("--minutes", 60)),
        cases: number("--cases", u64::MAX),
        seed,
        jobs: number("--jobs", 2),
        classes: value("--class").map_or_else(|| Class::ALL.to_vec(), |name| vec![class(&name)]),
        state: value("--state").map(PathBuf::from),
    };
    run(&options)
}

fn replay(class: Class, number: u64) -> ExitCode {
    let case = Case::new(class, number);
    println!("{case}");
    match case.run() {
        Ok(counts) => {
            println!("\nnothing wrong: {counts:?}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let (case, error) = case.shrink(error, ATTEMPTS);
            println!("\n{error}\n\n{case}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> ExitCode {
    let progress = Mutex::new(Progress::load(options.seed, options.state.as_deref()));
    let next = AtomicU64::new(progress.lock().expect("nobody panics").next);
    let end = next.load(Ordering::Relaxed).saturating_add(options.cases);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= end || Instant::now() > options.deadline {
                        break;
                    }
                    let class = options.classes[index as usize % options.classes.len()];
                    let number = (options.seed << 32) + index / options.classes.len() as u64;
                    let case = Case::new(class, number);
                    let result = case.run();
                    let failure = result.as_ref().err().map(|error| {
                        let (case, error) = case.shrink(error.clone(), ATTEMPTS);
                        format!("{class:?}:{number}: {error}\n{case}")
                    });
                    let mut progress = progress.lock().expect("nobody panics");
                    progress.add(class, result.unwrap_or_default(), failure);
                    progress.next = progress.next.max(index + 1);
                    progress.show(options.state.as_deref());
                }
            });
        }
    });
    let progress = progress.into_inner().expect("nobody panics");
    progress.table();
    if progress.failures() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
