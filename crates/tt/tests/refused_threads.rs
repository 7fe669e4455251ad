//! Clearing where no thread can be started.
//!
//! In a process of its own, because the limit holds for the process.
#![cfg(all(target_os = "linux", feature = "std"))]

use megatherium_tt::{Packed, Payload, Table};
use std::process::Command;

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

const KEYS: [u64; 4] = [3, 1 << 40, 1 << 63, u64::MAX];

/// Only runs when the test below starts it, in a shell that has lowered the limit on address space
/// to what the process has: no stack for a thread can be mapped.
#[test]
#[ignore = "started by the other test, in a process with limits"]
fn clear_without_room_for_a_thread() {
    let mut table = Table::<Nothing>::new(64).unwrap();
    for key in KEYS {
        table.store(key, Nothing);
    }
    println!("ready");
    // Take what is left, so that not even a small stack is left over.
    let mut hoard: Vec<Vec<u8>> = Vec::with_capacity(1 << 16);
    for size in [1 << 20, 64 << 10] {
        while hoard.len() < hoard.capacity() {
            let mut block = Vec::new();
            if block.try_reserve_exact(size).is_err() {
                break;
            }
            hoard.push(block);
        }
    }
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(|| ());
    assert!(thread.is_err(), "the limit is of no effect: nothing is tested");
    table.clear_with(8);
    assert!(KEYS.iter().all(|&key| table.peek(key).is_none()));
    drop(hoard);
    println!("cleared alone");
}

#[test]
fn clearing_goes_on_alone_if_threads_are_refused() {
    let me = std::env::current_exe().unwrap();
    let script = "ulimit -v 400000; exec \"$0\" --ignored --exact --nocapture --test-threads=1 \
                  clear_without_room_for_a_thread";
    let output = Command::new("sh").arg("-c").arg(script).arg(me).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.contains("cleared alone"), "{text}\n{errors}");
}
