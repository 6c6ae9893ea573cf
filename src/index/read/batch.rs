//! Batch mode (Manku 2007, 3.3): many queries by one sequential pass over all stored fingerprints, or by probes if
//! these are predicted to be cheaper: few queries.
//!
//! The queries are indexed in memory (`sweep`); table 0 of every run is read once, in ranges of 64 MB. Each range is a
//! separate task that needs only the segment's header and the range itself. The results of the tasks are merged,
//! sorted, and resolved to ids (`batch_ids`).

use std::sync::{Mutex, PoisonError};

use nddb_format::block::BLOCK_SIZE;
use nddb_format::segment::Segment;
use nddb_format::{Fingerprint, FormatError, Permuted};

use super::probe::{Match, Matches};
use super::snapshot::Snapshot;
use super::sweep::{QueryIndex, Sieve, predicted_ns};
use crate::disk::map::Mapped;
use crate::runs::build::in_parallel;
use crate::runs::run::Run;
use crate::spill::progress::{Progress, or_unwatched};
use crate::spill::resources::Resources;
use crate::spill::sort::{SortedRows, Sorter};
use crate::within::Within;
use crate::{Error, Result};

/// Number of blocks in a range of 64 MB.
pub(super) const RANGE_LEN: u64 = (64 << 20) / BLOCK_SIZE as u64;
/// Number of queries that one thread probes at a time.
const PIECE: usize = 64;

/// The number of units done so far, and the callback for progress.
type Watched<'a> = (u64, &'a mut (dyn FnMut(&Progress) -> bool + Send));

/// Reports progress: `more` of all.
fn tick(watch: &Mutex<Watched<'_>>, phase: &'static str, more: u64, all: (u64, &'static str)) -> Result<()> {
    let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
    watch.0 += more;
    let progress = Progress { phase, done: watch.0, total: Some(all.0), unit: all.1 };
    if (watch.1)(&progress) { Ok(()) } else { Err(Error::Cancelled) }
}

impl Snapshot {
    /// Returns the number of fingerprints of the runs and the matches of many queries, as sorted rows: ordinal of the
    /// query with the distance in its low byte, number, fingerprint. So many ranges or queries are read at a time as
    /// there are threads; the rows take about half of the memory, beyond that temporary files.
    ///
    /// # Errors
    /// Errors of [`Snapshot::probe_many`]; [`Error::Cancelled`].
    pub(crate) fn batch_rows(
        &self,
        queries: &[Fingerprint],
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<(u64, SortedRows<'static, 3>)> {
        let &Resources { threads, memory_limit, ref folder } = resources;
        self.check_query(queries, within.0.into())?;
        let total: u64 = self.runs.iter().map(|run| run.entry.fingerprints).sum();
        let rows = Mutex::new(Sorter::<3>::new(folder, memory_limit / 2));
        let watch = Mutex::new((0u64, or_unwatched(watch)));
        let sweep = predicted_ns(self.manifest.bits, within, (queries.len(), total), memory_limit / 2);
        if self.predicted_ns(within) * (queries.len() as f64) < sweep {
            self.probe_all(queries, within, threads, &rows, &watch)?;
        } else {
            self.sweep(queries, within, total, (threads, memory_limit), &rows, &watch)?;
        }
        Ok((total, rows.into_inner().unwrap_or_else(PoisonError::into_inner).finish().into_rows()?))
    }

    /// Adds the matches of all queries, by probes.
    fn probe_all(
        &self,
        queries: &[Fingerprint],
        within: Within,
        threads: usize,
        rows: &Mutex<Sorter<3>>,
        watch: &Mutex<Watched<'_>>,
    ) -> Result<()> {
        let pieces: Vec<&[Fingerprint]> = queries.chunks(PIECE).collect();
        in_parallel(pieces.len(), threads, &|piece| {
            let found = self.probe_many(pieces[piece], within.into())?;
            let mut sorter = rows.lock().unwrap_or_else(PoisonError::into_inner);
            for (ordinal, Matches { matches, .. }) in ((piece * PIECE) as u64..).zip(found) {
                for Match { distance, number, fingerprint } in matches {
                    sorter.push([ordinal << 8 | u64::from(distance), number, fingerprint.0])?;
                }
            }
            drop(sorter);
            tick(watch, "probe", pieces[piece].len() as u64, (queries.len() as u64, "queries"))
        })?;
        Ok(())
    }

    /// Adds the matches of all queries, by one pass over all `total` fingerprints of the runs.
    fn sweep(
        &self,
        queries: &[Fingerprint],
        within: Within,
        total: u64,
        (threads, memory_limit): (usize, u64),
        rows: &Mutex<Sorter<3>>,
        watch: &Mutex<Watched<'_>>,
    ) -> Result<()> {
        // Each run is passed from its first fingerprint to its last.
        let stored = total / self.runs.len().max(1) as u64;
        let index = self.query_index(queries, within, stored, memory_limit / 2)?;
        let ranges: Vec<(&Run, u64)> = self
            .runs
            .iter()
            .flat_map(|run| {
                (0..run.segments[0].segment().block_len()).step_by(RANGE_LEN as usize).map(move |first| (&**run, first))
            })
            .collect();
        let sources = || self.runs.iter().map(|run| run.segments[0].segment().source());
        // Reading ahead is slow where the system expects reads at random.
        sources().for_each(Mapped::sequential);
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
            tick(watch, "sweep", read, (total, "fingerprints"))
        });
        sources().for_each(Mapped::random);
        swept?;
        self.sweep_memtable(&index, &mut rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the index of queries for a pass over about `stored` fingerprints in natural bit order.
    pub(super) fn query_index(
        &self,
        queries: &[Fingerprint],
        within: Within,
        stored: u64,
        memory_limit: u64,
    ) -> Result<QueryIndex> {
        let natural =
            nddb_format::scheme::Scheme::new(self.manifest.bits, 0, &[], 0).map_err(Error::format(&self.path))?;
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
        if !run.has_numbers() {
            return push(index, query, value, 0, rows);
        }
        run.postings()?.numbers(list, |number| {
            if self.is_live(number) {
                push(index, query, value, number, rows)?;
            }
            Ok(true)
        })
    }

    fn sweep_memtable(&self, index: &QueryIndex, rows: &mut Sorter<3>) -> Result<()> {
        let mut entries: Vec<(u64, &[u64])> = self.memtable.entries().collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut values: Vec<u64> = entries.iter().map(|entry| entry.0).collect();
        values.dedup();
        let mut sieve = Sieve::new(index);
        let mut keep = |query: u64, value: u64| -> Result<()> {
            let first = entries.partition_point(|entry| entry.0 < value);
            let equal = entries[first..].iter().take_while(|entry| entry.0 == value);
            let mut live = equal.flat_map(|entry| entry.1).filter(|&&number| self.is_live(number));
            live.try_for_each(|&number| push(index, query, value, number, rows))
        };
        sieve.push(&values, &mut keep)?;
        sieve.finish(&mut keep)
    }
}

/// Returns the indexes of the documents of a fingerprint in table 0 of the run.
fn list_of(run: &Run, value: u64) -> Result<std::ops::Range<u64>> {
    if !run.has_numbers() {
        return Ok(0..1);
    }
    let file = &run.segments[0];
    let position = file.segment().find(Permuted(value));
    let entry = position.map(|block| file.block(block).map(|found| found.position(value))).transpose()?.flatten();
    let (Some(block), Some(entry)) = (position, entry) else {
        let what = format!("does not hold fingerprint {} where its index says", Fingerprint(value));
        return Err(Error::Inconsistent { path: file.path().into(), what });
    };
    let postings = run.postings()?;
    postings.list(postings.first_rank(block)? + entry as u64)
}

fn push(index: &QueryIndex, query: u64, value: u64, number: u64, rows: &mut Sorter<3>) -> Result<()> {
    let distance = u64::from((query ^ value).count_ones());
    let position = index.index_of(query).unwrap_or(0);
    index
        .ordinals(position as u32)
        .iter()
        .try_for_each(|&ordinal| rows.push([u64::from(ordinal) << 8 | distance, number, value]))
}

/// Returns the bytes in a segment of the range that begins with block `first`, of a segment or a part that ends before
/// block `end`.
pub(super) fn range_of(first: u64, end: u64) -> std::ops::Range<usize> {
    Segment::<Mapped>::block_offset(first)..Segment::<Mapped>::block_offset(end.min(first + RANGE_LEN))
}

/// Asks the system to read the range that begins with block `first`.
pub(super) fn read_ahead(segment: &Segment<Mapped>, first: u64) {
    let bytes = range_of(first, segment.block_len());
    segment.source().will_need(bytes.start, bytes.len());
}
