//! The environment of the engine: resource limits, and misbehaving pipes.

use std::path::Path;
use std::process::Command;

use fastrand::Rng;

use super::Class;
use crate::binary;

/// Limits on the process, and how it is read from and written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// No limits, ordinary pipes.
    Kind,
    /// A limit on address space or data, in MiB.
    Memory {
        /// Whether the limit is on data rather than on address space.
        data: bool,
        /// The limit.
        mebibytes: u64,
    },
    /// A limit on threads.
    Threads(u64),
    /// A limit on file size, in bytes.
    FileSize(u64),
    /// The input arrives in chunks of at most this many bytes.
    Pieces(usize),
    /// The engine's pipes are non-blocking.
    NonBlocking,
    /// The output is read slowly.
    SlowReader,
    /// The output is closed after this many lines.
    Deaf(usize),
}

impl Surroundings {
    pub(super) fn draw(class: Class, rng: &mut Rng) -> Surroundings {
        match class {
            Class::Memory => {
                Surroundings::Memory { data: rng.bool(), mebibytes: rng.u64(48..1024) }
            }
            Class::Threads => Surroundings::Threads(rng.u64(1..8)),
            Class::Files if rng.u8(..3) == 0 => Surroundings::FileSize(rng.u64(..10_000)),
            Class::Pipes => match rng.u8(..4) {
                0 => Surroundings::Pieces(rng.usize(1..40)),
                1 => Surroundings::NonBlocking,
                2 => Surroundings::SlowReader,
                _ => Surroundings::Deaf(rng.usize(..30)),
            },
            _ => Surroundings::Kind,
        }
    }

    /// A command that starts the engine in these surroundings. The limit on threads does not hold
    /// for root, so it is only tried by other users.
    pub(super) fn command(&self) -> Command {
        let limit = match self {
            Surroundings::Memory { data, mebibytes } => {
                format!("--{}={}", if *data { "data" } else { "as" }, mebibytes << 20)
            }
            Surroundings::Threads(count) => format!("--nproc={count}"),
            Surroundings::FileSize(bytes) => format!("--fsize={bytes}"),
            _ => return binary::command(),
        };
        if !Path::new("/usr/bin/prlimit").exists() {
            return binary::command();
        }
        let mut command = Command::new("/usr/bin/prlimit");
        command.arg(limit).arg(binary::engine());
        command
    }

    /// Whether the engine may refuse to start at all.
    pub(super) fn may_prevent_start(&self) -> bool {
        matches!(self, Surroundings::Memory { .. } | Surroundings::Threads(_))
    }
}
