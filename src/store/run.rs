//! A run as it is read: t mapped segments and the postings, each block and page verified at first touch.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_format::block::{BLOCK_SIZE, Block};
use nddb_format::manifest::{FileEntry, RunEntry};
use nddb_format::pages::PAGE_SIZE;
use nddb_format::postings::{self, Postings};
use nddb_format::segment::{self, Segment};
use nddb_format::{FormatError, Permuted};

use super::dir::{Dir, Kind, Mapped, prefetch};
use crate::{Error, Result};

/// When blocks and pages are compared with their checksums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Once for each opening of the file, when they are first touched.
    #[default]
    FirstTouch,
    /// Each time.
    Always,
}

/// One bit for each block or page: set once its checksum has been found right.
#[derive(Debug)]
struct Seen(Vec<AtomicU64>);

impl Seen {
    fn new(len: u64) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn get(&self, index: u64) -> bool {
        self.0[(index / 64) as usize].load(Ordering::Relaxed) >> (index % 64) & 1 == 1
    }

    #[cold]
    fn set(&self, index: u64) {
        self.0[(index / 64) as usize].fetch_or(1 << (index % 64), Ordering::Relaxed);
    }
}

/// A segment of a run.
#[derive(Debug)]
pub(crate) struct SegmentFile {
    segment: Segment<Mapped>,
    blocks: Seen,
    pages: Seen,
    verify: Verify,
}

impl SegmentFile {
    fn open(dir: &Dir, file: &FileEntry, verify: Verify) -> Result<Self> {
        let path = dir.path(file.number, Kind::Segment);
        let segment = Segment::open(dir.map(file.number, Kind::Segment, file.length)?).map_err(Error::format(&path))?;
        let blocks = Seen::new(segment.block_len());
        let pages = Seen::new(segment.index_pages().len());
        Ok(Self { segment, blocks, pages, verify })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.mapped().path()
    }

    fn mapped(&self) -> &Mapped {
        self.segment.source()
    }

    /// The segment, for what needs no first touch: scans verify each block themselves.
    pub(crate) fn segment(&self) -> &Segment<Mapped> {
        &self.segment
    }

    /// Fails if a page of the file could not be read.
    #[inline]
    pub(crate) fn check_readable(&self) -> Result<()> {
        self.mapped().check_readable()
    }

    /// Fetches the key of a block ahead of its use.
    #[inline]
    pub(crate) fn prefetch_key(&self, block: u64) {
        let index = self.segment.index();
        if self.pages.get(Segment::<Mapped>::index_page(block)) {
            prefetch(index, 8 * block as usize);
        } else {
            let start = index.as_ptr() as usize - self.segment.data().as_ptr() as usize;
            self.mapped().will_need(start + 8 * block as usize, 8);
        }
    }

    /// The key of a block.
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

    /// Fetches a block ahead of its use: its head, and where an entry at `part` of 1,024 of its values
    /// is likely to be decoded.
    #[inline]
    pub(crate) fn prefetch_block(&self, block: u64, part: usize) {
        let start = Segment::<Mapped>::block_offset(block);
        if self.blocks.get(block) {
            let data = self.segment.data();
            prefetch(data, start);
            let from = part.saturating_sub(192) & !63;
            for line in (from..(part + 128).min(BLOCK_SIZE)).step_by(64) {
                prefetch(data, start + line);
            }
        } else {
            self.mapped().will_need(start, BLOCK_SIZE);
        }
    }

    /// A block, verified at first touch.
    #[inline]
    pub(crate) fn block(&self, block: u64) -> Result<Block<'_>> {
        if !self.blocks.get(block) || self.verify == Verify::Always {
            self.touch_block(block)?;
        }
        self.segment.block(block).map_err(|error| Error::format(self.path())(error))
    }

    #[cold]
    fn touch_block(&self, block: u64) -> Result<()> {
        self.segment.check_block(block).map_err(Error::format(self.path()))?;
        self.blocks.set(block);
        Ok(())
    }
}

/// The postings of a run.
#[derive(Debug)]
pub(crate) struct PostingsFile {
    postings: Postings<Mapped>,
    pages: Seen,
    verify: Verify,
}

impl PostingsFile {
    fn open(dir: &Dir, file: &FileEntry, verify: Verify) -> Result<Self> {
        let path = dir.path(file.number, Kind::Postings);
        let postings = Postings::open(dir.map(file.number, Kind::Postings, file.length)?).map_err(Error::format(&path))?;
        let pages = Seen::new(postings.pages().len());
        Ok(Self { postings, pages, verify })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.postings.source().path()
    }

    /// The postings, for what needs no first touch.
    pub(crate) fn postings(&self) -> &Postings<Mapped> {
        &self.postings
    }

    /// Fails if a page of the file could not be read.
    pub(crate) fn check_readable(&self) -> Result<()> {
        self.postings.source().check_readable()
    }

    #[inline]
    fn touch(&self, bytes: Range<u64>) -> Result<(), FormatError> {
        for page in bytes.start / PAGE_SIZE as u64..=(bytes.end - 1) / PAGE_SIZE as u64 {
            if !self.pages.get(page) || self.verify == Verify::Always {
                self.postings.pages().check(page)?;
                self.pages.set(page);
            }
        }
        Ok(())
    }

    fn named<T>(&self, outcome: Result<T, FormatError>) -> Result<T> {
        outcome.map_err(|error| Error::format(self.path())(error))
    }

    /// Rank of the first entry of a block of table 0.
    #[inline]
    pub(crate) fn first_rank(&self, block: u64) -> Result<u64> {
        self.named(self.postings.first_rank(block, &|bytes| self.touch(bytes)))
    }

    /// The places of the numbers of the fingerprint with this rank.
    #[inline]
    pub(crate) fn list(&self, rank: u64) -> Result<Range<u64>> {
        self.named(self.postings.list(rank, &|bytes| self.touch(bytes)))
    }

    /// Hands each number of a list to `visit`, until it says `false`.
    #[inline]
    pub(crate) fn numbers(&self, list: Range<u64>, mut visit: impl FnMut(u64) -> Result<bool>) -> Result<()> {
        let touch = |bytes| self.touch(bytes);
        for place in list {
            let number = self.named(self.postings.number(place, &touch))?;
            if !visit(number)? {
                break;
            }
        }
        Ok(())
    }

    /// Fetches bytes of the body ahead of their use.
    #[inline]
    fn prefetch(&self, offset: u64) {
        if self.pages.get(offset / PAGE_SIZE as u64) {
            prefetch(self.postings.data(), postings::HEADER_SIZE + offset as usize);
        } else {
            self.postings.source().will_need(postings::HEADER_SIZE + offset as usize, 8);
        }
    }

    /// Fetches the rank of a block ahead of its use.
    #[inline]
    pub(crate) fn prefetch_rank(&self, block: u64) {
        self.prefetch(self.postings.rank_offset(block));
    }

    /// Fetches what leads from a rank to its list ahead of its use.
    #[inline]
    pub(crate) fn prefetch_list(&self, rank: u64) {
        self.prefetch(self.postings.entry_offset(rank));
    }

    /// Fetches the first number of a list ahead of its use.
    #[inline]
    pub(crate) fn prefetch_number(&self, place: u64) {
        self.prefetch(self.postings.number_offset(place));
    }
}

/// A run, open for reading.
#[derive(Debug)]
pub(crate) struct Run {
    /// What the manifest says of it.
    pub(crate) entry: RunEntry,
    /// Its segments, in the order of its scheme's tables.
    pub(crate) segments: Vec<SegmentFile>,
    /// Its postings.
    pub(crate) postings: PostingsFile,
}

impl Run {
    /// Maps all files of a run and compares what they say of themselves with the manifest.
    pub(crate) fn open(dir: &Dir, entry: &RunEntry, verify: Verify) -> Result<Self> {
        let segments: Vec<SegmentFile> =
            entry.segments.iter().map(|file| SegmentFile::open(dir, file, verify)).collect::<Result<_>>()?;
        let postings = PostingsFile::open(dir, &entry.postings, verify)?;
        for (ordinal, (file, named)) in segments.iter().zip(&entry.segments).enumerate() {
            check_segment(file, named, entry, ordinal)?;
        }
        let header = postings.postings().header();
        let agrees = header.identity == entry.postings.identity
            && header.low == entry.low
            && header.high == entry.high
            && header.fingerprints == entry.fingerprints
            && header.documents == entry.documents
            && header.set_digest == entry.set_digest
            && header.restart == entry.scheme.restart()
            && header.blocks == segments[0].segment().block_len();
        if !agrees {
            return Err(disagrees(postings.path()));
        }
        Ok(Self { entry: entry.clone(), segments, postings })
    }
}

fn check_segment(file: &SegmentFile, named: &FileEntry, entry: &RunEntry, ordinal: usize) -> Result<()> {
    let header: &segment::Header = file.segment().header();
    let agrees = header.identity == named.identity
        && usize::from(header.ordinal) == ordinal
        && header.table == entry.scheme.tables()[ordinal]
        && header.k == entry.scheme.k()
        && header.restart == entry.scheme.restart()
        && header.count == entry.fingerprints
        && header.digest == entry.set_digest;
    if agrees { Ok(()) } else { Err(disagrees(file.path())) }
}

fn disagrees(path: &Path) -> Error {
    Error::Inconsistent { path: path.into(), what: "is not the file that the manifest describes".into() }
}
