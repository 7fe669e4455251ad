//! Freed memory is returned to the system, and threads share a heap. The settings are made in a
//! process with one thread, so there is no test harness.

fn main() {
    #[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
    gnu::check();
    #[cfg(not(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri))))]
    {
        assert!(!megatherium_tt::give_back_large_blocks());
        assert!(!megatherium_tt::share_one_heap());
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", feature = "std", not(miri)))]
mod gnu {
    use megatherium_tt::{Packed, Payload, Table, give_back_large_blocks, share_one_heap};
    use std::collections::BTreeSet;
    use std::hint::black_box;
    use std::sync::Barrier;

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
        const THREADS: usize = 8;
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

        // Threads that allocate reserve nothing but their stacks.
        assert!(share_one_heap(), "there is one thread");
        let before = bytes("VmSize:");
        let (ready, waiting) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                let builder = std::thread::Builder::new().stack_size(1 << 20);
                let work = || {
                    let words = black_box(vec![1u64; 100]);
                    ready.wait();
                    waiting.wait();
                    drop(words);
                };
                builder.spawn_scoped(scope, work).expect("a thread");
            }
            ready.wait();
            let grown = bytes("VmSize:") - before;
            assert!(grown < THREADS * (2 << 20), "{THREADS} threads reserve {grown} bytes");

            // Beside other threads, which may be inside the allocator, nothing is done.
            assert!(!give_back_large_blocks() && !share_one_heap(), "there are more threads");
            waiting.wait();
        });
    }
}
