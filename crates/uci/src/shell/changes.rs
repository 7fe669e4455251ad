//! Options, and what has to wait for a search to end.

use std::error::Error;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use megatherium_nnue::Network;
use megatherium_nnue::format::FILE_SIZE;

use super::Shell;
use crate::log::Log;
use crate::memory;
use crate::options::Setting;
use crate::parse::Quoted;

/// A change of something a running search uses.
#[derive(Debug)]
pub(super) enum Change {
    Hash(usize),
    Threads(usize),
    ClearHash,
    NewGame,
    SyzygyPath(String),
    EvalFile(String),
}

/// More than this many changes during one search are refused, so that the queue cannot eat the memory.
const LONGEST_QUEUE: usize = 1000;

impl Shell {
    /// Sets an option. What a running search does not use is set at once and counts from the next `go` on (a search
    /// has its own copy); the rest is queued.
    pub(super) fn set(&mut self, setting: Setting) {
        let options = &mut self.engine.options;
        match setting {
            Setting::Hash(mebibytes) => self.change(Change::Hash(mebibytes as usize)),
            Setting::Threads(threads) => self.change(Change::Threads(threads as usize)),
            Setting::ClearHash => self.change(Change::ClearHash),
            Setting::SyzygyPath(path) => self.change(Change::SyzygyPath(path)),
            Setting::EvalFile(path) => self.change(Change::EvalFile(path)),
            Setting::Ponder(on) => options.ponder = on,
            Setting::MultiPv(lines) => options.multi_pv = lines as usize,
            Setting::MoveOverhead(milliseconds) => {
                options.move_overhead = Duration::from_millis(milliseconds);
            }
            Setting::SyzygyProbeDepth(depth) => options.syzygy_probe_depth = depth as u32,
            Setting::SyzygyProbeLimit(men) => options.syzygy_probe_limit = men as u32,
            Setting::Syzygy50MoveRule(on) => options.syzygy_50_move_rule = on,
            Setting::Chess960(on) => self.style.chess960 = on,
            Setting::ShowWdl(on) => self.style.show_wdl = on,
            Setting::LimitStrength(on) => {
                self.limit_strength = on;
                self.set_strength();
            }
            Setting::Elo(elo) => {
                self.elo = elo as u32;
                self.set_strength();
            }
            Setting::DebugLogFile(path) => self.set_log(&path),
        }
    }

    fn set_strength(&mut self) {
        self.engine.options.elo = self.limit_strength.then_some(self.elo);
    }

    fn set_log(&mut self, path: &str) {
        if path.is_empty() {
            return self.output.set_log(None);
        }
        match Log::open(path.as_ref()) {
            Ok(log) => self.output.set_log(Some(log)),
            Err(error) => self.error(format_args!("Debug Log File {}: {error}", Quoted(path))),
        }
    }

    /// Makes a change as soon as no search runs.
    pub(super) fn change(&mut self, change: Change) {
        if !self.is_searching() {
            self.settle();
            self.apply(change);
        } else if self.queue.len() < LONGEST_QUEUE {
            if self.debug {
                self.output.info(format_args!("{change:?} waits for the search to end"));
            }
            self.queue.push(change);
        } else {
            self.output
                .error(format_args!("{change:?} refused: too many changes wait for the search to end"));
        }
    }

    /// If the search is over, makes the changes that waited for it, in their order.
    pub(super) fn settle(&mut self) {
        if self.is_searching() {
            return;
        }
        for change in std::mem::take(&mut self.queue) {
            self.apply(change);
        }
    }

    /// Makes a change. What fails leaves everything as it was.
    fn apply(&mut self, change: Change) {
        match change {
            Change::Hash(mebibytes) => self.set_hash(mebibytes),
            Change::Threads(threads) => self.set_threads(threads),
            Change::ClearHash => self.engine.clear_hash(),
            Change::NewGame => self.engine.new_game(),
            Change::SyzygyPath(path) => match self.engine.load_tablebases(&path) {
                Err(error) => self.error(format_args!("SyzygyPath {}: {error}", Quoted(&path))),
                Ok(()) if path.is_empty() => {}
                Ok(()) => {
                    let men = self.engine.tablebases().max_men();
                    self.output.info(format_args!("tablebases with up to {men} men in {}", Quoted(&path)));
                }
            },
            Change::EvalFile(path) => self.set_network(&path),
        }
    }

    /// A thread that finds no memory when it begins to work would take the whole engine with it, so there is a look
    /// before.
    fn set_threads(&mut self, threads: usize) {
        let old = self.engine.threads();
        let result = match memory::too_many_threads(threads) {
            Some(shortage) if threads > old => Err(shortage),
            _ => self.engine.set_threads(threads).map_err(|error| error.to_string()),
        };
        if let Err(error) = result {
            self.error(format_args!("Threads {threads}: {error}; there are still {old}"));
        }
    }

    /// Allocation alone does not tell whether the memory exists: systems promise more than they have and end the
    /// program when it is used. So the free memory is looked at first, where the system shows it.
    fn set_hash(&mut self, mebibytes: usize) {
        let old = self.engine.hash_mebibytes();
        let result = match memory::too_large_table(mebibytes, old) {
            Some(shortage) => Err(shortage),
            None => self.engine.set_hash(mebibytes).map_err(|error| error.to_string()),
        };
        if let Err(error) = result {
            self.error(format_args!("Hash {mebibytes}: {error}, the table stays at {old} MiB"));
        }
    }

    fn set_network(&mut self, path: &str) {
        if path.is_empty() {
            return self.engine.set_network(Network::embedded());
        }
        match read_network(path.as_ref()) {
            Ok(network) => {
                let checksum = network.checksum();
                self.engine.set_network(Arc::new(network));
                self.output.info(format_args!("net {} with checksum {checksum:016x}", Quoted(path)));
            }
            Err(error) => self.error(format_args!("EvalFile {}: {error}", Quoted(path))),
        }
    }
}

/// Reads a net. What is no plain file is not opened (a pipe would make the engine wait), and no more is read than a net has.
fn read_network(path: &Path) -> Result<Network, Box<dyn Error>> {
    if !path.metadata()?.is_file() {
        return Err("not a file".into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Network::from_bytes(&bytes)?)
}
