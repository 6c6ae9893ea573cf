//! A snapshot: one consistent state of runs, memtable and deletions that queries are answered from.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use nddb_format::manifest::Manifest;
use nddb_format::record::RangeState;
use roaring::RoaringTreemap;

use super::catalog::Catalog;
use super::dir::{Dir, Kind};
use super::memtable::Memtable;
use super::run::{Run, Verify};
use crate::{Error, Result};

/// One state of the database.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The manifest it is from.
    pub(crate) manifest: Manifest,
    /// The runs, in ascending order of their number ranges.
    pub(crate) runs: Vec<Arc<Run>>,
    /// Documents above the runs.
    pub(crate) memtable: Memtable,
    /// Deleted documents that a run or the catalog may still hold.
    pub(crate) deleted: RoaringTreemap,
    /// Number ranges that are pending or loading, ascending.
    pub(crate) hidden: Vec<Range<u64>>,
    /// Every document number below it has been seen.
    pub(crate) seen: u64,
}

impl Snapshot {
    /// Opens all files of a manifest, taking over from `before` what it has open already.
    pub(crate) fn open(dir: &Dir, manifest: Manifest, verify: Verify, before: Option<&Snapshot>) -> Result<Self> {
        let mut runs = Vec::with_capacity(manifest.runs.len());
        for entry in &manifest.runs {
            let open = before.and_then(|before| before.runs.iter().find(|run| run.entry == *entry));
            runs.push(match open {
                Some(run) => run.clone(),
                None => Arc::new(Run::open(dir, entry, verify)?),
            });
        }
        let deleted = match &manifest.deleted {
            Some(file) => {
                let bytes = dir.read(file.number, Kind::Deleted)?;
                let path = dir.path(file.number, Kind::Deleted);
                if bytes.len() as u64 != file.length || crc32fast::hash(&bytes) != file.checksum {
                    let what = "is not the file that the manifest describes".into();
                    return Err(Error::Inconsistent { path, what });
                }
                nddb_format::deleted::decode(&bytes).map_err(Error::format(&path))?
            }
            None => RoaringTreemap::new(),
        };
        let memtable = Memtable::new(manifest.bits, manifest.k);
        let seen = manifest.complete;
        Ok(Self { manifest, runs, memtable, deleted, hidden: Vec::new(), seen })
    }

    /// Reads from the catalog what has changed since: deletions, hidden ranges and new documents.
    pub(crate) fn catch_up(&mut self, catalog: &Catalog) -> Result<()> {
        let deleted = &mut self.deleted;
        catalog.deletions(self.manifest.folded, &mut |_, number| {
            deleted.insert(number);
        })?;
        self.hidden.clear();
        for (low, range) in catalog.ranges()? {
            match range.state {
                RangeState::Pending | RangeState::Loading => self.hide(low..range.high),
                RangeState::Cancelled => {
                    self.deleted.insert_range(low..range.high);
                }
                RangeState::Committed => (),
            }
        }
        let (memtable, seen) = (&mut self.memtable, &mut self.seen);
        catalog.prints(*seen, &mut |number, print| {
            if !print.unprinted {
                memtable.insert(print.fingerprint, number);
            }
            *seen = number + 1;
            Ok(true)
        })
    }

    /// Hides a range above all that are hidden already.
    pub(crate) fn hide(&mut self, range: Range<u64>) {
        match self.hidden.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.hidden.push(range),
        }
    }

    /// Whether a document is neither deleted nor hidden.
    #[inline]
    pub(crate) fn is_live(&self, number: u64) -> bool {
        !self.is_hidden(number) && !self.deleted.contains(number)
    }

    /// Whether a document belongs to a batch or load that is not committed.
    #[inline]
    pub(crate) fn is_hidden(&self, number: u64) -> bool {
        let after = self.hidden.partition_point(|range| range.end <= number);
        self.hidden.get(after).is_some_and(|range| range.contains(&number))
    }

    /// Whether every document of the run is live for sure.
    pub(crate) fn is_all_live(&self, run: &Run) -> bool {
        let (low, high) = (run.entry.low, run.entry.high);
        let hidden = self.hidden.iter().any(|range| range.start < high && range.end > low);
        let deleted_below = |number: u64| if number == 0 { 0 } else { self.deleted.rank(number - 1) };
        !hidden && deleted_below(high) == deleted_below(low)
    }
}

/// Reads MANIFEST.
pub(crate) fn read_manifest(dir: &Dir) -> Result<Manifest> {
    let path: &Path = &dir.manifest_path();
    let bytes = dir.read_manifest()?;
    Manifest::decode(&bytes).map_err(Error::format(path))
}
