//! The parts of a backup, and its counts.

use std::path::{Path, PathBuf};

use nddb_format::backup::{BackupFile, decode};

use crate::disk::copy;
use crate::read::reader::Reader;
use crate::{Error, Result};

/// The list of the files of a backup.
pub(super) const LIST: &str = "BACKUP";
/// The folder with these files.
pub(super) const DATABASE: &str = "database";

/// Counts of a backup or a restored database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupSummary {
    /// Generation of the manifest.
    pub generation: u64,
    /// Number of commits up to this generation.
    pub commits: u64,
    /// Number of visible documents.
    pub documents: u64,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of the files that are hard links and take no space of their own.
    pub linked: u64,
}

impl BackupSummary {
    /// Opens a whole database as readers do, and returns its counts.
    pub(super) fn of(path: &Path, files: &[BackupFile], linked: u64) -> Result<Self> {
        let stats = Reader::open(path)?.view().stats()?;
        Ok(Self {
            generation: stats.generation,
            commits: stats.commits,
            documents: stats.documents,
            files: files.len() as u64,
            bytes: files.iter().map(|file| file.size).sum(),
            linked,
        })
    }
}

/// Reads the list of a backup.
pub(super) fn read_list(path: &Path) -> Result<Vec<BackupFile>> {
    let list = path.join(LIST);
    let bytes = match copy::read(&list) {
        Err(error) if error.is_missing_file() => {
            let why = if path.is_dir() { "it has no file BACKUP" } else { "there is no such folder" };
            return Err(Error::NotABackup { path: path.into(), why });
        }
        // The list of a file, or of something in a file.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Error::NotABackup { path: path.into(), why: "it is a file, a backup is a folder" });
        }
        read => read?,
    };
    decode(&bytes).map_err(|error| match Error::format(&list)(error) {
        Error::Corrupt { source, .. } => Error::DamagedBackup { path: list, what: source.to_string() },
        other => other,
    })
}

/// Returns the path of a file of a backup.
pub(super) fn path_in(backup: &Path, file: &BackupFile) -> PathBuf {
    backup.join(DATABASE).join(&file.path)
}

/// The description of this process for others that need the same folder.
pub(super) fn holder(action: &str) -> String {
    format!("nddb {action}, process {}", std::process::id())
}
