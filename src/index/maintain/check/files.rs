//! Checking the files of runs, each on its own: every checksum, order, key, count and digest.

use std::ops::Range;
use std::sync::Arc;

use nddb_format::digest::Digest;
use nddb_format::filter::FilterBuilder;
use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::postings::Postings;
use nddb_format::segment::{Segment, Survey};
use nddb_format::summaries::Summaries;
use nddb_format::{FormatError, PagedFile};

use crate::disk::dir::{Dir, FileKind};
use crate::disk::map::Mapped;
use crate::runs::run::{Verify, are_postings_of, is_segment_of};
use crate::runs::summaries::SummariesFile;
use crate::spill::progress::Ticker;
use crate::{Error, Result};

/// Maximum number of faults named for one file; further ones are found when these are repaired.
const NAMED_MAX: usize = 16;
/// Number of bytes or blocks between two progress reports.
const STRETCH: usize = 1 << 20;
const BLOCKS: u64 = 1024;

/// A fault in a file, or what has kept this process from reading it.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    /// Location in the file.
    pub(crate) location: String,
    /// The broken rule.
    pub(crate) what: String,
    /// The error, if it says nothing about the file (see [`Error::is_of_environment`]).
    pub(crate) obstacle: Option<Arc<Error>>,
}

impl Wrong {
    pub(crate) fn new(location: impl Into<String>, what: impl Into<String>) -> Self {
        Self { location: location.into(), what: what.into(), obstacle: None }
    }

    /// Returns this fault, or the error that has kept this process from looking.
    pub(crate) fn of_the_file(mut self) -> Result<Self> {
        match self.obstacle.take().and_then(Arc::into_inner) {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}

/// Returns a file that was opened; `None` if it is damaged.
///
/// # Errors
/// What has kept this process from opening it.
pub(crate) fn unless_damaged<T>(opened: Result<T, Wrong>) -> Result<Option<T>> {
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(wrong) => wrong.of_the_file().map(|_| None),
    }
}

impl From<FormatError> for Wrong {
    fn from(error: FormatError) -> Self {
        let location = match &error {
            FormatError::Checksum { what, index, .. } => format!("{what} {index}"),
            FormatError::Malformed { what, offset, .. } => format!("{what}, byte {offset}"),
            FormatError::Truncated { what, .. } | FormatError::Version { what, .. } => (*what).into(),
            _ => "the file".into(),
        };
        Self::new(location, error.to_string())
    }
}

impl From<&Error> for Wrong {
    fn from(error: &Error) -> Self {
        let what = match error {
            Error::Corrupt { source, .. } | Error::Newer { source, .. } => return source.clone().into(),
            Error::Inconsistent { what, .. } | Error::BeyondRepair { what, .. } => what.clone(),
            Error::Missing { .. } => "is missing".into(),
            Error::Io { action, source, .. } => format!("cannot {action}: {source}"),
            Error::Catalog { action, source, .. } => format!("the catalog cannot {action}: {source}"),
            other => other.to_string(),
        };
        Self::new("the file", what)
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        let wrong = Self::from(&error);
        Self { obstacle: error.is_of_environment().then(|| Arc::new(error)), ..wrong }
    }
}

/// The first faults of a file.
#[derive(Default)]
struct Wrongs(Vec<Wrong>);

impl Wrongs {
    fn push(&mut self, wrong: impl Into<Wrong>) {
        if self.0.len() < NAMED_MAX {
            self.0.push(wrong.into());
        }
    }

    fn note(&mut self, outcome: Result<(), FormatError>) {
        if let Err(error) = outcome {
            self.push(error);
        }
    }

    fn unless(&mut self, right: bool, location: &str, what: &str) {
        if !right {
            self.push(Wrong::new(location, what));
        }
    }
}

/// Maps a segment and compares its header with the manifest.
pub(crate) fn open_segment(dir: &Dir, entry: &RunEntry, ordinal: usize) -> Result<Segment<Mapped>, Wrong> {
    let file = &entry.segments[ordinal];
    let segment = Segment::open(dir.map(file.number, FileKind::Segment, file.length)?)?;
    if !is_segment_of(segment.header(), file, entry, ordinal) {
        return Err(Wrong::new("segment header", "is that of another segment than the manifest describes"));
    }
    Ok(segment)
}

/// Maps a postings file and compares its header with the manifest.
pub(crate) fn open_postings(dir: &Dir, entry: &RunEntry) -> Result<Postings<Mapped>, Wrong> {
    let file = &entry.postings;
    let postings = Postings::open(dir.map(file.number, FileKind::Postings, file.length)?)?;
    if !are_postings_of(postings.header(), file, entry) {
        return Err(Wrong::new("postings header", "is that of other postings than the manifest describes"));
    }
    Ok(postings)
}

/// Maps a file of summaries and compares its header with the manifest.
pub(crate) fn open_summaries(dir: &Dir, entry: &RunEntry, file: &FileEntry) -> Result<SummariesFile, Wrong> {
    let map = dir.map(file.number, FileKind::Summaries, file.length)?;
    let summaries = SummariesFile::open(map, Verify::FirstTouch, Summaries::open)?;
    if !summaries.is_of(entry, file) {
        return Err(Wrong::new("header of summaries", "is that of other summaries than the manifest describes"));
    }
    Ok(summaries)
}

fn checksum(mapped: &Mapped, file: &FileEntry, ticker: &Ticker<'_>, wrongs: &mut Wrongs) -> Result<()> {
    mapped.sequential();
    let mut crc = crc32fast::Hasher::new();
    for stretch in mapped.as_ref().chunks(STRETCH) {
        crc.update(stretch);
        ticker.add(stretch.len() as u64)?;
    }
    wrongs.unless(crc.finalize() == file.checksum, "the file", "its CRC-32 is not the one in the manifest");
    Ok(())
}

fn end(mapped: &Mapped, mut wrongs: Wrongs) -> Vec<Wrong> {
    if let Err(error) = mapped.check_readable() {
        wrongs.push(error);
    }
    mapped.forget();
    wrongs.0
}

/// Checks every rule of a segment.
pub(crate) fn verify_segment(segment: &Segment<Mapped>, file: &FileEntry, ticker: &Ticker<'_>) -> Result<Vec<Wrong>> {
    let mut wrongs = Wrongs::default();
    checksum(segment.source(), file, ticker, &mut wrongs)?;
    wrongs.note(segment.check_page_checksums());
    for pages in [segment.index_pages(), segment.filter_pages()] {
        (0..pages.len()).for_each(|page| wrongs.note(pages.check(page)));
    }
    let (mut survey, mut filter) =
        (Survey::new(&segment.header().table), FilterBuilder::new(segment.filter().copied()));
    let mut summed = true;
    let mut values = Vec::new();
    for number in 0..segment.block_len() {
        values.clear();
        let block = segment.check_block(number).and_then(|()| segment.block(number));
        if let Err(error) = block.and_then(|block| block.decode(&mut values)) {
            let wrong = Wrong::from(error);
            wrongs.push(Wrong::new(format!("block {number}"), wrong.what));
            summed = false;
        } else {
            let location = || format!("block {number}");
            if values.last() != Some(&segment.key(number).0) {
                wrongs.push(Wrong::new(location(), "its key is not its last fingerprint"));
            }
            values.iter().for_each(|&value| filter.push(value));
            if summed && let Err(error) = values.iter().try_for_each(|&value| survey.push(value)) {
                wrongs.push(Wrong::new(location(), error.to_string()));
                summed = false;
            }
        }
        if number % BLOCKS == 0 {
            ticker.add(0)?;
        }
    }
    if summed {
        let header = segment.header();
        wrongs.unless(survey.count() == header.count, "segment header", "count is not the number of fingerprints");
        wrongs.unless(survey.digest() == header.digest, "segment header", "digest is not that of the fingerprints");
        wrongs.unless(segment.has_filter_of(&survey, &filter), "filter", "is not that of the fingerprints");
    }
    Ok(end(segment.source(), wrongs))
}

/// Checks every rule of a file with a paged body, except those that other files are needed for. `verify` checks what is
/// in the pages, if these are sound.
pub(crate) fn verify_paged<const HEADER: usize>(
    paged: &PagedFile<Mapped, HEADER>,
    file: &FileEntry,
    verify: &dyn Fn() -> Result<(), FormatError>,
    ticker: &Ticker<'_>,
) -> Result<Vec<Wrong>> {
    let mut wrongs = Wrongs::default();
    checksum(paged.source(), file, ticker, &mut wrongs)?;
    wrongs.note(paged.check_page_checksums());
    let pages = paged.pages();
    (0..pages.len()).for_each(|page| wrongs.note(pages.check(page)));
    if wrongs.0.is_empty() {
        wrongs.note(verify());
    }
    Ok(end(paged.source(), wrongs))
}

/// Table 0 and postings of a run, each found sound.
#[derive(Debug)]
pub(crate) struct Joined<'a> {
    /// The run's entry in the manifest.
    pub(crate) entry: &'a RunEntry,
    /// Its table 0.
    pub(crate) table: &'a Segment<Mapped>,
    /// Its postings.
    pub(crate) postings: &'a Postings<Mapped>,
}

/// Blocks of table 0 that a thread reads at a time.
const PIECE: u64 = if cfg!(test) { 2 } else { 256 };

impl Joined<'_> {
    /// Calls `visit` with each (fingerprint, number).
    ///
    /// # Errors
    /// Errors of `visit`; damage since the files were found sound.
    pub(crate) fn each_pair(&self, visit: &mut dyn FnMut(u64, u64) -> Result<()>, ticker: &Ticker<'_>) -> Result<()> {
        self.each_pair_of(0..self.table.block_len(), visit, ticker)
    }

    /// Returns ranges of the blocks of table 0, for [`Joined::each_pair_of`] on several threads.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Range<u64>> {
        let len = self.table.block_len();
        (0..len).step_by(PIECE as usize).map(move |start| start..len.min(start + PIECE))
    }

    /// Calls `visit` with each (fingerprint, number) of a range of blocks.
    pub(crate) fn each_pair_of(
        &self,
        blocks: Range<u64>,
        visit: &mut dyn FnMut(u64, u64) -> Result<()>,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        self.walk(blocks, &mut |_, _| (), visit, ticker).map(drop)
    }

    /// Reads a range of blocks. Returns the rank of the first fingerprint after it.
    fn walk(
        &self,
        blocks: Range<u64>,
        block: &mut dyn FnMut(u64, u64),
        visit: &mut dyn FnMut(u64, u64) -> Result<()>,
        ticker: &Ticker<'_>,
    ) -> Result<u64> {
        let (in_table, in_postings) = (self.table.source().path(), self.postings.source().path());
        let touch = |_| Ok::<(), FormatError>(());
        let mut rank = match blocks.start {
            0 => 0,
            start => self.postings.first_rank(start, &touch).map_err(|error| Error::format(in_postings)(error))?,
        };
        let mut values = Vec::new();
        for number in blocks {
            block(number, rank);
            values.clear();
            let decoded = self.table.block(number).and_then(|block| block.decode(&mut values));
            decoded.map_err(Error::format(in_table))?;
            for &value in &values {
                let list = self.postings.list(rank, &touch).map_err(|error| Error::format(in_postings)(error))?;
                for index in list {
                    let number = self.postings.number(index, &touch);
                    visit(value, number.map_err(|error| Error::format(in_postings)(error))?)?;
                }
                rank += 1;
            }
            if number % BLOCKS == 0 {
                ticker.add(BLOCKS.min(self.table.block_len() - number))?;
            }
        }
        self.table.source().check_readable()?;
        self.postings.source().check_readable()?;
        Ok(rank)
    }

    /// Returns the digest of the pairs of a range of blocks; `None` if something is wrong, which [`Joined::verify`]
    /// names.
    pub(crate) fn sound_piece(&self, blocks: Range<u64>, ticker: &Ticker<'_>) -> Result<Option<Digest>> {
        if self.postings.header().blocks != self.table.block_len() {
            return Ok(None);
        }
        let touch = |_| Ok::<(), FormatError>(());
        let end = match blocks.end {
            end if end == self.table.block_len() => Ok(self.table.header().count),
            end => self.postings.first_rank(end, &touch),
        };
        let (mut pairs, mut is_right) = (Digest::default(), true);
        let outcome = self.walk(
            blocks,
            &mut |block, rank| is_right &= self.postings.first_rank(block, &touch) == Ok(rank),
            &mut |fingerprint, number| {
                pairs.add_pair(fingerprint, number);
                Ok(())
            },
            ticker,
        );
        match outcome {
            Ok(rank) => Ok((is_right && Ok(rank) == end).then_some(pairs)),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(_) => Ok(None),
        }
    }

    /// Returns whether all pieces are sound and have the pairs of the postings together.
    pub(crate) fn has_digest(&self, pieces: Vec<Option<Digest>>) -> bool {
        let mut pairs = Digest::default();
        let is_sound = pieces.into_iter().all(|piece| piece.map(|piece| pairs.add(piece)).is_some());
        let header = self.postings.header();
        is_sound && header.blocks == self.table.block_len() && pairs == header.pair_digest
    }

    /// Checks table 0 and postings against each other, on one thread.
    pub(crate) fn verify(&self, ticker: &Ticker<'_>) -> Result<Vec<Wrong>> {
        let mut wrongs = Wrongs::default();
        if self.postings.header().blocks != self.table.block_len() {
            wrongs.push(Wrong::new("postings header", "blocks is not the number of blocks of table 0"));
            return Ok(wrongs.0);
        }
        let touch = |_| Ok::<(), FormatError>(());
        let mut pairs = Digest::default();
        let mut ranks = Wrongs::default();
        let outcome = self.walk(
            0..self.table.block_len(),
            &mut |block, rank| {
                if self.postings.first_rank(block, &touch) != Ok(rank) {
                    ranks.push(Wrong::new(format!("rank of block {block}"), "is not that of its first fingerprint"));
                }
            },
            &mut |fingerprint, number| {
                pairs.add_pair(fingerprint, number);
                Ok(())
            },
            ticker,
        );
        wrongs.0.append(&mut ranks.0);
        match outcome {
            Ok(_) => wrongs.unless(
                pairs == self.postings.header().pair_digest,
                "postings header",
                "pair_digest is not that of the fingerprints with their document numbers",
            ),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => wrongs.push(error),
        }
        Ok(wrongs.0)
    }
}
