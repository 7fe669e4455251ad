//! Asking for a cache line before it is needed.

/// Starts loading the cache line at `place`, if the processor can be asked to. Changes nothing but
/// the time a later access takes.
#[inline]
pub fn prefetch<T>(place: &T) {
    let address = core::ptr::from_ref(place);

    #[cfg(test)]
    tests::LAST.set(address.addr());

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch is a hint: it has no effect on memory or registers and cannot fault,
    // whatever the address. SSE, which the instruction belongs to, is part of every x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }

    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above. The instruction reads one register and writes nothing, as the options say.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }

    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use crate::Table;
    use crate::layout::mixed;
    use crate::samples::Nothing;
    use std::cell::Cell;

    thread_local! {
        /// The address last prefetched by this thread.
        pub(super) static LAST: Cell<usize> = const { Cell::new(0) };
    }

    /// What is prefetched is the line that a probe of the same key reads.
    #[test]
    fn the_right_line_is_prefetched() {
        let table = Table::<Nothing>::new(3).unwrap();
        for key in (0..1000).map(mixed) {
            table.prefetch(key);
            let cluster = core::ptr::from_ref(table.home(key)).addr();
            assert_eq!(LAST.get(), cluster);
            table.store(key, Nothing);
            assert!(table.probe(key).is_some());
        }
    }
}
