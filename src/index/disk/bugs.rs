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
    /// A backup does not compare the manifest that it copied with the one that is there afterwards.
    BackupOfTwoStates,
    /// A fold of the deleted set counts later deletions, too, as folded.
    FoldedTooFar,
    /// A log that is damaged in its middle is taken for one with a torn end.
    DamageTakenForTorn,
}

#[cfg(any(test, feature = "testing"))]
impl Bug {
    /// All mistakes.
    pub const ALL: [Self; 15] = [
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
        Self::BackupOfTwoStates,
        Self::FoldedTooFar,
        Self::DamageTakenForTorn,
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

    use super::Bug;
    use crate::disk::of_folder::{OfFolder, SetValue};

    static SEEDED: OfFolder<Bug> = OfFolder::new();

    /// A mistake that is switched on until this is dropped.
    #[derive(Debug)]
    pub struct SeededBug(#[allow(dead_code, reason = "it is dropped")] SetValue<Bug>);

    /// Switches a mistake on for all databases below `folder`.
    pub fn seed_bug(folder: &Path, bug: Bug) -> SeededBug {
        SeededBug(SEEDED.set(folder, bug))
    }

    /// Returns whether a mistake is switched on for the file or folder at a path.
    pub(crate) fn bug(bug: Bug, path: &Path) -> bool {
        SEEDED.at(path).contains(&bug)
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
