//! Batch mode with the ids of the documents found.

use nddb_format::Fingerprint;

use super::view::View;
use crate::spill::progress::Progress;
use crate::spill::sort::Sorter;
use crate::within::Within;
use crate::{Error, Result};

/// Number of rows whose ids are looked up together.
pub(super) const RESOLVE_LEN: usize = 1 << 14;

/// The result of a batch query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// Number of stored fingerprints that were compared or excluded, summed over the runs.
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
    /// (query, distance, id bytewise). `threads` ranges or queries are read at a time; matches take about
    /// `memory_limit` bytes of memory, beyond that temporary files.
    ///
    /// # Errors
    /// Errors of [`View::probe`]; [`Error::Cancelled`]; any error of `emit`.
    pub fn batch_query(
        &self,
        queries: &[Fingerprint],
        within: Within,
        threads: usize,
        memory_limit: u64,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(BatchMatch<'_>) -> Result<()>,
    ) -> Result<BatchSummary> {
        let (total, rows) = self.snapshot.batch_rows(queries, within, (threads, memory_limit), watch)?;
        let matches = self.emit_rows(rows, emit)?;
        Ok(BatchSummary { stored: total + self.snapshot.memtable.len() as u64, matches })
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
