//! A run open for reading: t mapped segments and the postings, each block and page verified at first touch.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use nddb_format::block::{self, BLOCK_SIZE, Block};
use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::pages::PAGE_SIZE;
use nddb_format::postings::{self, Postings};
use nddb_format::segment::{self, Directory, Segment};
use nddb_format::summaries::Summaries;
use nddb_format::{FormatError, Permuted};

use super::plan::Plan;
pub use super::seen::Verify;
use super::seen::{Checked, Seen};
use super::summaries::SummariesFile;
use crate::disk::dir::{Dir, FileKind};
use crate::disk::map::Mapped;
use crate::prefetch::prefetch;
use crate::within::Within;
use crate::{Error, Result};

/// A segment of a run.
#[derive(Debug)]
pub(crate) struct SegmentFile {
    segment: Segment<Mapped>,
    blocks: Seen,
    pages: Seen,
    filter_pages: Seen,
    verify: Verify,
    /// Built when there have been enough queries to justify it; the inner `None` means that it cannot be built.
    directory: OnceLock<Option<Directory>>,
    /// Mean number of entries of a block.
    entries: u32,
    /// For each 32nd of a block's values, the offset at which decoding begins to find a value there.
    from: [u16; SPANS],
}

/// Number of parts of a block for which the bytes that a probe reads are precomputed.
const SPANS: usize = 32;
/// Bytes of a block that are prefetched besides its head. (Measured with ten million fingerprints: with too few lines,
/// a query waits for a miss; each unneeded line costs 6 ns.)
const SPAN_SIZE: usize = 4 * 64;

/// Returns, for each part of a block, the mean offset of the restart point from which a value there is decoded.
fn spans(segment: &Segment<Mapped>) -> [u16; SPANS] {
    let header = segment.header();
    let entries = (header.count / segment.block_len()).max(1) as usize;
    let restart = usize::from(header.restart);
    let head = 16 + 2 * (entries - 1).checked_div(restart).unwrap_or(0);
    std::array::from_fn(|span| {
        // A little before, because entries are not spread evenly.
        let entry = (span * entries / SPANS).saturating_sub(6);
        let begin = entry - entry.checked_rem(restart).unwrap_or(entry);
        (head + begin * (BLOCK_SIZE - head) / entries).saturating_sub(8).min(BLOCK_SIZE - 1) as u16
    })
}

/// The likely error of the first guess of a search is the square root of the number of blocks, divided by this.
/// (Measured with 10 and 50 million fingerprints: 95% of the errors are below an eleventh of the root.)
const SPREAD_PART: u64 = 8;

impl SegmentFile {
    fn open(map: Mapped, verify: Verify) -> Result<Self> {
        let path = map.path().to_owned();
        let segment = Segment::open(map).map_err(Error::format(&path))?;
        let blocks = Seen::new(segment.block_len());
        let pages = Seen::new(segment.index_pages().len());
        let filter_pages = Seen::new(segment.filter_pages().len());
        let from = spans(&segment);
        let entries = (segment.header().count / segment.block_len()) as u32;
        Ok(Self { segment, blocks, pages, filter_pages, verify, directory: OnceLock::new(), entries, from })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.mapped().path()
    }

    fn mapped(&self) -> &Mapped {
        self.segment.source()
    }

    /// Returns the segment without first-touch verification: scans verify each block themselves.
    pub(crate) fn segment(&self) -> &Segment<Mapped> {
        &self.segment
    }

    /// Fails if a page of the file could not be read.
    #[inline]
    pub(crate) fn check_readable(&self) -> Result<()> {
        self.mapped().check_readable()
    }

    /// Prefetches the part of the filter for the values from `low` to `high`; if its page has not been verified yet,
    /// the whole page, which usually spans two pages of the system.
    #[inline]
    pub(crate) fn prefetch_filter(&self, low: Permuted, high: Permuted) {
        let Some(filter) = self.segment.filter() else { return };
        let Some(offset) = filter.prefix_of(low.0, high.0).map(|prefix| filter.offset(prefix)) else { return };
        let page = offset / PAGE_SIZE;
        if self.filter_pages.get(page as u64) {
            prefetch(self.segment.filter_bytes(), offset);
        } else {
            self.mapped().fetch(self.segment.filter_offset() + page * PAGE_SIZE, PAGE_SIZE);
            let checksum = self.segment.index_page_len() + page as u64;
            self.mapped().fetch(self.segment.checksum_offset(checksum), 4);
        }
    }

    /// Returns whether the segment may have a value from `low` to `high`, by its filter.
    #[inline]
    pub(crate) fn may_have(&self, low: Permuted, high: Permuted) -> Result<bool> {
        let Some(filter) = self.segment.filter() else { return Ok(true) };
        let Some(prefix) = filter.prefix_of(low.0, high.0) else { return Ok(true) };
        let page = (filter.offset(prefix) / PAGE_SIZE) as u64;
        if !self.filter_pages.get(page) || self.verify == Verify::Always {
            self.touch_filter(page)?;
        }
        Ok(filter.may_have(self.segment.filter_bytes(), prefix))
    }

    #[cold]
    fn touch_filter(&self, page: u64) -> Result<()> {
        self.segment.filter_pages().check(page).map_err(Error::format(self.path()))?;
        self.check_readable()?;
        self.filter_pages.set(page);
        Ok(())
    }

    /// Prefetches the key of a block.
    #[inline]
    pub(crate) fn prefetch_key(&self, block: u64) {
        let page = Segment::<Mapped>::index_page(block);
        if self.pages.get(page) {
            prefetch(self.segment.index(), 8 * block as usize);
        } else {
            self.fetch_keys(page..page + 1);
        }
    }

    /// Prefetches the key of a block that is the first guess of a search; if its page has not been verified yet, all
    /// pages where the search is likely to continue, so that it waits for one read from disk.
    #[inline]
    pub(crate) fn prefetch_guess(&self, block: u64) {
        let page = Segment::<Mapped>::index_page;
        if self.pages.get(page(block)) {
            return self.prefetch_key(block);
        }
        let last = self.segment.block_len() - 1;
        // The number of values below a given one varies by the square root of their number.
        let spread = last.isqrt() / SPREAD_PART;
        self.fetch_keys(page(block.saturating_sub(spread))..page((block + spread).min(last)) + 1);
    }

    /// Fetches pages of the block index and their checksums.
    fn fetch_keys(&self, pages: Range<u64>) {
        let len = (pages.end - pages.start) as usize;
        self.mapped().fetch(self.segment.index_offset() + pages.start as usize * PAGE_SIZE, len * PAGE_SIZE);
        self.mapped().fetch(self.segment.checksum_offset(pages.start), 4 * len);
    }

    /// Returns the key of a block.
    #[inline]
    pub(crate) fn key(&self, block: u64) -> Result<Permuted> {
        let page = Segment::<Mapped>::index_page(block);
        if !self.pages.get(page) || self.verify == Verify::Always {
            self.touch_page(page)?;
        }
        Ok(self.segment.key(block))
    }

    #[cold]
    fn touch_page(&self, page: u64) -> Result<()> {
        self.segment.index_pages().check(page).map_err(Error::format(self.path()))?;
        self.pages.set(page);
        Ok(())
    }

    /// Returns the directory of the block index, once it is built.
    #[inline]
    pub(crate) fn directory(&self) -> Option<&Directory> {
        self.directory.get()?.as_ref()
    }

    /// Builds the directory. A damaged page of the index is left for the query that needs it to report.
    fn make_directory(&self) {
        self.directory.get_or_init(|| {
            let pages = self.pages.len();
            let sound = (0..pages).all(|page| self.pages.get(page) || self.touch_page(page).is_ok());
            if sound && self.check_readable().is_ok() { self.segment.directory() } else { None }
        });
    }

    /// Returns the likely entry at `part` of a block.
    #[inline]
    pub(crate) fn entry_at(&self, part: usize) -> u64 {
        part as u64 * u64::from(self.entries) / block::PARTS as u64
    }

    /// Prefetches a block: its head, and the bytes likely to be decoded for an entry at `part` of 1,024 of its
    /// values. Returns the number of blocks that are requested from disk.
    #[inline]
    pub(crate) fn prefetch_block(&self, block: u64, part: usize) -> u64 {
        let start = Segment::<Mapped>::block_offset(block);
        if self.blocks.get(block) {
            let data = self.segment.data();
            let from = usize::from(self.from[part * SPANS / block::PARTS % SPANS]);
            prefetch(data, start);
            for line in (0..SPAN_SIZE).step_by(64) {
                prefetch(data, start + (from + line).min(BLOCK_SIZE - 1));
            }
            0
        } else {
            u64::from(self.mapped().fetch(start, BLOCK_SIZE))
        }
    }

    /// Prefetches a block as [`SegmentFile::prefetch_block`] does, and the following ones, which have the rest of the
    /// values from `low` to `high`: one read from disk, if they have not been verified yet.
    #[inline]
    pub(crate) fn prefetch_blocks(&self, block: u64, part: usize, low: Permuted, high: Permuted) -> u64 {
        if self.blocks.get(block + 1) {
            self.prefetch_block(block, part) + self.prefetch_block(block + 1, 0)
        } else {
            let len = self.last_block(block + 1, low, high) + 1 - block;
            let is_asked = self.mapped().fetch(Segment::<Mapped>::block_offset(block), len as usize * BLOCK_SIZE);
            if is_asked { len } else { 0 }
        }
    }

    /// Returns the likely last block of the values from `low` to `high`, which go on in block `next`: the last one by
    /// the block keys in the same page of the index, or an estimate, if that page does not tell.
    #[cold]
    fn last_block(&self, next: u64, low: Permuted, high: Permuted) -> u64 {
        let (page, len) = (Segment::<Mapped>::index_page(next), self.segment.block_len());
        let keys = if self.pages.get(page) { next..((page + 1) * (PAGE_SIZE / 8) as u64).min(len) } else { next..next };
        let last = keys.clone().find(|&block| self.segment.key(block) >= high);
        last.unwrap_or_else(|| keys.end.max(next + self.segment.blocks_in(high.0 - low.0)).min(len - 1))
    }

    /// Returns a block, verified at first touch.
    #[inline]
    pub(crate) fn block(&self, block: u64) -> Result<Block<'_>> {
        if !self.blocks.get(block) || self.verify == Verify::Always {
            self.touch_block(block)?;
        }
        match self.segment.block(block) {
            Ok(block) => Ok(block),
            Err(error) => Err(self.failed(error)),
        }
    }

    #[cold]
    fn failed(&self, error: FormatError) -> Error {
        Error::format(self.path())(error)
    }

    #[cold]
    fn touch_block(&self, block: u64) -> Result<()> {
        self.segment.check_block(block).map_err(Error::format(self.path()))?;
        self.blocks.set(block);
        Ok(())
    }
}

/// The postings of a run.
pub(crate) type PostingsFile = Checked<Postings<Mapped>>;

impl PostingsFile {
    /// Returns the rank of the first entry of a block of table 0.
    #[inline]
    pub(crate) fn first_rank(&self, block: u64) -> Result<u64> {
        self.named(self.file().first_rank(block, &|bytes| self.touch(bytes)))
    }

    /// Returns the indexes of the numbers of the fingerprint with this rank.
    #[inline]
    pub(crate) fn list(&self, rank: u64) -> Result<Range<u64>> {
        self.named(self.file().list(rank, &|bytes| self.touch(bytes)))
    }

    /// Passes each number of a list to `visit`, until it returns `false`.
    #[inline]
    pub(crate) fn numbers(&self, list: Range<u64>, mut visit: impl FnMut(u64) -> Result<bool>) -> Result<()> {
        let touch = |bytes| self.touch(bytes);
        for index in list {
            let number = self.named(self.file().number(index, &touch))?;
            if !visit(number)? {
                break;
            }
        }
        Ok(())
    }

    /// Prefetches bytes of the body.
    #[inline]
    fn prefetch(&self, offset: u64) {
        if self.is_seen_or_fetched(offset / PAGE_SIZE as u64) {
            prefetch(self.file().data(), postings::HEADER_SIZE + offset as usize);
        }
    }

    /// Prefetches the rank of a block.
    #[inline]
    pub(crate) fn prefetch_rank(&self, block: u64) {
        self.prefetch(self.file().rank_offset(block));
    }

    /// Prefetches, for an approximate rank, the path to its list: the directory entry, fetched before, gives the
    /// likely offsets of flags and number.
    #[inline]
    pub(crate) fn prefetch_behind(&self, rank: u64) -> Result<()> {
        let index = self.named(self.file().guess(rank, &|bytes| self.touch(bytes)))?;
        if let Some(flags) = self.file().flags_offset(index) {
            self.prefetch(flags);
        }
        self.prefetch_number(index);
        Ok(())
    }

    /// Prefetches the directory entry of a rank.
    #[inline]
    pub(crate) fn prefetch_list(&self, rank: u64) {
        self.prefetch(self.file().entry_offset(rank));
    }

    /// Prefetches the first number of a list.
    #[inline]
    pub(crate) fn prefetch_number(&self, index: u64) {
        self.prefetch(self.file().number_offset(index));
    }
}

/// A run, open for reading.
#[derive(Debug)]
pub(crate) struct Run {
    /// The run's entry in the manifest.
    pub(crate) entry: RunEntry,
    /// Its segments, in the order of its scheme's tables.
    pub(crate) segments: Vec<SegmentFile>,
    /// Its postings; the runs of a set have none.
    postings: Option<PostingsFile>,
    /// Its key table, as a run of keys.
    pub(crate) keys: Option<Arc<Run>>,
    /// The summaries of its documents.
    pub(crate) summaries: Option<SummariesFile>,
    /// Number of queries, until the directories are built.
    queries: AtomicU32,
    /// The plan of probes within each distance, made for the first one.
    plans: [OnceLock<Plan>; Within::MAX.0 as usize + 1],
}

impl Run {
    /// Maps all files of a run and compares their headers with the manifest.
    pub(crate) fn open(dir: &Dir, entry: &RunEntry, verify: Verify) -> Result<Self> {
        // All files are mapped before the first is read, so that the reads of opening are in flight together.
        let map = |file: &FileEntry, kind| dir.map(file.number, kind, file.length);
        let postings = entry.has_postings().then(|| map(&entry.postings, FileKind::Postings)).transpose()?;
        let segments: Vec<Mapped> =
            entry.segments.iter().map(|file| map(file, FileKind::Segment)).collect::<Result<_>>()?;
        let summaries = entry.summaries.as_ref().map(|file| map(file, FileKind::Summaries)).transpose()?;
        let postings = postings.map(|map| Checked::open(map, verify, Postings::open)).transpose()?;
        let segments: Vec<SegmentFile> =
            segments.into_iter().map(|map| SegmentFile::open(map, verify)).collect::<Result<_>>()?;
        for (ordinal, (file, named)) in segments.iter().zip(&entry.segments).enumerate() {
            if !is_segment_of(file.segment().header(), named, entry, ordinal) {
                return Err(disagrees(file.path()));
            }
        }
        let blocks = segments[0].segment().block_len();
        if let Some(postings) = &postings {
            let header = postings.file().header();
            if header.blocks != blocks || !are_postings_of(header, &entry.postings, entry) {
                return Err(disagrees(postings.path()));
            }
        }
        let summaries = summaries.map(|map| Checked::open(map, verify, Summaries::open)).transpose()?;
        if let Some((file, named)) = summaries.as_ref().zip(entry.summaries)
            && !file.is_of(entry, &named)
        {
            return Err(disagrees(file.path()));
        }
        let keys = entry.key_run().map_err(Error::format(dir.root()))?;
        let keys = keys.map(|keys| Self::open(dir, &keys, verify).map(Arc::new)).transpose()?;
        Ok(Self {
            entry: entry.clone(),
            segments,
            postings,
            keys,
            summaries,
            queries: AtomicU32::new(0),
            plans: Default::default(),
        })
    }

    /// Returns whether the run has the numbers of documents. The runs of a set have none.
    #[inline]
    pub(crate) fn has_numbers(&self) -> bool {
        self.postings.is_some()
    }

    /// Returns the postings.
    #[inline]
    pub(crate) fn postings(&self) -> Result<&PostingsFile> {
        self.postings.as_ref().ok_or_else(|| self.without_postings())
    }

    #[cold]
    fn without_postings(&self) -> Error {
        let what = "is of a set, whose fingerprints have no numbers".into();
        Error::Inconsistent { path: self.segments[0].path().into(), what }
    }

    /// Returns the plan of probes within `k` bits, at most [`Within::MAX`].
    #[inline]
    pub(crate) fn plan(&self, k: u32) -> &Plan {
        self.plans[k as usize].get_or_init(|| {
            let has_filter = |table: usize| self.segments[table].segment().filter().is_some();
            Plan::new(&self.entry.scheme, k, self.entry.fingerprints, &has_filter)
        })
    }

    /// Counts a query. The first queries search the block keys, so that opening a database need not read these. After
    /// as many queries as the block index of a table has pages, most pages have been read; then each query builds the
    /// directory of one table, until all tables have one.
    #[inline]
    pub(crate) fn note_query(&self) {
        let tables = self.segments.len() as u32;
        let queries = self.queries.load(Ordering::Relaxed);
        if queries >= u32::MAX - tables {
            return;
        }
        // A race with another thread may lose a count, which is harmless.
        self.queries.store(queries + 1, Ordering::Relaxed);
        let first = self.segments[0].pages.len().min(1 << 24) as u32;
        if queries >= first {
            self.warm_up(queries - first);
        }
    }

    #[cold]
    fn warm_up(&self, table: u32) {
        match self.segments.get(table as usize) {
            Some(file) if file.verify == Verify::FirstTouch => file.make_directory(),
            Some(_) => (),
            None => self.queries.store(u32::MAX, Ordering::Relaxed),
        }
    }
}

/// Returns whether the header of postings matches the run and the file that the manifest names.
pub(crate) fn are_postings_of(header: &postings::PostingsHeader, named: &FileEntry, entry: &RunEntry) -> bool {
    header.identity == named.identity
        && (header.low, header.high, header.restart) == (entry.low, entry.high, entry.scheme.restart())
        && (header.fingerprints, header.documents) == (entry.fingerprints, entry.documents)
        && header.set_digest == entry.set_digest
}

/// Returns whether the header of a segment matches a table of the run and the file that the manifest names.
pub(crate) fn is_segment_of(
    header: &segment::SegmentHeader,
    named: &FileEntry,
    entry: &RunEntry,
    ordinal: usize,
) -> bool {
    let scheme = &entry.scheme;
    header.identity == named.identity
        && usize::from(header.ordinal) == ordinal
        && header.table == scheme.tables()[ordinal]
        && (header.k, header.restart) == (scheme.k(), scheme.restart())
        && (header.count, header.digest) == (entry.fingerprints, entry.set_digest)
}

fn disagrees(path: &Path) -> Error {
    Error::Inconsistent { path: path.into(), what: "is not the file that the manifest describes".into() }
}
