//! The catalog's part of a snapshot: what is in no file yet, and the changes from one state to a later one.

use std::sync::Arc;

use nddb_format::document_keys::KeyKinds;
use nddb_format::manifest::Manifest;
use nddb_format::record::{BatchState, Counters, RangeState, Record, Settings};
use roaring::RoaringTreemap;

use super::key_rows::KeyRows;
use super::snapshot::{Snapshot, open_runs, read_deleted};
use crate::catalog::{Catalog, DocumentKeys, Key};
use crate::disk::dir::Dir;
use crate::keys::{keys_of, summary_of};
use crate::ranges::Ranges;
use crate::runs::run::{Run, Verify};
use crate::runs::summaries::SummaryRows;
use crate::{Error, Result};

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

    /// Returns whether the catalog may have rows of a key.
    pub(crate) fn may_have_rows(&self, key: &Key, catalog: &Catalog) -> bool {
        self.key_rows.may_have(key, catalog)
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
