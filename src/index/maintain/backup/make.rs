//! Making a backup.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use nddb_format::backup::{BackupFile, encode};
use nddb_format::manifest::Manifest;

use super::parts::{BackupSummary, DATABASE, LIST, holder};
use crate::catalog::Pinned;
use crate::disk::copy::{self, Held, link_or_hold};
use crate::disk::dir::{Dir, Kind, named_files, write_synced};
use crate::disk::staging::{Staging, refuse_inside};
use crate::read::snapshot::read_manifest;
use crate::spill::progress::Progress;
use crate::spill::ticker::Ticker;
use crate::{Error, Result};

/// Attempts to take a state before a writer replaces it by the next.
const ATTEMPTS: u32 = 64;

/// Makes a backup of a database in the new folder `target`, with every commit acknowledged before the call.
///
/// The backup has the state of one moment. It needs no lock and may run beside a writer of any process, which it
/// neither stops nor slows down. Files that never change become hard links where the file system allows, so that a
/// backup on the same file system takes little space and time; all others are copied. A backup is published by a rename
/// when everything is durable. An interrupted backup leaves a folder `target.partial`, which is not a backup, and which
/// the next backup empties.
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
/// without space for the copies; [`Error::Inconsistent`] if a file is found to be damaged, which is noticed when a file
/// is copied but not when it is linked; [`Error::Cancelled`] if `watch` returned `false`. There is no backup then.
pub fn backup(
    path: impl AsRef<Path>,
    target: impl AsRef<Path>,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<BackupSummary> {
    let dir = Dir::open(path.as_ref())?;
    refuse_inside(target.as_ref(), dir.root())?;
    let staging = Staging::create(target.as_ref(), &holder("backup"))?;
    let ticker = Ticker::new(watch);
    let copy = Dir::make_in(staging.path(), DATABASE)?;
    ticker.start("take files", None, "")?;
    let taken = Taken::of(&dir, &copy, &ticker)?;
    copy.need_space(taken.bytes_to_copy())?;
    let (mut files, linked) = taken.write(&dir, &copy, &ticker)?;
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let summary = BackupSummary::of(copy.root(), &files, linked)?;
    copy.sync_names()?;
    let list = staging.path().join(LIST);
    write_synced(&list, &encode(&files).map_err(Error::format(&list))?)?;
    staging.publish()?;
    Ok(summary)
}

/// The files of a database at one moment, linked or held.
struct Taken {
    manifest: Manifest,
    /// MANIFEST as it is on disk.
    bytes: Vec<u8>,
    /// The files of runs and the deleted set: `None` for those that have a second name in the backup.
    runs: Runs,
    catalog: Pinned,
}

type Runs = BTreeMap<(u64, Kind), Option<Held>>;

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
    let named: BTreeSet<(u64, Kind)> = named_files(manifest).map(|(entry, kind)| (entry.number, kind)).collect();
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
        let (mut runs, mut catalog) = (BTreeMap::new(), Pinned::new(dir, copy));
        for attempt in 0..ATTEMPTS {
            ticker.add(0)?;
            let bytes = dir.read_manifest()?;
            let manifest = Manifest::decode(&bytes).map_err(Error::format(&dir.manifest_path()))?;
            let outcome = take_runs(&mut runs, dir, copy, &manifest).and_then(|()| catalog.pin());
            let stood_still = read_manifest(dir)?.generation == manifest.generation;
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
        self.runs.values().flatten().map(Held::length).sum::<u64>() + self.catalog.bytes_to_copy()
    }

    /// Writes all files, durably. Returns them, and the bytes that are linked.
    fn write(mut self, dir: &Dir, copy: &Dir, ticker: &Ticker<'_>) -> Result<(Vec<BackupFile>, u64)> {
        let (mut files, mut linked) = (Vec::new(), 0);
        ticker.start("copy", Some(self.bytes_to_copy()), "bytes")?;
        let mut progress = |bytes| ticker.add(bytes);
        for (entry, kind) in named_files(&self.manifest) {
            let (number, to) = (entry.number, copy.path(entry.number, kind));
            let length = match self.runs.remove(&(number, kind)).flatten() {
                Some(mut held) => {
                    let checksum = held.copy(&to, &mut progress)?;
                    let is_damaged = checksum != entry.checksum;
                    if is_damaged { None } else { Some(held.length()) }
                }
                None => {
                    copy::sync_contents(&to)?;
                    linked += entry.length;
                    Some(copy::length(&to)?)
                }
            };
            if length != Some(entry.length) {
                let what = "is not the file that the manifest describes".into();
                return Err(Error::Inconsistent { path: dir.path(number, kind), what });
            }
            files.push(file(&to, copy, entry.length, entry.checksum));
        }
        copy.replace_manifest(&self.bytes)?;
        files.push(file(&copy.manifest_path(), copy, self.bytes.len() as u64, crc32fast::hash(&self.bytes)));
        let catalog = self.catalog.write(&mut progress)?;
        let unread = |checksum: &Option<u32>| checksum.is_none();
        let sizes: Vec<u64> =
            catalog.iter().map(|(name, _)| copy::length(&copy.catalog().join(name))).collect::<Result<_>>()?;
        let to_read = catalog.iter().zip(&sizes).filter(|((_, checksum), _)| unread(checksum)).map(|(_, size)| size);
        ticker.start("read catalog", Some(to_read.sum()), "bytes")?;
        for ((name, checksum), size) in catalog.into_iter().zip(sizes) {
            let path = copy.catalog().join(&name);
            let checksum = match checksum {
                Some(checksum) => checksum,
                None => {
                    copy::sync_contents(&path)?;
                    linked += size;
                    Held::open(&path)?.checksum(&mut progress)?
                }
            };
            files.push(file(&path, copy, size, checksum));
        }
        Ok((files, linked))
    }
}

/// Describes a file of the backup for its list.
fn file(path: &Path, copy: &Dir, size: u64, checksum: u32) -> BackupFile {
    let path = path.strip_prefix(copy.root()).unwrap_or(path);
    BackupFile { path: path.to_string_lossy().into_owned(), size, checksum }
}
