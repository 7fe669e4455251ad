//! What the command-line tools share.
//!
//! - [`progress`]: a bar on a terminal, a line a minute in a pipe; Ctrl-C ends the work and
//!   keeps the results.
//! - [`chart`]: charts as SVG.
//! - [`stdio`]: standard input and output that wait when they are non-blocking.
//! - [`search`], [`params`], [`positions`]: arguments that several commands take.
//! - [`openings`]: random openings for matches and for training games.
//! - [`build`]: name, version, commit and compiler.

#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod build;
pub mod chart;
pub mod openings;
pub mod params;
pub mod positions;
pub mod progress;
pub mod search;
pub mod stdio;

/// Largest table in mebibytes (32 TiB).
pub const MAX_HASH: u64 = 1 << 25;
/// Largest number of search threads.
pub const MAX_THREADS: u64 = 1024;
/// Largest depth of a search.
pub const MAX_DEPTH: u64 = 128;

/// Longest time limit in milliseconds (31 years): adding it to a clock cannot overflow.
pub const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

/// The result of a command: an error becomes one line on standard error and a failure status.
pub type JobResult = Result<(), Box<dyn std::error::Error>>;

/// The name that a misspelt word was probably meant to be, whatever the case of its letters.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are no misspelt names, and comparing them takes long.
    if word.len() > 40 {
        return None;
    }
    let word = word.to_lowercase();
    let close = |name: &'a str| (strsim::jaro_winkler(&name.to_lowercase(), &word), name);
    let (likeness, name) = names.map(close).max_by(|one, other| one.0.total_cmp(&other.0))?;
    (likeness > 0.85).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_word_has_a_nearest_name() {
        let names = ["bench", "perft", "Threads", "Hash"];
        let of = |word: &str| nearest(word, names.into_iter());
        assert_eq!(
            [of("bnech"), of("treads"), of("HASH")],
            [Some("bench"), Some("Threads"), Some("Hash")]
        );
        assert_eq!([of("xyzzy"), of(""), of(&"bench".repeat(9))], [None; 3]);
    }
}
