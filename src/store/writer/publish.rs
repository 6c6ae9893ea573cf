//! Publishing a new state of the runs: flushes, and the replacement of the manifest (SPEC 10.4 and 10.10).

use std::time::{Duration, Instant};

use nddb_format::manifest::{FileEntry, Manifest};
use nddb_format::record::RangeState;
use nddb_format::scheme::Scheme;
use roaring::RoaringTreemap;

use super::{Retired, Writer};
use crate::store::build::{files_of, run_of_pairs};
use crate::store::dir::Kind;
use crate::store::document::keys_of;
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
            pairs.extend(
                numbers.iter().filter(|&&number| !deleted.contains(number)).map(|&number| (fingerprint, number)),
            );
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
        self.publish(manifest, Vec::new())
    }

    /// The scheme of a run of so many documents: the one chosen for the database, or the planner's.
    pub(in crate::store) fn scheme_for(&self, documents: u64) -> Result<Scheme> {
        let settings = &self.settings;
        if let Some(levels) = &settings.levels {
            return self.scheme_of(levels);
        }
        let chosen = planner::choose(settings.bits, settings.k, documents, Budget::default());
        chosen.map_err(Error::format(&self.dir.catalog())).and_then(|scheme| self.scheme_of(scheme.levels()))
    }

    /// Has later runs made with the scheme of these levels, or with the planner's choice for their size.
    ///
    /// # Errors
    /// Levels that are no scheme for these bits and k; errors of the disk.
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
        run_of_pairs(&self.dir, first, &scheme, range, pairs, self.threads)
            .inspect_err(|_| self.drop_files(first, manifest))
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
    pub(in crate::store) fn publish(&mut self, mut manifest: Manifest, gone: Vec<u64>) -> Result<()> {
        let before = self.snapshot.manifest.clone();
        manifest.generation = before.generation + 1;
        manifest.commits = self.counters.commits;
        let fold = self.fold(&mut manifest)?;
        self.dir.replace_manifest(&manifest.encode())?;
        self.reopen(manifest)?;
        let now = Instant::now();
        for (file, kind) in files_with_kind(&before) {
            if !files_with_kind(&self.snapshot.manifest).any(|(kept, _)| kept.number == file.number) {
                self.retired.push((now, Retired::File(file.number, kind)));
            }
        }
        if fold {
            self.retired.push((now, Retired::Deletions(self.snapshot.manifest.folded)));
        }
        self.dropped.extend(gone.iter().copied());
        if !gone.is_empty() {
            self.retired.push((now, Retired::Rows(gone)));
        }
        Ok(())
    }

    /// Writes the deleted set into a file of its own, if the catalog holds many deletions.
    fn fold(&self, manifest: &mut Manifest) -> Result<bool> {
        let mut rows = 0;
        self.catalog.deletions(manifest.folded, &mut |_, _| rows += 1)?;
        if rows < FOLD_AT {
            return Ok(false);
        }
        // A document without rows that no run holds cannot come back: it need not be remembered.
        let bytes = nddb_format::deleted::encode(&(&self.snapshot.deleted - &self.purged));
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

    fn forget_folded(&self, folded: u64) -> Result<()> {
        let mut rows = Vec::new();
        self.catalog.folded_deletions(folded, &mut |generation, number| rows.push((generation, number)))?;
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
        self.publish(manifest, Vec::new())
    }

    /// Removes the rows of documents that are deleted and in no run, and their deletions.
    fn purge(&mut self, gone: &[u64]) -> Result<()> {
        for chunk in gone.chunks(4096) {
            let mut commit = self.catalog.begin();
            for &number in chunk {
                match self.catalog.record(number)? {
                    Some(record) => commit.purge(number, &record.id, &keys_of(&record, self.recipe())),
                    // A load that was cut short wrote its prints and no more.
                    None => commit.forget_print(number),
                }
            }
            commit.write()?;
        }
        let gone: RoaringTreemap = gone.iter().copied().collect();
        let mut commit = self.catalog.begin();
        self.catalog.deletions(0, &mut |generation, number| {
            if gone.contains(number) {
                commit.forget_deletion(generation, number);
            }
        })?;
        commit.write()?;
        self.purged |= gone;
        Ok(())
    }

    /// Removes what no manifest needs, once readers have had time to look at the new one. A reader that
    /// is too late all the same finds a file missing and looks again.
    pub(super) fn remove_retired(&mut self, at_once: bool) -> Result<()> {
        let due = self.retired.iter().take_while(|(since, _)| at_once || since.elapsed() >= GRACE).count();
        for (_, retired) in self.retired.drain(..due).collect::<Vec<_>>() {
            match retired {
                Retired::File(number, kind) => self.dir.remove(number, kind)?,
                Retired::Rows(numbers) => self.purge(&numbers)?,
                Retired::Deletions(folded) => self.forget_folded(folded)?,
                Retired::Range(low) => {
                    let mut commit = self.catalog.begin();
                    commit.forget_range(low);
                    commit.write()?;
                }
            }
        }
        Ok(())
    }

    /// Retires what is left of cancelled number ranges that no run holds any more.
    pub(in crate::store) fn retire_cancelled(&mut self) -> Result<()> {
        for (low, range) in self.catalog.ranges()? {
            let held = self.snapshot.runs.iter().any(|run| run.entry.low < range.high && run.entry.high > low);
            if range.state == RangeState::Cancelled && !held && range.high <= self.snapshot.manifest.complete {
                let mut rows = Vec::new();
                self.catalog.prints(low, &mut |number, _| {
                    if number < range.high {
                        rows.push(number);
                    }
                    Ok(number < range.high)
                })?;
                let now = Instant::now();
                self.retired.push((now, Retired::Rows(rows)));
                self.retired.push((now, Retired::Range(low)));
            }
        }
        Ok(())
    }

    /// The scheme of these levels for this database.
    pub(in crate::store) fn scheme_of(&self, levels: &[u8]) -> Result<Scheme> {
        let settings = &self.settings;
        Scheme::new(settings.bits, settings.k, levels, settings.restart).map_err(Error::format(&self.dir.catalog()))
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
