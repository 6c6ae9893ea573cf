//! The parts of a file that have been verified since it was opened.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_format::FormatError;
use nddb_format::pages::PAGE_SIZE;

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

    /// Verifies, by `check`, the pages of a region that contain these bytes.
    #[inline]
    pub(super) fn touch(
        &self,
        bytes: Range<u64>,
        verify: Verify,
        check: impl Fn(u64) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        for page in bytes.start / PAGE_SIZE as u64..=(bytes.end - 1) / PAGE_SIZE as u64 {
            if !self.get(page) || verify == Verify::Always {
                check(page)?;
                self.set(page);
            }
        }
        Ok(())
    }

    #[cold]
    pub(super) fn set(&self, index: u64) {
        self.bits[(index / 64) as usize].fetch_or(1 << (index % 64), Ordering::Relaxed);
    }
}
