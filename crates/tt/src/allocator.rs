//! Returning freed memory to the system.

/// Tells the allocator to return large blocks to the system as soon as they are freed; returns
/// whether it accepted. Call it at the start of `main`, before any other thread exists.
///
/// The allocator of the GNU C library adapts to the sizes that are freed: once a table of some
/// mebibytes is gone it serves such sizes from arenas, one for each thread, and keeps them. A
/// program that resizes its table or restarts its threads again and again comes to hold several
/// times what it uses. Other allocators are left alone, and so is this one once there is a second
/// thread.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
pub fn give_back_large_blocks() -> bool {
    use core::ffi::c_int;
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const M_MMAP_THRESHOLD: c_int = -3;
    // The library's own starting value; setting it is what stops the adaptation.
    const LARGE: c_int = 128 << 10;
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return false;
    }
    // SAFETY: the call is documented as unsafe beside other threads, which may be inside the
    // allocator. There are none: the kernel lists this thread alone, only a running thread can
    // start another, and this one is here. It changes where later blocks come from and leaves
    // existing ones as they are.
    unsafe { mallopt(M_MMAP_THRESHOLD, LARGE) == 1 }
}

/// Tells the allocator to return large blocks to the system as soon as they are freed; returns
/// whether it accepted. Not supported here.
#[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
pub fn give_back_large_blocks() -> bool {
    false
}
