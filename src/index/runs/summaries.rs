//! Summaries of the documents of a run, by number: read, collected and written (SPEC 8.7).

use std::ops::Range;

use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::pages::PAGE_SIZE;
use nddb_format::summaries::{Summaries, SummariesEncoder, SummariesSurvey, Summary};

use super::build::{BUFFER_SIZE, finish, refused};
use super::seen::Checked;
use crate::Result;
use crate::disk::dir::{Dir, FileKind};
use crate::disk::map::Mapped;
use crate::prefetch::prefetch;

/// Maximum number of bytes of a summary that are prefetched: as a rule all of them.
const PREFETCHED: u64 = 1024;

/// Receives encoded summaries with their numbers, which ascend.
pub(crate) type SummarySink<'a> = dyn FnMut(u64, &[u8]) -> Result<()> + 'a;
/// Summaries that can be passed to a sink any number of times.
pub(crate) type SummaryList<'a> = dyn Fn(&mut SummarySink<'_>) -> Result<()> + Send + 'a;

/// A file of summaries, each page verified at first touch.
pub(crate) type SummariesFile = Checked<Summaries<Mapped>>;

impl SummariesFile {
    /// Returns whether its header matches the run and the file that the manifest names.
    pub(crate) fn is_of(&self, run: &RunEntry, file: &FileEntry) -> bool {
        let header = self.file().header();
        header.identity == file.identity
            && (header.low, header.high) == (run.low, run.high)
            && header.documents <= run.documents
    }

    /// Prefetches bytes of the body.
    fn prefetch(&self, bytes: Range<u64>) {
        for page in bytes.start / PAGE_SIZE as u64..=(bytes.end - 1) / PAGE_SIZE as u64 {
            let first = page * PAGE_SIZE as u64;
            if self.is_seen_or_fetched(page) {
                let (start, end) = (bytes.start.max(first), bytes.end.min(first + PAGE_SIZE as u64));
                (start..end).step_by(64).for_each(|offset| prefetch(self.file().body(), offset as usize));
            }
        }
    }

    /// Prefetches the bytes that tell whether a number of the run has a summary.
    pub(crate) fn prefetch_presence(&self, number: u64) {
        self.prefetch(self.file().presence(number));
    }

    /// Prefetches the bytes that tell where the summary of a number of the run is. Returns whether it has one.
    pub(crate) fn prefetch_entry(&self, number: u64) -> Result<bool> {
        let ordinal = self.named(self.file().ordinal(number, &|bytes| self.touch(bytes)))?;
        ordinal.iter().for_each(|&ordinal| self.prefetch(self.file().entry(ordinal)));
        Ok(ordinal.is_some())
    }

    /// Returns the place of the summary of a number, and prefetches the summary; `None` if it has none.
    pub(crate) fn find(&self, number: u64) -> Result<Option<Range<u64>>> {
        let range = self.named(self.file().find(number, &|bytes| self.touch(bytes)))?;
        range.iter().for_each(|range| self.prefetch(range.start..range.end.min(range.start + PREFETCHED)));
        Ok(range)
    }

    /// Returns the encoded summary that is at a place.
    pub(crate) fn bytes(&self, range: Range<u64>) -> Result<&[u8]> {
        self.named(self.touch(range.clone()))?;
        Ok(&self.file().body()[range.start as usize..range.end as usize])
    }

    /// Returns the summary that is at a place.
    pub(crate) fn summary(&self, range: Range<u64>) -> Result<Summary<'_>> {
        self.named(Summary::decode(self.bytes(range)?))
    }

    /// Passes the encoded summaries of the numbers that `keeps` selects to `visit`, and those of the others to `gone`.
    pub(crate) fn each(
        &self,
        keeps: &dyn Fn(u64) -> bool,
        visit: &mut SummarySink<'_>,
        gone: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        self.numbers(&mut |number| {
            let Some(range) = self.find(number)? else { return Ok(()) };
            let bytes = self.bytes(range)?;
            if keeps(number) {
                return visit(number, bytes);
            }
            gone(number, bytes);
            Ok(())
        })
    }

    /// Calls `visit` with each number that has a summary, in ascending order.
    pub(crate) fn numbers(&self, visit: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        self.file().numbers(&|bytes| self.named(self.touch(bytes)), visit)
    }
}

/// Encoded summaries in memory, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SummaryRows {
    numbers: Vec<u64>,
    /// The end of each summary.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl SummaryRows {
    /// Adds a summary; numbers ascend.
    pub(crate) fn push(&mut self, number: u64, summary: &Summary<'_>) {
        summary.encode_into(&mut self.bytes);
        self.end(number);
    }

    /// Adds an encoded summary; numbers ascend.
    pub(crate) fn push_bytes(&mut self, number: u64, summary: &[u8]) {
        self.bytes.extend_from_slice(summary);
        self.end(number);
    }

    fn end(&mut self, number: u64) {
        self.numbers.push(number);
        self.ends.push(self.bytes.len());
    }

    /// Returns the encoded summary of a number.
    pub(crate) fn get(&self, number: u64) -> Option<&[u8]> {
        self.numbers.binary_search(&number).ok().map(|index| self.at(index))
    }

    fn at(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    /// Returns all summaries with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.numbers.iter().enumerate().map(|(index, &number)| (number, self.at(index)))
    }

    /// Bytes of all summaries.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// Writes the summaries of a run with the numbers `low..high`, in two passes over them; `None` if there is none.
pub(crate) fn write_summaries(
    dir: &Dir,
    number: u64,
    (low, high): (u64, u64),
    list: &dyn Fn(&mut SummarySink<'_>) -> Result<()>,
) -> Result<Option<(FileEntry, SummariesSurvey)>> {
    let mut survey = SummariesSurvey::default();
    list(&mut |number, summary| {
        survey.push(number, summary);
        Ok(())
    })?;
    if survey.documents() == 0 {
        return Ok(None);
    }
    let refused = refused(dir);
    let header = survey.header(low, high);
    dir.need_space(summaries_size(header.size, header.documents, high - low))?;
    let identity = header.identity;
    let mut file = dir.create_file(number, FileKind::Summaries)?;
    let mut out = Vec::with_capacity(BUFFER_SIZE + (64 << 10));
    let mut encoder = SummariesEncoder::new(header, &mut out).map_err(&refused)?;
    list(&mut |number, summary| {
        encoder.push(number, summary, &mut out).map_err(&refused)?;
        if out.len() >= BUFFER_SIZE {
            file.write(&out)?;
            out.clear();
        }
        Ok(())
    })?;
    encoder.finish(&mut out).map_err(&refused)?;
    Ok(Some((finish(file, number, identity, &out)?, survey)))
}

/// Returns an upper bound of the size of a file, given the number of summaries, their total size and the size of the
/// number range.
pub(crate) fn summaries_size(bytes: u64, documents: u64, numbers: u64) -> u64 {
    (bytes + 5 * documents + numbers / 6 + 8192) * 101 / 100
}
