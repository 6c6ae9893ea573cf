//! Backups in an object store: one folder of objects holds all backups of a database.
//!
//! ```text
//! backups/00000007                       the list of the files of a backup (SPEC.md 8.5)
//! files/runs/00000012.seg-9f3a11c2-4096  a file, with its checksum and its size
//! ```
//!
//! A file that several backups have is stored once. A list is written when all of its files are there, and removed
//! before them. It has the tags of the files as the store gave them: a file that was overwritten since has another one,
//! and is sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use nddb::{BackupSummary, Fault, Progress, Retention, WorkFolder};
use nddb_format::backup::{BackupFile, BackupList, decode, encode, is_tag};
use nddb_remote::RemoteFile;

use crate::failure::{Code, Failure, Result, Told};
use crate::{inputs, interrupt};

/// The list of a backup, and the folder of its files, as the library makes them in a folder.
const LIST: &str = "BACKUP";
pub(super) const DATABASE: &str = "database";
/// How often files are sent that others have removed meanwhile.
const ATTEMPTS: usize = 4;

/// Watches long work; returns false to stop it.
pub(super) type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> bool + Send);

/// The backups in a folder of a store.
pub(super) struct Backups {
    folder: PathBuf,
    /// The numbers of the backups.
    numbers: BTreeSet<u64>,
    /// The names of the files that are there, with their sizes and tags.
    files: BTreeMap<String, Object>,
}

/// A file in the store.
struct Object {
    size: u64,
    tag: Option<String>,
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
                let is_written_so = |&number: &u64| format!("{number:08}") == name["backups/".len()..];
                numbers.extend(number.parse::<u64>().ok().filter(is_written_so));
            } else if let Some(file) = name.strip_prefix("files/") {
                let tag = object.tag.filter(|tag| is_tag(tag));
                files.insert(file.to_owned(), Object { size: object.size, tag });
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

    /// Reads the list of a backup: its bytes, and what they say.
    fn read(&self, number: u64) -> Result<(Vec<u8>, BackupList)> {
        let path = self.path(number);
        let bytes = inputs::read(&path)?;
        let list = decode(&bytes).map_err(|error| nddb::Error::DamagedBackup { path, what: error.to_string() })?;
        Ok((bytes, list))
    }

    /// Reads the lists of all backups; `None` for those that are damaged.
    fn read_all(&self) -> Result<BTreeMap<u64, Option<BackupList>>> {
        let read = |&number: &u64| {
            let bytes = inputs::read(&self.path(number))?;
            Ok((number, decode(&bytes).ok()))
        };
        self.numbers.iter().map(read).collect()
    }

    /// Adds a backup of a database. Files that other backups have are not sent again, unless they were overwritten
    /// since. Returns the identity of the database, too.
    pub(super) fn add(&mut self, db: &Path, watch: Watch<'_>) -> Result<(Sent, u128)> {
        // Beside the database, where most files become hard links.
        let local = WorkFolder::beside(db, "backup")?;
        let backup = local.path().join("backup");
        let summary = nddb::backup(db, &backup, watch)?;
        let unread = |error| Failure::failed(format!("the list of the backup: {error}"));
        let mut list = decode(&inputs::read(&backup.join(LIST))?).map_err(unread)?;
        let lists = self.read_all()?;
        self.refuse_other(db, list.database, &lists)?;
        let tags = tags_of(lists.values().flatten());
        let (mut sent_files, mut sent_bytes, mut is_listed) = (BTreeSet::new(), 0, false);
        for _ in 0..ATTEMPTS {
            let is_sent = |file: &BackupFile| sent_files.contains(&file.path);
            // The tag of a file that was just sent is the one that is there.
            let is_there =
                |file: &BackupFile| self.is_there(file, if is_sent(file) { None } else { tags.get(&name(file)) });
            let missing: Vec<BackupFile> = list.files.iter().filter(|file| !is_there(file)).cloned().collect();
            if missing.is_empty() && is_listed {
                let path = self.path(list.number);
                let sent = Sent { summary, path, files: sent_files.len() as u64, bytes: sent_bytes };
                return Ok((sent, list.database));
            }
            let total = missing.iter().map(|file| file.size).sum();
            let mut progress = Progress { phase: "send", done: 0, total: Some(total), unit: "bytes" };
            for file in missing {
                let (from, to) = (backup.join(DATABASE).join(&file.path), self.file(&name(&file)));
                let mut read = nddb_jobs::input::open(&from)?;
                let mut sent = |bytes| {
                    progress.done += bytes;
                    watch(&progress)
                };
                nddb_remote::upload(&to, &mut read, &mut sent).map_err(|error| failed(&to, &error))?;
                sent_bytes += file.size;
                sent_files.insert(file.path);
            }
            self.relist()?;
            for file in &mut list.files {
                file.tag = self.files.get(&name(file)).and_then(|object| object.tag.clone());
            }
            if !is_listed {
                let next = self.numbers.last().map_or(Some(1), |last| last.checked_add(1));
                let full = || Failure::failed(format!("{}: no number is left for a backup", self.folder.display()));
                list.number = next.ok_or_else(full)?;
            }
            let (path, bytes) = (self.path(list.number), encode(&list).map_err(unread)?);
            nddb_remote::upload(&path, &mut &*bytes, &mut |_| true).map_err(|error| failed(&path, &error))?;
            is_listed = true;
            // Another command may have removed files that no list named before.
            self.relist()?;
        }
        Err(Failure::failed(format!("{}: another command removes files there", self.folder.display())))
    }

    /// Learns what is there now.
    fn relist(&mut self) -> Result<()> {
        *self = Self::list(&self.folder)?;
        Ok(())
    }

    /// Returns whether a file is in the store as it was sent, by its size and its tag, if that is known.
    fn is_there(&self, file: &BackupFile, tag: Option<&String>) -> bool {
        let is_it = |object: &Object| object.size == file.size && (tag.is_none() || tag == object.tag.as_ref());
        self.files.get(&name(file)).is_some_and(is_it)
    }

    /// Refuses a database of which no backup is there, nor of the one from which it was restored.
    fn refuse_other(&self, db: &Path, identity: u128, lists: &BTreeMap<u64, Option<BackupList>>) -> Result<()> {
        let parent = nddb::restored_from(db)?;
        let is_known = |list: &BackupList| list.database == identity || Some(list.database) == parent;
        if self.numbers.is_empty() || lists.values().flatten().any(is_known) {
            return Ok(());
        }
        let message = format!("{}: has backups of another database than {}", self.folder.display(), db.display());
        Err(Told::new(Code::Usage, message).hint("name another folder of the store").into())
    }

    /// Removes the older backups of a database, so that `keep` sound ones are left, then the files that no backup has.
    pub(super) fn keep(&mut self, keep: NonZeroUsize, database: u128) -> Result<Retention> {
        self.relist()?;
        let lists = self.read_all()?;
        let tags = tags_of(lists.values().flatten());
        let mut retention = Retention::default();
        let (mut sound, mut old) = (0, Vec::new());
        for (&number, list) in lists.iter().rev() {
            match list {
                None => retention.damaged.push(self.path(number)),
                Some(list) if list.database != database => retention.others += 1,
                Some(_) if sound == keep.get() => old.push(number),
                Some(list) if list.files.iter().all(|file| self.is_there(file, tags.get(&name(file)))) => sound += 1,
                Some(_) => retention.damaged.push(self.path(number)),
            }
        }
        for number in old.into_iter().rev() {
            let path = self.path(number);
            nddb_remote::remove(&path).map_err(|error| failed(&path, &error))?;
            retention.removed.push(path);
        }
        // A backup may have been added meanwhile.
        self.relist()?;
        let lists = self.read_all()?;
        // Nothing tells which files a damaged list names: its backup may be mended.
        if lists.values().any(Option::is_none) {
            return Ok(retention);
        }
        let named: BTreeSet<String> = lists.values().flatten().flat_map(|list| &list.files).map(name).collect();
        for file in self.files.keys().filter(|file| !named.contains(*file)) {
            let path = self.file(file);
            nddb_remote::remove(&path).map_err(|error| failed(&path, &error))?;
        }
        self.files.retain(|file, _| named.contains(file));
        Ok(retention)
    }

    /// Makes a database of a backup.
    pub(super) fn restore(&self, number: u64, db: &Path, watch: Watch<'_>) -> Result<BackupSummary> {
        let (bytes, BackupList { files, .. }) = self.read(number)?;
        let local = WorkFolder::beside(db, "restore")?;
        let backup = local.path().join("backup");
        let mut progress = Progress {
            phase: "receive",
            done: 0,
            total: Some(files.iter().map(|file| file.size).sum()),
            unit: "bytes",
        };
        for file in &files {
            let to = backup.join(DATABASE).join(&file.path);
            let writing = |error: io::Error| Failure::writing(&to.display().to_string(), &error);
            to.parent().map_or(Ok(()), fs::create_dir_all).map_err(writing)?;
            let mut out = File::create(&to).map_err(writing)?;
            if let Some(what) = self.receive(file, &mut out, &mut progress, watch)? {
                return Err(nddb::Error::DamagedBackup { path: self.file(&name(file)), what }.into());
            }
        }
        let list = backup.join(LIST);
        fs::write(&list, bytes).map_err(|error| Failure::writing(&list.display().to_string(), &error))?;
        Ok(nddb::restore(&backup, db, watch)?)
    }

    /// Compares every file of a backup with its size and its checksum. Returns the faults, the number of files and their
    /// bytes.
    pub(super) fn verify(&self, number: u64, watch: Watch<'_>) -> Result<(Vec<Fault>, u64, u64)> {
        let (_, BackupList { files, .. }) = self.read(number)?;
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

/// The tags of files as they were sent last: later backups have sent those again that they found overwritten.
fn tags_of<'a>(lists: impl Iterator<Item = &'a BackupList>) -> BTreeMap<String, String> {
    let files = lists.flat_map(|list| &list.files);
    files.filter_map(|file| Some((name(file), file.tag.clone()?))).collect()
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
