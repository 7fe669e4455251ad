//! `analyse --epd`: many positions into a file, in shards, restartable.
//!
//! Every position is searched as a new game, so its record depends on nothing but the position and
//! the limits. A shard writes its records in input order, one write each. So a killed run leaves
//! whole lines and at most one partial line, and the number of lines says where to resume.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::str::FromStr;

use megatherium_board::epd::Epd;
use megatherium_board::position_file::{self, PositionFileError, Positions};
use megatherium_cli::JobResult;
use megatherium_cli::progress::Progress;
use megatherium_cli::search::search;
use megatherium_search::Info;

use super::AnalyseArgs;
use super::record::Format;
use super::table::is_last;

/// Every n-th position, beginning with the i-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    number: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let read = || {
            let (number, count) = text.split_once('/')?;
            let shard = Shard { number: number.parse().ok()?, count: count.parse().ok()? };
            (1..=shard.count).contains(&shard.number).then_some(shard)
        };
        read().ok_or_else(|| "expected i/n with i from 1 to n, for example 3/16".to_owned())
    }
}

impl Shard {
    /// Whether the shard has the record of this number, counted from 1.
    fn has(self, record: usize) -> bool {
        (record - 1) % self.count == self.number - 1
    }
}

/// The positions of a shard with the numbers of their records.
struct Share {
    positions: Positions,
    shard: Shard,
    number: usize,
}

impl Share {
    fn open(path: &Path, shard: Shard) -> Result<Share, PositionFileError> {
        Ok(Share { positions: position_file::open(path)?, shard, number: 0 })
    }
}

impl Iterator for Share {
    type Item = Result<(usize, Epd), PositionFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let position = self.positions.next()?;
            self.number += 1;
            if position.is_err() || self.shard.has(self.number) {
                return Some(position.map(|epd| (self.number, epd)));
            }
        }
    }
}

pub(super) fn run(args: &AnalyseArgs, input: &Path, out: &Path) -> JobResult {
    let format = Format::of(out)?;
    if format == Format::Epd && args.multipv > 1 {
        return Err("an EPD record has one line; --multipv needs JSON (.jsonl)".into());
    }
    // A position file is its own record, and --resume removes an unfinished last line.
    if let (Ok(input), Ok(out)) = (input.canonicalize(), out.canonicalize())
        && input == out
    {
        return Err(format!("{}: the output is also the input", out.display()).into());
    }
    let bar = Progress::new("reading positions")?;
    // All of the input is read first: a fault in its last line shows now, not after days.
    let mut total = 0;
    for position in Share::open(input, args.shard)? {
        position?;
        total += 1;
    }
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", out.display());
    let mut file = open(out, args.resume).map_err(|error| at(&error))?;
    let mut share = Share::open(input, args.shard)?;
    let found = resume(&mut file, format, &mut share).map_err(|error| at(&error))?;
    let mut engine = args.search.engine()?;
    engine.options.multi_pv = args.multipv as usize;
    bar.begin("positions", total);
    bar.resume(found);
    let mut done = found;
    for position in share {
        let (number, epd) = position?;
        let limits = args.search.limits();
        let (lines, outcome) = search(&mut engine, epd.board, limits, bar.stop(), |_| {});
        // A search that was cut short is not a result.
        if bar.stopped() {
            break;
        }
        let mut last: Vec<&Info> = (0..lines.len())
            .filter(|&index| is_last(&lines[index..], &lines[index]))
            .map(|index| &lines[index])
            .collect();
        last.sort_by_key(|line| line.multipv);
        let record = format.write(number, &epd, &last, &outcome)?;
        file.write_all(record.as_bytes()).map_err(|error| at(&error))?;
        done += 1;
        bar.step(1, "");
    }
    bar.clear();
    let there = if found > 0 { format!(", {found} were there already") } else { String::new() };
    bar.line(format_args!("{} positions written to {}{there}", done - found, out.display()));
    if done < total {
        return Err(format!("stopped after {done} of {total} positions; --resume continues").into());
    }
    Ok(())
}

/// Opens the output, and locks it: two runs must not write into one file.
fn open(path: &Path, resume: bool) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    let file =
        if resume { options.create(true).open(path) } else { options.create_new(true).open(path) };
    let file = file.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => "exists; --resume continues it".to_owned(),
        _ => error.to_string(),
    })?;
    if !file.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("not a regular file".to_owned());
    }
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err("another process is writing it".to_owned()),
        Err(TryLockError::Error(error)) => Err(error.to_string()),
    }
}

/// Skips the positions that already have records, and removes a truncated record at the end.
/// Returns their number. Records of other positions are an error: nothing is overwritten.
fn resume(file: &mut File, format: Format, share: &mut Share) -> Result<u64, String> {
    let mut reader = BufReader::new(&*file);
    let (mut found, mut end) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if line.last() != Some(&b'\n') {
            break;
        }
        found += 1;
        end += length as u64;
        let text = String::from_utf8_lossy(&line);
        let position = share.next().transpose().map_err(|error| error.to_string())?;
        let expected = position.map(|(_, epd)| epd.board.fen());
        if expected.is_none() || format.fen(text.trim()) != expected {
            return Err(format!("line {found} is not a record of this input and shard"));
        }
    }
    file.set_len(end).map_err(|error| error.to_string())?;
    file.seek(SeekFrom::End(0)).map_err(|error| error.to_string())?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition() {
        for count in 1..=7 {
            let shards: Vec<Shard> =
                (1..=count).map(|number| format!("{number}/{count}").parse().unwrap()).collect();
            for record in 1..=100 {
                let owners = shards.iter().filter(|shard| shard.has(record)).count();
                assert_eq!(owners, 1, "record {record} of {count} shards");
            }
        }
        for wrong in ["", "1", "0/2", "3/2", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
