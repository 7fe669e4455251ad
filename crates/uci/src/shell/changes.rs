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

/// Copies of a net in memory while it is read: bytes, integers, aligned rows; one more for smaller
/// allocations.
const NET_COPIES: usize = 4;

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

    /// Applies a change now, or queues it while a search runs. The error of a queued change is
    /// printed when it is applied.
    pub(super) fn change(&mut self, change: Change) -> Result<(), String> {
        self.settle();
        if self.can_make(&change) {
            return self.apply(change);
        }
        if self.queue.len() >= LONGEST_QUEUE {
            return Err(format!("{change:?} refused: too many changes wait for the search to end"));
        }
        if self.debug {
            self.output.info(format_args!("{change:?} waits for the search to end"));
        }
        self.queue.push_back(change);
        Ok(())
    }

    /// Applies the queued changes in order, unless a search is running.
    pub(super) fn settle(&mut self) {
        while self.queue.front().is_some_and(|change| self.can_make(change)) {
            let Some(change) = self.queue.pop_front() else { break };
            if let Err(error) = self.apply(change) {
                self.output.error(error);
            }
        }
    }

    /// Tablebases are loaded one set after the other.
    fn can_make(&self, change: &Change) -> bool {
        let busy = self.loading.is_active() && matches!(change, Change::SyzygyPath(_));
        !self.is_searching() && !busy
    }

    /// Applies a change. A failure leaves the state as it was.
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
            Change::SyzygyPath(path) => {
                self.begin_loading(path);
                Ok(())
            }
            Change::EvalFile(path) => self.set_network(&path),
        }
    }

    /// A thread that finds no memory when it starts would abort the process, so the memory is
    /// checked first.
    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let old = self.engine.threads();
        let result = match memory::too_many_threads(threads, 0) {
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

    fn set_network(&mut self, path: &str) -> Result<(), String> {
        if path.is_empty() {
            self.engine.set_network(Network::embedded());
            return Ok(());
        }
        let network = match memory::too_little_for(NET_COPIES * FILE_SIZE) {
            Some(shortage) => Err(shortage.into()),
            None => read_network(path.as_ref()),
        };
        let network = network.map_err(|error| format!("EvalFile {}: {error}", Quoted(path)))?;
        let checksum = network.checksum();
        self.engine.set_network(Arc::new(network));
        self.output.info(format_args!("net {} with checksum {checksum:016x}", Quoted(path)));
        Ok(())
    }
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
