//! The table: clusters, a way to find them, and a clock that counts generations.

use crate::cluster::Cluster;
use crate::error::SizeError;
use crate::huge_pages::HugePages;
use crate::memory::{Backed, Lines, Memory};
use crate::payload::{Hit, Payload};
use crate::policy::{ByRank, Policy, Resident};
use crate::prefetch::prefetch;
use crate::protocol::{Protocol, Xor, cluster_of};
use crate::record::Record;
use crate::slot::SLOTS;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;

/// Clusters in a mebibyte. It is smaller under Miri, which takes many minutes to write a whole one.
const CLUSTERS_PER_MEBIBYTE: usize = if cfg!(miri) { 256 } else { 16_384 };

/// A fixed-size hash table that any number of threads probe and store into at once, without a lock
/// and without waiting. It forgets when it is full, and it never returns a wrong value.
///
/// Everything that happens while threads work takes `&self`. [`clear`](Table::clear) and
/// [`resize`](Table::resize) take `&mut self`: the compiler sees to it that no thread uses the
/// table meanwhile.
///
/// # What is promised
///
/// * A hit was stored for that key: all of it, by one call of [`store`](Table::store) (or by one
///   call and the known values of the same key that it was [merged](Payload::merge) with).
/// * Nothing blocks: a probe is at most nine loads and, for an entry of an earlier generation, one
///   compare-exchange; a store is at most nine loads and two stores. There is no loop around them.
/// * One thread alone reads what it wrote until something replaces it.
///
/// # What is not
///
/// A store may be lost, be seen late, or leave a second copy of the same key behind when two
/// threads store into one cluster at the same moment; an older copy may then reappear. Every such
/// case is a miss, or an older value of the same key. The book lists them all, each with its model.
///
/// # Keys
///
/// Keys must be hashes: all 64 bits as good as random. The high bits choose the cluster, and the
/// chance that the table takes one key for another rests on the low ones. Small integers would all
/// land in one cluster.
///
/// # What is left out on purpose
///
/// There is no `remove`, no `len` and no iterator. Each would have to say something about the set
/// of entries at one moment, and there is no such moment while others write.
///
/// # Parameters
///
/// `V` is the value and `P` the replacement policy. `W` and `X` are sealed: they let the checkers
/// of this crate run the shipped code on other words.
#[repr(align(64))] // Read on every probe: nothing that others write may share its cache line.
pub struct Table<V: Payload, P: Policy<V> = ByRank, W: Backed = AtomicU64, X: Protocol = Xor> {
    clusters: W::Memory,
    generation: W,
    policy: P,
    _static: PhantomData<fn() -> (V, X)>,
}

impl<V: Payload> Table<V> {
    /// An empty table of this many mebibytes, at least one, with the default policy.
    ///
    /// The memory is reserved at once and handed over by the system page by page, as it is first
    /// touched. If it cannot be allocated, that is an error and not the end of the process.
    pub fn new(mebibytes: usize) -> Result<Self, SizeError> {
        Self::with_mebibytes(mebibytes)
    }
}

impl<V: Payload, P: Policy<V>> Table<V, P> {
    /// An empty table that does not ask the system for huge pages: for measuring what they are
    /// worth.
    pub fn without_huge_pages(mebibytes: usize) -> Result<Self, SizeError> {
        let clusters = clusters_in(mebibytes)?;
        if clusters == 0 {
            return Err(SizeError::Zero);
        }
        let clusters = Lines::ordinary(clusters).ok_or(SizeError::OutOfMemory { mebibytes })?;
        Ok(Self::of(clusters))
    }

    /// Takes the pages of the table from these memory nodes in turn, by the system's numbers, and
    /// moves those it has; returns whether the system accepted. Tables below 2 MiB are not worth
    /// it, and systems other than Linux are not asked. After a change of size, ask again.
    pub fn interleave(&self, nodes: &[usize]) -> bool {
        self.clusters.interleave(nodes)
    }
}

impl<V: Payload, P: Policy<V>, W: Backed, X: Protocol> Table<V, P, W, X> {
    /// An empty table of this many mebibytes, with any policy:
    /// `Table::<Steps, ByRank<2>>::with_mebibytes(16)`.
    pub fn with_mebibytes(mebibytes: usize) -> Result<Self, SizeError> {
        Self::with_clusters(clusters_in(mebibytes)?)
    }

    /// An empty table of this many clusters of 64 bytes.
    pub fn with_clusters(clusters: usize) -> Result<Self, SizeError> {
        allocate::<W>(clusters).map(Self::of)
    }

    /// A table in this memory.
    fn of(clusters: W::Memory) -> Self {
        Self { clusters, generation: W::new(0), policy: P::default(), _static: PhantomData }
    }

    /// The same table with a policy chosen at run time.
    #[must_use]
    pub fn with_policy(self, policy: P) -> Self {
        Self { policy, ..self }
    }

    /// Looks a key up, and marks its entry as useful to the current generation.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Hit<V>> {
        self.probe_with(key, &mut ())
    }

    /// [`probe`](Table::probe), reported to a recorder.
    #[inline]
    pub fn probe_with<R: Record>(&self, key: u64, record: &mut R) -> Option<Hit<V>> {
        let cluster = self.home(key);
        let Some((slot, word)) = cluster.find::<X>(key) else {
            record.probe(false);
            return None;
        };
        record.probe(true);
        let slot = &cluster.slots[slot];
        let generation = self.generation.load();
        if X::generation(word) != generation {
            X::refresh(slot, key, word, generation);
            record.refresh();
        }
        Hit::of(X::packed(X::checked(slot, word)))
    }

    /// Looks a key up without refreshing it: for observers.
    #[inline]
    pub fn peek(&self, key: u64) -> Option<Hit<V>> {
        let cluster = self.home(key);
        let (slot, word) = cluster.find::<X>(key)?;
        Hit::of(X::packed(X::checked(&cluster.slots[slot], word)))
    }

    /// Remembers a value for a key.
    ///
    /// It goes to the slot of the same key, or else to an empty one, or to a torn one, or it
    /// replaces what the policy holds to be worth least.
    #[inline(always)]
    pub fn store(&self, key: u64, value: V) {
        self.store_with(key, value, &mut ());
    }

    /// [`store`](Table::store), reported to a recorder.
    ///
    /// Always inlined, so that the value is packed from registers. Passed in memory it would be
    /// written field by field and read back whole, a failed store forwarding that costs more than
    /// all the rest.
    #[inline(always)]
    pub fn store_with<R: Record>(&self, key: u64, value: V, record: &mut R) {
        let word = X::word(value.pack(), self.generation.load());
        record.store(self.home(key).store::<V, P, X>(key, word, self.clusters.len(), self.policy));
    }

    /// Starts loading the cache line of a key into the cache. Call it as soon as the key is known,
    /// and probe later.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.home(key));
    }

    /// Begins a new generation: entries stored before are older by one from now on.
    ///
    /// Called by one thread between two rounds of work, such as two searches. Called by two at
    /// once, it may count one generation instead of two.
    pub fn new_generation(&self) {
        self.generation.store(X::next_generation(self.generation.load()));
    }

    /// Forgets everything.
    ///
    /// Takes `&mut self` because emptying a slot is the one thing that is not safe beside a probe:
    /// a reader who sees the check word gone and the data still there takes the data for an entry
    /// of the key that equals it.
    pub fn clear(&mut self) {
        self.clear_with(1);
    }

    /// [`clear`](Table::clear) on up to `threads` threads, including the calling one.
    ///
    /// It cannot fail and does not panic: if the system refuses to start a thread, or there is no
    /// `std`, those that did start do all the work, at worst the calling thread alone.
    pub fn clear_with(&mut self, threads: usize) {
        self.clusters.visit(threads, Cluster::erase::<X>);
    }

    /// Makes the table this many mebibytes large, and empty. If the memory cannot be allocated, the
    /// table stays as it is.
    pub fn resize(&mut self, mebibytes: usize) -> Result<(), SizeError> {
        self.clusters = allocate::<W>(clusters_in(mebibytes)?)?;
        Ok(())
    }

    /// Flips one bit of the table's memory, as a failing memory chip does: bit `number`, modulo the
    /// number of bits. For tests of programs that must survive it.
    #[cfg(feature = "fault-injection")]
    pub fn flip_bit(&self, number: u64) {
        let (word, bit) = (number / 64, number % 64);
        let (slot, half) = (word / 2, word % 2);
        let cluster = &self.clusters[(slot / SLOTS as u64) as usize % self.clusters.len()];
        let slot = &cluster.slots[slot as usize % SLOTS];
        let word = if half == 0 { &slot.check } else { &slot.data };
        word.store(word.load() ^ 1 << bit);
    }

    /// How much of the table the current generation has filled or found useful, in permille, judged
    /// from a sample of a thousand slots.
    pub fn hashfull(&self) -> u32 {
        self.fill_by_age()[0]
    }

    /// How old the entries are, in permille of the same sample: first those stored or found useful
    /// in the current generation, then those of the generation before, and so on. The remainder is
    /// empty.
    pub fn fill_by_age(&self) -> [u32; 64] {
        let sample = self.clusters.len().min(1000 / SLOTS);
        let mut fill = [0; 64];
        self.survey(sample, |resident| fill[resident.age as usize % 64] += 1);
        fill.map(|entries| 1000 * entries / (SLOTS * sample) as u32)
    }

    /// Shows the entries of the first `clusters` clusters to `visitor`. As good a sample as any,
    /// since keys are hashes; read slot by slot, so not a picture of one moment while others write.
    pub fn survey(&self, clusters: usize, mut visitor: impl FnMut(Resident<V>)) {
        let generation = self.generation.load();
        for cluster in self.clusters.iter().take(clusters) {
            cluster.residents::<V, X>(generation).for_each(&mut visitor);
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

    /// Where the clusters are.
    #[cfg(all(test, feature = "std", target_os = "linux"))]
    pub(crate) fn address_range(&self) -> core::ops::Range<usize> {
        let range = self.clusters.as_ptr_range();
        range.start.addr()..range.end.addr()
    }

    /// The cluster of a key, for the checkers: whoever has it can write words that no store wrote.
    #[cfg(feature = "internals")]
    #[inline]
    #[doc(hidden)]
    pub fn cluster(&self, key: u64) -> &Cluster<W> {
        self.home(key)
    }

    /// The cluster of a key.
    #[inline]
    pub(crate) fn home(&self, key: u64) -> &Cluster<W> {
        let clusters: &[Cluster<W>] = &self.clusters;
        let cluster = cluster_of::<X>(key, clusters.len());
        debug_assert!(cluster < clusters.len());
        // SAFETY: there is at least one cluster (`allocate` sees to it), and for n ≥ 1 clusters and
        // a key below 2ʷ the index is at most (2ʷ − 1) · n / 2ʷ, rounded down, which is less than
        // n.
        unsafe { clusters.get_unchecked(cluster) }
    }
}

impl<V: Payload, P: Policy<V>, W: Backed, X: Protocol> fmt::Debug for Table<V, P, W, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("clusters", &self.clusters.len()).finish_non_exhaustive()
    }
}

fn clusters_in(mebibytes: usize) -> Result<usize, SizeError> {
    mebibytes.checked_mul(CLUSTERS_PER_MEBIBYTE).ok_or(SizeError::OutOfMemory { mebibytes })
}

fn allocate<W: Backed>(clusters: usize) -> Result<W::Memory, SizeError> {
    if clusters == 0 {
        return Err(SizeError::Zero);
    }
    let mebibytes = clusters / CLUSTERS_PER_MEBIBYTE;
    W::Memory::allocate(clusters).ok_or(SizeError::OutOfMemory { mebibytes })
}
