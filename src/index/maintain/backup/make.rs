//! Making a backup.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nddb_format::backup::{BackupFile, BackupList, encode};
use nddb_format::manifest::Manifest;

use super::parts::{Backup, BackupSummary, Contents, DATABASE, LIST, backups_in, folder_of, holder, path_in};
use super::retention::{Retention, remove_old};
use crate::catalog::{Catalog, Pinned};
use crate::disk::bugs::{Bug, bug};
use crate::disk::copy::{self, Held, link_or_hold};
use crate::disk::dir::{Dir, FileKind, named_files, write_synced};
use crate::disk::staging::{Staging, refuse_inside, remove_remains};
use crate::read::snapshot::refuse_static;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, Result};

/// Attempts to take a state before a writer replaces it by the next.
const ATTEMPTS: u32 = 64;
/// Rows between two progress reports.
const ROWS: u64 = 1 << 14;

/// Makes a backup of a database in the new folder `target`, with every commit acknowledged before the call.
///
/// The backup has the state of one moment. It needs no lock and may run beside a writer of any process, which it
/// neither stops nor slows down. Files that never change become hard links where the file system allows, so that a
/// backup on the same file system takes little space and time; all others are copied. A backup is published by a rename
/// when everything is durable. An interrupted backup leaves a folder `target.partial`, which is not a backup, and which
/// the next backup in the folder that holds `target` removes.
///
/// Files that are new since the last backup of this database in that folder are read and compared with their checksums.
/// On another file system, files that this last backup has become links to its own.
///
/// ```
/// # use nddb_index::{Config, Document, Fingerprint, Reader, Writer};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("crawl.nddb");
/// # let (target, again) = (folder.path().join("monday"), folder.path().join("again.nddb"));
/// let mut writer = Writer::create(&path, &Config::within(3)?)?;
/// writer.insert(Document::bare("first", Fingerprint(7))?)?;
/// writer.commit()?;
/// nddb_index::backup(&path, &target, &mut |_| true)?; // beside the writer
/// assert!(nddb_index::verify_backup(&target, &Default::default(), &mut |_| true)?.is_sound());
/// nddb_index::restore(&target, &again, &mut |_| true)?;
/// assert!(Reader::open(&again)?.view().get("first")?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::NotADatabase`]; [`Error::Moved`] if it was replaced by another meanwhile; [`Error::AlreadyExists`] if there
/// is anything at `target`; [`Error::Inside`] if `target` is inside of the database; [`Error::InTheWay`] if there is an
/// unrelated folder at `target.partial`; [`Error::Locked`] if another backup is made there; [`Error::OverLimit`]
/// without space for the copies; [`Error::Inconsistent`] or [`Error::Catalog`] if a file of the database is damaged;
/// [`Error::Cancelled`] if `watch` returned `false`. There is no backup then.
pub fn backup(
    path: impl AsRef<Path>,
    target: impl AsRef<Path>,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<BackupSummary> {
    Ok(make(path.as_ref(), target.as_ref(), None, watch)?.0)
}

/// Makes a backup as [`backup`] does, then removes the oldest backups of this database from the folder that holds
/// `target`, so that `keep` sound ones are left with this one.
///
/// Before anything is removed, all contents of the new backup and of those that are kept have been read and compared.
/// If fewer than `keep` are sound, nothing is removed. Links, backups of other databases (a restored one has an
/// identity of its own), folders that are no complete backups, and all other files stay. The age of a backup is that of
/// the state of the database, whatever a clock says.
///
/// # Errors
/// Errors of [`backup`]; [`Error::Io`] if a backup cannot be removed: the new one is complete by then.
pub fn backup_and_keep(
    path: impl AsRef<Path>,
    target: impl AsRef<Path>,
    keep: NonZeroUsize,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(BackupSummary, Retention)> {
    make(path.as_ref(), target.as_ref(), Some(keep), watch)
}

fn make(
    path: &Path,
    target: &Path,
    keep: Option<NonZeroUsize>,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(BackupSummary, Retention)> {
    let dir = Dir::open(path)?;
    refuse_inside(target, dir.root())?;
    let folder = folder_of(target);
    let staging = Staging::create(target, &holder("backup"))?;
    // A folder that cannot be listed has no backups that could be found.
    let _ = remove_remains(folder, &holder("backup"));
    let ticker = Ticker::new(watch);
    let copy = Dir::make_in(staging.path(), DATABASE)?;
    ticker.start("take files", None, "")?;
    let mut taken = Taken::of(&dir, &copy, &ticker)?;
    let database = dir.origin()?.map_or(taken.manifest.catalog, |origin| origin.database);
    let (all, damaged) = backups_in(folder).unwrap_or_default();
    let number = all.iter().map(|backup| backup.list.number).max().unwrap_or(0).saturating_add(1);
    let (own, others): (Vec<Backup>, Vec<Backup>) = all.into_iter().partition(|it| it.list.database == database);
    let others = others.len() as u64;
    let mut earlier = Earlier {
        backup: own.last(),
        // What stays must be sound if others are to go.
        is_read: keep.is_some_and(|keep| own.len() >= keep.get()),
        contents: Contents::default(),
        ticker: &ticker,
    };
    taken.link_to(&mut earlier, &copy)?;
    copy.need_space(taken.bytes_to_copy())?;
    let (mut files, linked) = taken.write(&dir, &copy, &mut earlier)?;
    let mut contents = earlier.contents;
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let summary = BackupSummary::of(copy.root(), &files, linked)?;
    copy.sync_names()?;
    let path = staging.path().join(LIST);
    let list = BackupList { database, generation: summary.generation, commits: summary.commits, number, files };
    write_synced(&path, &encode(&list).map_err(Error::format(&path))?)?;
    staging.publish()?;
    let mut retention = Retention { removed: Vec::new(), others, damaged };
    if let Some(keep) = keep {
        remove_old(own, keep, &mut contents, &ticker, &mut retention)?;
    }
    Ok((summary, retention))
}

/// The last backup of the same database in the same folder. Files that it has are sound: they were read when it was
/// made.
struct Earlier<'a, 'w> {
    backup: Option<&'a Backup>,
    /// Whether its files are read nevertheless.
    is_read: bool,
    contents: Contents,
    ticker: &'a Ticker<'w>,
}

impl Earlier<'_, '_> {
    /// Returns its file at a path in the database, if it is this one by its length and checksum.
    fn file(&self, path: &str, length: u64, checksum: u32) -> Option<PathBuf> {
        let (backup, file) = (self.backup?, self.backup?.file(path)?);
        ((file.size, file.checksum) == (length, checksum)).then(|| path_in(&backup.path, file))
    }

    /// Gives a file of it a second name. Returns whether that was possible.
    fn link(&mut self, path: &str, length: u64, checksum: u32, to: &Path) -> Result<bool> {
        let Some(from) = self.file(path, length, checksum) else { return Ok(false) };
        if self.is_read {
            // A file that cannot be read is not linked.
            let ticker = self.ticker;
            let read = Held::open(&from).and_then(|mut it| self.contents.checksum(&mut it, &mut |n| ticker.add(n)));
            match read {
                Ok(read) if read == checksum => (),
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                _ => return Ok(false),
            }
        }
        Ok(link_or_hold(&from, to).is_ok_and(|held| held.is_none()))
    }

    /// Returns the checksum of a file that has a second name in the new backup, and whether it was read for that.
    fn checksum(&mut self, path: &str, linked: &Path) -> Result<(u32, bool)> {
        let mut held = Held::open(linked)?;
        if !self.is_read
            && let Some(backup) = self.backup
            && let Some(file) = backup.file(path)
            && let Ok(known) = Held::open(&path_in(&backup.path, file))
            && (known.identity()?, known.length()) == (held.identity()?, file.size)
        {
            return Ok((file.checksum, false));
        }
        let ticker = self.ticker;
        Ok((self.contents.checksum(&mut held, &mut |bytes| ticker.add(bytes))?, true))
    }
}

/// The files of a database at one moment, linked or held.
struct Taken {
    manifest: Manifest,
    /// MANIFEST as it is on disk.
    bytes: Vec<u8>,
    /// The files of runs and the deleted set: `None` for those that have a second name in the backup.
    runs: Runs,
    /// A set has no catalog.
    catalog: Option<Pinned>,
}

type Runs = BTreeMap<(u64, FileKind), Option<Held>>;

/// Reads the MANIFEST of a database or a set.
fn state(dir: &Dir) -> Result<(Vec<u8>, Manifest)> {
    let bytes = dir.read_manifest()?;
    let manifest = Manifest::decode(&bytes).map_err(Error::format(&dir.manifest_path()))?;
    refuse_static(dir, &manifest)?;
    Ok((bytes, manifest))
}

/// Takes the files of a manifest that have not been taken yet.
fn take_runs(runs: &mut Runs, dir: &Dir, copy: &Dir, manifest: &Manifest) -> Result<()> {
    for (entry, kind) in named_files(manifest) {
        if let Entry::Vacant(vacant) = runs.entry((entry.number, kind)) {
            let (from, to) = (dir.path(entry.number, kind), copy.path(entry.number, kind));
            vacant.insert(link_or_hold(&from, &to)?);
        }
    }
    Ok(())
}

/// Drops files that only earlier manifests named.
fn drop_others(runs: &mut Runs, copy: &Dir, manifest: &Manifest) -> Result<()> {
    let named: BTreeSet<(u64, FileKind)> = named_files(manifest).map(|(entry, kind)| (entry.number, kind)).collect();
    let others = runs.extract_if(.., |key, _| !named.contains(key));
    for ((number, kind), held) in others {
        if held.is_none() {
            copy::remove(&copy.path(number, kind))?;
        }
    }
    Ok(())
}

impl Taken {
    /// Takes the files of one moment, between two readings of the same MANIFEST.
    fn of(dir: &Dir, copy: &Dir, ticker: &Ticker<'_>) -> Result<Self> {
        let (mut runs, mut catalog) = (BTreeMap::new(), None);
        for attempt in 0..ATTEMPTS {
            ticker.add(0)?;
            let (bytes, manifest) = state(dir)?;
            let pinned = take_runs(&mut runs, dir, copy, &manifest);
            let outcome = pinned.and_then(|()| match manifest.set {
                Some(_) => Ok(()),
                None => catalog.get_or_insert_with(|| Pinned::new(dir, copy)).pin(),
            });
            let stood_still =
                bug(Bug::BackupOfTwoStates, dir.root()) || state(dir)?.1.generation == manifest.generation;
            dir.check_place()?;
            match outcome {
                Ok(()) if stood_still => {
                    drop_others(&mut runs, copy, &manifest)?;
                    return Ok(Self { manifest, bytes, runs, catalog });
                }
                Err(error) if stood_still => return Err(error),
                // The writer has published another state meanwhile.
                _ => std::thread::sleep(Duration::from_micros(100 << attempt.min(9))),
            }
        }
        Err(Error::Busy { path: dir.root().into() })
    }

    fn bytes_to_copy(&self) -> u64 {
        let of_catalog = self.catalog.as_ref().map_or(0, Pinned::bytes_to_copy);
        self.runs.values().flatten().map(Held::length).sum::<u64>() + of_catalog
    }

    /// Links files that cannot be linked to those of the database to those of an earlier backup.
    fn link_to(&mut self, earlier: &mut Earlier<'_, '_>, copy: &Dir) -> Result<()> {
        let ticker = earlier.ticker;
        ticker.start("compare with the last backup", None, "bytes")?;
        for (entry, kind) in named_files(&self.manifest) {
            let Some(held @ Some(_)) = self.runs.get_mut(&(entry.number, kind)) else { continue };
            let to = copy.path(entry.number, kind);
            if earlier.link(&name_in(copy, &to), entry.length, entry.checksum, &to)? {
                *held = None;
            }
        }
        let Some(catalog) = &mut self.catalog else { return Ok(()) };
        catalog.link_others(&mut |path, held| {
            // Nothing but its contents tells which sorted file it is.
            let known = earlier.backup.and_then(|backup| backup.file(path)).is_some_and(|it| it.size == held.length());
            if !known {
                return Ok(false);
            }
            let checksum = held.checksum(&mut |bytes| ticker.add(bytes))?;
            earlier.link(path, held.length(), checksum, &copy.root().join(path))
        })
    }

    /// Writes all files, durably, and reads those that are new since the last backup. Returns the files, and the bytes
    /// that are linked.
    fn write(mut self, dir: &Dir, copy: &Dir, earlier: &mut Earlier<'_, '_>) -> Result<(Vec<BackupFile>, u64)> {
        let (mut files, mut linked) = (Vec::new(), 0);
        let ticker = earlier.ticker;
        ticker.start("copy", Some(self.bytes_to_copy()), "bytes")?;
        let mut progress = |bytes| ticker.add(bytes);
        for (entry, kind) in named_files(&self.manifest) {
            let (number, to) = (entry.number, copy.path(entry.number, kind));
            let found = match self.runs.remove(&(number, kind)).flatten() {
                Some(mut held) => (held.copy(&to, &mut progress)?, held.length()),
                None => {
                    copy::sync_contents(&to)?;
                    linked += entry.length;
                    (earlier.checksum(&name_in(copy, &to), &to)?.0, copy::length(&to)?)
                }
            };
            if found != (entry.checksum, entry.length) {
                let what = "is not the file that the manifest describes".into();
                return Err(Error::Inconsistent { path: dir.path(number, kind), what });
            }
            files.push(file(&to, copy, entry.length, entry.checksum));
        }
        copy.replace_manifest(&self.bytes)?;
        files.push(file(&copy.manifest_path(), copy, self.bytes.len() as u64, crc32fast::hash(&self.bytes)));
        let Some(catalog) = self.catalog else {
            copy.remove_empty_catalog()?;
            return Ok((files, linked));
        };
        let catalog = catalog.write(&mut progress).map_err(|error| of_database(error, dir))?;
        ticker.start("read catalog", None, "bytes")?;
        let mut new = BTreeSet::new();
        for (name, checksum) in catalog {
            let path = copy.catalog().join(&name);
            let size = copy::length(&path)?;
            let (checksum, is_new) = match checksum {
                Some(checksum) => (checksum, true),
                None => {
                    copy::sync_contents(&path)?;
                    linked += size;
                    earlier.checksum(&name_in(copy, &path), &path)?
                }
            };
            if is_new {
                new.insert(name);
            }
            files.push(file(&path, copy, size, checksum));
        }
        read_rows(dir, copy, &new, ticker)?;
        Ok((files, linked))
    }
}

/// Reads the rows of sorted files, whose checksums are in the files themselves.
fn read_rows(dir: &Dir, copy: &Dir, names: &BTreeSet<OsString>, ticker: &Ticker<'_>) -> Result<()> {
    ticker.start("read catalog", None, "rows")?;
    let mut rows = 0u64;
    let mut count = || {
        rows += 1;
        if rows.is_multiple_of(ROWS) { ticker.add(ROWS) } else { Ok(()) }
    };
    let read = Catalog::open_secondary(copy).and_then(|catalog| catalog.read_files(names, &mut count));
    read.map_err(|error| of_database(error, dir))
}

/// Returns an error of the catalog in a copy as one of the database, which is damaged alike: the copy is about to
/// vanish.
fn of_database(error: Error, dir: &Dir) -> Error {
    match error {
        Error::Catalog { action, damaged, source, .. } => {
            Error::Catalog { action, path: dir.catalog(), damaged, source }
        }
        other => other,
    }
}

/// Returns the path of a file as it is in a list.
fn name_in(copy: &Dir, path: &Path) -> String {
    path.strip_prefix(copy.root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// Describes a file of the backup for its list.
fn file(path: &Path, copy: &Dir, size: u64, checksum: u32) -> BackupFile {
    BackupFile { path: name_in(copy, path), size, checksum, tag: None }
}
