//! The single writer: staged documents, commits, flushes, batches. ARCHITECTURE.md ("How the state on disk changes")
//! has the order of all steps.

mod background;
mod batches;
mod commit;
mod group;
mod open;
mod publish;
mod replacing;
mod retire;
mod retired;

use std::sync::Arc;

use nddb_format::postings::NUMBER_END;
use nddb_format::record::{Batch, Counters, Settings};
use roaring::RoaringTreemap;

use super::jobs::Jobs;
use crate::catalog::Catalog;
use crate::disk::dir::{Dir, is_failed_sync};
use crate::document::{Document, Outcome};
use crate::read::scope::Scope;
use crate::read::snapshot::Snapshot;
use crate::read::view::View;
use crate::spill::progress::{Progress, Ticker, Watch};
use crate::thresholds::Thresholds;
use crate::{Error, Result};
pub(crate) use group::SameId;
use group::{CommitGroup, Replaced, Staged};
use nddb_format::document_keys::KeyKinds;
use retired::Retired;

/// Maximum number of bytes of a family of the catalog that are merged when a writer is closed: this takes less than a
/// second.
const MERGED_AT_END: u64 = 256 << 20;

/// The batch of new documents.
struct Label {
    name: String,
    batch: Batch,
    /// The batch is not in the catalog yet.
    new: bool,
}

/// A database open for writing, exclusively by this process.
///
/// Documents and deletions are staged until [`Writer::commit`]. A writer that is dropped before has committed none of
/// them, as after [`Writer::rollback`]; in a debug build it says so on stderr.
pub struct Writer {
    // Jobs and catalog are dropped before the folder, because that releases the lock.
    jobs: Jobs,
    /// Shared with the [`Recall`](crate::Recall) of a load.
    catalog: Arc<Catalog>,
    dir: Dir,
    settings: Settings,
    /// The kinds of keys that the database keeps.
    kinds: KeyKinds,
    snapshot: Snapshot,
    counters: Counters,
    group: CommitGroup,
    label: Option<Label>,
    /// Every file number used so far is below this one.
    next_file: u64,
    /// Number of deletions in the catalog that are not in the deleted set's file.
    unfolded: u64,
    retired: Retired,
    poisoned: bool,
    watch: Watch,
    threads: usize,
    memory_limit: u64,
    pub(super) thresholds: Thresholds,
}

nddb_format::debug_fields!(Writer: dir, counters);

/// Most often a commit was forgotten. What a writer that has failed drops, is told with the failure.
#[cfg(debug_assertions)]
impl Drop for Writer {
    #[expect(clippy::print_stderr, reason = "a warning to developers, in debug builds alone")]
    fn drop(&mut self) {
        if !self.group.is_empty() && !self.poisoned && !std::thread::panicking() {
            let path = self.dir.root().display();
            eprintln!("nddb: a writer of {path} is dropped with staged changes, which need a commit or a rollback");
        }
    }
}

impl Writer {
    /// Returns the parameters fixed when the database was created.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the callback for the progress of long work.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// Sets the number of threads for long work; 1 by default.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Returns the memory of a bulk load or a merge in bytes.
    pub fn memory_limit(&self) -> u64 {
        self.memory_limit
    }

    /// Sets the memory of a bulk load or a merge in bytes, besides the catalog's caches.
    pub fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes.max(16 << 20);
    }

    /// Returns the current committed state, without staged documents.
    pub fn view(&self) -> View<'_> {
        View { dir: &self.dir, snapshot: &self.snapshot, catalog: &self.catalog, settings: &self.settings }
    }

    /// Returns the committed and the staged documents together.
    pub fn scope(&mut self) -> Result<Scope<'_>> {
        self.ready()?;
        self.group.index();
        Ok(Scope::with_group(self.view(), &self.group))
    }

    /// Returns the snapshot of the current state, for the engine.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn shared_catalog(&self) -> Arc<Catalog> {
        self.catalog.clone()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns the deleted documents that are certainly in no run.
    pub(crate) fn dropped(&self) -> &RoaringTreemap {
        &self.retired.dropped
    }

    /// Reads again which families of the catalog have rows of keys, after some were ingested.
    pub(crate) fn read_key_rows(&mut self) -> Result<()> {
        self.snapshot.read_key_rows(&self.catalog)
    }

    /// Returns the kinds of keys that the database keeps.
    pub(crate) fn kinds(&self) -> KeyKinds {
        self.kinds
    }

    /// Sets counters that have been committed.
    pub(crate) fn set_counters(&mut self, counters: Counters) {
        self.counters = counters;
    }

    /// Returns a number for an archive; it is reserved once a commit has written the counters.
    pub(crate) fn take_archive_number(&mut self) -> u32 {
        self.counters.next_archive += 1;
        self.counters.next_archive - 1
    }

    /// Returns the number of threads and the bytes of memory for long work.
    pub(crate) fn resources(&self) -> (usize, u64) {
        (self.threads, self.memory_limit)
    }

    /// Returns the folder, the deleted set and the watcher, for a merge.
    pub(crate) fn merge_parts(&mut self) -> (&Dir, &RoaringTreemap, &mut Watch) {
        (&self.dir, &self.snapshot.deleted, &mut self.watch)
    }

    pub(crate) fn ready(&self) -> Result<()> {
        if self.poisoned { Err(Error::Poisoned) } else { Ok(()) }
    }

    /// Records whether a failure leaves the state on disk unknown: a failed fsync always does.
    pub(crate) fn guard<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome {
            let harmless = match error {
                error if is_failed_sync(error) => false,
                Error::Cancelled | Error::OverLimit { .. } | Error::StalePlan { .. } => true,
                Error::OutOfRange { .. } | Error::OutOfNumbers { .. } => true,
                Error::Io { .. } => error.is_over_limit(),
                _ => false,
            };
            self.poisoned |= !harmless;
        }
        outcome
    }

    /// Reports progress; an error if the caller wants to stop.
    pub(crate) fn report(
        &mut self,
        phase: &'static str,
        done: u64,
        total: Option<u64>,
        unit: &'static str,
    ) -> Result<()> {
        if (self.watch)(&Progress { phase, done, total, unit }) { Ok(()) } else { Err(Error::Cancelled) }
    }

    /// Returns what reports progress from several threads.
    pub(crate) fn ticker(&mut self) -> Ticker<'_> {
        Ticker::new(&mut *self.watch)
    }

    /// Returns the number of threads for long work.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Stages a document. The document replaces a stored one with the same id, unless they do not differ.
    ///
    /// # Errors
    /// Errors of [`Document::fitted`]; [`Error::OutOfNumbers`]; [`Error::Poisoned`]; damage.
    pub fn insert(&mut self, document: Document) -> Result<Outcome> {
        self.ready()?;
        let document = document.fitted(self.settings.bits)?;
        if let Some(staged) = self.group.get(document.id()) {
            if document.is_same_as(&staged.print, &staged.document.record) {
                return Ok(Outcome::Unchanged);
            }
            let number = self.next_staged()?;
            // What the staged one replaced is already marked.
            let replaces = self.group.abandon(document.id()).unwrap_or_default();
            self.stage(document, number, replaces);
            return Ok(Outcome::Replaced);
        }
        let known = self.known(&mut self.catalog.ids(), document.id())?;
        if let Some(number) = known.current()
            && self.is_stored(&document, number)?
        {
            return Ok(Outcome::Unchanged);
        }
        let outcome = if known.current().is_some() { Outcome::Replaced } else { Outcome::New };
        let number = self.next_staged()?;
        let replaces = self.group.mark(&known, self.is_pending());
        self.stage(document, number, replaces);
        Ok(outcome)
    }

    /// Returns the number of the next staged document.
    fn next_staged(&self) -> Result<u64> {
        let number = self.counters.next_number + self.group.documents.len() as u64;
        self.has_numbers_up_to(number + 1)?;
        Ok(number)
    }

    /// Refuses document numbers beyond the limit of a database.
    pub(crate) fn has_numbers_up_to(&self, high: u64) -> Result<()> {
        let given = self.counters.next_number;
        match high > NUMBER_END {
            true => Err(Error::OutOfNumbers { given, needed: high - given, limit: NUMBER_END }),
            false => Ok(()),
        }
    }

    /// Stages a document under a number; the ones that it replaces are marked.
    fn stage(&mut self, mut document: Document, number: u64, replaces: Replaced) {
        document.record.batch = self.label.as_ref().map(|label| label.batch.number);
        let (id, print, keys) = (document.record.id.clone(), document.print(), document.keys(self.kinds()));
        self.group.push(Staged { number, id, print, document, keys, replaces });
    }

    /// Stages the deletion of a document. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::Poisoned`]; damage of the catalog.
    pub fn delete(&mut self, id: &str) -> Result<bool> {
        self.ready()?;
        let staged = self.group.abandon(id).is_some();
        let visible = self.known(&mut self.catalog.ids(), id)?.visible();
        self.group.deleted.extend(visible);
        Ok(staged || visible.is_some())
    }

    /// Takes back the staged document with this id, and so keeps the committed one that it would replace. Deletions
    /// staged by [`Writer::delete`] stay. Returns whether there was such a document.
    ///
    /// # Errors
    /// [`Error::Poisoned`].
    pub fn take_back(&mut self, id: &str) -> Result<bool> {
        self.ready()?;
        let Some(replaced) = self.group.abandon(id) else { return Ok(false) };
        self.group.unmark(&replaced);
        Ok(true)
    }

    /// Forgets all staged documents and deletions: the next commit has none of them.
    ///
    /// # Errors
    /// [`Error::Poisoned`].
    pub fn rollback(&mut self) -> Result<()> {
        self.ready()?;
        self.group = CommitGroup::new(&self.settings);
        Ok(())
    }

    /// Commits and closes; files that are no longer needed are removed.
    ///
    /// # Errors
    /// Errors of [`Writer::commit`]; after it, of background merges and of the removal of files that are no longer
    /// needed, which the next opening removes.
    pub fn close(mut self) -> Result<()> {
        self.commit()?;
        let drained = self.drain();
        let removed = self.remove_retired(true);
        drained?;
        removed?;
        // Something failed after the commit.
        self.ready()?;
        self.merge_catalog_files(MERGED_AT_END)
    }

    /// Merges files of the catalog that loads and flushes have left, up to `most` bytes per family. Everything is
    /// committed already, so this may be stopped, or skipped for lack of space.
    pub(super) fn merge_catalog_files(&mut self, most: u64) -> Result<()> {
        let (dir, watch) = (&self.dir, &mut self.watch);
        let outcome = self.catalog.merge_files(most, &mut |bytes| {
            let progress = Progress { phase: "merge catalog", done: 0, total: Some(bytes), unit: "bytes" };
            dir.free().is_ok_and(|free| free / 2 >= bytes) && watch(&progress)
        });
        self.guard(outcome)
    }
}
