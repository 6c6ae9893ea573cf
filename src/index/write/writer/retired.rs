//! Items to be removed once readers have had time to read a manifest that does not need them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use roaring::RoaringTreemap;

use crate::disk::dir::FileKind;

/// Grace period of a replaced file, for readers that are about to open it.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// An item to be removed once readers have had time to read a manifest that does not need it.
pub(super) enum Item {
    /// A file under `runs/`.
    File(u64, FileKind),
    /// The rows of documents that are deleted and in no run.
    Rows(RoaringTreemap),
    /// Deletions that are in the deleted set's file: from this generation and number on, up to a generation.
    Deletions((u64, u64), u64),
}

/// The items to be removed, and those removed.
#[derive(Default)]
pub(super) struct Retired {
    pub(super) waiting: VecDeque<(Instant, Item)>,
    /// Deleted documents that no run contains, as far as this writer knows.
    pub(super) dropped: RoaringTreemap,
    /// The documents of `dropped` whose rows are removed, too.
    pub(super) purged: RoaringTreemap,
}

impl Retired {
    /// Retires a file.
    pub(super) fn file(&mut self, number: u64, kind: FileKind) {
        self.waiting.push_back((Instant::now(), Item::File(number, kind)));
    }

    /// Retires the rows of deleted documents that no run holds.
    pub(super) fn rows(&mut self, mut numbers: RoaringTreemap) {
        numbers -= &self.dropped;
        if !numbers.is_empty() {
            self.dropped |= &numbers;
            self.waiting.push_back((Instant::now(), Item::Rows(numbers)));
        }
    }

    /// Retires the deletions up to a generation.
    pub(super) fn deletions(&mut self, folded: u64) {
        self.waiting.push_back((Instant::now(), Item::Deletions((0, 0), folded)));
    }

    /// Forgets numbers that have left the deleted set.
    pub(super) fn forget(&mut self, numbers: &RoaringTreemap) {
        self.dropped -= numbers;
        self.purged -= numbers;
    }

    pub(super) fn has_rows(&self) -> bool {
        self.waiting.iter().any(|(_, item)| matches!(item, Item::Rows(_)))
    }
}
