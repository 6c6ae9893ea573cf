//! A snapshot: one consistent state of runs, memtable and deletions, from which queries are answered.

use std::path::Path;
use std::sync::Arc;

use nddb_format::document_keys::KeyKinds;
use nddb_format::manifest::{Manifest, RunEntry};
use nddb_format::record::{BatchState, Counters, RangeState, Record, Settings};
use roaring::RoaringTreemap;

use super::key_rows::KeyRows;
use crate::catalog::{Catalog, DocumentKeys, Key};
use crate::disk::dir::{Dir, Kind};
use crate::keys::{keys_of, summary_of};
use crate::ranges::{Ranges, deleted_in};
use crate::runs::memtable::Memtables;
use crate::runs::run::{Run, Verify};
use crate::runs::summaries::{SummariesFile, SummaryRows};
use crate::{Error, Result};

/// One state of the database.
#[derive(Debug)]
pub(crate) struct Snapshot {
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
    key_rows: KeyRows,
}

fn key_runs(runs: &[Arc<Run>]) -> Vec<Arc<Run>> {
    runs.iter().filter_map(|run| run.keys.clone()).collect()
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

/// A way in which a manifest and a catalog disagree.
#[derive(Debug)]
pub(crate) enum Disagreement {
    /// The two belong to different databases.
    Settings(&'static str),
    /// The catalog is behind the manifest: acknowledged commits were lost.
    Lost(String),
}

impl Disagreement {
    /// Returns the message.
    pub(crate) fn what(self) -> String {
        match self {
            Self::Settings(what) => what.to_owned(),
            Self::Lost(what) => what,
        }
    }
}

/// Returns all disagreements of a manifest and a catalog.
pub(crate) fn disagreements(
    manifest: &Manifest,
    settings: &Settings,
    counters: &Counters,
) -> impl Iterator<Item = Disagreement> + use<> {
    let of_settings = |differ: bool, what| differ.then_some(Disagreement::Settings(what));
    let identity = of_settings(manifest.catalog != settings.catalog, "MANIFEST and catalog do not belong together");
    let widths = of_settings(
        (manifest.bits, manifest.k) != (settings.bits, settings.k),
        "MANIFEST and catalog disagree about bits or k",
    );
    let is_behind = manifest.commits > counters.commits || manifest.complete > counters.next_number;
    let lost = is_behind.then(|| {
        Disagreement::Lost(format!(
            "the catalog has lost commits: MANIFEST knows of {} and of numbers below {}, the catalog of {} and {}",
            manifest.commits, manifest.complete, counters.commits, counters.next_number
        ))
    });
    [identity, widths, lost].into_iter().flatten()
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
    /// Keys of the same documents.
    keys: Vec<u64>,
    /// For each print, the index at which its keys end.
    key_ends: Vec<usize>,
    /// Summaries of the same documents.
    summaries: SummaryRows,
    /// The rows of keys of the catalog.
    key_rows: KeyRows,
    seen: u64,
    /// Number of rows of deletions that were read.
    deletions: u64,
}

impl Snapshot {
    /// Opens all files of a manifest, reusing those already open in `before`. The rows of the catalog are not read yet.
    pub(crate) fn open(dir: &Dir, manifest: Manifest, verify: Verify, before: Option<&Snapshot>) -> Result<Self> {
        let runs = open_runs(dir, &manifest, verify, before.map_or(&[], |before| &before.runs))?;
        let deleted = read_deleted(dir, &manifest)?;
        let memtable = Memtables::new(manifest.bits, manifest.k);
        let seen = manifest.complete;
        Ok(Self {
            manifest,
            key_runs: key_runs(&runs),
            runs,
            memtable,
            deleted,
            ranges: Ranges::default(),
            seen,
            key_rows: KeyRows::default(),
        })
    }

    fn set_runs(&mut self, runs: Vec<Arc<Run>>) {
        self.key_runs = key_runs(&runs);
        self.runs = runs;
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
        self.set_runs(open_runs(dir, &manifest, verify, &open)?);
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
        Ok(Changes::new(manifest, runs, deleted, seen))
    }

    /// Applies the changes.
    pub(crate) fn apply(&mut self, changes: Changes) {
        self.memtable.drop_below(changes.manifest.complete);
        self.memtable.reserve_keys(changes.keys.len());
        let mut keys = changes.keys.into_iter();
        let mut start = 0;
        // A document without a record has no such end; nor has any document if keys are rows of the catalog.
        let ends = changes.key_ends.into_iter().chain(std::iter::repeat(0));
        for ((fingerprint, number), end) in changes.prints.into_iter().zip(ends) {
            self.memtable.insert(fingerprint, number);
            self.memtable.insert_keys(number, keys.by_ref().take(end.saturating_sub(start)));
            if let Some(summary) = changes.summaries.get(number) {
                self.memtable.insert_summary(number, summary);
            }
            start = start.max(end);
        }
        self.key_rows = changes.key_rows;
        self.manifest = changes.manifest;
        self.set_runs(changes.runs);
        self.deleted |= changes.deleted;
        self.ranges = changes.ranges;
        self.seen = changes.seen;
    }

    /// Reads the rows of the catalog that are not in the files. Returns the number of deletions among them.
    pub(crate) fn catch_up(&mut self, catalog: &Catalog) -> Result<u64> {
        let deleted = RoaringTreemap::new();
        let mut changes = Changes::new(self.manifest.clone(), self.runs.clone(), deleted, self.seen);
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

    /// Returns whether the catalog may have rows of a key.
    pub(crate) fn may_have_rows(&self, key: &Key, catalog: &Catalog) -> bool {
        self.key_rows.may_have(key, catalog)
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

    /// Reads again which families of the catalog have rows of keys.
    pub(crate) fn read_key_rows(&mut self, catalog: &Catalog) -> Result<()> {
        self.key_rows = KeyRows::read(catalog)?;
        Ok(())
    }

    /// Notes that rows of these keys have been written.
    pub(crate) fn note_key_rows(&mut self, keys: &DocumentKeys) {
        self.key_rows.add(keys);
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

impl Changes {
    fn new(manifest: Manifest, runs: Vec<Arc<Run>>, deleted: RoaringTreemap, seen: u64) -> Self {
        Self {
            manifest,
            runs,
            deleted,
            ranges: Ranges::default(),
            prints: Vec::new(),
            keys: Vec::new(),
            key_ends: Vec::new(),
            summaries: SummaryRows::default(),
            key_rows: KeyRows::default(),
            seen,
            deletions: 0,
        }
    }

    /// Returns the generation of the later manifest.
    pub(crate) fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Reads the rows of the catalog that are not in the files: deletions of the generations from `since` on,
    /// ranges, and the unread prints. `deleted` are the known deletions.
    pub(crate) fn read(&mut self, catalog: &Catalog, since: u64, deleted: &RoaringTreemap) -> Result<()> {
        let above = since.saturating_sub(1).max(self.manifest.folded);
        catalog.deletions(above, &mut |_, numbers| {
            self.deletions += numbers.end - numbers.start;
            self.deleted.insert_range(numbers);
        })?;
        self.ranges = Ranges::read(catalog)?;
        for numbers in self.ranges.in_state(RangeState::Cancelled) {
            self.deleted.insert_range(numbers);
        }
        for batch in catalog.batches()?.into_iter().map(|(_, batch)| batch) {
            if batch.state == BatchState::Committing {
                catalog.replaced(batch.number, 0, &mut |numbers| {
                    self.deleted.insert_range(numbers);
                    Ok(true)
                })?;
            }
        }
        self.key_rows = KeyRows::read(catalog)?;
        self.read_prints(catalog, deleted)?;
        self.read_keys(catalog)
    }

    /// Reads the keys and summaries of the documents whose prints were read.
    fn read_keys(&mut self, catalog: &Catalog) -> Result<()> {
        if self.prints.is_empty() {
            return Ok(());
        }
        let kinds = KeyKinds::of_label(&catalog.settings()?.recipe);
        let prints = &self.prints;
        let numbers = prints.iter().map(|&(_, number)| number);
        self.key_ends.resize(self.prints.len(), 0);
        catalog.neighboring_records(numbers, &mut |index, value| {
            let record = Record::decode(value).map_err(Error::format(catalog.path()))?;
            let keys = keys_of(&record, kinds);
            if index == 0 {
                // As a rule all documents have equally many.
                self.keys.reserve(keys.stored().count() * prints.len());
            }
            self.keys.extend(keys.stored());
            let (fingerprint, number) = prints[index];
            self.summaries.push(number, &summary_of(fingerprint, &record, kinds));
            self.key_ends[index] = self.keys.len();
            Ok(())
        })
    }

    /// Reads the unread prints. A memtable needs neither the prints of unfinished loads nor deleted ones.
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
                // A range that is being loaded is the last one. Its documents are read after the load.
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
