//! Progress of a run: a line while it runs, a table at its end, a file to resume from.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use megatherium_tests::adversary::{Class, Counts};

/// How a class has done: conversations, failures, and what was judged.
#[derive(Clone, Copy, Default)]
struct Row {
    cases: usize,
    failures: usize,
    counts: Counts,
}

pub struct Progress {
    seed: u64,
    /// The index of the next case.
    pub next: u64,
    rows: [Row; Class::ALL.len()],
    started: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// A new run, or the one in a file if it has the same seed.
    pub fn load(seed: u64, file: Option<&Path>) -> Progress {
        let rows = [Row::default(); Class::ALL.len()];
        let mut progress = Progress { seed, next: 0, rows, started: Instant::now(), shown: None };
        let Some(text) = file.and_then(|file| fs::read_to_string(file).ok()) else {
            return progress;
        };
        let numbers: Vec<u64> =
            text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
        if numbers.len() != 2 + 5 * Class::ALL.len() || numbers[0] != seed {
            eprintln!("the state is of another run: beginning anew");
            return progress;
        }
        progress.next = numbers[1];
        for (row, part) in progress.rows.iter_mut().zip(numbers[2..].chunks_exact(5)) {
            let [cases, failures, lines, searches, moves] =
                [0, 1, 2, 3, 4].map(|at| part[at] as usize);
            *row = Row { cases, failures, counts: Counts { lines, searches, moves } };
        }
        progress
    }

    fn save(&self, file: &Path) {
        let row = |row: &Row| {
            let Counts { lines, searches, moves } = row.counts;
            format!("{} {} {lines} {searches} {moves}\n", row.cases, row.failures)
        };
        let rows: String = self.rows.iter().map(row).collect();
        if let Err(error) = fs::write(file, format!("{} {}\n{rows}", self.seed, self.next)) {
            eprintln!("{}: {error}", file.display());
        }
    }

    /// Adds a case, and prints its failure.
    pub fn add(&mut self, class: Class, counts: Counts, failure: Option<String>) {
        let row = &mut self.rows[class as usize];
        row.cases += 1;
        row.counts += counts;
        if let Some(text) = failure {
            row.failures += 1;
            println!("\n--- FAILED: {text}\n---");
        }
    }

    pub fn failures(&self) -> usize {
        self.rows.iter().map(|row| row.failures).sum()
    }

    fn total(&self) -> Row {
        let mut total = Row::default();
        for row in &self.rows {
            total.cases += row.cases;
            total.failures += row.failures;
            total.counts += row.counts;
        }
        total
    }

    /// The progress line, at most once a second, and the state.
    pub fn show(&mut self, state: Option<&Path>) {
        if self.shown.is_some_and(|shown| shown.elapsed() < Duration::from_secs(1)) {
            return;
        }
        self.shown = Some(Instant::now());
        if let Some(file) = state {
            self.save(file);
        }
        if std::io::stderr().is_terminal() {
            let Row { cases, failures, counts } = self.total();
            eprint!(
                "\r{:>5} s  {cases} conversations, {} searches, {} moves judged, {failures} failures ",
                self.started.elapsed().as_secs(),
                counts.searches,
                counts.moves
            );
            let _ = std::io::stderr().flush();
        }
    }

    /// The final table.
    pub fn table(&self) {
        println!("\n| class | conversations | lines | searches | moves judged | failures |");
        println!("|---|---:|---:|---:|---:|---:|");
        let line = |name: &str, row: &Row| {
            let Counts { lines, searches, moves } = row.counts;
            println!(
                "| {name} | {} | {lines} | {searches} | {moves} | {} |",
                row.cases, row.failures
            );
        };
        for (class, row) in Class::ALL.iter().zip(&self.rows).filter(|(_, row)| row.cases > 0) {
            line(&format!("{class:?}").to_lowercase(), row);
        }
        line("all", &self.total());
    }
}
