//! What a match in pairs says: Elo with its interval, and whether a sequential test has decided.
//! The five numbers are pairs of games by the points of the first player: 0, ½, 1, 1½ and 2.
//!
//! `cargo run --release -p megatherium-lab --example judge -- 11 90 230 101 18`

use megatherium_lab::pentanomial::Pentanomial;
use megatherium_lab::sprt::{Sprt, Verdict};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pairs = if words.is_empty() {
        [11, 90, 230, 101, 18]
    } else {
        let counts: Result<Vec<u64>, _> = words.iter().map(|word| word.parse()).collect();
        counts?.try_into().map_err(|_| "five counts of pairs are needed")?
    };
    let results = Pentanomial { pairs };
    println!("{} pairs, {:.1} % of the points", results.count(), 100.0 * results.score());
    println!("{}", results.elo_text().unwrap_or_else(|| "no interval yet".to_owned()));
    for bounds in ["0,5", "0,10", "-5,0"] {
        let sprt: Sprt = bounds.parse()?;
        let verdict = match sprt.verdict(&results) {
            Some(Verdict::Passed) => "passed",
            Some(Verdict::Failed) => "failed",
            None => "undecided",
        };
        let (llr, bound) = (sprt.llr(&results), Sprt::bound());
        println!("SPRT {sprt}: {verdict}, LLR {llr:.2} of ±{bound:.2}");
    }
    Ok(())
}
