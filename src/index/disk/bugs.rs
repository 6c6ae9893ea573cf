//! Deliberate mistakes in the protocol. Tests switch on one at a time to check that the crash tests notice it.

#[cfg(any(test, feature = "testing"))]
pub use seeded::{SeededBug, seed_bug};
#[cfg(any(test, feature = "testing"))]
pub(crate) use seeded::{bug, hide_new_files};

/// A mistake in the protocol.
#[cfg_attr(not(any(test, feature = "testing")), allow(dead_code, unreachable_pub, reason = "only tests make mistakes"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The contents of a run's files are not made durable.
    FileNotSynced,
    /// No name in any folder is made durable.
    FolderNotSynced,
    /// The manifest is published before the files of its new run are in place.
    ManifestBeforeRun,
    /// The contents of the manifest are not made durable before it replaces the previous one.
    ManifestNotSynced,
    /// A commit is acknowledged while it is only in memory.
    AcknowledgedBeforeCommit,
    /// Files are removed before the manifest that no longer names them is published.
    RemovedBeforeManifest,
    /// A commit does not wait until its log is durable.
    LogNotSynced,
    /// A bulk load commits its documents before their rows and their run are in place.
    LoadCommittedFirst,
    /// The numbers of a bulk load are visible from the time they are reserved.
    RangeVisibleEarly,
    /// A file that is no longer named is removed at once.
    NoGrace,
    /// A merge is published in place of runs that it has not read.
    OtherInputs,
    /// A backup does not contain the newest log of the catalog.
    BackupWithoutLog,
}

#[cfg(any(test, feature = "testing"))]
impl Bug {
    /// All mistakes.
    pub const ALL: [Self; 12] = [
        Self::FileNotSynced,
        Self::FolderNotSynced,
        Self::ManifestBeforeRun,
        Self::ManifestNotSynced,
        Self::AcknowledgedBeforeCommit,
        Self::RemovedBeforeManifest,
        Self::LogNotSynced,
        Self::LoadCommittedFirst,
        Self::RangeVisibleEarly,
        Self::NoGrace,
        Self::OtherInputs,
        Self::BackupWithoutLog,
    ];
}

/// Returns whether a mistake is switched on for the file or folder at a path: in tests only.
#[cfg(not(any(test, feature = "testing")))]
pub(crate) const fn bug(_bug: Bug, _path: &std::path::Path) -> bool {
    false
}

#[cfg(any(test, feature = "testing"))]
mod seeded {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{PoisonError, RwLock};

    use super::Bug;

    static ANY: AtomicBool = AtomicBool::new(false);
    static SEEDED: RwLock<Vec<(u64, PathBuf, Bug)>> = RwLock::new(Vec::new());

    /// A mistake that is switched on until this is dropped.
    #[derive(Debug)]
    pub struct SeededBug(u64);

    /// Switches a mistake on for all databases below `folder`.
    pub fn seed_bug(folder: &Path, bug: Bug) -> SeededBug {
        let mut seeded = SEEDED.write().unwrap_or_else(PoisonError::into_inner);
        let number = seeded.last().map_or(0, |(last, ..)| last + 1);
        seeded.push((number, folder.into(), bug));
        ANY.store(true, Ordering::Release);
        SeededBug(number)
    }

    impl Drop for SeededBug {
        fn drop(&mut self) {
            SEEDED.write().unwrap_or_else(PoisonError::into_inner).retain(|(number, ..)| *number != self.0);
        }
    }

    /// Returns whether a mistake is switched on for the file or folder at a path.
    pub(crate) fn bug(bug: Bug, path: &Path) -> bool {
        let is_meant = |(_, folder, seeded): &(u64, PathBuf, Bug)| *seeded == bug && path.starts_with(folder);
        ANY.load(Ordering::Acquire) && SEEDED.read().unwrap_or_else(PoisonError::into_inner).iter().any(is_meant)
    }

    /// Renames the newest segment of a folder, for [`Bug::ManifestBeforeRun`]. Returns its new and its old path.
    pub(crate) fn hide_new_files(runs: &Path) -> Option<(PathBuf, PathBuf)> {
        let files = fs::read_dir(runs).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let newest = files.filter(|path| path.extension().is_some_and(|end| end == "seg")).max()?;
        // After a crash, the renamed segment is a file that no manifest names.
        let hidden = newest.with_file_name("ffffffff.seg");
        fs::rename(&newest, &hidden).ok()?;
        Some((hidden, newest))
    }
}
