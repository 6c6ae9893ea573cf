//! Backups in an object store: one folder of objects holds all backups of a database.
//!
//! ```text
//! backups/00000007                       the list of the files of a backup (SPEC.md 8.5)
//! files/runs/00000012.seg-9f3a11c2-4096  a file, with its checksum and its size
//! ```
//!
//! A file that several backups have is stored once. A list is written when all of its files are there, and removed
//! before them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use nddb::{BackupSummary, Fault, Progress};
use nddb_format::backup::{BackupFile, decode};
use nddb_remote::RemoteFile;

use crate::failure::{Failure, Result, Told};
use crate::{inputs, interrupt};

/// The list of a backup, and the folder of its files, as the library makes them in a folder.
const LIST: &str = "BACKUP";
const DATABASE: &str = "database";
/// The file of RocksDB that all backups of a database, and of no other one, have in common.
const IDENTITY: &str = "catalog/IDENTITY";

/// Watches long work; returns false to stop it.
pub(super) type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> bool + Send);

/// The backups in a folder of a store.
pub(super) struct Backups {
    folder: PathBuf,
    /// The numbers of the backups.
    numbers: BTreeSet<u64>,
    /// The names of the files that are there, and their sizes.
    files: BTreeMap<String, u64>,
}

/// A backup that was added, and the data transferred for it.
pub(super) struct Sent {
    pub(super) summary: BackupSummary,
    pub(super) path: PathBuf,
    /// Files and bytes that were not in the store.
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Backups {
    /// Lists a folder, which may be empty.
    pub(super) fn list(folder: &Path) -> Result<Self> {
        let listed = nddb_remote::list(folder).map_err(|error| Failure::reading(folder, &error))?;
        let (mut numbers, mut files) = (BTreeSet::new(), BTreeMap::new());
        for object in listed {
            let Some(name) = object.path.strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
            if let Some(number) = name.strip_prefix("backups/") {
                numbers.extend(number.parse::<u64>().ok());
            } else if let Some(file) = name.strip_prefix("files/") {
                files.insert(file.to_owned(), object.size);
            }
        }
        Ok(Self { folder: folder.to_owned(), numbers, files })
    }

    /// Finds the backup that a path names: one of `FOLDER/backups`, or the newest of a folder.
    pub(super) fn find(path: &Path) -> Result<(Self, u64)> {
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let folder = path.parent().filter(|parent| parent.ends_with("backups")).and_then(Path::parent);
        let (backups, wanted) = match (folder, number) {
            (Some(folder), Some(number)) => (Self::list(folder)?, Some(number)),
            _ => (Self::list(path)?, None),
        };
        match wanted.or_else(|| backups.numbers.last().copied()).filter(|number| backups.numbers.contains(number)) {
            Some(number) => Ok((backups, number)),
            None => Err(Failure::failed(format!("{}: there is no backup", path.display()))),
        }
    }

    /// The address of the list of a backup, which names the backup.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("backups/{number:08}"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join("files").join(name)
    }

    /// Reads the list of a backup: its bytes, and the files in it.
    fn read(&self, number: u64) -> Result<(Vec<u8>, Vec<BackupFile>)> {
        let path = self.path(number);
        let damaged = |error| Failure::failed(format!("{}: is no list of a backup: {error}", path.display()));
        let bytes = inputs::read(&path)?;
        let files = decode(&bytes).map_err(damaged)?;
        Ok((bytes, files))
    }

    /// Adds a backup of a database. Files that other backups have are not sent again.
    pub(super) fn add(&mut self, db: &Path, watch: Watch<'_>) -> Result<Sent> {
        // Beside the database, where most files become hard links.
        let local = Local::beside(db, "backup")?;
        let summary = nddb::backup(db, local.backup(), watch)?;
        let bytes = inputs::read(&local.backup().join(LIST))?;
        let files = decode(&bytes).map_err(|error| Failure::failed(format!("the list of the backup: {error}")))?;
        self.refuse_other(db, &files)?;
        let missing: Vec<&BackupFile> =
            files.iter().filter(|file| self.files.get(&name(file)) != Some(&file.size)).collect();
        let total = missing.iter().map(|file| file.size).sum();
        let mut progress = Progress { phase: "send", done: 0, total: Some(total), unit: "bytes" };
        for file in &missing {
            let (from, to) = (local.backup().join(DATABASE).join(&file.path), self.file(&name(file)));
            let mut read = inputs::open_file(&from)?;
            let mut sent = |bytes| {
                progress.done += bytes;
                watch(&progress)
            };
            nddb_remote::upload(&to, &mut read, &mut sent).map_err(|error| failed(&to, &error))?;
            self.files.insert(name(file), file.size);
        }
        let number = self.numbers.last().map_or(1, |last| last + 1);
        let path = self.path(number);
        nddb_remote::upload(&path, &mut &*bytes, &mut |_| true).map_err(|error| failed(&path, &error))?;
        self.numbers.insert(number);
        Ok(Sent { summary, path, files: missing.len() as u64, bytes: total })
    }

    /// Refuses a database whose files are not those of the backups that are there.
    fn refuse_other(&self, db: &Path, files: &[BackupFile]) -> Result<()> {
        let identity = |files: &[BackupFile]| files.iter().find(|file| file.path == IDENTITY).cloned();
        let Some(&newest) = self.numbers.last() else { return Ok(()) };
        if identity(&self.read(newest)?.1) == identity(files) {
            return Ok(());
        }
        let message = format!("{}: has backups of another database than {}", self.folder.display(), db.display());
        Err(Told::new(crate::failure::Code::Usage, message).hint("name another folder of the store").into())
    }

    /// Removes all but the newest backups, then the files that no other backup has. Returns what was removed.
    pub(super) fn keep(&mut self, keep: NonZeroUsize) -> Result<Vec<PathBuf>> {
        let old = self.numbers.len().saturating_sub(keep.get());
        let mut removed = Vec::new();
        for number in self.numbers.iter().take(old) {
            let path = self.path(*number);
            nddb_remote::remove(&path).map_err(|error| failed(&path, &error))?;
            removed.push(path);
        }
        self.numbers = self.numbers.iter().skip(old).copied().collect();
        let mut named = BTreeSet::new();
        for &number in &self.numbers {
            named.extend(self.read(number)?.1.iter().map(name));
        }
        for file in self.files.keys().filter(|file| !named.contains(*file)) {
            let path = self.file(file);
            nddb_remote::remove(&path).map_err(|error| failed(&path, &error))?;
        }
        self.files.retain(|file, _| named.contains(file));
        Ok(removed)
    }

    /// Makes a database of a backup.
    pub(super) fn restore(&self, number: u64, db: &Path, watch: Watch<'_>) -> Result<BackupSummary> {
        let (bytes, files) = self.read(number)?;
        let local = Local::beside(db, "restore")?;
        let mut progress = Progress {
            phase: "receive",
            done: 0,
            total: Some(files.iter().map(|file| file.size).sum()),
            unit: "bytes",
        };
        for file in &files {
            let to = local.backup().join(DATABASE).join(&file.path);
            let writing = |error: io::Error| Failure::writing(&to.display().to_string(), &error);
            to.parent().map_or(Ok(()), fs::create_dir_all).map_err(writing)?;
            let mut out = File::create(&to).map_err(writing)?;
            if let Some(what) = self.receive(file, &mut out, &mut progress, watch)? {
                return Err(nddb::Error::DamagedBackup { path: self.file(&name(file)), what }.into());
            }
        }
        let list = local.backup().join(LIST);
        fs::write(&list, bytes).map_err(|error| Failure::writing(&list.display().to_string(), &error))?;
        Ok(nddb::restore(local.backup(), db, watch)?)
    }

    /// Compares every file of a backup with its size and its checksum. Returns the faults, the number of files and their
    /// bytes.
    pub(super) fn verify(&self, number: u64, watch: Watch<'_>) -> Result<(Vec<Fault>, u64, u64)> {
        let (_, files) = self.read(number)?;
        let bytes = files.iter().map(|file| file.size).sum();
        let mut progress = Progress { phase: "compare files", done: 0, total: Some(bytes), unit: "bytes" };
        let mut faults = Vec::new();
        for file in &files {
            let what = match self.files.get(&name(file)) {
                None => Some("it is missing".to_owned()),
                Some(_) => self.receive(file, &mut io::sink(), &mut progress, watch)?,
            };
            if let Some(what) = what {
                let next = "restore another backup, or back the database up again, into another folder".into();
                let path = self.file(&name(file));
                faults.push(Fault { path, location: "the whole file".into(), what, next, repairable: false });
            }
        }
        Ok((faults, files.len() as u64, bytes))
    }

    /// Reads a file of a backup into `out`, and reports progress. Returns how it differs from the list.
    fn receive(
        &self,
        file: &BackupFile,
        out: &mut dyn Write,
        progress: &mut Progress,
        watch: Watch<'_>,
    ) -> Result<Option<String>> {
        let from = self.file(&name(file));
        let mut read = RemoteFile::open(&from).map_err(|error| Failure::reading(&from, &error))?;
        let (mut buffer, mut hasher) = (vec![0; 1 << 20], crc32fast::Hasher::new());
        loop {
            let length = read.read(&mut buffer).map_err(|error| Failure::reading(&from, &error))?;
            if length == 0 {
                break;
            }
            hasher.update(&buffer[..length]);
            out.write_all(&buffer[..length]).map_err(|error| Failure::writing("the copy of a backup", &error))?;
            progress.done += length as u64;
            if !watch(progress) {
                return Err(nddb::Error::Cancelled.into());
            }
        }
        let found = hasher.finalize();
        let told = || format!("its checksum is {found:08x}, the list says {:08x}", file.checksum);
        Ok((found != file.checksum).then(told))
    }
}

/// The name of a file in the store.
fn name(file: &BackupFile) -> String {
    format!("{}-{:08x}-{}", file.path, file.checksum, file.size)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    if interrupt::asked() {
        nddb::Error::Cancelled.into()
    } else {
        Failure::writing(&path.display().to_string(), error)
    }
}

/// A backup in a temporary folder beside a database.
struct Local(tempfile::TempDir);

impl Local {
    fn beside(db: &Path, what: &str) -> Result<Self> {
        let folder = db.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(&format!(".nddb-{what}-")).tempdir_in(folder);
        made.map(Self).map_err(|error| Failure::writing(&folder.display().to_string(), &error))
    }

    /// The folder of the backup.
    fn backup(&self) -> PathBuf {
        self.0.path().join("backup")
    }
}
