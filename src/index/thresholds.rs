//! The sizes from which on a writer does more than it was asked to: it folds deletions, flushes, merges.

/// The thresholds of a writer. Tests make them small, so that small databases reach them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thresholds {
    /// From this number of deletions in the catalog on, deletions are written to a file.
    pub(crate) fold: u64,
    /// From this number of documents on, the memtable is moved into a run.
    pub(crate) memtable: usize,
    /// Number of documents of a run in the lowest tier.
    pub(crate) tier: u64,
    /// Number of rows removed by one write.
    pub(crate) slice: usize,
}

impl Thresholds {
    pub(crate) const USUAL: Self = Self { fold: 65_536, memtable: 262_144, tier: 65_536, slice: 4096 };

    /// Returns the thresholds of a writer of the database at a path.
    #[cfg(not(any(test, feature = "testing")))]
    pub(crate) const fn of(_path: &std::path::Path) -> Self {
        Self::USUAL
    }

    /// Returns the thresholds of a writer of the database at a path.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn of(path: &std::path::Path) -> Self {
        small::SMALL.at(path).pop().unwrap_or(Self::USUAL)
    }
}

#[cfg(any(test, feature = "testing"))]
pub use small::{SmallThresholds, small_thresholds};

#[cfg(any(test, feature = "testing"))]
mod small {
    use std::path::Path;

    use super::Thresholds;
    use crate::disk::of_folder::{OfFolder, SetValue};

    pub(super) static SMALL: OfFolder<Thresholds> = OfFolder::new();

    /// Small thresholds, until this is dropped.
    #[derive(Debug)]
    pub struct SmallThresholds(#[allow(dead_code, reason = "it is dropped")] SetValue<Thresholds>);

    /// Makes the thresholds of all writers that open databases below `folder` so small that a few commits reach them.
    pub fn small_thresholds(folder: &Path) -> SmallThresholds {
        SmallThresholds(SMALL.set(folder, Thresholds { fold: 4, memtable: 100, tier: 64, slice: 16 }))
    }
}
