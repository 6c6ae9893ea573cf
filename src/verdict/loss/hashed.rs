//! Collections of words by their hashes, which need no other hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes of words.
pub(super) type HashedWords = HashSet<u64, BuildHasherDefault<Hashed>>;

/// Something for each of some hashes of words.
pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// A bit of each of some hashes: it tells of most others that they are none of these.
pub(super) struct HashBits([u64; 256]);

impl HashBits {
    fn place(hash: u64) -> (usize, u64) {
        ((hash >> 6) as usize % 256, 1 << (hash % 64))
    }

    pub(super) fn may_have(&self, hash: u64) -> bool {
        let (at, bit) = Self::place(hash);
        self.0[at] & bit != 0
    }
}

impl<'a> FromIterator<&'a u64> for HashBits {
    fn from_iter<T: IntoIterator<Item = &'a u64>>(hashes: T) -> Self {
        let mut bits = [0; 256];
        hashes.into_iter().map(|&hash| Self::place(hash)).for_each(|(at, bit)| bits[at] |= bit);
        Self(bits)
    }
}

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
