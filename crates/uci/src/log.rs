//! The debug log: every line in and out, with the time.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the GUI.
    In,
    /// To the GUI.
    Out,
}

/// A log file. Lines are written unbuffered: what happened last before a crash is in the file.
#[derive(Debug)]
pub struct Log {
    file: File,
    line: String,
}

impl Log {
    /// Opens `path` for appending, creating it if needed. A named pipe is refused: to open one is to wait for its reader.
    pub fn open(path: &Path) -> io::Result<Log> {
        if is_pipe(path) {
            return Err(io::Error::other("a pipe would make the engine wait"));
        }
        Ok(Log { file: OpenOptions::new().append(true).create(true).open(path)?, line: String::new() })
    }

    /// Appends one line.
    pub fn write(&mut self, direction: Direction, text: &str) -> io::Result<()> {
        use fmt::Write as _;
        let arrow = match direction {
            Direction::In => "->",
            Direction::Out => "<-",
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.line.clear();
        let _ = writeln!(self.line, "{} {arrow} {}", Timestamp(now), text.trim_end_matches(['\r', '\n']));
        let result = self.file.write_all(self.line.as_bytes());
        // A megabyte-long line is no reason to hold a megabyte for ever.
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

/// A time since 1970, shown as `2026-03-01T12:00:00.000Z`.
#[derive(Clone, Copy, Debug)]
struct Timestamp(Duration);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (year, month, day) = civil_date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let millis = self.0.subsec_millis();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

/// Year, month and day of the Gregorian calendar, from days since 1 January 1970.
///
/// Counted in years that begin on 1 March, the leap day is the last day of the year and the months before it have
/// lengths that a linear formula gives.
fn civil_date(days_since_1970: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let days = days_since_1970 + 719_468; // since 1 March of the year 0
    let era = days / DAYS_IN_400_YEARS;
    let day_of_era = days % DAYS_IN_400_YEARS;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / (DAYS_IN_400_YEARS - 1)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(58), (1970, 2, 28));
        assert_eq!(civil_date(59), (1970, 3, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(20_453), (2025, 12, 31));
        assert_eq!(civil_date(47_541), (2100, 3, 1)); // 2100 has no leap day
        assert_eq!(Timestamp(Duration::from_millis(951_868_799_987)).to_string(), "2000-02-29T23:59:59.987Z");
    }

    /// Every day of four centuries follows the one before it.
    #[test]
    fn dates_are_consecutive() {
        let mut last = civil_date(0);
        for days in 1..146_097 {
            let (year, month, day) = civil_date(days);
            let next_day = (year, month, day) == (last.0, last.1, last.2 + 1);
            let next_month = day == 1 && (year, month) == (last.0, last.1 + 1) && last.2 >= 28;
            let next_year = day == 1 && month == 1 && year == last.0 + 1 && (last.1, last.2) == (12, 31);
            assert!(next_day || next_month || next_year, "{last:?} -> {year}-{month}-{day}");
            last = (year, month, day);
        }
        assert_eq!(last, (2369, 12, 31));
    }
}
