//! Freed memory is returned to the system; in a process with one thread, so no test harness.

fn main() {
    #[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
    gnu::check();
    #[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
    assert!(!megatherium_tt::give_back_large_blocks());
}

#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
mod gnu {
    use megatherium_tt::{Packed, Payload, Table, give_back_large_blocks};
    use std::collections::BTreeSet;
    use std::hint::black_box;
    use std::sync::mpsc;

    #[derive(Clone, Copy)]
    struct Nothing;

    impl Payload for Nothing {
        fn pack(self) -> Packed {
            Packed::new(1)
        }
        fn unpack(_: Packed) -> Self {
            Nothing
        }
    }

    /// A line of the system's report on this process, in bytes.
    fn bytes(name: &str) -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        let number = line.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
        1024 * number.unwrap_or(0usize)
    }

    pub fn check() {
        const BLOCK: usize = 1 << 20;
        const BLOCKS: usize = 32;
        let block = || black_box(vec![1u8; BLOCK]);
        // A block that is freed raises the size from which on blocks are mapped one by one.
        drop(block());
        assert!(give_back_large_blocks(), "there is one thread");

        // Large blocks go back when they are freed, also those below others in use.
        let before = bytes("VmRSS:");
        let mut blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| block()).collect();
        assert!(bytes("VmRSS:") >= before + BLOCK * (BLOCKS - 1), "the blocks are in memory");
        blocks.drain(..BLOCKS - 1);
        assert!(bytes("VmRSS:") < before + BLOCK * BLOCKS / 2, "freed blocks are kept");
        drop(blocks);

        // So does the memory of a table.
        let before = bytes("VmSize:");
        for _ in 0..64 {
            drop(Table::<Nothing>::new(16).expect("16 MiB"));
        }
        assert!(bytes("VmSize:") < before + (64 << 20), "tables are not freed");

        // Small blocks still share pages.
        let small: Vec<Box<u64>> = (0..20_000).map(Box::new).collect();
        let address = |word: &u64| std::ptr::from_ref(word).addr();
        let pages: BTreeSet<usize> = small.iter().map(|word| address(word) >> 12).collect();
        assert!(pages.len() < 2000, "{} pages for 20,000 words", pages.len());

        // Beside another thread, which may be inside the allocator, nothing is done.
        let (release, wait) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || wait.recv());
        assert!(!give_back_large_blocks(), "there are two threads");
        drop(release);
        assert!(thread.join().is_ok());
    }
}
