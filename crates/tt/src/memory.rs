//! Where the clusters live: zeroed, aligned memory that the system hands over as it is touched.

use crate::cluster::Cluster;
use crate::huge_pages::{self, HugePages};
use crate::word::Word;
use alloc::alloc::alloc_zeroed;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::ops::Deref;
use core::sync::atomic::AtomicU64;

/// A fixed number of clusters, all empty to begin with.
pub trait Memory<W>: Deref<Target = [Cluster<W>]> + Sized + Send + Sync + 'static {
    /// Room for this many clusters, or `None` if there is not enough memory.
    fn allocate(clusters: usize) -> Option<Self>;

    /// Shows every cluster to `visitor`, in parallel where that is possible.
    fn visit(&mut self, visitor: fn(&Cluster<W>));

    /// What is known about the pages underneath.
    fn huge_pages(&self) -> HugePages {
        HugePages::default()
    }
}

/// Plain memory, for words of any kind.
impl<W: Word> Memory<W> for Box<[Cluster<W>]> {
    fn allocate(clusters: usize) -> Option<Self> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(clusters).ok()?;
        memory.extend((0..clusters).map(|_| Cluster::new()));
        Some(memory.into_boxed_slice())
    }

    fn visit(&mut self, visitor: fn(&Cluster<W>)) {
        self.iter().for_each(visitor);
    }
}

/// The memory that ships: cache lines in huge pages, where the system has them.
///
/// It must be *zeroed without being touched*: a gigabyte written at start-up is half a second lost, and
/// memory that does not exist is only missed when it is written. Fresh pages are zero already, and the
/// allocator knows, provided it is asked for no more than its natural alignment. So a little more is asked
/// for than needed, as plain words, and the clusters begin at the first aligned word.
#[derive(Debug)]
pub struct Lines {
    words: Box<[AtomicU64]>,
    /// Where the first cluster begins, in bytes from the first word.
    offset: usize,
    clusters: usize,
    /// Whether the system took the request for huge pages.
    advised: bool,
}

/// The size of a huge page on x86-64, and the most common one on aarch64.
const HUGE_PAGE: usize = 2 << 20;
const WORDS_PER_CLUSTER: usize = size_of::<Cluster<AtomicU64>>() / size_of::<AtomicU64>();

impl Lines {
    /// Memory in whatever pages the system gives to those who do not ask.
    pub(crate) fn ordinary(clusters: usize) -> Option<Self> {
        let bytes = clusters.checked_mul(size_of::<Cluster<AtomicU64>>())?;
        let alignment = if bytes >= HUGE_PAGE { HUGE_PAGE } else { align_of::<Cluster<AtomicU64>>() };
        let words = zeroed_words((bytes.checked_add(alignment)?) / size_of::<AtomicU64>())?;
        let start = words.as_ptr().align_offset(alignment);
        // Relied upon by the view below.
        assert!(start + clusters * WORDS_PER_CLUSTER <= words.len());
        Some(Self { words, offset: start * size_of::<AtomicU64>(), clusters, advised: false })
    }
}

impl Memory<AtomicU64> for Lines {
    fn allocate(clusters: usize) -> Option<Self> {
        let mut lines = Self::ordinary(clusters)?;
        if size_of_val(&*lines) >= HUGE_PAGE {
            let start = lines.offset / size_of::<AtomicU64>();
            lines.advised = huge_pages::advise(&lines.words[start..start + clusters * WORDS_PER_CLUSTER]);
        }
        Some(lines)
    }

    #[cfg(feature = "std")]
    fn visit(&mut self, visitor: fn(&Cluster<AtomicU64>)) {
        use rayon::prelude::*;
        // A chunk is one huge page: large enough to be worth a task, small enough to share out evenly.
        let chunk = HUGE_PAGE / size_of::<Cluster<AtomicU64>>();
        self.par_chunks(chunk).for_each(|clusters| clusters.iter().for_each(visitor));
    }

    #[cfg(not(feature = "std"))]
    fn visit(&mut self, visitor: fn(&Cluster<AtomicU64>)) {
        self.iter().for_each(visitor);
    }

    fn huge_pages(&self) -> HugePages {
        huge_pages::status(self.advised, self)
    }
}

impl Deref for Lines {
    type Target = [Cluster<AtomicU64>];

    #[inline]
    fn deref(&self) -> &Self::Target {
        let first = self.words.as_ptr().wrapping_byte_add(self.offset).cast();
        // SAFETY: `ordinary` checked that the words from `offset` on are aligned for, and enough for,
        // `clusters` clusters. A cluster is eight `AtomicU64` without padding, so any eight of them are a
        // valid cluster; they live as long as `self`, and are shared just like the words.
        unsafe { core::slice::from_raw_parts(first, self.clusters) }
    }
}

/// This many zeros, or `None` if there is not enough memory. As `vec![0; len]`, but it fails instead of
/// ending the process.
fn zeroed_words(len: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(len).ok().filter(|layout| layout.size() != 0)?;
    // SAFETY: the layout is not of size zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return None;
    }
    let words = core::ptr::slice_from_raw_parts_mut(memory.cast(), len);
    // SAFETY: the memory comes from the global allocator with the layout of `len` words, as a `Box` expects,
    // nobody else has it, and all words are initialised: zero is a valid `AtomicU64`.
    Some(unsafe { Box::from_raw(words) })
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
                assert!(address(cluster).is_multiple_of(64));
                assert_eq!(address(&cluster.slots[3].data) / 64, address(cluster) / 64);
            }
        }
    }

    #[test]
    fn large_tables_begin_on_a_huge_page() {
        for mebibytes in [2, 3, 64] {
            let lines = Lines::allocate(mebibytes << 14).unwrap();
            assert!(address(&lines[0]).is_multiple_of(HUGE_PAGE));
        }
    }

    #[test]
    fn memory_is_zero_although_nobody_has_written_it() {
        let lines = Lines::allocate(16_384 * 3).unwrap();
        let words =
            lines.iter().flat_map(|cluster| &cluster.slots).flat_map(|slot| [&slot.check, &slot.data]);
        assert!(words.into_iter().all(|word| Word::load(word) == 0));
    }

    #[test]
    fn visitors_see_every_cluster_once() {
        for clusters in [1, 7, 32_768, 100_000] {
            let mut lines = Lines::allocate(clusters).unwrap();
            let count = |cluster: &Cluster<AtomicU64>| {
                let word = &cluster.slots[0].check;
                Word::store(word, Word::load(word) + 1);
            };
            lines.visit(count);
            assert!(lines.iter().all(|cluster| Word::load(&cluster.slots[0].check) == 1));
        }
    }

    #[test]
    fn too_much_memory_is_refused() {
        for clusters in [usize::MAX, usize::MAX / 64, isize::MAX as usize / 64, 1 << 50] {
            assert!(Lines::allocate(clusters).is_none());
        }
    }
}
