//! The `id` lines and the answer to `version`.

use std::fmt::Write as _;

use megatherium_cli::build;
use megatherium_nnue::Network;

/// Writes the `id` lines of the answer to `uci`.
pub fn write_id(out: &mut String) {
    let _ = writeln!(out, "id name {}", build::NAME);
    let _ = writeln!(out, "id author {}", build::AUTHORS);
}

/// Writes the answer to `version`.
pub fn write_version(out: &mut String, network: &Network) {
    let _ = writeln!(out, "{}, commit {}", build::NAME, build::COMMIT);
    let _ =
        writeln!(out, "compiled by {} for {}, {}", build::COMPILER, build::TARGET, build::PROFILE);
    let _ = writeln!(out, "instruction sets: {}: {}", build::LEVEL, build::TARGET_FEATURES);
    let _ = writeln!(out, "net: checksum {:016x}, {}", network.checksum(), network.simd().name());
}

/// Writes the greeting shown on a terminal.
pub fn write_greeting(out: &mut String, threads: usize, mebibytes: usize, network: &Network) {
    let (name, simd) = (build::NAME, network.simd().name());
    let s = if threads == 1 { "" } else { "s" };
    let _ = writeln!(out, "{name}: {threads} thread{s}, {mebibytes} MiB hash, {simd}");
    let _ = writeln!(out, "type `help` for the commands, `quit` to leave");
}
