//! `megatherium table-value`: the same searches with tables of several sizes and practically
//! without one.

use crate::table_value::{Row, run as measure};
use clap::Args;
use megatherium_cli::progress::Progress;
use megatherium_search::bench;

use megatherium_cli::JobResult;
use megatherium_cli::MAX_HASH;

#[derive(Args, Debug)]
pub struct TableValueArgs {
    /// Depth of each search
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: u32,
    /// Table sizes in MiB to compare with practically no table
    #[arg(long, value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256], value_parser = clap::value_parser!(u64).range(1..=MAX_HASH))]
    sizes: Vec<u64>,
}

/// Prints a row for every size as soon as it is measured. Ctrl-C ends it after the current size.
pub(super) fn run(args: &TableValueArgs) -> JobResult {
    let sizes = args.sizes.iter().map(|&size| Some(size as usize));
    let bar = Progress::new("table sizes")?;
    bar.begin("table sizes", sizes.len() as u64 + 1);
    bar.line(format!("{} positions to depth {}, one thread", bench::POSITIONS.len(), args.depth));
    bar.line(
        "   table        nodes  saved  saved (geo. mean)  hit rate  cutoffs  move hints   full    time",
    );
    let mut without: Option<Row> = None;
    let count = sizes.len() + 1;
    for (done, size) in std::iter::once(None).chain(sizes).enumerate() {
        if bar.stopped() {
            bar.line(format!("stopped after {done} of {count} table sizes"));
            break;
        }
        let row = measure(args.depth, size)?;
        bar.line(describe(&row, without.get_or_insert_with(|| row.clone())));
        bar.step(1, "");
    }
    bar.clear();
    Ok(())
}

fn describe(row: &Row, without: &Row) -> String {
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let table = row.stats.table;
    let geometric = ((row.log_nodes - without.log_nodes) / bench::POSITIONS.len() as f64).exp();
    let size = row.mebibytes.map_or("none".to_owned(), |mebibytes| format!("{mebibytes} MiB"));
    format!(
        "{size:>8} {:>12} {:>5.1} % {:>16.1} % {:>7.1} % {:>6.1} % {:>9.1} % {:>5.1} % {:>6.2} s",
        row.nodes,
        100.0 - percent(row.nodes, without.nodes),
        100.0 * (1.0 - geometric),
        percent(table.hits, table.probes),
        percent(row.stats.cutoffs, table.probes),
        percent(row.stats.move_hints, table.probes),
        row.hashfull / 10.0,
        row.time.as_secs_f64(),
    )
}
