//! Settings of the system's allocator for programs with large tables and many threads.

/// Tells the allocator to return large blocks to the system as soon as they are freed; returns
/// whether it accepted. Call it at the start of `main`, before any other thread exists.
///
/// The allocator of the GNU C library adapts to the sizes that are freed: once a table of some
/// mebibytes is gone it serves such sizes from its heaps, and keeps them. A program that resizes
/// its table or restarts its threads again and again comes to hold several times what it uses.
/// Other allocators are left alone, and so is this one once there is a second thread.
pub fn give_back_large_blocks() -> bool {
    // The library's own starting value; setting it is what stops the adaptation.
    tell(Setting::LargeBlock, 128 << 10)
}

/// Tells the allocator to serve all threads from one heap; returns whether it accepted. Call it at
/// the start of `main`, before any other thread exists.
///
/// The allocator of the GNU C library gives each thread a heap of its own and reserves 64 MiB of
/// address space for it, for a moment even twice as much. Under a limit of the address space
/// (`ulimit -v`) a thread that starts can so take what another one needs at that moment, and a
/// thread that cannot get a few bytes ends the process. Threads that search do not allocate, so
/// they gain nothing from heaps of their own. Other allocators are left alone, and so is this one
/// once there is a second thread.
pub fn share_one_heap() -> bool {
    tell(Setting::Heaps, 1)
}

/// What can be set, by the numbers of `mallopt`.
#[derive(Clone, Copy)]
enum Setting {
    /// Blocks of this many bytes are mapped one by one.
    LargeBlock = -3,
    /// The largest number of heaps.
    Heaps = -8,
}

/// Sets it, if the process has one thread and its allocator is that of the GNU C library.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
fn tell(setting: Setting, value: core::ffi::c_int) -> bool {
    use core::ffi::c_int;
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return false;
    }
    // SAFETY: the call is documented as unsafe beside other threads, which may be inside the
    // allocator. There are none: the kernel lists this thread alone, only a running thread can
    // start another, and this one is here. It changes where later blocks come from and leaves
    // existing ones as they are.
    unsafe { mallopt(setting as c_int, value) == 1 }
}

/// Not supported here.
#[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
fn tell(_: Setting, _: core::ffi::c_int) -> bool {
    false
}
