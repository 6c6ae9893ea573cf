//! Batch queries without a database: whole segments, ranges of their blocks, or streams of blocks.

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nddb_format::block::BLOCK_SIZE;
use nddb_format::segment::{self, HEADER_SIZE, Segment, SegmentHeader};
use nddb_format::{Fingerprint, FormatError, Permuted};

use super::batch::{RANGE_LEN, range_of, read_ahead};
use super::sweep::{QueryIndex, Sieve};
use crate::disk::map::Mapped;
use crate::runs::build::in_parallel;
use crate::within::Within;
use crate::{Error, Result};

/// Compares a segment file, or a range of its blocks as (first, count), with queries, and passes (query ordinal,
/// stored fingerprint, distance) to `emit`, sorted within each range of 64 MB. Needs no database and ignores
/// deletions. Returns the number of stored fingerprints read.
///
/// # Errors
/// [`Error::OutOfRange`] for a distance or a query that exceeds the segment's; damage of the file; any error of
/// `emit`.
pub fn scan_segment(
    path: &Path,
    blocks: Option<(u64, u64)>,
    queries: &[Fingerprint],
    within: Within,
    emit: &mut dyn FnMut(u64, Fingerprint, u32) -> Result<()>,
) -> Result<u64> {
    let segment = Segment::open(Mapped::open(path, None)?).map_err(Error::format(path))?;
    segment.source().sequential();
    let (first, count) = blocks.unwrap_or((0, segment.block_len()));
    let end = first.saturating_add(count);
    if first >= segment.block_len() || end > segment.block_len() {
        return Err(Error::OutOfRange {
            what: "the end of the block range",
            requested: end,
            limit: segment.block_len(),
        });
    }
    let index = QueryIndex::new(&segment.header().table, queries, within, segment.header().count, u64::MAX)?;
    let task = Task::new(path, segment.header(), &index)?;
    let mut read = 0;
    for start in (first..end).step_by(RANGE_LEN as usize) {
        let found = task.range(start, &segment.data()[range_of(start, end)])?;
        segment.source().check_readable()?;
        read += found.pass(emit)?;
    }
    Ok(read)
}

/// Compares whole segment files, which are parts of one table, with queries, as [`scan_segment`] does. `threads` ranges
/// of 64 MB are compared at a time, while the system reads the next ones; the order of the ranges is undefined.
///
/// # Errors
/// As [`scan_segment`]; [`Error::Inconsistent`] if the segments are not of one table, or if there is none.
pub fn scan_segments(
    paths: &[&Path],
    queries: &[Fingerprint],
    within: Within,
    threads: usize,
    emit: &mut (dyn FnMut(u64, Fingerprint, u32) -> Result<()> + Send),
) -> Result<u64> {
    let open = |path: &&Path| Segment::open(Mapped::open(path, None)?).map_err(Error::format(path));
    let segments: Vec<Segment<Mapped>> = paths.iter().map(open).collect::<Result<_>>()?;
    let Some(table) = segments.first().map(|segment| segment.header().table.clone()) else {
        return Err(Error::Inconsistent { path: "".into(), what: "no segment is named".into() });
    };
    if let Some(other) = segments.iter().find(|segment| segment.header().table != table) {
        let what = "is of another table than the first segment".into();
        return Err(Error::Inconsistent { path: other.source().path().into(), what });
    }
    let stored = whole_table(&segments);
    let index = QueryIndex::new(&table, queries, within, stored, u64::MAX)?;
    segments.iter().for_each(|segment| segment.source().sequential());
    let tasks: Vec<Task<'_>> = segments
        .iter()
        .map(|segment| Task::new(segment.source().path(), segment.header(), &index))
        .collect::<Result<_>>()?;
    let ranges: Vec<(usize, u64)> = (0..)
        .zip(&segments)
        .flat_map(|(file, segment)| {
            (0..segment.block_len()).step_by(RANGE_LEN as usize).map(move |first| (file, first))
        })
        .collect();
    let emit = Mutex::new(emit);
    let reads = in_parallel(ranges.len(), threads, &|ordinal| {
        for &(file, first) in ranges.iter().skip(ordinal).step_by(threads.max(1)).take(2) {
            read_ahead(&segments[file], first);
        }
        let (file, first) = ranges[ordinal];
        let segment = &segments[file];
        let bytes = range_of(first, segment.block_len());
        let found = tasks[file].range(first, &segment.data()[bytes.clone()])?;
        segment.source().check_readable()?;
        segment.source().forget_range(bytes);
        let mut emit = emit.lock().unwrap_or_else(PoisonError::into_inner);
        found.pass(&mut **emit)
    })?;
    Ok(reads.iter().sum())
}

/// Returns about how many fingerprints a table has of which these segments are parts: what matters for the index of the
/// queries is how many stored fingerprints share their topmost bits.
fn whole_table(segments: &[Segment<Mapped>]) -> u64 {
    let stored: u64 = segments.iter().map(|segment| segment.header().count).sum();
    let span = |segment: &Segment<Mapped>| {
        let (first, last) = (segment.key(0), segment.key(segment.block_len() - 1));
        last.0.saturating_sub(first.0) as f64 + 1.0
    };
    let bits = segments.first().map_or(0, |segment| segment.header().table.bits());
    let covered: f64 = segments.iter().map(span).sum::<f64>() / f64::from(bits).exp2();
    (stored as f64 / covered.min(1.0)) as u64
}

/// Compares streamed blocks with queries, as [`scan_segment`] does. They begin with block `first` of the segment whose
/// header is at the beginning of `header`.
///
/// # Errors
/// As [`scan_segment`].
pub fn scan_blocks(
    header: &[u8],
    first: u64,
    input: &mut dyn Read,
    queries: &[Fingerprint],
    within: Within,
    emit: &mut dyn FnMut(u64, Fingerprint, u32) -> Result<()>,
) -> Result<u64> {
    let name = Path::new("the header");
    let header = SegmentHeader::decode(&header[..header.len().min(HEADER_SIZE)]).map_err(Error::format(name))?;
    let index = QueryIndex::new(&header.table, queries, within, header.count, u64::MAX)?;
    let name = Path::new("the blocks");
    let task = Task::new(name, &header, &index)?;
    let (mut start, mut read) = (first, 0);
    loop {
        let mut bytes = Vec::new();
        let size = RANGE_LEN * BLOCK_SIZE as u64;
        input.take(size).read_to_end(&mut bytes).map_err(Error::io("read", name))?;
        if bytes.is_empty() {
            return Ok(read);
        }
        read += task.range(start, &bytes)?.pass(emit)?;
        start += RANGE_LEN;
    }
}

/// The task of the paper's mappers: a header, queries, and ranges of blocks.
struct Task<'a> {
    path: &'a Path,
    header: &'a SegmentHeader,
    decoder: nddb_format::huffman::Decoder,
    index: &'a QueryIndex,
}

/// What a range has: the number of its fingerprints, and the matches as (query ordinal, distance, stored fingerprint).
struct RangeMatches {
    read: u64,
    matches: Vec<(u32, u32, Fingerprint)>,
}

impl<'a> Task<'a> {
    fn new(path: &'a Path, header: &'a SegmentHeader, index: &'a QueryIndex) -> Result<Self> {
        let decoder = header.decoder().map_err(Error::format(path))?;
        Ok(Self { path, header, decoder, index })
    }

    fn range(&self, first: u64, bytes: &[u8]) -> Result<RangeMatches> {
        let mut sieve = Sieve::new(self.index);
        let (mut read, mut pairs) = (0, Vec::new());
        let mut keep = |query: u64, value: u64| {
            pairs.push((query, value));
            Ok::<_, FormatError>(())
        };
        let outcome = segment::decode_blocks(self.header, &self.decoder, first, bytes, &mut |values: &[u64]| {
            read += values.len() as u64;
            sieve.push(values, &mut keep)
        });
        outcome.and_then(|()| sieve.finish(&mut keep)).map_err(Error::format(self.path))?;
        let mut matches = Vec::new();
        for (query, value) in pairs {
            let distance = (query ^ value).count_ones();
            let position = self.index.index_of(query).unwrap_or(0);
            let stored = self.header.table.unpermute(Permuted(value));
            matches.extend(self.index.ordinals(position as u32).iter().map(|&ordinal| (ordinal, distance, stored)));
        }
        matches.sort_unstable();
        Ok(RangeMatches { read, matches })
    }
}

impl RangeMatches {
    /// Passes the matches to `emit`. Returns the number of fingerprints read.
    fn pass(self, emit: &mut dyn FnMut(u64, Fingerprint, u32) -> Result<()>) -> Result<u64> {
        self.matches.into_iter().try_for_each(|(ordinal, distance, stored)| emit(ordinal.into(), stored, distance))?;
        Ok(self.read)
    }
}
