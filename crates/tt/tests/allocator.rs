//! The advice to the allocator, in a process that has one thread: no test harness.

#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
fn main() {
    use megatherium_tt::give_back_large_blocks;

    const BLOCK: usize = 1 << 20;
    const BLOCKS: usize = 32;
    // A block that is freed raises the size from which on blocks are mapped one by one.
    let block = || vec![1u8; BLOCK];
    drop(std::hint::black_box(block()));
    assert!(give_back_large_blocks(), "there is one thread");

    // Large blocks go back when they are freed, also those below others in use.
    let before = resident();
    let mut blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| std::hint::black_box(block())).collect();
    assert!(resident() >= before + BLOCK * (BLOCKS - 1), "the blocks are in memory");
    blocks.drain(..BLOCKS - 1);
    assert!(resident() < before + BLOCK * BLOCKS / 2, "freed blocks are kept");
    drop(blocks);

    // Small ones still share pages.
    let small: Vec<Box<u64>> = (0..20_000).map(Box::new).collect();
    let pages: std::collections::BTreeSet<usize> =
        small.iter().map(|word| std::ptr::from_ref(&**word).addr() >> 12).collect();
    assert!(pages.len() < 2000, "{} pages for 20,000 words", pages.len());

    // Beside another thread, which may be inside the allocator, nothing is done.
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || wait.recv());
    assert!(!give_back_large_blocks(), "there are two threads");
    drop(release);
    assert!(thread.join().is_ok());
}

/// Bytes of this process in memory.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    let kibibytes = line.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
    1024 * kibibytes.unwrap_or(0usize)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
fn main() {
    assert!(!megatherium_tt::give_back_large_blocks());
}
