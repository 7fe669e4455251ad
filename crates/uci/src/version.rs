//! Who this is and how it was built.

use std::fmt::Write as _;

use megatherium_nnue::Network;

/// Name and version.
pub const NAME: &str = concat!("Megatherium ", env!("CARGO_PKG_VERSION"));

/// Writes the `id` lines of the answer to `uci`.
pub fn write_id(out: &mut String) {
    let _ = writeln!(out, "id name {NAME}");
    let _ = writeln!(out, "id author {}", env!("CARGO_PKG_AUTHORS"));
}

/// Writes the answer to `version`.
pub fn write_version(out: &mut String, network: &Network) {
    let _ = writeln!(out, "{NAME}");
    let _ = writeln!(out, "compiled by {} for {}, {}", env!("RUSTC_VERSION"), env!("TARGET"), profile());
    let _ = writeln!(out, "instruction sets: {}", env!("TARGET_FEATURES"));
    let _ = writeln!(out, "net: checksum {:016x}, {:?}", network.checksum(), network.simd());
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" }
}
