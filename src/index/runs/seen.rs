//! The parts of a file that have been verified since it was opened, and files whose pages are all verified so.

use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_format::pages::PAGE_SIZE;
use nddb_format::{FormatError, PagedFile};

use crate::disk::map::Mapped;
use crate::{Error, Result};

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

/// A paged file of a run, each page verified at first touch.
#[derive(Debug)]
pub(crate) struct Checked<F> {
    file: F,
    pages: Seen,
    verify: Verify,
}

impl<F: Deref<Target = PagedFile<Mapped, HEADER>>, const HEADER: usize> Checked<F> {
    /// Opens a mapped file: checks header, footer and size, and reads nothing else.
    pub(crate) fn open(map: Mapped, verify: Verify, open: fn(Mapped) -> Result<F, FormatError>) -> Result<Self> {
        let path = map.path().to_owned();
        let file = open(map).map_err(Error::format(&path))?;
        let pages = Seen::new(file.pages().len());
        Ok(Self { file, pages, verify })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.file.source().path()
    }

    /// Returns the file without first-touch verification.
    #[inline]
    pub(crate) fn file(&self) -> &F {
        &self.file
    }

    /// Fails if a page of the file could not be read.
    pub(crate) fn check_readable(&self) -> Result<()> {
        self.file.source().check_readable()
    }

    /// Verifies the pages that contain these bytes of the body.
    #[inline]
    pub(super) fn touch(&self, bytes: Range<u64>) -> Result<(), FormatError> {
        for page in bytes.start / PAGE_SIZE as u64..=(bytes.end - 1) / PAGE_SIZE as u64 {
            if !self.pages.get(page) || self.verify == Verify::Always {
                self.file.pages().check(page)?;
                self.pages.set(page);
            }
        }
        Ok(())
    }

    /// Returns whether a page has been verified; if not, fetches it and its checksum.
    #[inline]
    pub(super) fn is_seen_or_fetched(&self, page: u64) -> bool {
        let is_seen = self.pages.get(page);
        if !is_seen {
            self.file.source().fetch(HEADER + page as usize * PAGE_SIZE, PAGE_SIZE);
            self.file.source().fetch(self.file.checksum_offset(page), 4);
        }
        is_seen
    }

    #[inline]
    pub(super) fn named<T>(&self, outcome: Result<T, FormatError>) -> Result<T> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) => Err(self.failed(error)),
        }
    }

    #[cold]
    fn failed(&self, error: FormatError) -> Error {
        // A page that could not be read does not count as damaged.
        self.check_readable().err().unwrap_or_else(|| Error::format(self.path())(error))
    }
}
