//! What of a file has been verified since it was opened.

use std::sync::atomic::{AtomicU64, Ordering};

/// When the checksums of blocks and pages are verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// When they are first touched after the file was opened.
    #[default]
    FirstTouch,
    /// At each access.
    Always,
}

/// A bit for each block or page, set once its checksum has been verified.
#[derive(Debug)]
pub(super) struct Seen {
    bits: Vec<AtomicU64>,
    len: u64,
}

impl Seen {
    pub(super) fn new(len: u64) -> Self {
        Self { bits: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    #[inline]
    pub(super) fn get(&self, index: u64) -> bool {
        self.bits[(index / 64) as usize].load(Ordering::Relaxed) >> (index % 64) & 1 == 1
    }

    #[cold]
    pub(super) fn set(&self, index: u64) {
        self.bits[(index / 64) as usize].fetch_or(1 << (index % 64), Ordering::Relaxed);
    }
}
