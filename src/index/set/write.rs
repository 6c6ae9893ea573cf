//! The one writer of a set: new runs, and merges of all runs.

use std::path::Path;
use std::time::Duration;

use nddb_format::Fingerprint;
use nddb_format::fingerprint::low_mask;
use nddb_format::manifest::{FileEntry, Manifest, RunEntry};
use nddb_format::postings::NUMBER_END;
use nddb_format::scheme::Scheme;

use super::{FingerprintSet, manifest_of};
use crate::config::Config;
use crate::disk::dir::{Dir, FileKind};
use crate::disk::staging::Staging;
use crate::process::new_identity;
use crate::read::snapshot::Snapshot;
use crate::runs::build::{Sink, in_parallel, run_entry, write_segment};
use crate::runs::merge::{Stream, merged};
use crate::runs::run::Verify;
use crate::spill::parallel::sort_rows;
use crate::spill::progress::{Ticker, Watch};
use crate::spill::resources::Resources;
use crate::spill::streams::Ascending;
use crate::{Error, Result};

/// Values that are passed on at a time.
const STRETCH: usize = 4096;

/// The writer of a set. What was pushed is stored when [`SetWriter::flush`] returns, or when memory is full: each of
/// these runs is published as a whole. After an error it must be opened again.
pub struct SetWriter {
    pub(super) dir: Dir,
    pub(super) manifest: Manifest,
    pub(super) scheme: Scheme,
    pushed: Vec<u64>,
    threads: usize,
    pub(super) memory_limit: u64,
    pub(super) watch: Watch,
}

nddb_format::debug_fields!(SetWriter: dir);

impl SetWriter {
    /// Makes an empty set at a new path. Without levels it has one table, for queries in batches alone.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if there is anything at the path; [`Error::Locked`] if another process is making it;
    /// errors of the disk.
    pub fn create(path: impl AsRef<Path>, config: &Config) -> Result<()> {
        let path = path.as_ref();
        let staging = Staging::create(path, "nddb, making a set")?;
        let dir = Dir::make(staging.path())?;
        dir.remove_empty_catalog()?;
        let levels = config.levels.as_deref().unwrap_or_default();
        let scheme = Scheme::new(config.bits, config.k, levels, config.restart).map_err(Error::format(path))?;
        let set = Some(scheme);
        let manifest = Manifest { set, ..Manifest::new(config.bits, config.k, new_identity(path)) };
        dir.replace_manifest(&manifest.encode())?;
        staging.publish()
    }

    /// Opens a set for writing with a description of this process, and waits this long for another writer to end.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], also for a database of documents; [`Error::Locked`]; damage of the MANIFEST.
    pub fn open(path: impl AsRef<Path>, holder: &str, wait: Duration) -> Result<Self> {
        let dir = Dir::open(path.as_ref())?;
        manifest_of(&dir)?;
        let dir = dir.locked_within(holder, wait)?;
        let manifest = manifest_of(&dir)?;
        dir.sweep(|number| manifest.files().any(|file| file.number == number))?;
        let Some(scheme) = manifest.set.clone() else { return Err(Error::Missing { path: dir.manifest_path() }) };
        let Resources { memory_limit, threads, .. } = Resources::default();
        Ok(Self { dir, manifest, scheme, pushed: Vec::new(), threads, memory_limit, watch: Box::new(|_| true) })
    }

    /// Sets the number of threads, and the bytes of memory for fingerprints that are not stored yet.
    pub fn resources(&mut self, threads: usize, memory_limit: u64) {
        (self.threads, self.memory_limit) = (threads.max(1), memory_limit);
    }

    /// Sets the callback for progress.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// Returns the number of fingerprints of all runs, and the number of runs.
    pub fn len(&self) -> (u64, usize) {
        (self.manifest.complete, self.manifest.runs.len())
    }

    /// Adds a fingerprint.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for one wider than the set; errors of [`SetWriter::flush`].
    pub fn push(&mut self, fingerprint: Fingerprint) -> Result<()> {
        let limit = low_mask(self.scheme.bits());
        if fingerprint.0 > limit {
            return Err(Error::OutOfRange { what: "the fingerprint", requested: fingerprint.0, limit });
        }
        self.pushed.push(fingerprint.0);
        // A copy for each further table that is made at the same time.
        let copies = 1 + self.threads.min(self.scheme.tables().len() - 1) as u64;
        if self.pushed.len() as u64 >= (self.memory_limit / 8 / copies).max(STRETCH as u64) {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Stores what was pushed as a run, durably.
    ///
    /// # Errors
    /// [`Error::OverLimit`] without space on the disk; errors of the disk; [`Error::Cancelled`].
    pub fn flush(&mut self) -> Result<()> {
        let mut prints = std::mem::take(&mut self.pushed);
        if prints.is_empty() {
            return Ok(());
        }
        sort_rows(&mut prints, self.threads);
        prints.dedup();
        self.dir.need_space(self.scheme.tables().len() as u64 * (8 * prints.len() as u64 + 8192))?;
        let scheme = self.scheme.clone();
        let run = self.write_run("write run", self.manifest.complete, prints.len() as u64, &|ordinal, sink| {
            let table = &scheme.tables()[ordinal];
            if table.is_identity() {
                return sink(&prints);
            }
            let mut permuted: Vec<u64> = prints.iter().map(|&print| table.permute(Fingerprint(print)).0).collect();
            permuted.sort_unstable();
            sink(&permuted)
        })?;
        let mut next = self.manifest.clone();
        next.runs.push(run);
        self.publish(next)?;
        prints.clear();
        self.pushed = prints;
        Ok(())
    }

    /// Adds the fingerprints of another set.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another width; [`Error::SameDatabase`]; damage; errors of [`SetWriter::flush`].
    pub fn merge(&mut self, path: impl AsRef<Path>) -> Result<u64> {
        let source = FingerprintSet::open(path.as_ref())?;
        let (ours, theirs) = (self.manifest.bits, source.manifest().bits);
        if ours != theirs {
            let (database, requested) = (ours.to_string(), theirs.to_string());
            return Err(Error::Mismatch { what: "fingerprint width", database, requested });
        }
        if self.manifest.catalog == source.manifest().catalog {
            return Err(Error::SameDatabase { path: path.as_ref().into() });
        }
        for run in &source.snapshot.runs {
            run.segments[0].segment().source().sequential();
            let mut stream = Stream::new(run, 0)?;
            while let Some(print) = stream.head() {
                self.push(Fingerprint(print))?;
                stream.advance()?;
            }
        }
        self.flush()?;
        Ok(source.len())
    }

    /// Merges all runs into one, in which each fingerprint is once. It needs the space of a second copy.
    ///
    /// # Errors
    /// Errors of [`SetWriter::flush`]; damage.
    pub fn compact(&mut self) -> Result<()> {
        if self.manifest.runs.len() < 2 {
            return Ok(());
        }
        let runs = Snapshot::open(&self.dir, self.manifest.clone(), Verify::FirstTouch, None)?.runs;
        runs.iter().flat_map(|run| &run.segments).for_each(|file| file.segment().source().sequential());
        self.dir.need_space(self.manifest.runs.iter().map(RunEntry::size).sum())?;
        let stored = self.manifest.complete;
        let run = self.write_run("merge", 0, stored, &|ordinal, sink| {
            let mut values = merged(runs.iter(), ordinal)?;
            let (mut stretch, mut last) = (Vec::with_capacity(STRETCH), None);
            while let Some(value) = values.pop()? {
                if last.replace(value) != Some(value) {
                    stretch.push(value);
                    if stretch.len() == STRETCH {
                        sink(&stretch)?;
                        stretch.clear();
                    }
                }
            }
            sink(&stretch)
        })?;
        drop(runs);
        self.publish(Manifest { runs: vec![run], ..self.manifest.clone() })
    }

    /// Writes the segments of a run whose ordinals begin with `low`, of ascending values for each table, at most `most`.
    fn write_run(
        &mut self,
        phase: &'static str,
        low: u64,
        most: u64,
        values: &(dyn Fn(usize, &mut Sink<'_>) -> Result<()> + Sync),
    ) -> Result<RunEntry> {
        let (dir, scheme, first) = (&self.dir, &self.scheme, self.manifest.next_file);
        let ticker = Ticker::new(&mut *self.watch);
        let len = scheme.tables().len();
        // Each table takes two passes.
        ticker.start(phase, Some(2 * len as u64 * most), "values")?;
        let tables = in_parallel(len, self.threads, &|ordinal| {
            write_segment(dir, first + ordinal as u64, scheme, ordinal, &|sink| {
                values(ordinal, &mut |stretch| {
                    ticker.add(stretch.len() as u64)?;
                    sink(stretch)
                })
            })
        })?;
        let len = tables[0].1.count();
        if len > NUMBER_END - low {
            return Err(Error::OutOfNumbers { given: low, needed: len, limit: NUMBER_END });
        }
        run_entry(dir, scheme, (low, low + len), len, FileEntry::default(), &tables)
    }

    /// Replaces the manifest by the next one, durably, and removes the files that only the old one names.
    pub(super) fn publish(&mut self, mut next: Manifest) -> Result<()> {
        next.generation += 1;
        next.complete = next.runs.last().map_or(0, |run| run.high);
        let last = next.files().map(|file| file.number).max().unwrap_or(0);
        next.next_file = next.next_file.max(last + 1);
        self.dir.replace_manifest(&next.encode())?;
        let old = std::mem::replace(&mut self.manifest, next);
        for file in old.files().filter(|old| self.manifest.files().all(|file| file.number != old.number)) {
            self.dir.remove(file.number, FileKind::Segment)?;
        }
        Ok(())
    }
}
