//! A snapshot: one consistent state of runs, memtable and deletions, from which queries are answered.

use std::path::PathBuf;
use std::sync::Arc;

use nddb_format::manifest::{Manifest, RunEntry};
use roaring::RoaringTreemap;

use super::counters::Counters;
#[cfg(feature = "catalog")]
use super::key_rows::KeyRows;
use crate::disk::dir::{Dir, FileKind};
use crate::error::A_SET;
use crate::ranges::{Ranges, deleted_in};
use crate::runs::memtable::Memtables;
use crate::runs::run::{Run, Verify};
use crate::runs::summaries::SummariesFile;
use crate::{Error, Result};

/// One state of the database.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The folder, for errors.
    pub(super) path: PathBuf,
    /// Its manifest.
    pub(crate) manifest: Manifest,
    /// The runs, in ascending order of their number ranges.
    pub(crate) runs: Vec<Arc<Run>>,
    /// The key tables of the runs that have one, as runs of keys, in the same order.
    pub(crate) key_runs: Vec<Arc<Run>>,
    /// Documents above the runs.
    pub(crate) memtable: Memtables,
    /// Deleted documents that a run or the catalog may still contain.
    pub(crate) deleted: RoaringTreemap,
    /// The states of number ranges of batches and loads.
    pub(crate) ranges: Ranges,
    /// Every document number below this one has been read; later ones are not visible.
    pub(crate) seen: u64,
    /// The rows of keys of the catalog.
    #[cfg(feature = "catalog")]
    pub(super) key_rows: KeyRows,
    /// The work of queries, also on earlier states of the same reader.
    pub(super) counters: Arc<Counters>,
}

fn key_runs(runs: &[Arc<Run>]) -> Vec<Arc<Run>> {
    runs.iter().filter_map(|run| run.keys.clone()).collect()
}

/// Opens the runs of a manifest, reusing those that are open already.
pub(super) fn open_runs(dir: &Dir, manifest: &Manifest, verify: Verify, open: &[Arc<Run>]) -> Result<Vec<Arc<Run>>> {
    let take = |entry: &RunEntry| match open.iter().find(|run| run.entry == *entry) {
        Some(run) => Ok(run.clone()),
        None => Run::open(dir, entry, verify).map(Arc::new),
    };
    manifest.runs.iter().map(take).collect()
}

/// Reads the deleted set of a manifest.
pub(super) fn read_deleted(dir: &Dir, manifest: &Manifest) -> Result<RoaringTreemap> {
    let Some(file) = &manifest.deleted else { return Ok(RoaringTreemap::new()) };
    let bytes = dir.read(file.number, FileKind::Deleted)?;
    let path = dir.path(file.number, FileKind::Deleted);
    if bytes.len() as u64 != file.length || crc32fast::hash(&bytes) != file.checksum {
        let what = "is not the file that the manifest describes".into();
        return Err(Error::Inconsistent { path, what });
    }
    nddb_format::deleted::decode(&bytes).map_err(Error::format(&path))
}

impl Snapshot {
    /// Opens all files of a manifest, reusing those already open in `before`. The rows of the catalog are not read yet.
    pub(crate) fn open(dir: &Dir, manifest: Manifest, verify: Verify, before: Option<&Snapshot>) -> Result<Self> {
        let runs = open_runs(dir, &manifest, verify, before.map_or(&[], |before| &before.runs))?;
        let deleted = read_deleted(dir, &manifest)?;
        let memtable = Memtables::new(manifest.bits, manifest.k);
        let seen = manifest.complete;
        Ok(Self {
            path: dir.root().to_owned(),
            manifest,
            key_runs: key_runs(&runs),
            runs,
            memtable,
            deleted,
            ranges: Ranges::default(),
            seen,
            #[cfg(feature = "catalog")]
            key_rows: KeyRows::default(),
            counters: before.map(|before| before.counters.clone()).unwrap_or_default(),
        })
    }

    pub(super) fn set_runs(&mut self, runs: Vec<Arc<Run>>) {
        self.key_runs = key_runs(&runs);
        self.runs = runs;
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

    /// Returns the file that has the summary of a number, if the number has one.
    #[inline]
    pub(crate) fn summaries(&self, number: u64) -> Option<&SummariesFile> {
        let after = self.runs.partition_point(|run| run.entry.high <= number);
        self.runs.get(after).filter(|run| run.entry.low <= number)?.summaries.as_ref()
    }

    /// Returns whether all documents that have been read are live.
    pub(crate) fn has_only_live(&self) -> bool {
        self.deleted.is_empty() && self.ranges.hidden().is_empty()
    }

    /// Returns whether every document of the run is certainly live.
    pub(crate) fn is_all_live(&self, run: &Run) -> bool {
        self.are_all_live(run.entry.low..run.entry.high)
    }

    /// Returns whether none of these numbers is deleted or hidden.
    pub(crate) fn are_all_live(&self, numbers: std::ops::Range<u64>) -> bool {
        let mut hidden = self.ranges.hidden().iter();
        let is_hidden = hidden.any(|range| range.start < numbers.end && range.end > numbers.start);
        !is_hidden && deleted_in(&self.deleted, numbers) == 0
    }
}

/// Reads the MANIFEST of a database.
///
/// # Errors
/// [`Error::NotADatabase`] for a static index; damage.
pub(crate) fn read_manifest(dir: &Dir) -> Result<Manifest> {
    let manifest = read_any_manifest(dir)?;
    refuse_static(dir, &manifest)?;
    Ok(manifest)
}

/// Refuses the MANIFEST of a static index.
pub(crate) fn refuse_static(dir: &Dir, manifest: &Manifest) -> Result<()> {
    if manifest.catalog == 0 {
        let why = "it is a static index, which has no ids; programs open it as a StaticIndex";
        return Err(Error::NotADatabase { path: dir.root().into(), why });
    }
    Ok(())
}

/// Reads the MANIFEST of a database or of a static index.
///
/// # Errors
/// [`Error::NotADatabase`] for a set; damage.
pub(crate) fn read_any_manifest(dir: &Dir) -> Result<Manifest> {
    let bytes = dir.read_manifest()?;
    refuse_set(dir, &bytes)?;
    Manifest::decode(&bytes).map_err(Error::format(&dir.manifest_path()))
}

/// Refuses the MANIFEST of a set.
pub(crate) fn refuse_set(dir: &Dir, bytes: &[u8]) -> Result<()> {
    if Manifest::is_of_set(bytes) {
        return Err(Error::NotADatabase { path: dir.root().into(), why: A_SET });
    }
    Ok(())
}
