//! Giving memory back.

/// Has the allocator give large blocks back to the system as soon as they are freed. To be called once, early; calling it again
/// changes nothing.
///
/// The allocator of the GNU C library learns from the sizes that are freed: once a table of some mebibytes is gone it takes
/// such sizes from reserves of its own, one for each thread, and keeps them. An engine whose table and threads are changed again and
/// again comes to hold several times what it uses. Other allocators are left alone.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
pub fn give_back_large_blocks() {
    use core::ffi::c_int;
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const M_MMAP_THRESHOLD: c_int = -3;
    // The library's own starting value; setting it is what stops the learning.
    const LARGE: c_int = 128 << 10;
    // SAFETY: may be called at any time and from any thread, and changes only where later blocks are taken from.
    unsafe { mallopt(M_MMAP_THRESHOLD, LARGE) };
}

/// Has the allocator give large blocks back to the system as soon as they are freed. Here it is left alone.
#[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
pub fn give_back_large_blocks() {}
