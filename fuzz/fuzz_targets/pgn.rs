//! See `megatherium_tests::fuzz::pgn`, which says what must hold.

#![no_main]

use megatherium_tests::fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::pgn(bytes));
