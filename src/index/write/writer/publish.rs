//! Publishing a new state of the runs: flushes, and the replacement of the manifest.

use std::ops::Range;
use std::sync::Arc;

use nddb_format::manifest::{FileEntry, Manifest, RunEntry};
use nddb_format::record::{RangeState, Settings};
use nddb_format::scheme::Scheme;
use roaring::RoaringTreemap;

use super::Writer;
use crate::disk::bugs::{Bug, bug};
use crate::disk::dir::{FileKind, named_files};
use crate::runs::build::{files_of, run_size};
use crate::runs::contents::{Contents, run_of};
use crate::runs::planner;
use crate::runs::run::{Run, Verify};
use crate::runs::summaries::summaries_size;
use crate::spill::progress::{Progress, Ticker};
use crate::{Error, Result};

impl Writer {
    /// Moves all committed documents from the memtable into a run.
    ///
    /// # Errors
    /// [`Error::OverLimit`] if there is no space: nothing is lost, and queries continue to work; errors of the disk.
    pub fn flush(&mut self) -> Result<()> {
        self.ready()?;
        let outcome = self.flush_memtable();
        self.guard(outcome)
    }

    fn flush_memtable(&mut self) -> Result<()> {
        self.finish_flush()?;
        let deleted = &self.snapshot.deleted;
        let contents = self.snapshot.memtable.contents(|number| !deleted.contains(number));
        let (low, high) = (self.snapshot.manifest.complete, self.counters.next_number);
        if low == high {
            return Ok(());
        }
        let run = self.make_run((low, high), contents, false)?;
        let mut manifest = self.snapshot.manifest.clone();
        manifest.runs.extend(run);
        manifest.complete = high;
        self.publish(manifest, low..high)
    }

    /// Returns the scheme of a run of `documents` documents: the one fixed for the database, or the planner's.
    pub(crate) fn scheme_for(&self, documents: u64) -> Result<Scheme> {
        let Settings { bits, k, restart, levels, .. } = &self.settings;
        let chosen = planner::scheme_of_run((*bits, *k, *restart), levels.as_deref(), documents);
        chosen.map_err(Error::format(&self.dir.catalog()))
    }

    /// Sets the levels of the scheme of later runs, or leaves their schemes to the planner.
    ///
    /// # Errors
    /// Levels that are not a valid scheme for these bits and k; errors of the disk.
    pub fn set_levels(&mut self, levels: Option<&[u8]>) -> Result<()> {
        levels.map(|levels| self.scheme_of(levels)).transpose()?;
        let mut settings = self.settings.clone();
        settings.levels = levels.map(<[u8]>::to_vec);
        let mut commit = self.catalog.begin();
        commit.settings(&settings);
        let written = commit.write();
        self.guard(written)?;
        self.settings = settings;
        Ok(())
    }

    /// Builds a run under the next file numbers, `None` if it would be empty; `reports` tells whether the watcher is
    /// called.
    pub(crate) fn make_run(
        &mut self,
        range: (u64, u64),
        contents: Contents<'_>,
        reports: bool,
    ) -> Result<Option<RunEntry>> {
        if contents.pairs.is_empty() {
            return Ok(None);
        }
        let documents = contents.pairs.len() as u64;
        let scheme = self.scheme_for(documents)?;
        let size = run_size(&scheme, documents, contents.keys.len() as u64);
        self.dir.need_space(size + summaries_size(contents.summaries_size, documents, range.1 - range.0))?;
        let files = files_of(&scheme);
        let first = self.take_files(files);
        // A flush makes room for a commit. It is short and cannot be cancelled.
        let mut silent = |_: &Progress| true;
        let ticker = if reports { Ticker::new(&mut *self.watch) } else { Ticker::new(&mut silent) };
        let built = run_of(&self.dir, first, &scheme, range, contents, self.threads, &ticker);
        built.map(Some).inspect_err(|_| self.drop_files(first, files))
    }

    /// Reserves file numbers that were never used.
    pub(crate) fn take_files(&mut self, len: u64) -> u64 {
        let first = self.next_file;
        self.next_file += len;
        first
    }

    /// Removes files of an attempt that failed; files that cannot be removed now are removed at the next opening.
    pub(crate) fn drop_files(&self, first: u64, len: u64) {
        for number in first..first + len {
            for kind in FileKind::ALL {
                let _ = self.dir.remove(number, kind);
            }
        }
    }

    /// Publishes the next manifest. The runs with the numbers `rewritten` have been built without the deleted
    /// documents.
    pub(crate) fn publish(&mut self, manifest: Manifest, rewritten: Range<u64>) -> Result<()> {
        self.replace(manifest, None, None)?;
        self.retire_dropped(rewritten, None);
        Ok(())
    }

    /// Retires the rows of deleted documents that no run contains: those of the numbers `rewritten`, whose run has
    /// been built without them, or without those of `left_out`, and those between the runs.
    pub(crate) fn retire_dropped(&mut self, rewritten: Range<u64>, left_out: Option<&RoaringTreemap>) {
        let manifest = &self.snapshot.manifest;
        let mut gone = self.snapshot.deleted.clone();
        gone.remove_range(manifest.complete..);
        for run in manifest.runs.iter().filter(|run| run.low < rewritten.start || run.high > rewritten.end) {
            gone.remove_range(run.low..run.high);
        }
        if let Some(left_out) = left_out {
            let mut later = gone.clone();
            later.remove_range(..rewritten.start);
            later.remove_range(rewritten.end..);
            later -= left_out;
            gone -= later;
        }
        self.retired.rows(gone);
    }

    /// Publishes that numbers leave the deleted set.
    pub(super) fn publish_without(&mut self, numbers: &RoaringTreemap) -> Result<()> {
        let mut manifest = self.snapshot.manifest.clone();
        manifest.purged = manifest.purged.wrapping_add(1);
        self.replace(manifest, Some(numbers), None)?;
        self.retired.forget(numbers);
        self.forget_deletions(numbers)?;
        self.forget_cancelled(numbers)?;
        self.snapshot.deleted -= numbers;
        Ok(())
    }

    /// Replaces the manifest; `opened` is a run of the new one that is open already.
    pub(super) fn replace(
        &mut self,
        mut manifest: Manifest,
        leaving: Option<&RoaringTreemap>,
        opened: Option<Arc<Run>>,
    ) -> Result<()> {
        let before = self.snapshot.manifest.clone();
        manifest.generation = before.generation + 1;
        manifest.commits = self.counters.commits;
        let first = self.next_file;
        // Removing numbers from the deleted set needs a new file; removing rows does not.
        let fold = self.unfolded >= self.thresholds.fold || leaving.is_some() && manifest.deleted.is_some();
        let prepared = self.prepare(&mut manifest, fold, leaving);
        if let Err(error) = prepared {
            // No manifest names the new files or the run that was to be published.
            let new = manifest
                .files()
                .map(|file| file.number)
                .filter(|number| before.files().all(|old| old.number != *number));
            new.chain(first..self.next_file).for_each(|number| self.drop_files(number, 1));
            return Err(error);
        }
        // From here on the new state may be the one on disk. Until this writer also has it in memory, it must not
        // write.
        self.poisoned = true;
        if bug(Bug::RemovedBeforeManifest, self.dir.root()) {
            let is_kept = |number| manifest.files().any(|kept| kept.number == number);
            for (file, kind) in named_files(&before).filter(|(file, _)| !is_kept(file.number)) {
                self.dir.remove(file.number, kind)?;
            }
        }
        self.dir.install_manifest()?;
        self.snapshot.adopt(&self.dir, manifest, Verify::FirstTouch, opened)?;
        self.poisoned = false;
        let now = &self.snapshot.manifest;
        for (file, kind) in named_files(&before) {
            if now.files().all(|kept| kept.number != file.number) {
                self.retired.file(file.number, kind);
            }
        }
        if fold {
            self.unfolded = 0;
            self.retired.deletions(now.folded);
        }
        Ok(())
    }

    /// Writes the files of the next manifest, and the manifest itself beside the current one.
    fn prepare(&mut self, manifest: &mut Manifest, fold: bool, leaving: Option<&RoaringTreemap>) -> Result<()> {
        if fold {
            self.fold(manifest, leaving)?;
        }
        manifest.next_file = self.next_file;
        self.dir.prepare_manifest(&manifest.encode())
    }

    /// Writes the deleted set into a new file, without the numbers that are stored nowhere else.
    fn fold(&mut self, manifest: &mut Manifest, leaving: Option<&RoaringTreemap>) -> Result<()> {
        let mut deleted = self.snapshot.deleted.clone();
        leaving.into_iter().for_each(|leaving| deleted -= leaving);
        // The rows of cancelled ranges already mark their numbers as deleted.
        self.snapshot.ranges.in_state(RangeState::Cancelled).for_each(|numbers| _ = deleted.remove_range(numbers));
        // Later deletions carry the new generation.
        let is_too_far = bug(Bug::FoldedTooFar, self.dir.root());
        manifest.folded = if is_too_far { manifest.generation } else { manifest.generation - 1 };
        manifest.deleted = None;
        if deleted.is_empty() {
            return Ok(());
        }
        let bytes = nddb_format::deleted::encode(&deleted);
        self.dir.need_space(bytes.len() as u64)?;
        let number = self.take_files(1);
        let mut file = self.dir.create_file(number, FileKind::Deleted)?;
        file.write(&bytes)?;
        let (length, checksum) = file.finish()?;
        self.dir.sync_runs()?;
        manifest.deleted = Some(FileEntry { number, length, identity: 0, checksum });
        Ok(())
    }

    /// Publishes that the runs are complete up to the last number, if the memtable has no live documents.
    pub(crate) fn publish_complete(&mut self) -> Result<()> {
        let live = self
            .snapshot
            .memtable
            .entries()
            .any(|(_, numbers)| numbers.iter().any(|&number| !self.snapshot.deleted.contains(number)));
        if live {
            return Ok(());
        }
        let mut manifest = self.snapshot.manifest.clone();
        manifest.complete = self.counters.next_number;
        self.publish(manifest, 0..0)
    }

    /// Returns the scheme of these levels for this database.
    pub(crate) fn scheme_of(&self, levels: &[u8]) -> Result<Scheme> {
        let settings = &self.settings;
        Scheme::new(settings.bits, settings.k, levels, settings.restart).map_err(Error::format(&self.dir.catalog()))
    }
}
