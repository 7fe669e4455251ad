//! Which table files a path leads to, each validated once.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use super::TablebaseError;
use super::file::{Kind, Material, is_whole};

/// The validated table files on a path.
///
/// Taking an inventory reads the header of every file and can take seconds on a slow disk. It needs
/// neither the engine nor the probing library, so it can be taken on any thread while a search
/// runs. See [`Engine::set_tablebases`](crate::Engine::set_tablebases).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The folders, each once.
    folders: Vec<String>,
    files: BTreeMap<PathBuf, Stamp>,
    /// Number of men of the largest WDL table.
    max_men: u32,
}

/// What a file was when it was validated. While it is the same, the file is not read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(data: &Metadata) -> Stamp {
        Stamp { length: data.len(), modified: data.modified().ok() }
    }
}

impl Inventory {
    /// The tables on `path`: folders separated by colons, or empty for none. A file that `known`
    /// has in the same state is not read again. `cancel` is checked before every file.
    ///
    /// A path without tables is an error, and so is a truncated or damaged table: the library would
    /// trust it.
    pub fn take(
        path: &str,
        known: &Inventory,
        cancel: &AtomicBool,
    ) -> Result<Inventory, TablebaseError> {
        let mut inventory = Inventory { folders: distinct_folders(path), ..Inventory::default() };
        for folder in &inventory.folders {
            let files = std::fs::read_dir(folder)
                .map_err(|_| TablebaseError::NotAFolder(folder.clone()))?;
            for file in files.flatten().map(|file| file.path()) {
                if cancel.load(Ordering::Relaxed) {
                    return Err(TablebaseError::Cancelled);
                }
                let Some((kind, material)) = table_of(&file) else { continue };
                let unusable = || TablebaseError::Unusable(file.display().to_string());
                // Follows links: the time of the target counts.
                let stamp = Stamp::of(&file.metadata().map_err(|_| unusable())?);
                if known.files.get(&file) != Some(&stamp) && !is_whole(&file, kind, &material) {
                    return Err(unusable());
                }
                if kind == Kind::Result {
                    inventory.max_men = inventory.max_men.max(material.men() as u32);
                }
                inventory.files.insert(file, stamp);
            }
        }
        if inventory.max_men == 0 && !path.is_empty() {
            return Err(TablebaseError::NothingFound(path.to_owned()));
        }
        Ok(inventory)
    }

    /// Largest number of men, kings included, that can be probed; 0 without tables.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// The path for the library, which reads out of bounds if the last folder is empty.
    pub(super) fn path(&self) -> String {
        self.folders.join(":")
    }
}

/// What a file holds, from its name; `None` if it is not a table.
fn table_of(file: &Path) -> Option<(Kind, Material)> {
    Some((Kind::of(file)?, Material::parse(file.file_stem()?.to_str()?)?))
}

/// The distinct folders of a path, by canonical name.
fn distinct_folders(path: &str) -> Vec<String> {
    let mut seen = Vec::new();
    let mut folders = Vec::new();
    for folder in path.split(':').filter(|folder| !folder.is_empty()) {
        let place = Path::new(folder).canonicalize().unwrap_or_else(|_| folder.into());
        if !seen.contains(&place) {
            seen.push(place);
            folders.push(folder.to_owned());
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::file::tests::{knight, scratch};

    fn take(path: &Path, known: &Inventory) -> Result<Inventory, TablebaseError> {
        Inventory::take(path.to_str().unwrap(), known, &AtomicBool::new(false))
    }

    #[test]
    fn a_folder_named_twice_is_one_folder() {
        let folder = scratch("twice");
        let name = folder.display().to_string();
        let path = format!("{name}:{name}/.:/nowhere:{name}::/nowhere");
        assert_eq!(distinct_folders(&path), [name, "/nowhere".to_owned()]);
        assert!(distinct_folders("").is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// A file in a known state is not read again; once its state changes it is.
    #[test]
    fn only_a_changed_file_is_read_again() {
        let folder = scratch("again");
        let table = folder.join("KNvK.rtbw");
        let write = |bytes: &[u8], seconds: u64| {
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::write(&table, bytes).unwrap();
            std::fs::File::options().write(true).open(&table).unwrap().set_modified(time).unwrap();
        };
        write(&knight(), 1000);
        let known = take(&folder, &Inventory::default()).unwrap();
        assert_eq!((known.max_men(), known.files.len()), (3, 1));
        assert_eq!(take(&folder, &known), Ok(known.clone()));
        // Damaged, with its modification time restored: not read again.
        let damaged = vec![0; knight().len()];
        write(&damaged, 1000);
        assert_eq!(take(&folder, &known), Ok(known.clone()));
        assert!(take(&folder, &Inventory::default()).is_err(), "a fresh look finds it");
        write(&damaged, 1001);
        assert!(matches!(take(&folder, &known), Err(TablebaseError::Unusable(_))));
        // Another time alone makes another inventory: the library must map the file again.
        write(&knight(), 1002);
        assert_ne!(take(&folder, &known).unwrap(), known);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_cancelled_inventory_ends_at_the_next_file() {
        let folder = scratch("cancelled");
        std::fs::write(folder.join("KNvK.rtbw"), knight()).unwrap();
        let path = folder.to_str().unwrap();
        let result = Inventory::take(path, &Inventory::default(), &AtomicBool::new(true));
        assert_eq!(result, Err(TablebaseError::Cancelled));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
