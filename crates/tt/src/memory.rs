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
/// It must be *zeroed without being touched*: a gigabyte written at start-up is half a second lost, and memory that does not exist is only missed when
/// it is written. Fresh pages are zero already, and the allocator knows, provided it is asked for no more than its natural alignment. So a
/// little more is asked for than needed, as plain words, and the clusters begin at the first aligned word.
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

impl Memory<AtomicU64> for Lines {
    fn allocate(clusters: usize) -> Option<Self> {
        let bytes = clusters.checked_mul(size_of::<Cluster<AtomicU64>>())?;
        let alignment = if bytes >= HUGE_PAGE { HUGE_PAGE } else { align_of::<Cluster<AtomicU64>>() };
        let words = zeroed_words((bytes.checked_add(alignment)?) / size_of::<AtomicU64>())?;
        let start = words.as_ptr().align_offset(alignment);
        // Relied upon by the view below.
        assert!(start + clusters * WORDS_PER_CLUSTER <= words.len());
        let lines = &words[start..start + clusters * WORDS_PER_CLUSTER];
        let advised = bytes >= HUGE_PAGE && huge_pages::advise(lines);
        Some(Self { words, offset: start * size_of::<AtomicU64>(), clusters, advised })
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
        // SAFETY: `allocate` checked that the words from `offset` on are aligned for, and enough for, `clusters` clusters. A cluster is eight
        // `AtomicU64` without padding, so any eight of them are a valid cluster; they live as long as `self`, and are shared just like the words.
        unsafe { core::slice::from_raw_parts(first, self.clusters) }
    }
}

/// This many zeros, or `None` if there is not enough memory. As `vec![0; len]`, but it fails instead of ending the process.
fn zeroed_words(len: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(len).ok().filter(|layout| layout.size() != 0)?;
    // SAFETY: the layout is not of size zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return None;
    }
    let words = core::ptr::slice_from_raw_parts_mut(memory.cast(), len);
    // SAFETY: the memory comes from the global allocator with the layout of `len` words, as a `Box` expects, nobody else has it, and all words
    // are initialised: zero is a valid `AtomicU64`.
    Some(unsafe { Box::from_raw(words) })
}
