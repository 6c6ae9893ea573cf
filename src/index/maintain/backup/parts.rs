//! The parts of a backup, its counts, and the backups of a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nddb_format::backup::{BackupFile, BackupList, decode};

use crate::disk::copy::{self, Held};
use crate::disk::dir::names;
use crate::disk::regular::{is_folder, refuse_other_than_folders};
use crate::read::reader::Reader;
use crate::set::FingerprintSet;
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
    /// Number of visible documents; of a set the fingerprints of all runs.
    pub documents: u64,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of the files that are hard links and take no space of their own.
    pub linked: u64,
}

impl BackupSummary {
    /// Opens a whole database or set as readers do, and returns its counts.
    pub(super) fn of(path: &Path, files: &[BackupFile], linked: u64) -> Result<Self> {
        let (generation, commits, documents) = if FingerprintSet::is_at(path) {
            let set = FingerprintSet::open(path)?;
            (set.manifest().generation, 0, set.len())
        } else {
            let stats = Reader::open(path)?.view().stats()?;
            (stats.generation, stats.commits, stats.documents)
        };
        Ok(Self {
            generation,
            commits,
            documents,
            files: files.len() as u64,
            bytes: files.iter().map(|file| file.size).sum(),
            linked,
        })
    }
}

/// A backup in a folder.
#[derive(Debug)]
pub(super) struct Backup {
    pub(super) path: PathBuf,
    pub(super) list: BackupList,
}

impl Backup {
    /// Reads the list of a backup.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Ok(Self { path: path.into(), list: read_list(path)? })
    }

    /// Returns the line of the list for a file.
    pub(super) fn file(&self, path: &str) -> Option<&BackupFile> {
        let files = &self.list.files;
        files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|index| &files[index])
    }
}

/// Returns the backups in a folder, the oldest of each database first, and the folders with a damaged list. Links to
/// backups are none.
pub(super) fn backups_in(folder: &Path) -> Result<(Vec<Backup>, Vec<PathBuf>)> {
    let (mut backups, mut damaged) = (Vec::new(), Vec::new());
    for path in names(folder)?.into_iter().map(|name| folder.join(name)).filter(|path| is_folder(path)) {
        match Backup::open(&path) {
            Ok(backup) => backups.push(backup),
            Err(Error::DamagedBackup { .. }) => damaged.push(path),
            // A folder that is no backup, or that cannot be read: it is neither counted nor removed.
            Err(_) => (),
        }
    }
    backups.sort_by_key(|backup| backup.list.age());
    Ok((backups, damaged))
}

/// Returns the folder in which a path is.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Reads the list of a backup.
pub(super) fn read_list(path: &Path) -> Result<BackupList> {
    let list = path.join(LIST);
    let bytes = match copy::read_small(&list) {
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
    refuse_other_than_folders(path, &[DATABASE, "database/catalog", "database/runs"])?;
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

/// The checksums of files that have been read. Backups share files: each is read once.
#[derive(Debug, Default)]
pub(super) struct Contents(HashMap<(u64, u64, u64), u32>);

impl Contents {
    /// Returns the CRC-32 of a file.
    pub(super) fn checksum(&mut self, held: &mut Held, progress: copy::Progress<'_>) -> Result<u32> {
        let (device, inode) = held.identity()?;
        let key = (device, inode, held.length());
        if let Some(&checksum) = self.0.get(&key) {
            progress(held.length())?;
            return Ok(checksum);
        }
        let checksum = held.checksum(progress)?;
        self.0.insert(key, checksum);
        Ok(checksum)
    }
}
