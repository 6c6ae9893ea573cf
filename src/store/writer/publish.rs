//! Publishing a new state of the runs: flushes, and the replacement of the manifest (SPEC 10.2).

use std::time::{Duration, Instant};

use nddb_format::manifest::{FileEntry, Manifest};
use nddb_format::record::RangeState;

use super::Writer;
use crate::store::build::{files_of, run_of_pairs};
use crate::store::dir::Kind;
use crate::store::planner::{self, Budget};
use crate::store::run::Verify;
use crate::store::snapshot::Snapshot;
use crate::{Error, Result};

/// How long a replaced file stays for readers that are just opening it.
const GRACE: Duration = Duration::from_secs(5);
/// Deletions in the catalog before they are written to a file of their own.
const FOLD_AT: u64 = 65_536;

impl Writer {
    /// Moves all committed documents from the memtable into a run.
    ///
    /// # Errors
    /// [`Error::OverLimit`] if there is no space: nothing is lost, and answers go on; errors of the disk.
    pub fn flush(&mut self) -> Result<()> {
        self.ready()?;
        let outcome = self.flush_memtable();
        self.guard(outcome)
    }

    fn flush_memtable(&mut self) -> Result<()> {
        let deleted = &self.snapshot.deleted;
        let mut pairs = Vec::with_capacity(self.snapshot.memtable.len());
        for (fingerprint, numbers) in self.snapshot.memtable.entries() {
            pairs.extend(numbers.iter().filter(|&&number| !deleted.contains(number)).map(|&number| (fingerprint, number)));
        }
        let (low, high) = (self.snapshot.manifest.complete, self.counters.next_number);
        if low == high {
            return Ok(());
        }
        let mut manifest = self.snapshot.manifest.clone();
        if !pairs.is_empty() {
            let run = self.make_run(&mut manifest, (low, high), &mut pairs)?;
            manifest.runs.push(run);
        }
        manifest.complete = high;
        self.publish(manifest, &[])
    }

    /// The scheme of a run of so many fingerprints: the one chosen for the database, or the planner's.
    pub(in crate::store) fn scheme_for(&self, documents: u64) -> Result<nddb_format::scheme::Scheme> {
        let settings = &self.settings;
        let scheme = match &settings.levels {
            Some(levels) => nddb_format::scheme::Scheme::new(settings.bits, settings.k, levels, settings.restart),
            None => planner::choose(settings.bits, settings.k, documents, Budget::default())
                .and_then(|chosen| {
                    nddb_format::scheme::Scheme::new(settings.bits, settings.k, chosen.levels(), settings.restart)
                }),
        };
        scheme.map_err(Error::format(&self.dir.catalog()))
    }

    /// Makes a run of pairs under the next file numbers.
    pub(in crate::store) fn make_run(
        &mut self,
        manifest: &mut Manifest,
        range: (u64, u64),
        pairs: &mut [(u64, u64)],
    ) -> Result<nddb_format::manifest::RunEntry> {
        let scheme = self.scheme_for(pairs.len() as u64)?;
        // Six bytes a fingerprint and table, as much for a document number, and some blocks to begin with.
        self.need_space((files_of(&scheme) * (pairs.len() as u64 * 7 + 8192)) * 11 / 10)?;
        let first = self.take_files(manifest, files_of(&scheme));
        run_of_pairs(&self.dir, first, &scheme, range, pairs, self.threads).inspect_err(|_| self.drop_files(first, manifest))
    }

    /// Fails unless so many bytes are free.
    pub(in crate::store) fn need_space(&self, need: u64) -> Result<()> {
        let have = self.dir.free()?;
        if have < need { Err(Error::OverLimit { what: "disk space", need, have }) } else { Ok(()) }
    }

    /// Takes file numbers that were never used.
    pub(in crate::store) fn take_files(&self, manifest: &mut Manifest, len: u64) -> u64 {
        let first = manifest.next_file;
        manifest.next_file += len;
        first
    }

    /// Removes files of an attempt that failed; what cannot be removed now is swept at the next opening.
    pub(in crate::store) fn drop_files(&self, first: u64, manifest: &Manifest) {
        for number in first..manifest.next_file {
            for kind in [Kind::Segment, Kind::Postings] {
                let _ = self.dir.remove(number, kind);
            }
        }
    }

    /// Replaces the manifest by the next generation and moves on to it. `gone` are document numbers that
    /// no run of it holds any more.
    pub(in crate::store) fn publish(&mut self, mut manifest: Manifest, gone: &[u64]) -> Result<()> {
        let before = self.snapshot.manifest.clone();
        manifest.generation = before.generation + 1;
        manifest.commits = self.counters.commits;
        let fold = self.fold(&mut manifest)?;
        self.dir.replace_manifest(&manifest.encode())?;
        self.reopen(manifest)?;
        let now = Instant::now();
        for (file, kind) in files_with_kind(&before) {
            if !files_with_kind(&self.snapshot.manifest).any(|(kept, _)| kept.number == file.number) {
                self.obsolete.push((now, file.number, kind));
            }
        }
        if fold {
            self.forget_folded()?;
        }
        self.purge(gone)
    }

    /// Writes the deleted set into a file of its own, if the catalog holds many deletions.
    fn fold(&self, manifest: &mut Manifest) -> Result<bool> {
        let mut rows = 0;
        self.catalog.deletions(manifest.folded, &mut |_, _| rows += 1)?;
        if rows < FOLD_AT {
            return Ok(false);
        }
        let bytes = nddb_format::deleted::encode(&self.snapshot.deleted);
        let number = self.take_files(manifest, 1);
        let mut file = self.dir.create_file(number, Kind::Deleted)?;
        file.write(&bytes)?;
        let (length, checksum) = file.finish()?;
        self.dir.sync_runs()?;
        manifest.deleted = Some(FileEntry { number, length, identity: 0, checksum });
        // Deletions from now on carry the new generation.
        manifest.folded = manifest.generation - 1;
        Ok(true)
    }

    fn forget_folded(&mut self) -> Result<()> {
        let mut rows = Vec::new();
        self.catalog.folded_deletions(self.snapshot.manifest.folded, &mut |generation, number| rows.push((generation, number)))?;
        for chunk in rows.chunks(10_000) {
            let mut commit = self.catalog.begin();
            chunk.iter().for_each(|&(generation, number)| commit.forget_deletion(generation, number));
            commit.write()?;
        }
        Ok(())
    }

    /// Opens the files of a manifest that is now durable.
    fn reopen(&mut self, manifest: Manifest) -> Result<()> {
        let mut snapshot = Snapshot::open(&self.dir, manifest, Verify::FirstTouch, Some(&self.snapshot))?;
        snapshot.catch_up(&self.catalog)?;
        snapshot.seen = self.counters.next_number;
        self.snapshot = snapshot;
        Ok(())
    }

    /// Reads the present state again from the catalog.
    pub(in crate::store) fn reload(&mut self) -> Result<()> {
        self.reopen(self.snapshot.manifest.clone())
    }

    /// Publishes that the runs are complete up to the last number, if the memtable is empty of live documents.
    pub(super) fn publish_complete(&mut self) -> Result<()> {
        let live = self.snapshot.memtable.entries().any(|(_, numbers)| numbers.iter().any(|&number| !self.snapshot.deleted.contains(number)));
        if live {
            return Ok(());
        }
        let mut manifest = self.snapshot.manifest.clone();
        manifest.complete = self.counters.next_number;
        self.publish(manifest, &[])
    }

    /// Removes the rows of documents that are deleted and in no run.
    fn purge(&mut self, gone: &[u64]) -> Result<()> {
        for chunk in gone.chunks(4096) {
            let mut commit = self.catalog.begin();
            for &number in chunk {
                if let Some(record) = self.catalog.record(number)? {
                    commit.purge(number, &record.id, &crate::store::document::keys_of(&record));
                }
            }
            commit.write()?;
        }
        Ok(())
    }

    /// Unlinks files that no manifest names, once readers have had time to look at the new one.
    pub(super) fn remove_obsolete(&mut self, at_once: bool) -> Result<()> {
        let dir = &self.dir;
        let mut outcome = Ok(());
        self.obsolete.retain(|&(since, number, kind)| {
            let due = at_once || since.elapsed() >= GRACE;
            if due && let Err(error) = dir.remove(number, kind) {
                outcome = Err(error);
            }
            !due
        });
        outcome
    }

    /// Whether a range of numbers is visible to all.
    pub(in crate::store) fn is_settled(state: RangeState) -> bool {
        matches!(state, RangeState::Committed | RangeState::Cancelled)
    }
}

fn files_with_kind(manifest: &Manifest) -> impl Iterator<Item = (FileEntry, Kind)> + '_ {
    let deleted = manifest.deleted.iter().map(|file| (*file, Kind::Deleted));
    let runs = manifest.runs.iter().flat_map(|run| {
        let segments = run.segments.iter().map(|file| (*file, Kind::Segment));
        std::iter::once((run.postings, Kind::Postings)).chain(segments)
    });
    deleted.chain(runs)
}
