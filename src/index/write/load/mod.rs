//! Bulk load: millions of documents, written directly to a run.
//!
//! Documents are collected in a chunk as large as the memory limit allows. A chunk's ids are sorted and joined with
//! those of the catalog; its rows bypass the write-ahead log as sorted files; its fingerprints become a run. Until the
//! last step commits the chunk, its number range is invisible. Each chunk is loaded completely or not at all:
//!
//! 1. Staged changes are committed and flushed.
//! 2. A synced write reserves the numbers: a range in state loading, and the next number after it.
//! 3. The rows are written as sorted files beside the catalog; the files of the run are written and synced.
//! 4. The sorted files are ingested, one by one.
//! 5. A manifest with the run is published.
//! 6. A synced write commits the range (or makes it pending, or removes it if it belongs to no batch), with the
//!    progress of archives, the deletions of documents that the chunk replaces, the interval, if it is one, and the
//!    counters.
//!
//! A chunk without new or changed documents writes nothing but the last step.
//!
//! Bare fingerprints with consecutive ids are collected separately and become an interval, without rows of their own.

mod chunk;
mod interval;
mod recall;
mod sequence;

use std::collections::{BTreeMap, HashMap};

pub use chunk::LoadKeys;
use chunk::{Chunk, NONE};
use nddb_format::Fingerprint;
use nddb_format::manifest::RunEntry;
use nddb_format::record::{self, Archive, Interval, Print, Range, RangeState, Record};
use roaring::RoaringTreemap;

use super::plan::CompactionPlan;
use super::writer::{SameId, Writer};
use crate::catalog::{Family, MERGED_SIZE, RowOptions, SortedFile, SortedRows};
use crate::disk::bugs::{Bug, bug};
use crate::document::Document;
use crate::runs::build::in_parallel;
use crate::runs::contents::Contents;
use crate::runs::summaries::SummaryList;
use crate::spill::progress::Progress;
use crate::{Error, Result};
pub use recall::Recall;
use sequence::Sequence;

/// A bulk load in progress. Documents not yet committed by [`BulkLoad::finish`], or by a chunk before, are not in
/// the database.
///
/// Once writing documents has failed, all later calls fail with [`Error::LoadFailed`], because some accepted documents
/// are not stored.
#[must_use = "documents are stored by `finish`"]
pub struct BulkLoad<'a> {
    writer: &'a mut Writer,
    chunk: Chunk,
    /// Documents after those of the chunk.
    sequence: Option<Sequence>,
    archives: BTreeMap<u32, Archive>,
    loaded: Loaded,
    /// Bytes of a chunk.
    limit: u64,
    start: LoadStart,
    runs_before: usize,
    /// The input of the documents.
    input: u32,
    /// The error that made it fail.
    failed: Option<String>,
}

nddb_format::debug_fields!(BulkLoad<'_>: loaded);

/// The result of a bulk load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Number of documents stored, new ones and replacements.
    pub documents: u64,
    /// Number of these that replaced a document with the same id that was stored before the load.
    pub replaced: u64,
    /// Number of documents that were already stored, or are repeated in the load, without a difference.
    pub unchanged: u64,
    /// Number of documents that are not stored because their id is repeated in the load with other content: the last
    /// one is kept.
    pub repeated: u64,
    /// Number of stored documents of fewer than two tokens, which no probe finds.
    pub unprinted: u64,
    /// One of the documents whose ids occurred earlier in the same load with other content.
    pub repeat: Option<Repeat>,
}

/// A document whose id occurred earlier in the same load with other content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The id.
    pub id: String,
    /// Its input, as numbered by [`BulkLoad::from_input`].
    pub input: u32,
}

impl Loaded {
    /// Remembers a document whose id occurred earlier with other content, unless one is already remembered.
    fn note_repeat(&mut self, repeat: impl FnOnce() -> Repeat) {
        self.repeat.get_or_insert_with(repeat);
    }
}

/// Number of runs of chunks at which they are merged.
const RUNS_MAX: usize = 64;
/// Documents between two progress reports.
const STEP: usize = 1 << 16;

/// Where a load begins.
#[derive(Clone, Copy)]
struct LoadStart {
    /// Its first number.
    first: u64,
    /// Whether the documents of the load are ordered only by their dates and ids.
    is_unordered: bool,
}

/// Documents ready to be stored, with numbers in a range above all others.
struct LoadPart {
    start: LoadStart,
    low: u64,
    high: u64,
    documents: u64,
    unprinted: u64,
    /// The numbers that belong to batches, ascending.
    labels: Vec<(std::ops::Range<u64>, u32)>,
    /// Their rows.
    files: Vec<SortedFile>,
    /// The interval that they form, if they have no rows of their own.
    interval: Option<Interval>,
    contents: Contents<'static>,
}

/// The documents of the catalog with the ids of a chunk.
#[derive(Default)]
struct Joined {
    /// Documents that are deleted when the chunk is committed, because it replaces them.
    deleted: RoaringTreemap,
    /// Documents that the pending batch replaces.
    replaced: RoaringTreemap,
    /// Number of documents of the chunk that replace one stored before the load.
    replacing: u64,
    unchanged: u64,
    /// Number of documents of the load that documents of the chunk replace, and the number of those without a print.
    repeated: u64,
    repeated_unprinted: u64,
}

impl Writer {
    /// Begins a bulk load. Staged documents are committed and the memtable is flushed first.
    ///
    /// # Errors
    /// Errors of [`Writer::commit`] and [`Writer::flush`].
    pub fn bulk_load(&mut self) -> Result<BulkLoad<'_>> {
        self.commit()?;
        self.flush()?;
        let (first, runs_before) = (self.counters().next_number, self.snapshot().runs.len());
        Ok(BulkLoad {
            limit: self.memory_limit(),
            writer: self,
            chunk: Chunk::default(),
            sequence: None,
            archives: BTreeMap::new(),
            loaded: Loaded::default(),
            start: LoadStart { first, is_unordered: false },
            runs_before,
            input: 0,
            failed: None,
        })
    }

    /// Registers archives, given without progress, and returns their numbers with their progress. An archive keeps its
    /// number if path, size, hash and reading options are those of an archive loaded before. An archive that was moved
    /// keeps it, too: all of these except the path are equal, and nothing exists at the old path any more (according to
    /// `is_gone`). All others get new numbers. An archive that was modified since it was read keeps its number, but not
    /// its progress.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn archives(&mut self, unread: Vec<Archive>, is_gone: &dyn Fn(&str) -> bool) -> Result<Vec<(u32, Archive)>> {
        let identity = |archive: &Archive| (archive.size, archive.hash, archive.reading.clone());
        let registered: BTreeMap<u32, Archive> = self.catalog().archives()?.into_iter().collect();
        let (mut by_path, mut by_identity) = (HashMap::new(), HashMap::<_, Vec<u32>>::new());
        for (&number, archive) in &registered {
            by_path.insert((&archive.path, identity(archive)), number);
            by_identity.entry(identity(archive)).or_default().push(number);
        }
        let mut archives = Vec::with_capacity(unread.len());
        for archive in unread {
            let number = by_path.get(&(&archive.path, identity(&archive))).copied().or_else(|| {
                let candidates = by_identity.get_mut(&identity(&archive))?;
                // Paths that exist are not tested again.
                std::iter::from_fn(|| candidates.pop()).find(|number| is_gone(&registered[number].path))
            });
            archives.push(match number {
                Some(number) if registered[&number].modified == archive.modified => {
                    (number, Archive { path: archive.path, ..registered[&number].clone() })
                }
                Some(number) => (number, archive),
                None => (self.take_archive_number(), archive),
            });
        }
        Ok(archives)
    }
}

impl BulkLoad<'_> {
    /// Declares that the order of input does not determine the age of documents of this load: they are ordered by their
    /// dates, then by their ids. Without this call, the first document is the oldest.
    pub fn unordered(&mut self) {
        self.start.is_unordered = true;
    }

    /// Sets the input of the documents from here on, for [`Repeat`].
    pub fn from_input(&mut self, input: u32) {
        self.input = input;
    }

    /// Adds a document. If the memory limit is reached, the documents so far are written and committed.
    ///
    /// # Errors
    /// Errors of [`Document::fitted`]: the document is left out, and the load can continue. [`Error::OutOfNumbers`];
    /// errors of the disk: after these the load cannot continue, and further calls give [`Error::LoadFailed`].
    pub fn push(&mut self, document: Document) -> Result<()> {
        self.push_with(document, None)
    }

    /// Adds a document with its keys, if [`Recall::keys`] has computed them on another thread, as [`BulkLoad::push`]
    /// does.
    pub fn push_with(&mut self, document: Document, keys: Option<LoadKeys>) -> Result<()> {
        let mut document = document.fitted(self.writer.settings().bits)?;
        document.record.batch = self.writer.batch_number();
        self.take(&document, keys)
    }

    /// Reserves a part of the memory limit for other work of the caller.
    pub fn leave(&mut self, bytes: u64) {
        self.limit = self.limit.saturating_sub(bytes);
    }

    /// Adds a document that has only a fingerprint, as [`BulkLoad::push`] does.
    pub fn push_bare(&mut self, id: String, fingerprint: Fingerprint) -> Result<()> {
        let batch = self.writer.batch_number();
        if self.count_on(&id, fingerprint, batch)? {
            return Ok(());
        }
        self.push(Document::bare(&id, fingerprint)?)
    }

    /// Adds a document that belongs to the batch that its record names.
    pub(super) fn take(&mut self, document: &Document, keys: Option<LoadKeys>) -> Result<()> {
        self.ready()?;
        let is_bare = document.record.is_bare() && !document.unprinted;
        let (batch, fingerprint) = (document.record.batch, document.fingerprint);
        if is_bare && self.count_on(document.id(), fingerprint, batch)? {
            return Ok(());
        }
        self.end_sequence()?;
        let begin = || Sequence::begin(document.id().into(), fingerprint, batch, self.input);
        self.sequence = is_bare.then(begin).flatten();
        if self.sequence.is_none() {
            self.collect(document, keys, self.input);
        }
        self.write_full()
    }

    /// Adds a document that has only a fingerprint if it is the next one of the sequence. Returns whether it is.
    fn count_on(&mut self, id: &str, fingerprint: Fingerprint, batch: Option<u32>) -> Result<bool> {
        self.ready()?;
        let Some(sequence) = &mut self.sequence else { return Ok(false) };
        let is_next = sequence.take(id, fingerprint, batch);
        if is_next && sequence.size() >= self.limit {
            self.write_all()?;
        }
        Ok(is_next)
    }

    /// Adds a document of an input to the chunk.
    fn collect(&mut self, document: &Document, keys: Option<LoadKeys>, input: u32) {
        let keys = keys.unwrap_or_else(|| LoadKeys::of(document, self.writer.kinds()));
        self.chunk.push(document.print(), &document.record, keys, input);
    }

    /// Writes the chunk if it is full.
    fn write_full(&mut self) -> Result<()> {
        if chunk::is_full(self.chunk.len(), self.chunk.size(), self.limit) { self.write_chunk() } else { Ok(()) }
    }

    /// Assigns the documents from here on to a batch, or to none if the name is empty; this also becomes the batch of
    /// the writer. If the batch changes, the documents so far are written and committed.
    ///
    /// # Errors
    /// Errors of [`BulkLoad::push`] and of [`Writer::label`].
    pub fn label(&mut self, batch: &str) -> Result<()> {
        if self.writer.is_labelled(batch) {
            return Ok(());
        }
        self.write_all()?;
        if batch.is_empty() { self.writer.unlabel() } else { self.writer.label(batch, false) }
    }

    /// Registers archives during the load, as [`Writer::archives`] does.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn archives(&mut self, unread: Vec<Archive>, is_gone: &dyn Fn(&str) -> bool) -> Result<Vec<(u32, Archive)>> {
        self.writer.archives(unread, is_gone)
    }

    /// Returns the archives that are registered, with their numbers and progress.
    pub fn registered(&self) -> Result<Vec<(u32, Archive)>> {
        self.writer.catalog().archives()
    }

    /// Returns what finds documents again that were stored before.
    pub fn recall(&self) -> Recall {
        Recall::new(self.writer.shared_catalog(), self.start.first == 0, self.writer.kinds())
    }

    /// Registers an archive that is not registered yet, and returns its number. It becomes durable together with the
    /// documents.
    pub fn register(&mut self, archive: Archive) -> u32 {
        let number = self.writer.take_archive_number();
        self.progress(number, archive);
        number
    }

    /// Reports progress; an error if the caller wants to stop.
    pub(super) fn report(&mut self, progress: Progress) -> Result<()> {
        self.writer.report(progress.phase, progress.done, progress.total, progress.unit)
    }

    /// Records the progress of an archive: all documents before this point have been added. It becomes durable
    /// together with the documents.
    pub fn progress(&mut self, archive: u32, progress: Archive) {
        self.archives.insert(archive, progress);
    }

    /// Writes and commits the documents so far: they are not lost if the process ends before [`BulkLoad::finish`].
    ///
    /// # Errors
    /// Errors of [`BulkLoad::push`].
    pub fn checkpoint(&mut self) -> Result<()> {
        self.write_all()
    }

    /// Commits the remaining documents and keeps the runs of this load separate, for a load that must end soon: a
    /// later compaction joins them.
    ///
    /// # Errors
    /// Errors of [`BulkLoad::push`].
    pub fn stop(mut self) -> Result<Loaded> {
        self.write_all()?;
        Ok(self.loaded)
    }

    /// Commits the remaining documents and merges the runs of this load into one.
    ///
    /// # Errors
    /// Errors of [`BulkLoad::push`].
    pub fn finish(mut self) -> Result<Loaded> {
        self.write_all()?;
        let runs = self.writer.snapshot().runs.get(self.runs_before..).unwrap_or_default();
        if runs.len() > 1 && !self.writer.works_in_background() {
            let plan = CompactionPlan::of(runs);
            self.writer.compact(&plan)?;
        }
        self.writer.merge_catalog_files(MERGED_SIZE)?;
        Ok(self.loaded)
    }

    fn ready(&self) -> Result<()> {
        match &self.failed {
            Some(why) => Err(Error::LoadFailed { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Records the error if the load fails: documents that have left its memory are not stored.
    fn guard(&mut self, outcome: Result<()>) -> Result<()> {
        if let Err(error) = &outcome
            && self.failed.is_none()
        {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            self.failed = Some(format!("{error}{}", cause.unwrap_or_default()));
        }
        outcome
    }

    /// Writes and commits all documents so far, and the progress of archives.
    fn write_all(&mut self) -> Result<()> {
        self.ready()?;
        self.end_sequence()?;
        self.write_chunk()
    }

    /// Writes and commits the documents of the chunk, and the progress of archives.
    fn write_chunk(&mut self) -> Result<()> {
        self.writer.ready()?;
        let chunk = std::mem::take(&mut self.chunk);
        let archives = std::mem::take(&mut self.archives);
        if chunk.len() == 0 && archives.is_empty() {
            return Ok(());
        }
        let start = self.start;
        self.store(|writer, loaded| writer.write_chunk(chunk, start, &archives, loaded))
    }

    /// Stores documents, whose numbers must be above all others, and their run after all others.
    fn store(&mut self, write: impl FnOnce(&mut Writer, &mut Loaded) -> Result<()>) -> Result<()> {
        let outcome = self.store_once(write);
        self.guard(outcome)
    }

    fn store_once(&mut self, write: impl FnOnce(&mut Writer, &mut Loaded) -> Result<()>) -> Result<()> {
        self.writer.commit()?;
        self.writer.flush()?;
        let outcome = write(self.writer, &mut self.loaded);
        let outcome = self.writer.guard(outcome);
        if outcome.is_err() && self.writer.ready().is_ok() {
            self.writer.give_up_loading()?;
        }
        outcome?;
        self.keep_runs_few()
    }

    /// Merges the runs of chunks when there are many.
    fn keep_runs_few(&mut self) -> Result<()> {
        if self.writer.works_in_background() {
            return self.writer.settle();
        }
        if self.writer.snapshot().runs.len() - self.runs_before >= RUNS_MAX {
            while let Some(plan) = self.writer.plan_compaction_from(self.runs_before) {
                self.writer.compact(&plan)?;
            }
        }
        Ok(())
    }
}

/// Receives the rows of a sorted file, as key and value.
type Put<'a> = dyn FnMut(&[u8], &[u8]) -> Result<()> + 'a;

impl Writer {
    fn write_chunk(
        &mut self,
        mut chunk: Chunk,
        start: LoadStart,
        archives: &BTreeMap<u32, Archive>,
        loaded: &mut Loaded,
    ) -> Result<()> {
        let len = chunk.len() as u64;
        self.report("sort ids", 0, Some(len), "documents")?;
        let mut by_id = chunk.sorted_by_id();
        let mut repeat = None;
        for (earlier, later) in chunk.keep_last(&mut by_id) {
            if self.document(&chunk, earlier)?.is_same_as_document(&self.document(&chunk, later)?) {
                loaded.unchanged += 1;
            } else {
                loaded.repeated += 1;
                repeat = Some(repeat.map_or(later, |first: usize| first.min(later)));
            }
        }
        if let Some(index) = repeat {
            loaded.note_repeat(|| chunk.repeat(index));
        }
        let joined = self.join(&mut chunk, &mut by_id, start.first, loaded)?;
        let low = self.counters().next_number;
        let (numbers, high) = chunk.numbers(low);
        let documents = numbers.iter().filter(|&&number| number != NONE).count() as u64;
        self.reserve(low, high)?;
        let files = self.write_rows(&mut chunk, &by_id, &numbers, documents)?;
        drop(by_id);
        let mut pairs = Vec::with_capacity(documents as usize);
        let mut unprinted = 0;
        for (index, &number) in numbers.iter().enumerate().filter(|(_, number)| **number != NONE) {
            let print = chunk.print(index);
            if print.unprinted {
                unprinted += 1;
            } else {
                pairs.push((print.fingerprint, number));
            }
        }
        let labels = chunk.labels(&numbers);
        let (keys, summaries_size) = (chunk.take_keys(&numbers), chunk.summaries_size());
        let (path, kinds) = (self.view().dir.root().to_owned(), self.kinds());
        let summaries: Box<SummaryList<'static>> =
            Box::new(move |sink| chunk.each_summary(&numbers, (&path, kinds), sink));
        let contents = Contents { pairs, keys, summaries: Some(summaries), summaries_size };
        let part = LoadPart { start, low, high, documents, unprinted, labels, files, interval: None, contents };
        self.store_part(part, &joined, archives, loaded)
    }

    /// Stores documents whose numbers are reserved.
    fn store_part(
        &mut self,
        part: LoadPart,
        joined: &Joined,
        archives: &BTreeMap<u32, Archive>,
        loaded: &mut Loaded,
    ) -> Result<()> {
        let LoadPart { start, low, high, documents, unprinted, labels, files, interval, contents } = part;
        if bug(Bug::LoadCommittedFirst, self.view().dir.root()) {
            let ranges = self.ranges_of(labels.clone());
            self.commit_chunk((start, low, high), documents, &ranges, interval.clone(), joined, archives)?;
        }
        if high > low {
            let run = self.make_run((low, high), contents, true)?;
            // The commit follows soon, because if the load is killed in between, its rows must be removed one by one.
            if let Err(error) = files.into_iter().try_for_each(|file| file.ingest(self.catalog())) {
                run.iter().flat_map(RunEntry::files).for_each(|file| self.drop_files(file.number, 1));
                return Err(error);
            }
            if unprinted > 0 {
                self.read_key_rows()?;
            }
            let mut manifest = self.snapshot().manifest.clone();
            manifest.runs.extend(run);
            manifest.complete = high;
            self.publish(manifest, low..high)?;
        }
        if !bug(Bug::LoadCommittedFirst, self.view().dir.root()) {
            let ranges = self.ranges_of(labels);
            self.commit_chunk((start, low, high), documents, &ranges, interval, joined, archives)?;
        }
        loaded.documents = loaded.documents + documents - joined.repeated;
        loaded.replaced += joined.replacing;
        loaded.unchanged += joined.unchanged;
        loaded.repeated += joined.repeated;
        loaded.unprinted = loaded.unprinted + unprinted - joined.repeated_unprinted;
        Ok(())
    }

    /// Joins the chunk's ids, in order, with those of the catalog: determines which documents are replaced, and drops
    /// unchanged documents from the chunk. `first` is the number of the first document of the load.
    fn join(&mut self, chunk: &mut Chunk, by_id: &mut Vec<u32>, first: u64, loaded: &mut Loaded) -> Result<Joined> {
        let mut joined = Joined::default();
        if self.counters().next_number == 0 {
            return Ok(joined);
        }
        let mut unchanged = Vec::new();
        for (done, slice) in (0..).step_by(STEP).zip(by_id.chunks(STEP)) {
            self.report("look up ids", done, Some(by_id.len() as u64), "documents")?;
            self.join_slice(chunk, (slice, first), loaded, &mut joined, &mut unchanged)?;
        }
        joined.unchanged = unchanged.len() as u64;
        for &index in &unchanged {
            chunk.drop_document(index as usize);
        }
        by_id.retain(|&index| chunk.is_kept(index as usize));
        Ok(joined)
    }

    /// Joins some of a chunk's ids; `unchanged` receives the indexes of the documents that are stored already.
    fn join_slice(
        &self,
        chunk: &Chunk,
        (by_id, first): (&[u32], u64),
        loaded: &mut Loaded,
        joined: &mut Joined,
        unchanged: &mut Vec<u32>,
    ) -> Result<()> {
        let mut ids = self.catalog().ids();
        for &index in by_id {
            let known = self.known(&mut ids, chunk.id(index as usize))?;
            if let Some(number) = known.current()
                && self.is_stored(&self.document(chunk, index as usize)?, number)?
            {
                unchanged.push(index);
                continue;
            }
            if self.supersede(&known, first, joined)? {
                loaded.note_repeat(|| chunk.repeat(index as usize));
            }
        }
        Ok(())
    }

    /// Adds the documents that a new one replaces. Numbers from `first` on belong to the same load; returns whether one
    /// of the replaced documents does.
    fn supersede(&self, known: &SameId, first: u64, joined: &mut Joined) -> Result<bool> {
        let own = known.current().filter(|&number| number >= first);
        match known.current() {
            Some(number) if own.is_some() => {
                joined.repeated += 1;
                let print = self.catalog().print(number)?;
                joined.repeated_unprinted += u64::from(print.is_some_and(|print| print.unprinted));
            }
            Some(_) => joined.replacing += 1,
            None => {}
        }
        known.replace(self.is_pending(), &mut joined.deleted, &mut joined.replaced);
        Ok(own.is_some())
    }

    /// Returns a document of a chunk.
    fn document(&self, chunk: &Chunk, index: usize) -> Result<Document> {
        let record = Record::decode(chunk.record(index)).map_err(Error::format(self.view().dir.root()))?;
        let Print { fingerprint, unprinted } = chunk.print(index);
        Ok(Document { fingerprint: Fingerprint(fingerprint), unprinted, sketched: false, record })
    }

    /// Reserves the numbers `low..high`: unless the load completes, the next opening cancels them.
    fn reserve(&mut self, low: u64, high: u64) -> Result<()> {
        if low == high {
            return Ok(());
        }
        self.has_numbers_up_to(high)?;
        let mut counters = *self.counters();
        counters.next_number = high;
        counters.commits += 1;
        let batch = self.batch_number().unwrap_or(0);
        let is_early = bug(Bug::RangeVisibleEarly, self.view().dir.root());
        let state = if is_early { RangeState::Committed } else { RangeState::Loading };
        let range = Range { high, state, batch };
        let mut commit = self.catalog().begin();
        commit.range(low, &range);
        commit.counters(&counters);
        commit.write()?;
        self.begin_loading(low, range, counters);
        Ok(())
    }

    /// Writes the rows of a chunk as sorted files beside the catalog, the file of each family on a thread of its own.
    fn write_rows(&mut self, chunk: &mut Chunk, by_id: &[u32], numbers: &[u64], len: u64) -> Result<Vec<SortedFile>> {
        let (scratch, threads) = (self.view().dir.scratch()?, self.threads());
        let first = numbers.iter().copied().min().unwrap_or(0);
        let megashingles: Vec<_> = chunk.take_megashingles(numbers).collect();
        let pieces: Vec<_> = chunk.take_pieces(numbers).collect();
        let digests: Vec<_> = chunk.take_digests(numbers).collect();
        let chunk = &*chunk;
        let kept = || (0..).zip(numbers).filter(|(_, number)| **number != NONE);
        let ticker = self.ticker();
        ticker.start("write records", Some(len), "documents")?;
        let write = |family: Family, each: &dyn Fn(&mut Put<'_>) -> Result<()>| {
            let options = RowOptions::new(family);
            let mut rows = SortedRows::create(&scratch, &options, first);
            each(&mut |key, value| rows.put(key, value))?;
            rows.finish()
        };
        let files = in_parallel(6, threads, &|family| match family {
            0 => write(Family::Prints, &|put| {
                kept().try_for_each(|(index, &number)| put(&record::number_key(number), &chunk.print(index).encode()))
            }),
            1 => write(Family::Documents, &|put| {
                kept().zip(1..).try_for_each(|((index, &number), written)| {
                    put(&record::number_key(number), chunk.record(index))?;
                    if written % STEP == 0 { ticker.add(STEP as u64) } else { Ok(()) }
                })
            }),
            2 => write(Family::Ids, &|put| {
                let number = |index: u32| numbers[index as usize];
                by_id.iter().try_for_each(|&index| put(&record::id_key(chunk.id(index as usize), number(index)), &[]))
            }),
            3 => write(Family::Megashingles, &|put| {
                megashingles.iter().try_for_each(|&(hash, number)| put(&record::megashingle_key(hash, number), &[]))
            }),
            4 => write(Family::Pieces, &|put| {
                let mut rows = pieces.iter();
                rows.try_for_each(|([index, piece @ ..], number)| put(&record::piece_key(*index, *piece, *number), &[]))
            }),
            _ => write(Family::Digests, &|put| {
                digests.iter().try_for_each(|(digest, number)| put(&record::digest_key(digest, *number), &[]))
            }),
        })?;
        Ok(files.into_iter().flatten().collect())
    }

    /// Returns the number ranges of batches among documents to be stored.
    fn ranges_of(&self, labels: Vec<(std::ops::Range<u64>, u32)>) -> Vec<(u64, Range)> {
        let state = if self.is_pending() { RangeState::Pending } else { RangeState::Committed };
        labels.into_iter().map(|(numbers, batch)| (numbers.start, Range { high: numbers.end, state, batch })).collect()
    }

    /// Commits a chunk to the database.
    fn commit_chunk(
        &mut self,
        (start, low, high): (LoadStart, u64, u64),
        documents: u64,
        ranges: &[(u64, Range)],
        interval: Option<Interval>,
        joined: &Joined,
        archives: &BTreeMap<u32, Archive>,
    ) -> Result<()> {
        let generation = self.view().generation();
        let mut counters = *self.counters();
        counters.commits += 1;
        counters.live += documents;
        let mut commit = self.catalog().begin();
        let batch = self.batch_number().unwrap_or(0);
        let after = self.ranges_after(low, ranges);
        commit.forget_range(low);
        if start.is_unordered && start.first < high {
            commit.load(start.first..high);
        }
        after.1.iter().for_each(|(row, range)| commit.range(*row, range));
        interval.into_iter().for_each(|interval| commit.interval(interval));
        if let Some((name, state)) = self.new_batch() {
            commit.batch(name, &state);
            counters.next_batch = counters.next_batch.max(state.number + 1);
        }
        commit.delete(generation, &joined.deleted);
        counters.live -= joined.deleted.len();
        commit.replaced(batch, &joined.replaced);
        archives.iter().for_each(|(&number, archive)| commit.archive(number, archive));
        commit.counters(&counters);
        commit.write()?;
        self.end_loading(after.0, counters, &joined.deleted);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
