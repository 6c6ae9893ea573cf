//! Merging runs: runs of neighbouring number ranges become one, table by table, as streams.
//!
//! If a run has the scheme of the new one, each of its tables is read in its own order without sorting; otherwise
//! its fingerprints are permuted and sorted again, externally if necessary. A merge is abandoned if the digests of its
//! output are not the sums of those of its inputs, less what it leaves out.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nddb_format::digest::Digest;
use nddb_format::manifest::{FileEntry, KeyTable, RunEntry};
use nddb_format::permutation::Table;
use nddb_format::scheme::Scheme;
use nddb_format::segment::Survey;
use nddb_format::{Fingerprint, FormatError, keys};
use roaring::RoaringTreemap;

use crate::disk::dir::Dir;
use crate::ranges::deleted_in;
use crate::runs::build::{
    Entry, Sink, files_of, in_parallel, key_files, key_table, run_entry, run_size, summaries_file, write_postings,
    write_segment,
};
use crate::runs::run::Run;
use crate::runs::summaries::{summaries_size, write_summaries};
use crate::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use crate::spill::progress::{Progress, Watch};
use crate::spill::sort::Sorter;
use crate::spill::streams::{Ascending, Merged};
use crate::{Error, Result};

/// Number of summaries between two checks whether to continue.
const SUMMARIES: u64 = 1 << 16;
/// Blocks decoded by a stream at a time.
const STRETCH: u64 = 64;

/// The documents and fingerprints that a merge leaves out.
#[derive(Debug, Default)]
pub(crate) struct Dropped {
    /// Fingerprints without a document, ascending.
    pub(crate) fingerprints: MappedRows<1>,
    /// Number of documents.
    pub(crate) documents: u64,
    /// Digest of their pairs.
    pairs: Digest,
}

/// One table of one run, read from front to back.
pub(crate) struct Stream<'a> {
    run: &'a Run,
    table: usize,
    values: Vec<u64>,
    at: usize,
    next_block: u64,
    /// Rank of `values[at]`.
    rank: u64,
}

impl<'a> Stream<'a> {
    /// Returns the stream at its first value.
    pub(crate) fn new(run: &'a Run, table: usize) -> Result<Self> {
        let mut stream = Self { run, table, values: Vec::new(), at: 0, next_block: 0, rank: 0 };
        stream.fill()?;
        Ok(stream)
    }

    fn fill(&mut self) -> Result<()> {
        let file = &self.run.segments[self.table];
        self.values.clear();
        self.at = 0;
        let values = &mut self.values;
        let outcome: Result<(), FormatError> =
            file.segment().scan(self.next_block, STRETCH, &mut |stretch: &[u64]| {
                values.extend_from_slice(stretch);
                Ok(())
            });
        outcome.map_err(|error| Error::format(file.path())(error))?;
        self.next_block += STRETCH;
        file.check_readable()
    }
}

impl Ascending for Stream<'_> {
    type Item = u64;

    #[inline]
    fn head(&self) -> Option<u64> {
        self.values.get(self.at).copied()
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.at += 1;
        self.rank += 1;
        if self.at == self.values.len() { self.fill() } else { Ok(()) }
    }
}

/// Returns the merge of the same table of several runs.
pub(crate) fn merged<'a>(runs: impl Iterator<Item = &'a Arc<Run>>, table: usize) -> Result<Merged<Stream<'a>>> {
    Ok(Merged::new(runs.map(|run| Stream::new(run, table)).collect::<Result<_>>()?))
}

/// A merge of runs into one of another scheme or without deleted documents.
pub(crate) struct Merge<'a> {
    pub(crate) dir: &'a Dir,
    pub(crate) runs: &'a [Arc<Run>],
    pub(crate) deleted: &'a RoaringTreemap,
    pub(crate) scheme: Scheme,
    pub(crate) threads: usize,
    pub(crate) memory_limit: u64,
    /// The greatest number of merges that have rewritten one of its documents, this merge included.
    pub(crate) rewrites: u8,
}

/// A segment's file, what is known of its values, and for table 0 the rank of each block's first one.
type Built = (FileEntry, Survey, Vec<u64>);

/// What one thread has made for a new run.
enum Made {
    First((Built, FileEntry)),
    Table(Built),
    Keys(Option<KeyTable>),
    Summaries(Option<FileEntry>),
}

/// Who hears of the progress of threads that make a run of this number of files.
struct Shared<'a> {
    watch: Mutex<(u64, &'a mut Watch)>,
    files: u64,
}

impl Shared<'_> {
    /// Reports that this number of files more are made; an error if the caller wants to stop.
    fn report(&self, more: u64) -> Result<()> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.0 += more;
        let progress = Progress { phase: "merge", done: watch.0, total: Some(self.files), unit: "files" };
        if (watch.1)(&progress) { Ok(()) } else { Err(Error::Cancelled) }
    }

    /// Reports that all is made: some runs have no keys, and some files stay as they are.
    fn end(&self) -> Result<()> {
        let made = self.watch.lock().unwrap_or_else(PoisonError::into_inner).0;
        self.report(self.files.saturating_sub(made))
    }
}

/// Calls `visit` with each fingerprint of the runs and its live numbers, by fingerprint, and `gone` with numbers that
/// are not live.
fn each_list(
    runs: &[Arc<Run>],
    deleted: &RoaringTreemap,
    visit: &mut dyn FnMut(Entry) -> Result<()>,
    gone: &mut dyn FnMut(u64, Option<u64>) -> Result<()>,
) -> Result<()> {
    let mut streams = merged(runs.iter(), 0)?;
    while let Some(fingerprint) = streams.head() {
        let mut begun = false;
        while let Some((_, stream)) = streams.least().filter(|(_, stream)| stream.head() == Some(fingerprint)) {
            let postings = stream.run.postings()?;
            postings.numbers(postings.list(stream.rank)?, |number| {
                if deleted.contains(number) {
                    gone(fingerprint, Some(number))?;
                    return Ok(true);
                }
                if !std::mem::replace(&mut begun, true) {
                    visit(Entry::Fingerprint(fingerprint))?;
                }
                visit(Entry::Number(number)).map(|()| true)
            })?;
            streams.pop()?;
        }
        if !begun {
            gone(fingerprint, None)?;
        }
    }
    Ok(())
}

/// Computes which documents and fingerprints a merge of runs will leave out; writes only temporary files.
pub(crate) fn survey(dir: &Dir, runs: &[Arc<Run>], deleted: &RoaringTreemap) -> Result<Dropped> {
    let mut dropped = Dropped::default();
    let touched = runs.iter().any(|run| deleted_in(deleted, run.entry.low..run.entry.high) > 0);
    if touched {
        let mut fingerprints = MappedRowsWriter::new(&dir.scratch()?)?;
        each_list(runs, deleted, &mut |_| Ok(()), &mut |fingerprint, number| {
            match number {
                Some(number) => {
                    dropped.documents += 1;
                    dropped.pairs.add_pair(fingerprint, number);
                }
                None => fingerprints.push(&[fingerprint])?,
            }
            Ok(())
        })?;
        dropped.fingerprints = fingerprints.finish()?;
    }
    Ok(dropped)
}

impl Merge<'_> {
    /// Returns whether the new run would be equal to the old one.
    pub(crate) fn changes_nothing(&self, dropped: &Dropped) -> bool {
        dropped.documents == 0 && self.runs.len() <= 1 && self.runs.iter().all(|run| run.entry.scheme == self.scheme)
    }

    /// Returns an upper bound of the bytes of the new run and of the files for its sorting.
    pub(crate) fn size(&self) -> u64 {
        let documents: u64 = self.runs.iter().map(|run| run.entry.documents).sum();
        let tables = self.scheme.tables();
        let is_sorted = |ordinal: usize| !self.has_order(ordinal);
        let sorted = (0..tables.len()).filter(|&ordinal| is_sorted(ordinal)).count().min(self.threads);
        let keys = self.runs.iter().filter_map(|run| run.entry.keys.as_ref()).map(|keys| keys.pairs).sum();
        let summaries = self.runs.iter().filter_map(|run| run.entry.summaries).map(|file| file.length).sum();
        let numbers =
            self.runs.last().zip(self.runs.first()).map_or(0, |(last, first)| last.entry.high - first.entry.low);
        run_size(&self.scheme, documents, keys)
            + summaries_size(summaries, documents, numbers)
            + sorted as u64 * documents * size_of::<u64>() as u64
    }

    /// Returns whether all runs have a table in the order of the new run's table.
    fn has_order(&self, ordinal: usize) -> bool {
        let table = &self.scheme.tables()[ordinal];
        self.runs.iter().all(|run| run.entry.scheme.tables().get(ordinal) == Some(table))
    }

    /// Builds the new run under the file numbers from `first_file` on; `None` if nothing is left. All files are
    /// durable when this returns; no manifest names them yet. Each file is made by one thread.
    pub(crate) fn run(&self, first_file: u64, dropped: &Dropped, watch: &mut Watch) -> Result<Option<RunEntry>> {
        let (Some(first), Some(last)) = (self.runs.first(), self.runs.last()) else { return Ok(None) };
        let range = (first.entry.low, last.entry.high);
        let (keys, summaries) = (key_files(first_file, &self.scheme), summaries_file(first_file, &self.scheme));
        let watch = Shared { watch: Mutex::new((0, watch)), files: files_of(&self.scheme) };
        if self.documents(dropped) == 0 {
            self.summaries(range, summaries, dropped, &watch)?;
            return Ok(None);
        }
        // What takes longest begins first.
        let tables = self.scheme.tables().len();
        let made = in_parallel(tables + 2, self.threads, &|file| match file {
            0 => self.table_and_postings(range, first_file, dropped, &watch).map(Made::First),
            1 => self.keys(range, keys, dropped, &watch).map(Made::Keys),
            2 => self.summaries(range, summaries, dropped, &watch).map(Made::Summaries),
            _ => self.table(file - 2, first_file + file as u64 - 2, dropped, &watch).map(Made::Table),
        })?;
        watch.end()?;
        let (mut built, mut rest) = (Vec::with_capacity(tables), (None, None, None));
        for made in made {
            match made {
                Made::First((table, postings)) => {
                    built.push(table);
                    rest.0 = Some(postings);
                }
                Made::Table(table) => built.push(table),
                Made::Keys(keys) => rest.1 = keys,
                Made::Summaries(summaries) => rest.2 = summaries,
            }
        }
        let (Some(postings), keys, summaries) = rest else { return Ok(None) };
        Ok(Some(RunEntry { keys, summaries, ..self.entry(range, dropped, postings, &built)? }))
    }

    /// Returns the number of documents of the new run.
    fn documents(&self, dropped: &Dropped) -> u64 {
        self.runs.iter().map(|run| run.entry.documents).sum::<u64>() - dropped.documents
    }

    /// Returns the manifest's entry of the new run, without its keys and summaries.
    fn entry(&self, range: (u64, u64), dropped: &Dropped, postings: FileEntry, built: &[Built]) -> Result<RunEntry> {
        let entry = run_entry(self.dir, &self.scheme, range, self.documents(dropped), postings, built)?;
        Ok(RunEntry { rewrites: self.rewrites, ..entry })
    }

    /// Writes the summaries of the new run: those of the old runs, or the unchanged file of a single run if nothing is
    /// left out.
    fn summaries(
        &self,
        range: (u64, u64),
        number: u64,
        dropped: &Dropped,
        watch: &Shared<'_>,
    ) -> Result<Option<FileEntry>> {
        if let [only] = self.runs
            && dropped.documents == 0
        {
            return Ok(only.entry.summaries);
        }
        let files = || self.runs.iter().filter_map(|run| run.summaries.as_ref());
        let (left_out, passed) = (Cell::new(Digest::default()), Cell::new(0));
        let written = write_summaries(self.dir, number, range, &|sink| {
            left_out.take();
            let mut passed_on = |number, summary: &[u8]| {
                passed.set(passed.get() + 1);
                if passed.get() % SUMMARIES == 0 {
                    watch.report(0)?;
                }
                sink(number, summary)
            };
            files().try_for_each(|file| {
                file.each(&|number| !self.deleted.contains(number), &mut passed_on, &mut |number, summary| {
                    let mut sum = left_out.get();
                    sum.add_pair(crc32fast::hash(summary).into(), number);
                    left_out.set(sum);
                })
            })
        })?;
        let mut digest = left_out.get();
        written.iter().for_each(|(_, survey)| digest.add(survey.digest()));
        files().for_each(|file| digest.subtract(file.file().header().digest));
        if digest != Digest::default() {
            return Err(self.unsound());
        }
        watch.report(1)?;
        Ok(written.map(|(file, _)| file))
    }

    fn unsound(&self) -> Error {
        let what = "a merge does not hold what its inputs hold: nothing was changed".into();
        Error::Inconsistent { path: self.dir.root().into(), what }
    }

    /// Builds the key table of the new run; the table of a single run is kept if nothing is left out.
    fn keys(
        &self,
        range: (u64, u64),
        first_file: u64,
        dropped: &Dropped,
        watch: &Shared<'_>,
    ) -> Result<Option<KeyTable>> {
        if let [only] = self.runs
            && dropped.documents == 0
            && only.entry.scheme.restart() == self.scheme.restart()
        {
            return Ok(only.entry.keys);
        }
        let runs: Vec<Arc<Run>> = self.runs.iter().filter_map(|run| run.keys.clone()).collect();
        let scheme = keys::scheme(self.scheme.restart()).map_err(Error::format(self.dir.root()))?;
        let merge = Merge { runs: &runs, scheme, threads: 1, ..*self };
        let dropped = survey(self.dir, &runs, self.deleted)?;
        if merge.documents(&dropped) == 0 {
            return Ok(None);
        }
        let (table, postings) = merge.table_and_postings(range, first_file, &dropped, watch)?;
        Ok(Some(key_table(&merge.entry(range, &dropped, postings, &[table])?)))
    }

    /// Builds the first segment of the new run, and the postings, which have its order.
    fn table_and_postings(
        &self,
        range: (u64, u64),
        first_file: u64,
        dropped: &Dropped,
        watch: &Shared<'_>,
    ) -> Result<(Built, FileEntry)> {
        let table = self.table(0, first_file, dropped, watch)?;
        let number = first_file + self.scheme.tables().len() as u64;
        let (postings, survey) = write_postings(self.dir, number, range, self.scheme.restart(), &table.2, &|sink| {
            each_list(self.runs, self.deleted, sink, &mut |_, _| Ok(()))
        })?;
        watch.report(1)?;
        let mut pairs = Digest::default();
        for run in self.runs {
            pairs.add(run.postings()?.file().header().pair_digest);
        }
        pairs.subtract(dropped.pairs);
        let sound = survey.pair_digest() == pairs
            && survey.documents() == self.documents(dropped)
            && survey.set_digest() == table.1.digest()
            && survey.fingerprints() == table.1.count();
        if sound { Ok((table, postings)) } else { Err(self.unsound()) }
    }

    /// Builds a segment of the new run.
    fn table(&self, ordinal: usize, number: u64, dropped: &Dropped, watch: &Shared<'_>) -> Result<Built> {
        let built = self.write_table(ordinal, number, dropped)?;
        watch.report(1)?;
        Ok(built)
    }

    fn write_table(&self, ordinal: usize, number: u64, dropped: &Dropped) -> Result<Built> {
        let table = &self.scheme.tables()[ordinal];
        let memory_limit = self.memory_limit / self.threads as u64;
        if self.has_order(ordinal) {
            let permuted;
            let left_out = if ordinal == 0 || dropped.fingerprints.is_empty() {
                &dropped.fingerprints
            } else {
                permuted = words_in_order(&dropped.fingerprints, table, memory_limit, &self.dir.scratch()?)?;
                &permuted
            };
            return write_segment(self.dir, number, &self.scheme, ordinal, &|sink| {
                self.each_kept(ordinal, left_out, sink)
            });
        }
        // If an input lacks this order, the values are taken from table 0, permuted and sorted.
        let mut sorter = Sorter::new(&self.dir.scratch()?, memory_limit);
        self.each_kept(0, &dropped.fingerprints, &mut |stretch| {
            stretch.iter().try_for_each(|&value| sorter.push([table.permute(Fingerprint(value)).0]))
        })?;
        let permuted = sorter.finish();
        write_segment(self.dir, number, &self.scheme, ordinal, &|sink| {
            permuted.each(&mut |rows| sink(rows.as_flattened()))
        })
    }

    /// Passes the values of a table that all inputs have, without those left out.
    fn each_kept(&self, ordinal: usize, left_out: &MappedRows<1>, sink: &mut Sink<'_>) -> Result<()> {
        let mut left_out = left_out.iter().flatten().peekable();
        let mut stretch = Vec::with_capacity(4096);
        let (mut streams, mut last) = (merged(self.runs.iter(), ordinal)?, None);
        while let Some(value) = streams.pop()? {
            if last.replace(value) == Some(value) {
                continue;
            }
            while left_out.next_if(|&gone| gone < value).is_some() {}
            if left_out.peek() == Some(&value) {
                continue;
            }
            stretch.push(value);
            if stretch.len() == 4096 {
                sink(&stretch)?;
                stretch.clear();
            }
        }
        sink(&stretch)
    }
}

/// Returns fingerprints in the order of a table.
fn words_in_order(prints: &MappedRows<1>, table: &Table, memory_limit: u64, folder: &Path) -> Result<MappedRows<1>> {
    let mut sorter = Sorter::<1>::new(folder, memory_limit);
    prints.iter().try_for_each(|[print]| sorter.push([table.permute(Fingerprint(print)).0]))?;
    let mut words = MappedRowsWriter::new(folder)?;
    sorter.finish().each(&mut |rows| rows.iter().try_for_each(|row| words.push(row)))?;
    words.finish()
}
