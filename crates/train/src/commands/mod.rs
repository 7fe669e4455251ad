//! The subcommands, one file for each group.

pub mod datagen;
pub mod files;

use std::fmt::Display;
use std::path::Path;

/// Why a command failed: one line for the terminal.
pub type Failure = String;

/// Names the file in front of what went wrong with it.
pub fn at(path: &Path) -> impl Fn(&dyn Display) -> Failure + '_ {
    move |error| format!("{}: {error}", path.display())
}
