//! Prints what was measured, as Markdown.

use std::fs;

use crate::Plan;
use crate::drive::{AHEAD, USES};
use crate::keys::Universe;
use crate::pages::Footprint;
use crate::race::Best;

/// One lane in all four uses.
pub struct Row {
    /// Name of the lane.
    pub label: String,
    /// What it showed in each of [`USES`].
    pub cells: [Cell; 4],
}

/// One lane in one use.
pub struct Cell {
    /// The best round.
    pub best: Best,
    /// Its time as a multiple of the limit's, with prefetch, in the same race.
    pub of_limit: f64,
    /// Its time as a multiple of the table's, with prefetch, in the same race.
    pub of_table: f64,
}

/// What a rival takes and how exact it is.
pub struct Memory {
    /// Name of the rival.
    pub label: &'static str,
    /// Resident memory for each key of the universe.
    pub bytes_per_entry: f64,
    /// Share of it in huge pages.
    pub huge_share: f64,
    /// Hits with a wrong value.
    pub wrong_values: u64,
    /// Hits for keys that were never stored.
    pub false_hits: u64,
    /// Probes of each kind.
    pub probes: u64,
}

/// Says on what and how the numbers were made.
pub fn header(plan: Plan) {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = file("/proc/cpuinfo");
    let model =
        cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let load = file("/proc/loadavg");
    println!("\n# Table bench\n");
    println!("- processor: {}", model.unwrap_or("unknown"));
    println!("- cores: {}", std::thread::available_parallelism().map_or(0, usize::from));
    println!(
        "- load average at the start: {}",
        load.split_whitespace().next().unwrap_or("unknown")
    );
    let setting = file("/sys/kernel/mm/transparent_hugepage/enabled");
    println!("- transparent huge pages: {}", setting.trim());
    println!("- each race: {} rounds of {} operations per thread\n", plan.rounds, plan.operations);
    println!(
        "Times are nanoseconds of CPU time per operation and thread, fastest round. In brackets the multiple of"
    );
    println!("the limit with prefetch in the same race, then the share of probes that hit.\n");
}

/// Opens the section of one size.
pub fn size(mebibytes: usize, universe: Universe, pages: &str) {
    println!("## {mebibytes} MiB, {} keys\n\nmegatherium-tt, {pages}.\n", universe.len);
}

/// The big table: every lane in every use.
pub fn comparison(rows: &[Row]) {
    println!("| | {} |", USES.map(|(threads, every)| uses(threads, every)).join(" | "));
    println!("|---|---|---|---|---|");
    for row in rows {
        let cells = row.cells.each_ref().map(|cell| {
            format!("{:.1} ({:.2}×) {:.3}", cell.best.nanos, cell.of_limit, cell.best.hit_rate)
        });
        println!("| {} | {} |", row.label, cells.join(" | "));
    }
    println!("\nAs multiples of megatherium-tt with prefetch, in the same race:\n");
    println!("| | {} |", USES.map(|(threads, every)| uses(threads, every)).join(" | "));
    println!("|---|---|---|---|---|");
    for row in &rows[2..] {
        let cells = row.cells.each_ref().map(|cell| format!("{:.2}", cell.of_table));
        println!("| {} | {} |", row.label, cells.join(" | "));
    }
    let (mut sum, mut count) = (0.0, 0);
    for cell in rows.iter().flat_map(|row| &row.cells[2..]) {
        sum += cell.best.concurrency;
        count += 1;
    }
    println!("\nWith two threads, {:.1} ran at once on average.\n", sum / f64::from(count));
}

fn uses(threads: usize, store_every: u32) -> String {
    let plural = if threads == 1 { "" } else { "s" };
    format!("{threads} thread{plural}, {} % stores", 100 / store_every)
}

/// What the rivals take, and whether what they say is right.
pub fn memory(rows: &[Memory]) {
    if rows.is_empty() {
        return;
    }
    println!("| | bytes per key | in huge pages | wrong values | false hits per million |");
    println!("|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {:.0} | {:.0} % | {} | {:.2} |",
            row.label,
            row.bytes_per_entry,
            100.0 * row.huge_share,
            row.wrong_values,
            1e6 * row.false_hits as f64 / row.probes as f64,
        );
    }
    println!();
}

/// The sweep of prefetch distances.
pub fn distances(distances: &[usize], limits: &[Best], tables: &[Best]) {
    println!("Prefetch distance, 1 thread, 10 % stores:\n");
    let columns: Vec<String> = distances.iter().map(ToString::to_string).collect();
    println!("| distance | {} |", columns.join(" | "));
    println!("|---|{}", "---|".repeat(distances.len()));
    for bests in [limits, tables] {
        let times: Vec<String> = bests.iter().map(|best| format!("{:.1}", best.nanos)).collect();
        let name = bests[0].label.as_str();
        println!("| {name} | {} |", times.join(" | "));
    }
    println!();
}

/// Huge pages against small ones: pairs of lanes, and the dependent chain.
pub fn pages(bests: &[Best], large_chain: f64, small_chain: f64, small: Footprint) {
    let huge = 100.0 * small.huge_share();
    println!(
        "Huge pages and small ones ({huge:.0} % of those in huge pages), 1 thread, 10 % stores:\n"
    );
    println!("| | huge | small | small ÷ huge |");
    println!("|---|---|---|---|");
    let line = |label: &str, large: f64, small: f64| {
        println!("| {label} | {large:.1} | {small:.1} | {:.2} |", small / large);
    };
    for pair in bests.chunks(2) {
        line(&pair[0].label, pair[0].nanos, pair[1].nanos);
    }
    line("megatherium-tt, each probe waiting for the last", large_chain, small_chain);
    println!();
}

/// The dependent chain: for each amount of work the time without a table, with it, and with a
/// prefetch.
pub fn chain(rows: &[[f64; 3]]) {
    println!(
        "Each probe decides the next key, with work between key and probe that a prefetch can hide behind:\n"
    );
    println!("| work alone | with a probe | with prefetch and probe | saved |");
    println!("|---|---|---|---|");
    for [work, probe, prefetched] in rows {
        println!("| {work:.0} | {probe:.0} | {prefetched:.0} | {:.0} |", probe - prefetched);
    }
    println!();
}

/// A promise about speed, and how it stands.
pub struct Goal {
    what: String,
    measured: [f64; 4],
    wanted: Wanted,
}

#[derive(Clone, Copy)]
enum Wanted {
    AtMost(f64),
    AtLeast(f64),
    Nothing,
}

impl Goal {
    /// How close the table is to the limit.
    pub fn of_limit(mebibytes: usize, table: &Row) -> Self {
        let wanted = match mebibytes {
            1 => Wanted::AtMost(1.8),
            1024 => Wanted::AtMost(1.15),
            _ => Wanted::Nothing,
        };
        let measured = table.cells.each_ref().map(|cell| cell.of_limit);
        Self {
            what: format!("{mebibytes} MiB, prefetch {AHEAD}: multiple of the limit"),
            measured,
            wanted,
        }
    }

    /// How much faster the table is than dashmap.
    pub fn of_dashmap(mebibytes: usize, dashmap: &Row) -> Self {
        let wanted = if mebibytes == 64 { Wanted::AtLeast(5.0) } else { Wanted::Nothing };
        let measured = dashmap.cells.each_ref().map(|cell| cell.of_table);
        Self { what: format!("{mebibytes} MiB: times as fast as dashmap"), measured, wanted }
    }
}

/// All goals, for the end of the report.
#[derive(Default)]
pub struct Goals(Vec<Goal>);

impl Goals {
    /// Adds goals.
    pub fn extend(&mut self, goals: Vec<Goal>) {
        self.0.extend(goals);
    }

    /// Prints them with what was measured in each use.
    pub fn print(&self) {
        println!("## In short\n");
        println!(
            "| | {} | wanted |",
            USES.map(|(threads, every)| uses(threads, every)).join(" | ")
        );
        println!("|---|---|---|---|---|---|");
        for Goal { what, measured, wanted } in &self.0 {
            let wanted = match wanted {
                Wanted::AtMost(bound) => format!("≤ {bound}"),
                Wanted::AtLeast(bound) => format!("≥ {bound}"),
                Wanted::Nothing => "–".to_owned(),
            };
            println!(
                "| {what} | {} | {wanted} |",
                measured.map(|value| format!("{value:.2}")).join(" | ")
            );
        }
    }
}
