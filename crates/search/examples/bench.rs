//! Prints the bench signature: `cargo run --release -p megatherium-search --example bench [depth]`.

#![forbid(unsafe_code)]

use std::sync::atomic::AtomicBool;

use megatherium_search::bench;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth = std::env::args().nth(1).map_or(Ok(bench::DEFAULT_DEPTH), |depth| depth.parse())?;
    let result =
        bench::run(depth, 1, bench::DEFAULT_HASH, &AtomicBool::new(false), &mut |position| {
            println!(
                "{:2} {:>9} {:>6} {}",
                position.number, position.nodes, position.score, position.fen
            );
        })?;
    println!("{} nodes {} nps checksum {:016x}", result.nodes, result.nps(), result.checksum);
    Ok(())
}
