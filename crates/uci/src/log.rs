//! The debug log: every line in and out, with the time.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the GUI.
    In,
    /// To the GUI.
    Out,
}

/// A log file. Lines are written unbuffered, so the last one before a crash is in the file.
#[derive(Debug)]
pub struct Log {
    file: File,
    line: String,
}

impl Log {
    /// Opens `path` for appending, creating it if needed. A named pipe is refused: opening one
    /// blocks until it has a reader.
    pub fn open(path: &Path) -> io::Result<Log> {
        if is_pipe(path) {
            return Err(io::Error::other("a pipe would block the engine"));
        }
        Ok(Log {
            file: OpenOptions::new().append(true).create(true).open(path)?,
            line: String::new(),
        })
    }

    /// Appends one line.
    pub fn write(&mut self, direction: Direction, text: &str) -> io::Result<()> {
        let arrow = match direction {
            Direction::In => "->",
            Direction::Out => "<-",
        };
        self.line.clear();
        let _ = writeln!(
            self.line,
            "{} {arrow} {}",
            humantime::format_rfc3339_millis(SystemTime::now()),
            text.trim_end_matches(['\r', '\n'])
        );
        let result = self.file.write_all(self.line.as_bytes());
        // Do not keep the buffer of one long line forever.
        self.line.shrink_to(1 << 16);
        result
    }
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    path.metadata().is_ok_and(|data| data.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
