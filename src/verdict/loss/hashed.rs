//! Collections of words by their hashes, which need no other hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes of words.
pub(super) type HashedWords = HashSet<u64, BuildHasherDefault<Hashed>>;

/// Something for each of some hashes of words.
pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// The hash of what is a hash already.
#[derive(Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
