//! The table this bench is about, through the API the engine uses.

use megatherium_search::{Bound, DepthAge, Entry};
use megatherium_tt::Table;

use super::Contender;
use crate::keys::Universe;

/// `megatherium_tt::Table`. It alone packs and unpacks real entries; the other tables get
/// ready-made words.
pub struct Megatherium(Table<Entry, DepthAge>);

impl Megatherium {
    /// What the table says about its pages.
    pub fn pages(&self) -> String {
        self.0.huge_pages().to_string()
    }
}

impl Contender for Megatherium {
    const NAME: &'static str = "megatherium-tt";

    fn build(mebibytes: usize, _: Universe) -> Self {
        Self(Table::with_mebibytes(mebibytes).expect("memory for the table"))
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        self.0.probe(key).map(|hit| {
            let entry = hit.get();
            u64::from(entry.mv) | u64::from(entry.score as u16) << 16
        })
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        let entry = Entry {
            mv: value as u16,
            score: (value >> 16) as i16,
            eval: (value >> 32) as i16,
            depth: (value >> 48) as u8 & 0x3F,
            pv: false,
            bound: Bound::Exact,
        };
        self.0.store(key, entry);
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }
}
