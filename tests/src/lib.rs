//! Whole-engine tests live in `tests/`; this library holds what they share.

#![forbid(unsafe_code)]

#[cfg(unix)]
pub mod adversary;
pub mod binary;
pub mod conversation;
pub mod fuzz;
pub mod game;
pub mod positions;

pub use conversation::Conversation;

/// A folder with Syzygy tablebases, if there is one: the one the variable `SYZYGY` names, or the
/// one beside the repository.
pub fn tablebases() -> Option<std::path::PathBuf> {
    const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/syzygy");
    let folder = std::env::var_os("SYZYGY").map_or_else(|| BESIDE.into(), std::path::PathBuf::from);
    folder.is_dir().then_some(folder)
}
