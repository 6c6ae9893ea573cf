//! Readers: any number of processes beside the writer. They lock nothing and write nothing in the database folder
//! (SPEC 10.3).

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use nddb_format::Fingerprint;
use nddb_format::record::{RangeState, Settings};

use crate::catalog::Catalog;
use crate::disk::dir::Dir;
use crate::ranges::Ranges;
use crate::read::changes::{Changes, disagreements};
use crate::read::federation::Federation;
use crate::read::snapshot::{Snapshot, read_manifest};
use crate::read::view::{Neighbor, View};
use crate::runs::run::Verify;
use crate::within::Within;
use crate::{Error, Result};

/// Attempts to open a state before a writer replaces it by the next.
const ATTEMPTS: u32 = 64;
/// Interval at which a reader that waits for a commit looks at the files.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A database open for reading. Its answers reflect one state until [`Reader::refresh`].
#[derive(Debug)]
pub struct Reader {
    dir: Dir,
    catalog: Catalog,
    settings: Settings,
    snapshot: Snapshot,
    verify: Verify,
    /// The catalog is at a later state than the snapshot.
    ahead: bool,
    looked: Option<Look>,
}

/// What differs before and after every commit: the bytes of the catalog, and when it and MANIFEST were written last.
pub(super) type Look = ((u64, Option<SystemTime>), Option<SystemTime>);

impl Reader {
    /// Opens a database for reading.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], [`Error::Newer`], damage of the parts that opening reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Verify::FirstTouch)
    }

    /// Opens a database for reading, with a choice of when checksums are verified.
    ///
    /// # Errors
    /// Errors of [`Reader::open`].
    pub fn open_with(path: impl AsRef<Path>, verify: Verify) -> Result<Self> {
        let mut attempt = 0;
        loop {
            let dir = Dir::open(path.as_ref())?;
            match open_state(&dir, verify, None) {
                Ok((catalog, settings, snapshot)) => {
                    return Ok(Self { dir, catalog, settings, snapshot, verify, ahead: false, looked: None });
                }
                // Another database has been put there meanwhile.
                Err(Error::Moved { .. }) if attempt < ATTEMPTS => pause(&mut attempt),
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves on to the newest state of the database at the path. If the path now leads to another database, for
    /// instance to a restored backup, that one is opened. Returns whether anything has changed.
    ///
    /// # Errors
    /// Errors of [`Reader::open`]; the old state is kept then, without any later change.
    pub fn refresh(&mut self) -> Result<bool> {
        match self.refresh_here() {
            Err(Error::Moved { path }) => {
                *self = Self::open_with(path, self.verify)?;
                Ok(true)
            }
            refreshed => refreshed,
        }
    }

    /// Waits until the writer commits, but no longer than `patience`, and moves on to the newest state as
    /// [`Reader::refresh`] does, at once if there is a later one. Returns whether anything has changed. Until then the
    /// sizes of the files are looked at, many times a second.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use nddb_index::{Config, Document, Fingerprint, Reader, Writer};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("crawl.nddb");
    /// let mut writer = Writer::create(&path, &Config::within(3)?)?;
    /// let mut reader = Reader::open(&path)?;
    /// writer.insert(Document::bare("page", Fingerprint(7))?)?;
    /// writer.commit()?;
    /// assert!(reader.watch_commits(Duration::from_secs(10))?);
    /// assert!(reader.view().contains("page")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of [`Reader::refresh`].
    pub fn watch_commits(&mut self, patience: Duration) -> Result<bool> {
        let (dir, mut looked) = (self.dir.clone(), self.looked);
        let outcome = wait_for_commit(&dir, &mut looked, patience, &mut || self.refresh());
        self.looked = looked;
        outcome
    }

    /// Returns the folder.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Like [`Reader::refresh`], for the folder that is open.
    fn refresh_here(&mut self) -> Result<bool> {
        self.dir.check_place()?;
        let before = self.mark();
        if !self.follow()? && !self.follow_anew()? {
            (self.catalog, self.settings, self.snapshot) =
                open_state(&self.dir, self.verify, Some((&self.catalog, &self.snapshot)))?;
            self.ahead = false;
        }
        Ok(before != self.mark())
    }

    /// Opens the newest state beside this one; `None` if it is the same.
    pub(super) fn next_state(&self) -> Result<Option<Self>> {
        let before = Some((&self.catalog, &self.snapshot));
        let opened = self.dir.check_place().and_then(|()| open_state(&self.dir, self.verify, before));
        let next = match opened {
            Ok((catalog, settings, snapshot)) => {
                let (dir, verify) = (self.dir.clone(), self.verify);
                Self { dir, catalog, settings, snapshot, verify, ahead: false, looked: None }
            }
            Err(Error::Moved { path }) => Self::open_with(path, self.verify)?,
            Err(error) => return Err(error),
        };
        Ok((next.mark() != self.mark()).then_some(next))
    }

    /// Catches up with the writer using the open catalog. Returns whether that reaches the writer's current state.
    fn follow(&mut self) -> Result<bool> {
        // A secondary instance of RocksDB may miss the log that removes a row. It then shows the row again when no
        // other file records the removal. So a new instance is used to read the numbers that have left the deleted set
        // and whether a load has ended, and to read everything after an unread log was removed.
        let loading = self.snapshot.ranges.in_state(RangeState::Loading).next().is_some();
        if self.ahead || loading {
            return Ok(false);
        }
        let Some(changes) = self.changes()? else { return Ok(false) };
        // If a later step fails, the catalog is ahead of the snapshot.
        self.ahead = true;
        if !self.catalog.catch_up().unwrap_or(false) {
            return Ok(false);
        }
        let Some((changes, settings)) = self.read(changes, &self.catalog)? else { return Ok(false) };
        self.move_on(changes, settings);
        Ok(true)
    }

    /// Catches up with the writer using a newly opened catalog, and keeps the memtable: documents that have been read
    /// are not read again. Returns whether that reaches the writer's current state.
    fn follow_anew(&mut self) -> Result<bool> {
        let Some(changes) = self.changes()? else { return Ok(false) };
        let Ok(catalog) = open_catalog(&self.dir, Some(&self.catalog)) else { return Ok(false) };
        let Ok(Some((changes, settings))) = self.read(changes, &catalog) else { return Ok(false) };
        if settings.catalog != self.settings.catalog {
            return Ok(false);
        }
        self.catalog = catalog;
        self.move_on(changes, settings);
        Ok(true)
    }

    /// Returns what has changed in the files; `None` if the state cannot be reached from this one.
    fn changes(&self) -> Result<Option<Changes>> {
        let manifest = read_manifest(&self.dir)?;
        let before = &self.snapshot.manifest;
        // Generations never decrease, and each belongs to one manifest; if this does not hold, the files were replaced.
        let is_later = manifest.generation > before.generation || manifest == *before;
        if !is_later || manifest.purged != before.purged || manifest.catalog != before.catalog {
            return Ok(None);
        }
        Ok(self.snapshot.changes_to(&self.dir, manifest, self.verify).ok())
    }

    /// Adds the changes in the catalog; `None` if the files have changed meanwhile.
    fn read(&self, mut changes: Changes, catalog: &Catalog) -> Result<Option<(Changes, Settings)>> {
        changes.read(catalog, self.snapshot.manifest.generation, &self.snapshot.deleted)?;
        let settings = catalog.settings()?;
        // A flush between the two steps would have removed rows that the snapshot still needs.
        let stood_still = read_manifest(&self.dir)?.generation == changes.generation();
        self.dir.check_place()?;
        Ok(stood_still.then_some((changes, settings)))
    }

    fn move_on(&mut self, changes: Changes, settings: Settings) {
        self.snapshot.apply(changes);
        self.settings = settings;
        self.ahead = false;
    }

    /// Returns values that differ between any two different states.
    fn mark(&self) -> (u128, u64, u64, u64, Ranges) {
        let Snapshot { manifest, seen, deleted, ranges, .. } = &self.snapshot;
        (manifest.catalog, manifest.generation, *seen, deleted.len(), ranges.clone())
    }

    /// Returns the current state.
    pub fn view(&self) -> View<'_> {
        View { dir: &self.dir, snapshot: &self.snapshot, catalog: &self.catalog, settings: &self.settings }
    }

    /// Finds every live document within `within` bits, by (distance, id).
    ///
    /// # Errors
    /// Errors of [`View::find`].
    pub fn probe(&self, fingerprint: Fingerprint, within: Within) -> Result<Vec<Neighbor>> {
        let answers = self.view().find(&[fingerprint], within)?;
        Ok(answers.into_iter().flat_map(|answer| answer.matches).collect())
    }

    /// Finds the `n` nearest live documents within `within` bits, by (distance, id); of documents at one distance, the
    /// oldest.
    ///
    /// # Errors
    /// Errors of [`View::find`].
    pub fn nearest(&self, fingerprint: Fingerprint, n: usize, within: Within) -> Result<Vec<Neighbor>> {
        let found = Federation::of(self.view()).nearest(fingerprint, n, within)?;
        Ok(found.into_iter().map(|(_, neighbor)| neighbor).collect())
    }
}

/// Calls `refresh` whenever the files differ from those that were looked at before, until it returns `true`, or for as
/// long as the caller has patience.
pub(super) fn wait_for_commit(
    dir: &Dir,
    looked: &mut Option<Look>,
    patience: Duration,
    refresh: &mut dyn FnMut() -> Result<bool>,
) -> Result<bool> {
    let begun = Instant::now();
    loop {
        let now = (dir.catalog_size(), dir.published()?);
        if *looked != Some(now) {
            let changed = refresh()?;
            // Files that are written meanwhile differ from these.
            *looked = Some(now);
            if changed {
                return Ok(true);
            }
        }
        let waited = begun.elapsed();
        if waited >= patience {
            return Ok(false);
        }
        std::thread::sleep(LOOK_AGAIN.min(patience - waited));
    }
}

/// Opens the catalog. A writer that is moving its files can make this fail, which is no damage.
fn open_catalog(dir: &Dir, before: Option<&Catalog>) -> Result<Catalog> {
    let mut attempt = 0;
    loop {
        match before.map_or_else(|| Catalog::open_secondary(dir), Catalog::open_again) {
            Ok(catalog) => return Ok(catalog),
            Err(error) if attempt >= 8 => return Err(error),
            Err(_) => pause(&mut attempt),
        }
    }
}

/// Opens the newest state: manifest, files, catalog, and the manifest again, until it has not changed.
fn open_state(
    dir: &Dir,
    verify: Verify,
    before: Option<(&Catalog, &Snapshot)>,
) -> Result<(Catalog, Settings, Snapshot)> {
    let (catalog_before, snapshot_before) = before.unzip();
    let mut attempt = 0;
    if catalog_before.is_none() {
        Catalog::fetch(&dir.catalog());
    }
    loop {
        let manifest = read_manifest(dir)?;
        let generation = manifest.generation;
        if snapshot_before.is_none() {
            dir.fetch(&manifest);
        }
        // The catalog first: while it is opened, the files of the runs are fetched.
        let opened = open_catalog(dir, catalog_before).and_then(|catalog| {
            let mut snapshot = Snapshot::open(dir, manifest, verify, snapshot_before)?;
            let settings = catalog.settings()?;
            if let Some(disagreement) = disagreements(&snapshot.manifest, &settings, &catalog.counters()?).next() {
                return Err(Error::Inconsistent { path: dir.root().into(), what: disagreement.what() });
            }
            snapshot.catch_up(&catalog)?;
            Ok((catalog, settings, snapshot))
        });
        let stood_still = read_manifest(dir)?.generation == generation;
        dir.check_place()?;
        match opened {
            Ok(opened) if stood_still => return Ok(opened),
            Err(error) if stood_still && !error.is_missing_file() => return Err(error),
            Err(error) if stood_still && attempt >= 3 => return Err(error),
            _ if attempt >= ATTEMPTS => return Err(Error::Busy { path: dir.root().into() }),
            _ => pause(&mut attempt),
        }
    }
}

fn pause(attempt: &mut u32) {
    *attempt += 1;
    std::thread::sleep(Duration::from_micros(100 << (*attempt).min(9)));
}
