//! The table: clusters, a way to find them, and a clock that counts searches.

use crate::cluster::{Cluster, SLOTS};
use crate::entry::{Data, Entry};
use crate::error::SizeError;
use crate::huge_pages::HugePages;
use crate::memory::{Lines, Memory};
use crate::policy::{DepthAge, Policy, Resident};
use crate::prefetch::prefetch;
use crate::protocol::{Protocol, Xor};
use crate::record::{Placement, Record};
use crate::word::Word;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;

/// Clusters in a mebibyte.
const CLUSTERS_PER_MEBIBYTE: usize = (1 << 20) / 64;

/// A transposition table that any number of threads probe and store into at once, without a lock and without
/// waiting.
///
/// Everything a search does takes `&self`. [`clear`](Table::clear) and [`resize`](Table::resize) take `&mut
/// self`: no thread can be searching meanwhile, and the compiler sees to it.
///
/// # What is promised
///
/// * A hit was stored for that key: all of the returned entry, by one single call of [`store`](Table::store)
///   (save the move of an entry stored without one, which an earlier entry of the same key may have lent).
/// * Nothing blocks: a probe is at most nine loads and, for an entry of an earlier search, one
///   compare-exchange; a store is at most nine loads and two stores.
/// * One thread alone reads what it wrote until something replaces it.
///
/// # What is not
///
/// A store may be lost, be seen late, or leave a second copy of the same position behind when two threads
/// store into one cluster at the same moment. A transposition table forgets by nature, and a search treats
/// every miss alike.
///
/// # Keys
///
/// Keys must be hashes: all 64 bits as good as random. The high bits choose the cluster, and the chance that
/// the table takes one position for another rests on the low ones. Small integers would all land in one
/// cluster.
///
/// # What is left out on purpose
///
/// There is no `remove`, no `len` and no iterator. Each would have to say something about a set of entries at
/// one moment, and there is no such moment while others write.
///
/// # Parameters
///
/// `P` is the replacement policy. `W` is the word the memory is made of, exchanged by tests only; `X` cannot
/// be exchanged outside this crate.
#[repr(align(64))] // Read on every probe: nothing that others write may share its cache line.
pub struct Table<P: Policy = DepthAge, W: Word = AtomicU64, X: Protocol = Xor> {
    clusters: W::Memory,
    generation: W,
    _static: PhantomData<fn() -> (P, X)>,
}

impl Table {
    /// An empty table of this many mebibytes, at least one, with the default policy.
    ///
    /// The memory is reserved at once and handed over by the system page by page, as it is first touched.
    pub fn new(mebibytes: usize) -> Result<Self, SizeError> {
        Self::with_mebibytes(mebibytes)
    }
}

impl<P: Policy> Table<P> {
    /// An empty table that does not ask the system for huge pages: for measuring what they are worth.
    pub fn without_huge_pages(mebibytes: usize) -> Result<Self, SizeError> {
        let clusters = clusters_in(mebibytes)?;
        let memory = if clusters == 0 { Err(SizeError::Zero) } else { Ok(Lines::ordinary(clusters)) };
        let clusters = memory?.ok_or(SizeError::OutOfMemory { mebibytes })?;
        Ok(Self { clusters, generation: AtomicU64::new(0), _static: PhantomData })
    }
}

impl<P: Policy, W: Word, X: Protocol> Table<P, W, X> {
    /// An empty table of this many mebibytes, with any policy: `Table::<TwoTier>::with_mebibytes(16)`.
    pub fn with_mebibytes(mebibytes: usize) -> Result<Self, SizeError> {
        Self::with_clusters(clusters_in(mebibytes)?)
    }

    /// An empty table of this many clusters of 64 bytes.
    pub fn with_clusters(clusters: usize) -> Result<Self, SizeError> {
        Ok(Self { clusters: allocate::<W>(clusters)?, generation: W::new(0), _static: PhantomData })
    }

    /// Looks a position up, and marks its entry as useful to the current search.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.probe_with(key, &mut ())
    }

    /// [`probe`](Table::probe), with a recorder that hears of it.
    #[inline]
    pub fn probe_with<R: Record>(&self, key: u64, record: &mut R) -> Option<Entry> {
        let cluster = self.cluster(key);
        let Some((slot, seen)) = cluster.find::<X>(key) else {
            record.probe(false);
            return None;
        };
        record.probe(true);
        let slot = &cluster.slots[slot];
        let generation = self.generation.load();
        if seen.data.generation() != generation {
            slot.refresh::<X>(seen, generation);
            record.refresh();
        }
        Some(X::checked(slot, seen).entry())
    }

    /// Looks a position up and writes nothing: for printing a line of play, or for looking on from outside.
    #[inline]
    pub fn peek(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let (slot, seen) = cluster.find::<X>(key)?;
        Some(X::checked(&cluster.slots[slot], seen).entry())
    }

    /// Remembers what was found out about a position.
    ///
    /// The entry goes to the slot of the same position, or else to an empty one, or to a torn one, or it
    /// replaces what the policy holds to be worth least. An entry without a move keeps the move that was
    /// known for its position.
    #[inline(always)]
    pub fn store(&self, key: u64, entry: Entry) {
        self.store_with(key, entry, &mut ());
    }

    /// [`store`](Table::store), with a recorder that hears of it.
    ///
    /// Always inlined, so that the entry is packed where its fields are at hand. Handed over in memory it
    /// would be written in six pieces and read back whole, which costs more than all the rest.
    #[inline(always)]
    pub fn store_with<R: Record>(&self, key: u64, entry: Entry, record: &mut R) {
        record.store(self.place(key, Data::pack(entry, self.generation.load())));
    }

    /// Stores a packed entry.
    #[inline]
    fn place(&self, key: u64, data: Data) -> Placement {
        self.cluster(key).store::<P, X>(key, data, self.clusters.len())
    }

    /// Starts loading the cache line of a position into the cache. Call it as soon as the key is known, and
    /// probe later.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// Begins a new search: entries stored before it are older by one from now on.
    ///
    /// Called by one thread between searches. Called by two at once, it may count one search instead of two.
    pub fn new_search(&self) {
        self.generation.store(X::next_generation(self.generation.load()));
    }

    /// Forgets everything, on all cores at once.
    ///
    /// Takes `&mut self` because emptying a slot is the one thing that is not safe beside a probe: a reader
    /// who sees the check word gone and the data still there takes the data for an entry of the key that
    /// equals it.
    pub fn clear(&mut self) {
        self.clusters.visit(Cluster::erase::<X>);
        self.generation.store(0);
    }

    /// Makes the table this many mebibytes large, and empty. If the memory cannot be had, the table stays as
    /// it is.
    pub fn resize(&mut self, mebibytes: usize) -> Result<(), SizeError> {
        self.clusters = allocate::<W>(clusters_in(mebibytes)?)?;
        self.generation.store(0);
        Ok(())
    }

    /// Flips one bit of the table's memory, as a failing memory chip does: bit `number` of all there are, counted round and
    /// round. For tests of what becomes of a search under which that happens.
    #[doc(hidden)]
    pub fn flip_bit(&self, number: u64) {
        let (word, bit) = (number / 64, number % 64);
        let (slot, half) = (word / 2, word % 2);
        let cluster = &self.clusters[(slot / SLOTS as u64) as usize % self.clusters.len()];
        let slot = &cluster.slots[slot as usize % SLOTS];
        let word = if half == 0 { &slot.check } else { &slot.data };
        word.store(word.load() ^ 1 << bit);
    }

    /// How much of the table the current search has filled or found useful, in permille, judged from a sample
    /// of a thousand slots.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load();
        let sample = &self.clusters[..self.clusters.len().min(1000 / SLOTS)];
        let current: usize = sample.iter().map(|cluster| cluster.current::<X>(generation)).sum();
        (1000 * current / (SLOTS * sample.len())) as u32
    }

    /// How old the entries are, in permille of the same sample of slots: first those stored or found useful
    /// in the current search, then those of the search before, and so on. What is missing to a thousand is
    /// empty.
    pub fn fill_by_age(&self) -> [u32; 64] {
        let generation = self.generation.load();
        let sample = &self.clusters[..self.clusters.len().min(1000 / SLOTS)];
        core::array::from_fn(|age| {
            let stored_in = generation.wrapping_sub(age as u64) & 63;
            let aged: usize = sample.iter().map(|cluster| cluster.current::<X>(stored_in)).sum();
            (1000 * aged / (SLOTS * sample.len())) as u32
        })
    }

    /// Shows the entries of the first `clusters` clusters to `visitor`: how deep they are, how old, of what kind. As good a
    /// sample as any, since keys are hashes; read slot by slot, so not a picture of one moment while others write.
    pub fn survey(&self, clusters: usize, mut visitor: impl FnMut(Resident)) {
        let generation = self.generation.load();
        for cluster in self.clusters.iter().take(clusters) {
            cluster.residents::<X>(generation).for_each(&mut visitor);
        }
    }

    /// The size of the table in mebibytes, rounded down.
    pub fn mebibytes(&self) -> usize {
        self.clusters.len() / CLUSTERS_PER_MEBIBYTE
    }

    /// How many entries there is room for.
    pub fn capacity(&self) -> usize {
        self.clusters.len() * SLOTS
    }

    /// Whether huge pages were asked for, and how much of the table lies in them by now.
    pub fn huge_pages(&self) -> HugePages {
        self.clusters.huge_pages()
    }

    /// The cluster of a key.
    #[inline]
    pub(crate) fn cluster(&self, key: u64) -> &Cluster<W> {
        &self.clusters[X::cluster_of(key, self.clusters.len())]
    }
}

impl<P: Policy, W: Word, X: Protocol> fmt::Debug for Table<P, W, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("clusters", &self.clusters.len()).finish_non_exhaustive()
    }
}

fn clusters_in(mebibytes: usize) -> Result<usize, SizeError> {
    mebibytes.checked_mul(CLUSTERS_PER_MEBIBYTE).ok_or(SizeError::OutOfMemory { mebibytes })
}

fn allocate<W: Word>(clusters: usize) -> Result<W::Memory, SizeError> {
    if clusters == 0 {
        return Err(SizeError::Zero);
    }
    let mebibytes = clusters / CLUSTERS_PER_MEBIBYTE;
    W::Memory::allocate(clusters).ok_or(SizeError::OutOfMemory { mebibytes })
}
