//! Batch mode with the ids of the documents found.

use std::iter::Peekable;

use nddb_format::Fingerprint;

use super::view::View;
use crate::spill::progress::Progress;
use crate::spill::resources::Resources;
use crate::spill::sort::SortedRows;
use crate::within::Within;
use crate::{Error, Result};

/// Number of rows whose ids are looked up together.
pub(super) const RESOLVE_LEN: usize = 1 << 14;

/// A query and a stored document within the distance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchMatch {
    /// Ordinal of the query, from 0.
    pub query: u64,
    /// Hamming distance.
    pub distance: u32,
    /// Id of the document.
    pub id: String,
    /// The stored fingerprint.
    pub fingerprint: Fingerprint,
}

/// A match as numbers: query ordinal with the distance in its low byte, document number, fingerprint.
pub(super) type MatchRow = [u64; 3];

/// The matches of a batch query by (query, distance, id bytewise). After an error nothing follows.
pub struct BatchMatches<'a> {
    view: View<'a>,
    stored: u64,
    rows: Peekable<SortedRows<'static, 3>>,
    resolved: std::vec::IntoIter<BatchMatch>,
}

nddb_format::debug_fields!(BatchMatches<'_>: view, stored);

impl BatchMatches<'_> {
    /// Returns the number of stored fingerprints that were compared or excluded, summed over the runs.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// Resolves some thousand rows. Those of one query and distance stay together, because they are sorted by id.
    fn resolve(&mut self) -> Result<Vec<BatchMatch>> {
        let mut some: Vec<MatchRow> = Vec::new();
        let is_more = |some: &[MatchRow], row: &MatchRow| {
            some.len() < RESOLVE_LEN || some.last().is_none_or(|it| it[0] == row[0])
        };
        while let Some(row) = self.rows.next_if(|row| row.as_ref().map_or(true, |row| is_more(&some, row))) {
            some.push(row?);
        }
        self.view.resolved(some)
    }
}

impl Iterator for BatchMatches<'_> {
    type Item = Result<BatchMatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.resolved.len() == 0 {
            match self.resolve() {
                Ok(resolved) => self.resolved = resolved.into_iter(),
                Err(error) => {
                    self.rows = SortedRows::default().peekable();
                    return Some(Err(error));
                }
            }
        }
        self.resolved.next().map(Ok)
    }
}

impl<'a> View<'a> {
    /// Finds every live document within `within` bits of each of many queries, by one pass over all fingerprints where
    /// that is cheaper than probes. So many ranges or queries are read at a time as there are threads; matches take
    /// about as much memory as is granted, beyond that temporary files. Everything is found before this returns, which
    /// `watch` can stop; ids are looked up as the matches are read.
    ///
    /// # Errors
    /// Errors of [`View::probe`]; [`Error::Cancelled`].
    pub fn batch_query(
        &self,
        queries: &[Fingerprint],
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<BatchMatches<'a>> {
        let (total, rows) = self.snapshot.batch_rows(queries, within, resources, watch)?;
        let stored = total + self.snapshot.memtable.len() as u64;
        Ok(BatchMatches { view: *self, stored, rows: rows.peekable(), resolved: Vec::new().into_iter() })
    }

    /// Returns rows with the ids of their documents, sorted.
    pub(super) fn resolved(&self, rows: Vec<MatchRow>) -> Result<Vec<BatchMatch>> {
        let mut numbers: Vec<u64> = rows.iter().map(|row| row[1]).collect();
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
        let mut resolved = Vec::with_capacity(rows.len());
        for [key, number, fingerprint] in rows {
            let id = numbers.binary_search(&number).ok().map(|position| &ids[position]).filter(|id| !id.is_empty());
            let Some(id) = id else {
                let what = format!("the catalog lacks document {number}, which a run holds");
                return Err(Error::Inconsistent { path, what });
            };
            let (query, distance, fingerprint) = (key >> 8, (key & 0xff) as u32, Fingerprint(fingerprint));
            resolved.push(BatchMatch { query, distance, id: id.clone(), fingerprint });
        }
        resolved.sort_unstable();
        Ok(resolved)
    }
}
