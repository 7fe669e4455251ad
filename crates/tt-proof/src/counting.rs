//! How many accesses each call makes. What a table promises about time is promised in these.

use crate::sample::{Keep, Kind, Sample};
use megatherium_tt::Table;
use megatherium_tt::internals::{Backed, Cluster, Protocol, Word, Xor};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Accesses made by this thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Accesses {
    loads: usize,
    stores: usize,
    exchanges: usize,
}

thread_local! {
    static COUNT: Cell<Accesses> = const { Cell::new(Accesses { loads: 0, stores: 0, exchanges: 0 }) };
}

/// A word that counts.
#[derive(Debug)]
struct CountingWord(AtomicU64);

fn count(change: impl Fn(&mut Accesses)) {
    let mut accesses = COUNT.get();
    change(&mut accesses);
    COUNT.set(accesses);
}

impl Backed for CountingWord {
    type Memory = Box<[Cluster<Self>]>;
}

impl Word for CountingWord {
    fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }

    fn load(&self) -> u64 {
        count(|accesses| accesses.loads += 1);
        self.0.load(Relaxed)
    }

    fn store(&self, value: u64) {
        count(|accesses| accesses.stores += 1);
        self.0.store(value, Relaxed);
    }

    fn compare_exchange(&self, current: u64, new: u64) -> bool {
        count(|accesses| accesses.exchanges += 1);
        self.0.compare_exchange(current, new, Relaxed, Relaxed).is_ok()
    }
}

/// Fails if a call makes more accesses than promised: eight loads of the cluster and one of the
/// generation; two stores for a store; one exchange for a probe that finds an entry of an earlier
/// search, and no write at all for one that does not.
pub(crate) fn check<X: Protocol>() -> Result<(), String> {
    let table = Table::<Sample, Keep, CountingWord, X>::with_clusters(2)
        .map_err(|error| error.to_string())?;
    let within = |what: &str, limit: Accesses| {
        let made = COUNT.replace(Accesses::default());
        let ok = made.loads <= limit.loads
            && made.stores <= limit.stores
            && made.exchanges <= limit.exchanges;
        if ok { Ok(()) } else { Err(format!("{what}: {made:?}, promised {limit:?}")) }
    };
    let read_only = Accesses { loads: 9, ..Accesses::default() };
    let refresh = Accesses { exchanges: 1, ..read_only };
    let store = Accesses { stores: 2, ..read_only };
    COUNT.set(Accesses::default());
    // Enough searches for the generation to go round; in each: fill, update, evict, hit and miss.
    for search in 0..70u64 {
        for key in 0..12u64 {
            let key = key * (u64::MAX / 12);
            let entry = Sample {
                hint: key as u16,
                rank: (search % 9) as u8,
                kind: Kind::High,
                ..Sample::default()
            };
            table.peek(key);
            within("peek", Accesses { loads: 8, ..read_only })?;
            table.probe(key);
            within("first probe of a search", refresh)?;
            table.probe(key);
            within("second probe of a search", read_only)?;
            table.store(key, entry);
            within("store", store)?;
            table.store(key, Sample { hint: 0, ..entry });
            within("store again", store)?;
        }
        table.new_generation();
        COUNT.set(Accesses::default());
    }
    Ok(())
}

#[test]
fn calls_make_no_more_accesses_than_promised() {
    assert_eq!(check::<Xor>(), Ok(()));
}
