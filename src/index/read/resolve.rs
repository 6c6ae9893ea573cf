//! Batch mode in parts (Manku 2007, 3.3): the ranges of segments to scan, and the documents for the fingerprints found.
//!
//! A scan of a range knows only fingerprints. The rows from all ranges are collected, rows for documents that are in no
//! run yet are added, and the live documents of each fingerprint are looked up. Deleted documents are left out in this
//! step.

use std::path::PathBuf;

use nddb_format::Fingerprint;

use super::batch::RANGE_LEN;
use super::batch_ids::{BatchMatch, RESOLVE_LEN};
use super::sweep::Sieve;
use super::view::View;
use crate::runs::run::SegmentFile;
use crate::spill::sort::Sorter;
use crate::within::Within;
use crate::{Error, Result};

/// A range of blocks of a segment that contains each fingerprint of its run once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRange {
    /// Path of the segment.
    pub segment: PathBuf,
    /// The first block.
    pub first: u64,
    /// Number of blocks: 64 MB of them, or fewer.
    pub blocks: u64,
}

impl View<'_> {
    /// Returns the ranges that cover all fingerprints of the runs, using one table of each run.
    pub fn scan_ranges(&self) -> Vec<ScanRange> {
        let of_run = |file: &SegmentFile| {
            let (segment, blocks) = (file.path().to_owned(), file.segment().block_len());
            let range =
                move |first| ScanRange { segment: segment.clone(), first, blocks: RANGE_LEN.min(blocks - first) };
            (0..blocks).step_by(RANGE_LEN as usize).map(range)
        };
        self.snapshot.runs.iter().flat_map(|run| of_run(&run.segments[0])).collect()
    }

    /// Compares the fingerprints of documents that are in no run yet, which scans of all ranges miss, with queries, and
    /// passes (query ordinal, stored fingerprint, distance) to `emit`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if a distance or a query exceeds the database's; any error of `emit`.
    pub fn scan_recent(
        &self,
        queries: &[Fingerprint],
        within: Within,
        emit: &mut dyn FnMut(u64, Fingerprint, u32) -> Result<()>,
    ) -> Result<()> {
        if within.0 > self.settings.k {
            return Err(Error::OutOfRange { what: "k", requested: within.0.into(), limit: self.settings.k.into() });
        }
        let index = self.snapshot.query_index(queries, within, self.snapshot.memtable.len() as u64, u64::MAX)?;
        let mut values: Vec<u64> = self.snapshot.memtable.entries().map(|(value, _)| value).collect();
        values.sort_unstable();
        values.dedup();
        let mut keep = |query: u64, value: u64| -> Result<()> {
            let distance = (query ^ value).count_ones();
            let ordinals = index.ordinals(index.index_of(query).unwrap_or(0) as u32);
            ordinals.iter().try_for_each(|&ordinal| emit(ordinal.into(), Fingerprint(value), distance))
        };
        let mut sieve = Sieve::new(&index);
        sieve.push(&values, &mut keep)?;
        sieve.finish(&mut keep)
    }
}

/// The rows found by scans, to be resolved to documents.
pub struct Resolving<'a> {
    view: View<'a>,
    /// Query ordinal with the distance in its low byte, fingerprint.
    rows: Sorter<2>,
}

nddb_format::debug_fields!(Resolving<'_>: view);

impl<'a> Resolving<'a> {
    /// Begins without rows; these take about `memory_limit` bytes of memory, beyond that temporary files.
    pub fn new(view: View<'a>, memory_limit: u64) -> Self {
        Self { view, rows: Sorter::new(&tempfile::env::temp_dir(), memory_limit) }
    }

    /// Adds a row of a scan: the ordinal of the query, the stored fingerprint, the distance. A row may be added
    /// repeatedly.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a distance above 64 or an ordinal of more than 56 bits; errors of temporary files.
    pub fn push(&mut self, query: u64, stored: Fingerprint, distance: u32) -> Result<()> {
        for (what, requested, limit) in [("the distance", distance.into(), 64), ("the query", query, u64::MAX >> 8)] {
            if requested > limit {
                return Err(Error::OutOfRange { what, requested, limit });
            }
        }
        self.rows.push([query << 8 | u64::from(distance), stored.0])
    }

    /// Passes the live documents of all rows to `emit`, as [`View::batch_query`] finds them. Returns their number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a fingerprint wider than the database's; damage; any error of `emit`.
    pub fn finish(self, emit: &mut dyn FnMut(BatchMatch) -> Result<()>) -> Result<u64> {
        let Self { view, rows } = self;
        let (mut pending, mut matches): (Vec<[u64; 2]>, u64) = (Vec::new(), 0);
        rows.finish().each(&mut |stretch| {
            for &row in stretch {
                match pending.last() {
                    Some(last) if *last == row => continue,
                    // Rows of one query and distance stay together, because they are sorted by id.
                    Some(last) if pending.len() >= RESOLVE_LEN && last[0] != row[0] => {
                        matches += resolve(view, &mut pending, emit)?;
                    }
                    _ => {}
                }
                pending.push(row);
            }
            Ok(())
        })?;
        Ok(matches + resolve(view, &mut pending, emit)?)
    }
}

/// Looks up the documents of the pending rows, passes them to `emit`, and empties `pending`.
fn resolve(view: View<'_>, pending: &mut Vec<[u64; 2]>, emit: &mut dyn FnMut(BatchMatch) -> Result<()>) -> Result<u64> {
    let mut stored: Vec<Fingerprint> = pending.iter().map(|row| Fingerprint(row[1])).collect();
    stored.sort_unstable();
    stored.dedup();
    let found = view.probe(&stored, Within(0))?;
    let mut rows = Vec::with_capacity(pending.len());
    for [key, value] in pending.drain(..) {
        if let Ok(index) = stored.binary_search(&Fingerprint(value)) {
            rows.extend(found[index].matches.iter().map(|found| [key, found.number, value]));
        }
    }
    let resolved = view.resolved(rows)?;
    let len = resolved.len() as u64;
    resolved.into_iter().try_for_each(emit)?;
    Ok(len)
}
