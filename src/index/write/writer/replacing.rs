//! The documents that a new one replaces, and their visibility: the same for single inserts and for bulk
//! loads.

use nddb_format::record::{Counters, Print, Range, RangeState};
use roaring::RoaringTreemap;

use super::Writer;
use super::group::SameId;
use crate::Result;
use crate::catalog::IdCursor;
use crate::document::Document;
use crate::ranges::Ranges;

impl Writer {
    /// Returns the committed documents with this id that are deleted by neither a commit nor a staged change.
    pub(crate) fn known(&self, ids: &mut IdCursor<'_>, id: &str) -> Result<SameId> {
        let mut numbers = Vec::new();
        ids.all(id, &mut numbers)?;
        let mut known = SameId::default();
        for number in numbers {
            if self.snapshot.deleted.contains(number) || self.group.deleted.contains(number) {
                continue;
            }
            if !self.snapshot.is_hidden(number) {
                known.visible = Some(number);
            } else if self.is_own(number) {
                known.own.push(number);
            } else {
                known.others.push(number);
            }
        }
        Ok(known)
    }

    /// Returns whether a hidden number belongs to the current pending batch.
    fn is_own(&self, number: u64) -> bool {
        self.is_pending() && self.batch_number() == self.snapshot.ranges.of(number).map(|(_, range)| range.batch)
    }

    /// Returns whether nothing visible to a user differs between a document and the stored one.
    pub(crate) fn is_stored(&self, document: &Document, number: u64) -> Result<bool> {
        if let Some(summary) = self.view().summary(number)? {
            return Ok(document.is_same_as_summary(&summary));
        }
        Ok(self.view().stored(number)?.is_some_and(|stored| {
            let print = Print { fingerprint: stored.fingerprint.0, unprinted: stored.unprinted };
            document.is_same_as(&print, &stored.record)
        }))
    }

    /// Returns the range of new documents up to `high`, if they belong to a batch.
    pub(crate) fn new_range(&self, high: u64) -> Option<Range> {
        let state = if self.is_pending() { RangeState::Pending } else { RangeState::Committed };
        self.batch_number().map(|batch| Range { high, state, batch })
    }

    /// Returns the ranges after the current load, which begins at `low`, has ended with `ranges`, and the rows of
    /// the catalog for them.
    pub(crate) fn ranges_after(&self, low: u64, ranges: &[(u64, Range)]) -> (Ranges, Vec<(u64, Range)>) {
        let mut after = self.snapshot.ranges.clone();
        after.pop_loading(low);
        let mut rows = Vec::with_capacity(ranges.len());
        for &(low, range) in ranges {
            rows.push(after.row_for(low, range));
            after.extend(low, range);
        }
        (after, rows)
    }

    /// Records that the numbers of a range are reserved for a load.
    pub(crate) fn begin_loading(&mut self, low: u64, range: Range, counters: Counters) {
        self.counters = counters;
        self.snapshot.ranges.push(low, range);
    }

    /// Records that a load is committed.
    pub(crate) fn end_loading(&mut self, ranges: Ranges, counters: Counters, deleted: &RoaringTreemap) {
        self.counters = counters;
        self.batch_is_known();
        self.snapshot.ranges = ranges;
        self.snapshot.deleted |= deleted;
        self.unfolded += deleted.len();
        self.snapshot.seen = counters.next_number;
    }
}
