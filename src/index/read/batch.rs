//! Batch mode (Manku 2007, 3.3): many queries by one sequential pass over all stored fingerprints.
//!
//! The queries are indexed in memory (`sweep`); table 0 of every run is read once, in ranges of 64 MB. Each range is a
//! separate task that needs only the segment's header and the range itself. The results of the tasks are merged,
//! sorted, and resolved to ids.

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nddb_format::block::BLOCK_SIZE;
use nddb_format::segment::{self, HEADER_SIZE, Header, Segment};
use nddb_format::{Fingerprint, FormatError, Permuted};

use super::sweep::{QueryIndex, Sieve};
use super::view::{View, Within};
use crate::disk::map::Mapped;
use crate::runs::build::in_parallel;
use crate::runs::run::Run;
use crate::spill::progress::Progress;
use crate::spill::sort::Sorter;
use crate::{Error, Result};

/// Number of blocks in a range of 64 MB.
pub(super) const RANGE_LEN: u64 = (64 << 20) / BLOCK_SIZE as u64;
/// Number of rows whose ids are looked up together.
pub(super) const RESOLVE_LEN: usize = 1 << 14;

/// The result of a batch query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// Number of stored fingerprints read, summed over the runs.
    pub stored: u64,
    /// Number of matches: pairs of a query and a live document.
    pub matches: u64,
}

/// A query and a stored document within the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchMatch<'a> {
    /// Ordinal of the query, from 0.
    pub query: u64,
    /// The stored fingerprint.
    pub fingerprint: Fingerprint,
    /// Hamming distance.
    pub distance: u32,
    /// Id of the document.
    pub id: &'a str,
}

/// A match as numbers: query ordinal with the distance in its low byte, document number, fingerprint.
pub(super) type Row = [u64; 3];

impl View<'_> {
    /// Finds every live document within `within` bits of each of many queries and passes the matches to `emit` by
    /// (query, distance, id bytewise). `threads` ranges are read at a time; matches take about `memory_limit` bytes
    /// of memory, beyond that temporary files.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if a distance or a query exceeds the database's; damage; [`Error::Cancelled`]; any
    /// error of `emit`.
    pub fn batch_query(
        &self,
        queries: &[Fingerprint],
        within: Within,
        threads: usize,
        memory_limit: u64,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(BatchMatch<'_>) -> Result<()>,
    ) -> Result<BatchSummary> {
        let total: u64 = self.snapshot.runs.iter().map(|run| run.entry.fingerprints).sum();
        // Each run is passed from its first fingerprint to its last.
        let stored = total / self.snapshot.runs.len().max(1) as u64;
        let index = self.query_index(queries, within, stored, memory_limit / 2)?;
        let ranges: Vec<(&Run, u64)> = self
            .snapshot
            .runs
            .iter()
            .flat_map(|run| {
                (0..run.segments[0].segment().block_len()).step_by(RANGE_LEN as usize).map(move |first| (&**run, first))
            })
            .collect();
        let sources = || self.snapshot.runs.iter().map(|run| run.segments[0].segment().source());
        // Reading ahead is slow where the system expects reads at random.
        sources().for_each(Mapped::sequential);
        let rows = Mutex::new(Sorter::<3>::new(&tempfile::env::temp_dir(), memory_limit / 2));
        let done = Mutex::new((0u64, watch));
        let swept = in_parallel(ranges.len(), threads, &|range| {
            if let Some((run, first)) = ranges.get(range + threads.max(1)) {
                read_ahead(run.segments[0].segment(), *first);
            }
            let (run, first) = ranges[range];
            let (read, found) = self.sweep_range(run, first, &index)?;
            let mut sorter = rows.lock().unwrap_or_else(PoisonError::into_inner);
            found
                .into_iter()
                .try_for_each(|(query, value, list)| self.push_list(run, &index, query, value, list, &mut sorter))?;
            drop(sorter);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0 += read;
            let progress = Progress { phase: "sweep", done: done.0, total: Some(total), unit: "fingerprints" };
            if (done.1)(&progress) { Ok(()) } else { Err(Error::Cancelled) }
        });
        sources().for_each(Mapped::random);
        swept?;
        let stored = done.into_inner().unwrap_or_else(PoisonError::into_inner).0;
        let mut sorter = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.sweep_memtable(&index, &mut sorter)?;
        let matches = self.emit_rows(sorter, emit)?;
        Ok(BatchSummary { stored: stored + self.snapshot.memtable.len() as u64, matches })
    }

    /// Returns the index of queries for a pass over about `stored` fingerprints in natural bit order.
    pub(super) fn query_index(
        &self,
        queries: &[Fingerprint],
        within: Within,
        stored: u64,
        memory_limit: u64,
    ) -> Result<QueryIndex> {
        if within.0 > self.settings.k {
            return Err(Error::OutOfRange { what: "k", requested: within.0.into(), limit: self.settings.k.into() });
        }
        let natural =
            nddb_format::scheme::Scheme::new(self.settings.bits, 0, &[], 0).map_err(Error::format(self.dir.root()))?;
        QueryIndex::new(&natural.tables()[0], queries, within, stored, memory_limit)
    }

    /// Reads one range of a run's table 0. Returns the number of its fingerprints and the matches: query, value,
    /// and the indexes of its documents.
    #[expect(clippy::type_complexity, reason = "it does not leave this file")]
    fn sweep_range(
        &self,
        run: &Run,
        first: u64,
        index: &QueryIndex,
    ) -> Result<(u64, Vec<(u64, u64, std::ops::Range<u64>)>)> {
        let file = &run.segments[0];
        let mut sieve = Sieve::new(index);
        let (mut read, mut pairs) = (0, Vec::new());
        let mut keep = |query: u64, value: u64| {
            pairs.push((query, value));
            Ok::<_, FormatError>(())
        };
        let outcome = file.segment().scan(first, RANGE_LEN, &mut |values: &[u64]| {
            read += values.len() as u64;
            sieve.push(values, &mut keep)
        });
        outcome.and_then(|()| sieve.finish(&mut keep)).map_err(Error::format(file.path()))?;
        file.check_readable()?;
        let found = pairs.into_iter().map(|(query, value)| Ok((query, value, list_of(run, value)?)));
        Ok((read, found.collect::<Result<_>>()?))
    }

    /// Adds the live documents of a list, for each query that is equal to `query`.
    fn push_list(
        &self,
        run: &Run,
        index: &QueryIndex,
        query: u64,
        value: u64,
        list: std::ops::Range<u64>,
        rows: &mut Sorter<3>,
    ) -> Result<()> {
        run.postings.numbers(list, |number| {
            if self.snapshot.is_live(number) {
                push(index, query, value, number, rows)?;
            }
            Ok(true)
        })
    }

    fn sweep_memtable(&self, index: &QueryIndex, rows: &mut Sorter<3>) -> Result<()> {
        let mut entries: Vec<(u64, &[u64])> = self.snapshot.memtable.entries().collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut values: Vec<u64> = entries.iter().map(|entry| entry.0).collect();
        values.dedup();
        let mut sieve = Sieve::new(index);
        let mut keep = |query: u64, value: u64| -> Result<()> {
            let first = entries.partition_point(|entry| entry.0 < value);
            let equal = entries[first..].iter().take_while(|entry| entry.0 == value);
            let mut live = equal.flat_map(|entry| entry.1).filter(|&&number| self.snapshot.is_live(number));
            live.try_for_each(|&number| push(index, query, value, number, rows))
        };
        sieve.push(&values, &mut keep)?;
        sieve.finish(&mut keep)
    }

    /// Resolves sorted rows to matches with ids, a few thousand at a time; those of one query and distance stay
    /// together, because they are sorted by id.
    fn emit_rows(&self, rows: Sorter<3>, emit: &mut dyn FnMut(BatchMatch<'_>) -> Result<()>) -> Result<u64> {
        let (mut pending, mut matches): (Vec<Row>, u64) = (Vec::new(), 0);
        rows.finish().each(&mut |stretch| {
            for &row in stretch {
                if pending.len() >= RESOLVE_LEN && pending.last().is_some_and(|last| last[0] != row[0]) {
                    matches += self.emit_resolved(&mut pending, emit)?;
                }
                pending.push(row);
            }
            Ok(())
        })?;
        Ok(matches + self.emit_resolved(&mut pending, emit)?)
    }

    /// Passes rows with the ids of their documents to `emit`, sorted, and empties them. Returns their number.
    pub(super) fn emit_resolved(
        &self,
        pending: &mut Vec<Row>,
        emit: &mut dyn FnMut(BatchMatch<'_>) -> Result<()>,
    ) -> Result<u64> {
        let mut numbers: Vec<u64> = pending.iter().map(|row| row[1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut ids: Vec<String> = vec![String::new(); numbers.len()];
        let path = self.dir.catalog();
        if !numbers.is_empty() {
            self.catalog.records(&numbers, &mut |position, value| {
                let head = nddb_format::record::Record::head_of(value).map_err(Error::format(&path))?;
                ids[position] = head.id.into();
                Ok(())
            })?;
        }
        let mut resolved = Vec::with_capacity(pending.len());
        for [key, number, fingerprint] in pending.drain(..) {
            let id = numbers.binary_search(&number).ok().map(|position| &ids[position][..]).filter(|id| !id.is_empty());
            let Some(id) = id else {
                let what = format!("the catalog lacks document {number}, which a run holds");
                return Err(Error::Inconsistent { path, what });
            };
            resolved.push((key, id, fingerprint));
        }
        resolved.sort_unstable();
        for &(key, id, fingerprint) in &resolved {
            let (query, distance, fingerprint) = (key >> 8, (key & 0xff) as u32, Fingerprint(fingerprint));
            emit(BatchMatch { query, fingerprint, distance, id })?;
        }
        Ok(resolved.len() as u64)
    }
}

/// Returns the indexes of the documents of a fingerprint in table 0 of the run.
fn list_of(run: &Run, value: u64) -> Result<std::ops::Range<u64>> {
    let file = &run.segments[0];
    let position = file.segment().find(Permuted(value));
    let entry = position.map(|block| file.block(block).map(|found| found.position(value))).transpose()?.flatten();
    let (Some(block), Some(entry)) = (position, entry) else {
        let what = format!("does not hold fingerprint {} where its index says", Fingerprint(value));
        return Err(Error::Inconsistent { path: file.path().into(), what });
    };
    run.postings.list(run.postings.first_rank(block)? + entry as u64)
}

fn push(index: &QueryIndex, query: u64, value: u64, number: u64, rows: &mut Sorter<3>) -> Result<()> {
    let distance = u64::from((query ^ value).count_ones());
    let position = index.index_of(query).unwrap_or(0);
    index
        .ordinals(position as u32)
        .iter()
        .try_for_each(|&ordinal| rows.push([u64::from(ordinal) << 8 | distance, number, value]))
}

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
    let stored = segments.iter().map(|segment| segment.header().count).sum();
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
    let header = Header::decode(&header[..header.len().min(HEADER_SIZE)]).map_err(Error::format(name))?;
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

/// Returns the bytes in a segment of the range that begins with block `first`, of a segment or a part that ends before
/// block `end`.
fn range_of(first: u64, end: u64) -> std::ops::Range<usize> {
    Segment::<Mapped>::block_offset(first)..Segment::<Mapped>::block_offset(end.min(first + RANGE_LEN))
}

/// Asks the system to read the range that begins with block `first`.
fn read_ahead(segment: &Segment<Mapped>, first: u64) {
    let bytes = range_of(first, segment.block_len());
    segment.source().will_need(bytes.start, bytes.len());
}

/// The task of the paper's mappers: a header, queries, and ranges of blocks.
struct Task<'a> {
    path: &'a Path,
    header: &'a Header,
    decoder: nddb_format::huffman::Decoder,
    index: &'a QueryIndex,
}

/// What a range has: the number of its fingerprints, and the matches as (query ordinal, distance, stored fingerprint).
struct Found {
    read: u64,
    matches: Vec<(u32, u32, Fingerprint)>,
}

impl<'a> Task<'a> {
    fn new(path: &'a Path, header: &'a Header, index: &'a QueryIndex) -> Result<Self> {
        let decoder = header.decoder().map_err(Error::format(path))?;
        Ok(Self { path, header, decoder, index })
    }

    fn range(&self, first: u64, bytes: &[u8]) -> Result<Found> {
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
        Ok(Found { read, matches })
    }
}

impl Found {
    /// Passes the matches to `emit`. Returns the number of fingerprints read.
    fn pass(self, emit: &mut dyn FnMut(u64, Fingerprint, u32) -> Result<()>) -> Result<u64> {
        self.matches.into_iter().try_for_each(|(ordinal, distance, stored)| emit(ordinal.into(), stored, distance))?;
        Ok(self.read)
    }
}
