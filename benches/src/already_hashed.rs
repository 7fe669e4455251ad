//! A hasher for keys that are hashes.

use std::hash::{BuildHasherDefault, Hasher};

/// Hands a key on as it is: hashing it again would be time the maps need not spend.
#[derive(Default)]
pub struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are u64")
    }

    #[inline(always)]
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// For the type parameter of a map.
pub type BuildAlreadyHashed = BuildHasherDefault<AlreadyHashed>;
