//! Changes that have to wait for a search to end: table, threads, net, tablebases.

use std::error::Error;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use megatherium_nnue::Network;
use megatherium_nnue::format::FILE_SIZE;
use megatherium_search::NumaPolicy;

use super::Shell;
use crate::log::Log;
use crate::memory;
use crate::parse::Quoted;

/// A change of something a running search uses.
#[derive(Debug)]
pub(super) enum Change {
    Hash(usize),
    Threads(usize),
    NumaPolicy(String),
    ClearHash,
    NewGame,
    SyzygyPath(String),
    EvalFile(String),
}

/// More changes than this during one search are refused, to bound the memory of the queue.
const LONGEST_QUEUE: usize = 1000;

impl Shell {
    pub(super) fn set_log(&mut self, path: &str) -> Result<(), String> {
        let log = match path {
            "" => None,
            path => Some(
                Log::open(path.as_ref())
                    .map_err(|error| format!("Debug Log File {}: {error}", Quoted(path)))?,
            ),
        };
        self.output.set_log(log);
        Ok(())
    }

    /// Makes a change now, or queues it while a search runs. The error of a queued change is
    /// printed when it is made.
    pub(super) fn change(&mut self, change: Change) -> Result<(), String> {
        if !self.is_searching() {
            self.settle();
            return self.apply(change);
        }
        if self.queue.len() >= LONGEST_QUEUE {
            return Err(format!("{change:?} refused: too many changes wait for the search to end"));
        }
        if self.debug {
            self.output.info(format_args!("{change:?} waits for the search to end"));
        }
        self.queue.push(change);
        Ok(())
    }

    /// If the search is over, makes the queued changes in order.
    pub(super) fn settle(&mut self) {
        if self.is_searching() {
            return;
        }
        for change in std::mem::take(&mut self.queue) {
            if let Err(error) = self.apply(change) {
                self.output.error(error);
            }
        }
    }

    /// Makes a change. A failure leaves the state as it was.
    fn apply(&mut self, change: Change) -> Result<(), String> {
        match change {
            Change::Hash(mebibytes) => self.set_hash(mebibytes),
            Change::Threads(threads) => self.set_threads(threads),
            Change::NumaPolicy(policy) => self.set_numa_policy(&policy),
            Change::ClearHash => {
                self.engine.clear_hash();
                Ok(())
            }
            Change::NewGame => {
                self.engine.new_game();
                Ok(())
            }
            Change::SyzygyPath(path) => self.set_tablebases(&path),
            Change::EvalFile(path) => self.set_network(&path),
        }
    }

    /// A thread that finds no memory when it starts would abort the process, so the memory is
    /// checked first.
    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let old = self.engine.threads();
        let result = match memory::too_many_threads(threads) {
            Some(shortage) if threads > old => Err(shortage),
            _ => self.engine.set_threads(threads).map_err(|error| error.to_string()),
        };
        result.map_err(|error| format!("Threads {threads}: {error}; there are still {old}"))
    }

    fn set_numa_policy(&mut self, text: &str) -> Result<(), String> {
        let policy = match text {
            "" => NumaPolicy::default(),
            text => text.parse().map_err(|error| format!("NumaPolicy: {error}"))?,
        };
        policy.check().map_err(|error| format!("NumaPolicy {}: {error}", Quoted(text)))?;
        self.engine.set_numa_policy(policy).map_err(|error| format!("NumaPolicy: {error}"))?;
        self.output.info(self.engine.placement());
        Ok(())
    }

    /// An allocation that succeeds does not prove that the memory exists: an overcommitted system
    /// kills the process when it is touched. So the free memory is checked first.
    fn set_hash(&mut self, mebibytes: usize) -> Result<(), String> {
        let old = self.engine.hash_mebibytes();
        let result = match memory::too_large_table(mebibytes, old) {
            Some(shortage) => Err(shortage),
            None => self.engine.set_hash(mebibytes).map_err(|error| error.to_string()),
        };
        result.map_err(|error| format!("Hash {mebibytes}: {error}, the table stays at {old} MiB"))
    }

    /// Loads tablebases. GUIs send the same path again for every game: then there is nothing to do.
    fn set_tablebases(&mut self, path: &str) -> Result<(), String> {
        let folders = match distinct_folders(path) {
            // A path of nothing but colons: let the engine say what is wrong with it.
            folders if folders.is_empty() => path.to_owned(),
            folders => folders,
        };
        if folders == self.tablebase_path {
            return Ok(());
        }
        self.engine
            .load_tablebases(&folders)
            .map_err(|error| format!("SyzygyPath {}: {error}", Quoted(path)))?;
        self.tablebase_path = folders;
        if !path.is_empty() {
            let men = self.engine.tablebases().max_men();
            self.output.info(format_args!("tablebases with up to {men} men in {}", Quoted(path)));
        }
        Ok(())
    }

    fn set_network(&mut self, path: &str) -> Result<(), String> {
        if path.is_empty() {
            self.engine.set_network(Network::embedded());
            return Ok(());
        }
        let network = read_network(path.as_ref())
            .map_err(|error| format!("EvalFile {}: {error}", Quoted(path)))?;
        let checksum = network.checksum();
        self.engine.set_network(Arc::new(network));
        self.output.info(format_args!("net {} with checksum {checksum:016x}", Quoted(path)));
        Ok(())
    }
}

/// The folders of a path, each once: a folder is read as often as it is named.
fn distinct_folders(path: &str) -> String {
    let mut seen = Vec::new();
    let mut folders = Vec::new();
    for folder in path.split(':').filter(|folder| !folder.is_empty()) {
        let place = Path::new(folder).canonicalize().unwrap_or_else(|_| folder.into());
        if !seen.contains(&place) {
            seen.push(place);
            folders.push(folder);
        }
    }
    folders.join(":")
}

/// Reads a net. Only a plain file is opened (a pipe would block), and no more is read than a net
/// has.
fn read_network(path: &Path) -> Result<Network, Box<dyn Error>> {
    if !path.metadata()?.is_file() {
        return Err("not a file".into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Network::from_bytes(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_named_twice_is_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().display().to_string();
        let path = format!("{name}:{name}/.:/nowhere:{name}::/nowhere");
        assert_eq!(distinct_folders(&path), format!("{name}:/nowhere"));
        assert_eq!(distinct_folders(""), "");
    }
}
