//! Where the clusters live: zeroed, aligned memory that the system hands over as it is touched.

use crate::cluster::Cluster;
use crate::huge_pages::{self, HugePages};
use crate::interleave::interleave;
use crate::share;
use crate::word::Word;
use alloc::alloc::{alloc_zeroed, dealloc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::{align_of, size_of, size_of_val};
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;

/// A fixed number of clusters, all empty to begin with.
pub trait Memory<W>: Deref<Target = [Cluster<W>]> + Sized + Send + Sync + 'static {
    /// Room for this many clusters, or `None` if there is not enough memory.
    fn allocate(clusters: usize) -> Option<Self>;

    /// Calls `visitor` for every cluster, on up to `threads` threads.
    fn visit(&mut self, threads: usize, visitor: fn(&Cluster<W>));

    /// What is known about the pages underneath.
    fn huge_pages(&self) -> HugePages {
        HugePages::default()
    }
}

/// A word that a table can be made of.
pub trait Backed: Word {
    /// Where the clusters live. Any word can use `Box<[Cluster<Self>]>`.
    type Memory: Memory<Self>;
}

impl Backed for AtomicU64 {
    type Memory = Lines;
}

/// Plain memory, for words of any kind.
impl<W: Word> Memory<W> for Box<[Cluster<W>]> {
    fn allocate(clusters: usize) -> Option<Self> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(clusters).ok()?;
        memory.extend((0..clusters).map(|_| Cluster::new()));
        Some(memory.into_boxed_slice())
    }

    fn visit(&mut self, _: usize, visitor: fn(&Cluster<W>)) {
        self.iter().for_each(visitor);
    }
}

/// The memory that ships: cache lines in huge pages, where the system has them.
///
/// It must be *zeroed without being touched*: writing a gigabyte at start-up takes half a second,
/// and overcommitted memory fails only when it is touched, and kills the process. Fresh pages are
/// zero already, and the allocator knows, provided it is asked for no more than its natural
/// alignment. So a little more is asked for than needed, as plain words, and the clusters begin at
/// the first aligned word.
#[derive(Debug)]
pub struct Lines {
    /// The first cluster. A pointer, not an offset into the words: it is added to on every probe.
    first: NonNull<Cluster<AtomicU64>>,
    clusters: usize,
    /// Whether the system took the request for huge pages.
    advised: bool,
    /// What was allocated: `layout` at `words`.
    words: NonNull<u8>,
    layout: Layout,
}

// SAFETY: `Lines` owns its memory, as a `Box<[AtomicU64]>` does, and hands out shared references to
// atomics only.
unsafe impl Send for Lines {}
// SAFETY: as above.
unsafe impl Sync for Lines {}

/// The size of a huge page on x86-64, and the most common one on aarch64.
const HUGE_PAGE: usize = 2 << 20;

impl Lines {
    /// Memory without a request for huge pages.
    pub(crate) fn ordinary(clusters: usize) -> Option<Self> {
        let bytes = clusters.checked_mul(size_of::<Cluster<AtomicU64>>()).filter(|&b| b != 0)?;
        let alignment =
            if bytes >= HUGE_PAGE { HUGE_PAGE } else { align_of::<Cluster<AtomicU64>>() };
        let words = bytes.checked_add(alignment)? / size_of::<AtomicU64>();
        let layout = Layout::array::<AtomicU64>(words).ok()?;
        // SAFETY: the layout is not of size zero, since `bytes` is not.
        let words = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let offset = words.as_ptr().align_offset(alignment);
        // What follows relies on it.
        assert!(offset <= layout.size() - bytes, "the aligned part is within the allocation");
        // SAFETY: the offset is within the allocation.
        let first = unsafe { words.as_ptr().add(offset) };
        let first = NonNull::new(first.cast())?;
        Some(Self { first, clusters, advised: false, words, layout })
    }
}

impl Lines {
    /// Spreads the memory over these nodes, if it is large enough for huge pages.
    pub(crate) fn interleave(&self, nodes: &[usize]) -> bool {
        size_of_val(&**self) >= HUGE_PAGE && interleave(self, nodes)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `ordinary`, and not freed since.
        unsafe { dealloc(self.words.as_ptr(), self.layout) };
    }
}

impl Memory<AtomicU64> for Lines {
    fn allocate(clusters: usize) -> Option<Self> {
        let mut lines = Self::ordinary(clusters)?;
        lines.advised = size_of_val(&*lines) >= HUGE_PAGE && huge_pages::advise(&lines);
        Some(lines)
    }

    fn visit(&mut self, threads: usize, visitor: fn(&Cluster<AtomicU64>)) {
        share::visit(self, threads, visitor);
    }

    fn huge_pages(&self) -> HugePages {
        huge_pages::status(self.advised, self)
    }
}

impl Deref for Lines {
    type Target = [Cluster<AtomicU64>];

    #[inline]
    fn deref(&self) -> &Self::Target {
        // SAFETY: `ordinary` checked that the memory from `first` on is aligned for, and enough
        // for, `clusters` clusters. It is initialised: a cluster is eight `AtomicU64` without
        // padding, and zero is a valid `AtomicU64`. It lives as long as `self`.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.clusters) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<T>(place: &T) -> usize {
        core::ptr::from_ref(place).addr()
    }

    #[test]
    fn no_cluster_straddles_a_cache_line() {
        for clusters in [1, 2, 3, 1000, 16_384, 16_384 * 3 + 1, 16_384 * 40] {
            let lines = Lines::allocate(clusters).unwrap();
            assert_eq!(lines.len(), clusters);
            for (number, cluster) in lines.iter().enumerate() {
                assert_eq!(address(cluster), address(&lines[0]) + 64 * number);
                assert_eq!(address(cluster) % 64, 0);
                assert_eq!(address(&cluster.slots[3].data) / 64, address(cluster) / 64);
            }
        }
    }

    #[test]
    fn large_tables_begin_on_a_huge_page() {
        for mebibytes in [2, 3, 64] {
            let lines = Lines::allocate(mebibytes << 14).unwrap();
            assert_eq!(address(&lines[0]) % HUGE_PAGE, 0);
        }
    }

    #[test]
    fn memory_is_zero_although_nobody_has_written_it() {
        let lines = Lines::allocate(16_384 * 3).unwrap();
        let words = lines
            .iter()
            .flat_map(|cluster| &cluster.slots)
            .flat_map(|slot| [&slot.check, &slot.data]);
        assert!(words.into_iter().all(|word| Word::load(word) == 0));
    }

    #[test]
    fn visitors_see_every_cluster_once() {
        for (clusters, threads) in [(1, 2), (7, 1), (32_768, 4), (100_000, 1), (100_000, 3)] {
            let mut lines = Lines::allocate(clusters).unwrap();
            let count = |cluster: &Cluster<AtomicU64>| {
                let word = &cluster.slots[0].check;
                Word::store(word, Word::load(word) + 1);
            };
            lines.visit(threads, count);
            assert!(lines.iter().all(|cluster| Word::load(&cluster.slots[0].check) == 1));
        }
    }

    /// Plain memory, as the checkers use it, does the same.
    #[test]
    fn plain_memory_is_memory_too() {
        let mut plain = <Box<[Cluster<AtomicU64>]>>::allocate(5).unwrap();
        assert_eq!((plain.len(), plain.huge_pages()), (5, HugePages::default()));
        plain.visit(3, |cluster| Word::store(&cluster.slots[3].data, 7));
        assert!(plain.iter().all(|cluster| Word::load(&cluster.slots[3].data) == 7));
        assert!(<Box<[Cluster<AtomicU64>]>>::allocate(usize::MAX / 64).is_none());
    }

    #[test]
    fn too_much_memory_is_refused() {
        let large = usize::try_from(1u64 << 50).unwrap_or(usize::MAX);
        for clusters in [0, usize::MAX, usize::MAX / 64, isize::MAX as usize / 64, large] {
            assert!(Lines::allocate(clusters).is_none());
        }
    }
}
