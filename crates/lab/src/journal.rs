//! A file of finished results, so that a measurement that takes hours can be interrupted and
//! resumed.
//!
//! The first line says what is measured; every further line is one finished piece: a search, a pair
//! of games. A piece is written as soon as it is done, and a line truncated by a crash is dropped
//! when the file is read.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::LabError;

/// Finished pieces by name, and the file they are appended to.
#[derive(Default)]
pub struct Journal {
    known: HashMap<String, Value>,
    file: Option<Mutex<File>>,
}

#[derive(Serialize, Deserialize)]
struct Heading {
    measures: String,
}

#[derive(Serialize, Deserialize)]
struct Piece {
    name: String,
    result: Value,
}

impl Journal {
    /// Opens or creates the journal of a measurement. `measures` describes everything that the
    /// results depend on; a file with another description is refused.
    pub fn open(path: &Path, measures: &str) -> Result<Journal, LabError> {
        Journal::read(path, measures)
            .map_err(|error| LabError::Settings(format!("{}: {error}", path.display())))
    }

    fn read(path: &Path, measures: &str) -> io::Result<Journal> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut reader = BufReader::new(&mut file);
        let (mut line, mut whole, mut known) = (String::new(), 0, HashMap::new());
        while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
            if whole == 0 {
                let heading: Heading = serde_json::from_str(&line)
                    .map_err(|_| io::Error::other("not a journal of measurements"))?;
                if heading.measures != measures {
                    return Err(io::Error::other(format!(
                        "was made for something else: {}; this is {measures}",
                        heading.measures
                    )));
                }
            } else {
                let piece: Piece = serde_json::from_str(&line)?;
                known.insert(piece.name, piece.result);
            }
            whole += line.len() as u64;
            line.clear();
        }
        // A line without an end was being written when the program died. The file is not touched
        // before its heading has been understood.
        if whole == 0 && !line.is_empty() {
            return Err(io::Error::other("not a journal of measurements"));
        }
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            append(&mut file, &Heading { measures: measures.to_owned() })?;
        }
        Ok(Journal { known, file: Some(Mutex::new(file)) })
    }

    /// How many pieces were known when it was opened.
    #[cfg(test)]
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// The result of a piece, from the file or from `measure`, which is then appended. `None` from
    /// `measure` means that it was stopped.
    pub fn recall_or<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        measure: impl FnOnce() -> Result<Option<T>, LabError>,
    ) -> Result<Option<T>, LabError> {
        if let Some(result) = self.known.get(name) {
            return match serde_json::from_value(result.clone()) {
                Ok(result) => Ok(Some(result)),
                Err(error) => Err(LabError::Settings(format!("journal, {name}: {error}"))),
            };
        }
        let Some(result) = measure()? else { return Ok(None) };
        if let Some(file) = &self.file {
            let wrong = |error: &dyn std::fmt::Display| {
                LabError::Settings(format!("journal, {name}: {error}"))
            };
            let value = serde_json::to_value(&result).map_err(|error| wrong(&error))?;
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            append(&mut file, &Piece { name: name.to_owned(), result: value })
                .map_err(|error| wrong(&error))?;
        }
        Ok(Some(result))
    }
}

/// One line, in one write.
fn append(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(journal: &Journal, name: &str, result: u32) -> u32 {
        journal.recall_or(name, || Ok(Some(result))).unwrap().unwrap()
    }

    #[test]
    fn what_is_known_is_not_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::open(&path, "apples").unwrap();
        assert_eq!(number(&journal, "one", 1), 1);
        let stopped: Option<u32> = journal.recall_or("two", || Ok(None)).unwrap();
        assert_eq!(stopped, None, "what was stopped is not written down");
        let journal = Journal::open(&path, "apples").unwrap();
        assert_eq!((journal.known(), number(&journal, "one", 9)), (1, 1));
        assert_eq!(number(&journal, "two", 2), 2);
        assert_eq!(Journal::open(&path, "apples").unwrap().known(), 2);
        let error = Journal::open(&path, "pears").err().unwrap().to_string();
        assert!(error.contains("apples") && error.contains("pears"), "{error}");
    }

    #[test]
    fn a_line_cut_short_is_forgotten_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::open(&path, "apples").unwrap();
        number(&journal, "one", 1);
        number(&journal, "two", 2);
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        let journal = Journal::open(&path, "apples").unwrap();
        assert_eq!((journal.known(), number(&journal, "two", 7)), (1, 7));
        let journal = Journal::open(&path, "apples").unwrap();
        assert_eq!((number(&journal, "one", 9), number(&journal, "two", 9)), (1, 7));
    }

    #[test]
    fn somebody_elses_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter");
        for text in ["Dear Sir", "Dear Sir\nor Madam\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(Journal::open(&path, "apples").is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn without_a_file_everything_is_measured() {
        let journal = Journal::default();
        assert_eq!((number(&journal, "one", 1), number(&journal, "one", 2)), (1, 2));
    }
}
