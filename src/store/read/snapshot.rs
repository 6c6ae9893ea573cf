//! A snapshot: one consistent state of runs, memtable and deletions that queries are answered from.

use std::path::Path;
use std::sync::Arc;

use nddb_format::manifest::{Manifest, RunEntry};
use nddb_format::record::{BatchState, RangeState};
use roaring::RoaringTreemap;

use crate::store::catalog::Catalog;
use crate::store::disk::dir::{Dir, Kind};
use crate::store::ranges::{Ranges, deleted_in};
use crate::store::runs::memtable::Memtables;
use crate::store::runs::run::{Run, Verify};
use crate::{Error, Result};

/// One state of the database.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The manifest it is from.
    pub(crate) manifest: Manifest,
    /// The runs, in ascending order of their number ranges.
    pub(crate) runs: Vec<Arc<Run>>,
    /// Documents above the runs.
    pub(crate) memtable: Memtables,
    /// Deleted documents that a run or the catalog may still contain.
    pub(crate) deleted: RoaringTreemap,
    /// The states of number ranges of batches and loads.
    pub(crate) ranges: Ranges,
    /// Every document number below this one has been read; later ones are not visible.
    pub(crate) seen: u64,
}

/// Opens the runs of a manifest, reusing those that are open already.
fn open_runs(dir: &Dir, manifest: &Manifest, verify: Verify, open: &[Arc<Run>]) -> Result<Vec<Arc<Run>>> {
    let take = |entry: &RunEntry| match open.iter().find(|run| run.entry == *entry) {
        Some(run) => Ok(run.clone()),
        None => Run::open(dir, entry, verify).map(Arc::new),
    };
    manifest.runs.iter().map(take).collect()
}

/// Reads the deleted set of a manifest.
fn read_deleted(dir: &Dir, manifest: &Manifest) -> Result<RoaringTreemap> {
    let Some(file) = &manifest.deleted else { return Ok(RoaringTreemap::new()) };
    let bytes = dir.read(file.number, Kind::Deleted)?;
    let path = dir.path(file.number, Kind::Deleted);
    if bytes.len() as u64 != file.length || crc32fast::hash(&bytes) != file.checksum {
        let what = "is not the file that the manifest describes".into();
        return Err(Error::Inconsistent { path, what });
    }
    nddb_format::deleted::decode(&bytes).map_err(Error::format(&path))
}

/// The changes from a snapshot to a later one.
#[derive(Debug)]
pub(crate) struct Changes {
    manifest: Manifest,
    runs: Vec<Arc<Run>>,
    deleted: RoaringTreemap,
    ranges: Ranges,
    /// Prints from `seen` on, as (fingerprint, number), numbers ascending.
    prints: Vec<(u64, u64)>,
    seen: u64,
    /// Number of rows of deletions that were read.
    deletions: u64,
}

impl Snapshot {
    /// Opens all files of a manifest, reusing those that `before` has open. The rows of the catalog are not read
    /// yet.
    pub(crate) fn open(dir: &Dir, manifest: Manifest, verify: Verify, before: Option<&Snapshot>) -> Result<Self> {
        let runs = open_runs(dir, &manifest, verify, before.map_or(&[], |before| &before.runs))?;
        let deleted = read_deleted(dir, &manifest)?;
        let memtable = Memtables::new(manifest.bits, manifest.k);
        let seen = manifest.complete;
        Ok(Self { manifest, runs, memtable, deleted, ranges: Ranges::default(), seen })
    }

    /// Moves on to a later manifest with the same documents; `opened` is a run of the manifest that is open
    /// already. On failure nothing has changed.
    pub(crate) fn adopt(
        &mut self,
        dir: &Dir,
        manifest: Manifest,
        verify: Verify,
        opened: Option<Arc<Run>>,
    ) -> Result<()> {
        let open: Vec<Arc<Run>> = self.runs.iter().cloned().chain(opened).collect();
        self.runs = open_runs(dir, &manifest, verify, &open)?;
        self.memtable.drop_below(manifest.complete);
        self.seen = self.seen.max(manifest.complete);
        self.manifest = manifest;
        Ok(())
    }

    /// Opens the files of a later manifest, from whose deleted set no number has been removed since. The rows of
    /// the catalog are not read yet.
    pub(crate) fn changes_to(&self, dir: &Dir, manifest: Manifest, verify: Verify) -> Result<Changes> {
        let runs = open_runs(dir, &manifest, verify, &self.runs)?;
        let same = manifest.deleted == self.manifest.deleted;
        let deleted = if same { RoaringTreemap::new() } else { read_deleted(dir, &manifest)? };
        let seen = self.seen.max(manifest.complete);
        Ok(Changes { manifest, runs, deleted, ranges: Ranges::default(), prints: Vec::new(), seen, deletions: 0 })
    }

    /// Applies the changes.
    pub(crate) fn apply(&mut self, changes: Changes) {
        self.memtable.drop_below(changes.manifest.complete);
        for (fingerprint, number) in changes.prints {
            self.memtable.insert(fingerprint, number);
        }
        self.manifest = changes.manifest;
        self.runs = changes.runs;
        self.deleted |= changes.deleted;
        self.ranges = changes.ranges;
        self.seen = changes.seen;
    }

    /// Reads the rows of the catalog that are not in the files. Returns the number of deletions among them.
    pub(crate) fn catch_up(&mut self, catalog: &Catalog) -> Result<u64> {
        let mut changes = Changes {
            manifest: self.manifest.clone(),
            runs: self.runs.clone(),
            deleted: RoaringTreemap::new(),
            ranges: Ranges::default(),
            prints: Vec::new(),
            seen: self.seen,
            deletions: 0,
        };
        changes.read(catalog, 0, &self.deleted)?;
        let deletions = changes.deletions;
        self.apply(changes);
        Ok(deletions)
    }

    /// Returns whether a document has been read and is neither deleted nor hidden.
    #[inline]
    pub(crate) fn is_live(&self, number: u64) -> bool {
        number < self.seen && !self.is_hidden(number) && !self.deleted.contains(number)
    }

    /// Returns whether a document belongs to a batch or load that is not committed.
    #[inline]
    pub(crate) fn is_hidden(&self, number: u64) -> bool {
        self.ranges.is_hidden(number)
    }

    /// Returns whether every document of the run is certainly live.
    pub(crate) fn is_all_live(&self, run: &Run) -> bool {
        let (low, high) = (run.entry.low, run.entry.high);
        let hidden = self.ranges.hidden().iter().any(|range| range.start < high && range.end > low);
        !hidden && deleted_in(&self.deleted, low..high) == 0
    }
}

impl Changes {
    /// Reads the rows of the catalog that are not in the files: deletions of the generations from `since` on,
    /// ranges, and the unread prints. `deleted` are the known deletions.
    pub(crate) fn read(&mut self, catalog: &Catalog, since: u64, deleted: &RoaringTreemap) -> Result<()> {
        let above = since.saturating_sub(1).max(self.manifest.folded);
        catalog.deletions(above, &mut |_, number| {
            self.deletions += 1;
            self.deleted.insert(number);
        })?;
        self.ranges = Ranges::read(catalog)?;
        for numbers in self.ranges.in_state(RangeState::Cancelled) {
            self.deleted.insert_range(numbers);
        }
        for batch in catalog.batches()?.into_iter().map(|(_, batch)| batch) {
            if batch.state == BatchState::Committing {
                catalog.replaced(Some(batch.number), &mut |_, number| {
                    self.deleted.insert(number);
                    Ok(true)
                })?;
            }
        }
        self.read_prints(catalog, deleted)
    }

    /// Reads the unread prints. A memtable needs neither those of unfinished loads nor deleted ones.
    fn read_prints(&mut self, catalog: &Catalog, known: &RoaringTreemap) -> Result<()> {
        let Self { ranges, prints, seen, deleted, .. } = self;
        let passed_over = |state| matches!(state, RangeState::Loading | RangeState::Cancelled);
        let end = (u64::MAX..u64::MAX, RangeState::Loading, 0);
        for (numbers, state, _) in ranges.iter().filter(|(_, state, _)| passed_over(*state)).chain([end]) {
            if numbers.end <= *seen {
                continue;
            }
            catalog.prints(*seen, &mut |number, print| {
                if number >= numbers.start {
                    return Ok(false);
                }
                if !print.unprinted && !deleted.contains(number) && !known.contains(number) {
                    prints.push((print.fingerprint, number));
                }
                *seen = number + 1;
                Ok(true)
            })?;
            if state == RangeState::Loading {
                // It is the last one. Its documents are read when the load has ended.
                break;
            }
            *seen = numbers.end;
        }
        Ok(())
    }
}

/// Reads MANIFEST.
pub(crate) fn read_manifest(dir: &Dir) -> Result<Manifest> {
    let path: &Path = &dir.manifest_path();
    let bytes = dir.read_manifest()?;
    Manifest::decode(&bytes).map_err(Error::format(path))
}
