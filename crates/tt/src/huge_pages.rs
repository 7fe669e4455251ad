//! Huge pages on Linux: requesting them, and checking whether they were granted.
//!
//! A random access to a large table misses not only the caches but also the TLB. With pages of 2
//! MiB instead of 4 KiB the TLB covers the whole table, or nearly.

use core::fmt;

/// What is known about the pages of a table.
///
/// The system gives a page when it is first touched, and decides then which kind. So the answer is
/// about the part of the table used so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HugePages {
    /// Whether the system took the request. Always `false` for tables below 2 MiB and on systems
    /// other than Linux.
    pub advised: bool,
    /// How much of the table is in memory by now, in bytes; `None` where the system does not say.
    pub resident: Option<usize>,
    /// How much of that lies in huge pages, in bytes; `None` where the system does not say.
    pub huge: Option<usize>,
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.advised, self.resident, self.huge) {
            (false, ..) => write!(f, "huge pages: none"),
            (true, Some(resident), Some(huge)) => {
                write!(f, "huge pages: {} of {} MiB in use", huge >> 20, resident >> 20)
            }
            (true, ..) => write!(f, "huge pages: asked for"),
        }
    }
}

/// Asks the system to back this memory with huge pages; returns whether it accepted.
#[cfg(all(target_os = "linux", feature = "std", not(miri)))]
pub(crate) fn advise<T>(table: &[T]) -> bool {
    use core::ffi::{c_int, c_void};
    // The C library that `std` links has it; a crate of bindings would bring nothing else that is
    // used here.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    let address = table.as_ptr().cast_mut().cast();
    // SAFETY: the range is exactly that of a live slice. The advice is about the kind of pages and
    // leaves their contents alone.
    unsafe { madvise(address, size_of_val(table), MADV_HUGEPAGE) == 0 }
}

#[cfg(not(all(target_os = "linux", feature = "std", not(miri))))]
pub(crate) fn advise<T>(_: &[T]) -> bool {
    false
}

/// What the system says about the pages of a table.
#[cfg(all(target_os = "linux", feature = "std", not(miri)))]
pub(crate) fn status<T>(advised: bool, table: &[T]) -> HugePages {
    let range = table.as_ptr_range();
    let usage = std::fs::read_to_string("/proc/self/smaps")
        .ok()
        .map(|smaps| usage_of(range.start.addr()..range.end.addr(), &smaps));
    HugePages { advised, resident: usage.map(|usage| usage.0), huge: usage.map(|usage| usage.1) }
}

#[cfg(not(all(target_os = "linux", feature = "std", not(miri))))]
pub(crate) fn status<T>(advised: bool, _: &[T]) -> HugePages {
    HugePages { advised, resident: None, huge: None }
}

/// Adds up resident and huge bytes within `range`, from the text of `smaps`.
///
/// Advice splits mappings, so that the advised range is one of its own, unless its neighbours were
/// given the same advice. A mapping that reaches beyond the range counts in proportion.
#[cfg(all(target_os = "linux", feature = "std", not(miri)))]
fn usage_of(range: core::ops::Range<usize>, smaps: &str) -> (usize, usize) {
    // Of the mapping being read: how much of it lies within the range, and how large it is.
    let (mut common, mut mapping) = (0, 1);
    let (mut resident, mut huge) = (0, 0);
    for line in smaps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(first), second) = (fields.next(), fields.next()) else { continue };
        let ends = first
            .split_once('-')
            .map(|ends| (usize::from_str_radix(ends.0, 16), usize::from_str_radix(ends.1, 16)));
        if let Some((Ok(from), Ok(to))) = ends {
            common = to.min(range.end).saturating_sub(from.max(range.start));
            mapping = (to - from).max(1);
            continue;
        }
        let share = || {
            let kibibytes = second.and_then(|kib| kib.parse::<usize>().ok()).unwrap_or(0);
            ((kibibytes as u128 * 1024 * common as u128) / mapping as u128) as usize
        };
        match first {
            "Rss:" => resident += share(),
            "AnonHugePages:" => huge += share(),
            _ => {}
        }
    }
    (resident, huge)
}

#[cfg(all(target_os = "linux", feature = "std", not(miri)))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crate::samples::Nothing;

    #[test]
    fn a_mapping_that_reaches_beyond_the_table_counts_in_proportion() {
        let smaps = "1000-3000 rw-p 00000000 00:00 0\nRss:     8 kB\nAnonHugePages:   4 kB\n\
                     3000-5000 rw-p 00000000 00:00 0\nRss:     8 kB\nAnonHugePages:   8 kB\n\
                     9000-a000 rw-p 00000000 00:00 0\nRss:     4 kB\nAnonHugePages:   0 kB\n";
        assert_eq!(usage_of(0x1000..0x3000, smaps), (8 << 10, 4 << 10), "a mapping of its own");
        assert_eq!(
            usage_of(0x2000..0x5000, smaps),
            (12 << 10, 10 << 10),
            "half of the first, all of the second"
        );
        assert_eq!(usage_of(0x6000..0x9000, smaps), (0, 0));
    }

    /// How many bytes of a range lie in mappings that were advised, from the text of `smaps`.
    fn advised(range: core::ops::Range<usize>, smaps: &str) -> usize {
        let (mut common, mut sum) = (0, 0);
        for line in smaps.lines() {
            let first = line.split_ascii_whitespace().next().unwrap_or_default();
            let ends = first.split_once('-').map(|(from, to)| {
                [from, to].map(|address| usize::from_str_radix(address, 16).unwrap_or(0))
            });
            if let Some([from, to]) = ends {
                common = to.min(range.end).saturating_sub(from.max(range.start));
            }
            if first == "VmFlags:" && line.split_ascii_whitespace().any(|flag| flag == "hg") {
                sum += common;
            }
        }
        sum
    }

    /// All of a table is advised, not a part of it, and nothing else.
    #[test]
    fn the_whole_table_is_advised() {
        let table = Table::<Nothing>::new(32).unwrap();
        let range = table.address_range();
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        if table.huge_pages().advised {
            assert_eq!(advised(range.clone(), &smaps), range.len());
        }
        assert_eq!(range.len(), 32 << 20);
    }

    /// Whether huge pages come depends on the machine; that the table says so does not.
    #[test]
    fn the_table_says_what_it_got() {
        let mut table = Table::<Nothing>::new(32).unwrap();
        table.clear_with(2);
        let status = table.huge_pages();
        println!("{status}");
        let (resident, huge) = (status.resident.unwrap(), status.huge.unwrap());
        assert!(huge <= resident);
        assert!(resident >= 31 << 20, "clearing touches every page: {resident}");
        let system = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
            .unwrap_or_default();
        assert_eq!(
            status.advised,
            !system.is_empty(),
            "Linux takes the advice if it knows huge pages at all"
        );
        if system.contains("[never]") {
            assert_eq!(huge, 0);
        }
    }

    #[test]
    fn small_tables_do_not_ask() {
        assert!(!Table::<Nothing>::new(1).unwrap().huge_pages().advised);
    }

    #[test]
    fn the_status_reads_well() {
        let mut status =
            HugePages { advised: true, resident: Some(64 << 20), huge: Some(62 << 20) };
        assert_eq!(status.to_string(), "huge pages: 62 of 64 MiB in use");
        status.huge = None;
        assert_eq!(status.to_string(), "huge pages: asked for");
        status.advised = false;
        assert_eq!(status.to_string(), "huge pages: none");
    }
}
