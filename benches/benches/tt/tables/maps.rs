//! General concurrent maps. They keep every key exactly and grow as needed, which a transposition
//! table gives up.

use megatherium_benches::already_hashed::BuildAlreadyHashed as Build;

use super::Contender;
use crate::keys::Universe;

/// dashmap: shards of `hashbrown` tables, each behind a read-write lock.
pub struct DashMap(dashmap::DashMap<u64, u64, Build>);

impl Contender for DashMap {
    const NAME: &'static str = "dashmap";

    fn build(_: usize, universe: Universe) -> Self {
        Self(dashmap::DashMap::with_capacity_and_hasher(universe.len as usize, Build::default()))
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        self.0.get(&key).map(|value| *value)
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        self.0.insert(key, value);
    }
}

/// papaya: lock-free reads of boxed entries, memory reclaimed by epochs.
pub struct Papaya(papaya::HashMap<u64, u64, Build>);

impl Contender for Papaya {
    const NAME: &'static str = "papaya";

    fn build(_: usize, universe: Universe) -> Self {
        Self(papaya::HashMap::with_capacity_and_hasher(universe.len as usize, Build::default()))
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        self.0.pin().get(&key).copied()
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        self.0.pin().insert(key, value);
    }
}

/// scc: buckets of 32 entries, each behind its own lock.
pub struct Scc(scc::HashMap<u64, u64, Build>);

impl Contender for Scc {
    const NAME: &'static str = "scc";

    fn build(_: usize, universe: Universe) -> Self {
        Self(scc::HashMap::with_capacity_and_hasher(universe.len as usize, Build::default()))
    }

    #[inline(always)]
    fn probe(&self, key: u64) -> Option<u64> {
        self.0.read_sync(&key, |_, value| *value)
    }

    #[inline(always)]
    fn store(&self, key: u64, value: u64) {
        self.0.upsert_sync(key, value);
    }
}
