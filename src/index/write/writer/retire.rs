//! Removal of items that the current manifest no longer needs: files, rows of deleted documents, deletions.
//!
//! A deleted document is forgotten in steps, each durable before the next: a run without it is published; after the
//! grace period its rows are removed; a manifest is published whose deleted set no longer contains its number, with
//! another `purged`; rows of its deletion are removed. Until the third step it counts as deleted. A writer that does
//! not know which step a document has reached begins with the first.

use std::collections::VecDeque;
use std::time::Duration;

use nddb_format::record::{Print, Range, RangeState};
use roaring::RoaringTreemap;

use super::Writer;
use super::retired::{GRACE, Item};
use crate::Result;
use crate::catalog::DocumentKeys;
use crate::disk::bugs::{Bug, bug};
use crate::keys::keys_of;
use crate::ranges::{contains_all, deleted_in};

/// Number of documents of an interval removed by one write: most leave in groups.
const SLICE_OF_INTERVAL: usize = 1 << 16;

impl Writer {
    /// Removes items that no manifest needs, once readers have had time to read the new one. Rows are removed a slice
    /// at a time, or all at once if `at_once`. A slower reader finds a file missing and retries. Items that cannot be
    /// removed stay for the next time, or for the next opening. Returns the first failure.
    pub(super) fn remove_retired(&mut self, at_once: bool) -> Result<()> {
        let (mut later, mut outcome) = (VecDeque::new(), Ok(()));
        let grace = if bug(Bug::NoGrace, self.dir.root()) { Duration::ZERO } else { GRACE };
        while let Some((since, item)) = self.retired.waiting.pop_front() {
            if self.poisoned || !at_once && since.elapsed() < grace {
                self.retired.waiting.push_front((since, item));
                break;
            }
            let (removed, left) = match item {
                Item::File(number, kind) => {
                    let removed = self.dir.remove(number, kind);
                    if removed.is_err() {
                        later.push_back((since, Item::File(number, kind)));
                    }
                    outcome = outcome.and(removed);
                    continue;
                }
                Item::Rows(mut numbers) => {
                    let purged = self.purge(&mut numbers);
                    (self.guard(purged), (!numbers.is_empty()).then_some(Item::Rows(numbers)))
                }
                Item::Deletions(from, folded) => {
                    let forgotten = self.forget_folded(from, folded);
                    let forgotten = self.guard(forgotten);
                    let left = forgotten.as_ref().map_or(Some(from), |left| *left);
                    (forgotten.map(drop), left.map(|from| Item::Deletions(from, folded)))
                }
            };
            left.into_iter().for_each(|left| self.retired.waiting.push_front((since, left)));
            let failed = removed.is_err();
            outcome = outcome.and(removed);
            if failed || !at_once {
                break;
            }
        }
        later.into_iter().rev().for_each(|item| self.retired.waiting.push_front(item));
        let leaving = self.leaving();
        if !leaving.is_empty() && !self.retired.has_rows() && !self.poisoned {
            let published = self.publish_without(&leaving);
            let published = self.guard(published);
            let again = published.is_ok() && at_once;
            outcome = outcome.and(published);
            if again {
                outcome = outcome.and(self.remove_retired(true));
            }
        }
        outcome
    }

    /// Removes the rows of the first of these documents, which are deleted and in no run.
    fn purge(&mut self, numbers: &mut RoaringTreemap) -> Result<()> {
        let Some(first) = numbers.min() else { return Ok(()) };
        if let Some(high) = self.catalog.end_of_interval(first) {
            let slice: Vec<u64> = numbers.iter().take(SLICE_OF_INTERVAL).take_while(|&number| number < high).collect();
            let end = slice.last().map_or(high, |last| last + 1);
            let mut commit = self.catalog.begin();
            commit.purge_of_interval(slice);
            commit.write()?;
            self.purged_below(end, numbers);
            return Ok(());
        }
        let slice_max = self.thresholds.slice;
        let cancelled = |range: &(u64, Range)| range.1.state == RangeState::Cancelled;
        let mut slice = Vec::with_capacity(slice_max);
        let end = match self.snapshot.ranges.of(first).filter(cancelled) {
            // Most numbers of an interrupted load were never written.
            Some((_, range)) => {
                let mut end = range.high;
                self.catalog.prints(first, &mut |number, _| {
                    if number >= range.high {
                        return Ok(false);
                    }
                    if numbers.contains(number) {
                        slice.push(number);
                    }
                    if slice.len() == slice_max {
                        end = number + 1;
                    }
                    Ok(slice.len() < slice_max)
                })?;
                end
            }
            None => {
                let next = self.snapshot.ranges.in_state(RangeState::Cancelled).find(|range| range.start > first);
                let end = next.map_or(u64::MAX, |range| range.start);
                slice.extend(numbers.iter().take(slice_max).take_while(|&number| number < end));
                slice.last().map_or(end, |last| last + 1)
            }
        };
        let mut commit = self.catalog.begin();
        let mut printed = slice.iter().copied();
        let corrupt = crate::Error::format;
        let path = self.dir.catalog();
        self.catalog.records(&slice, &mut |index, value| {
            let number = slice[index];
            // An interrupted load wrote prints only.
            printed.by_ref().take_while(|&before| before < number).for_each(|before| commit.forget_print(before));
            let record = nddb_format::record::Record::decode(value).map_err(corrupt(&path))?;
            commit.purge(number, &record.id);
            let keys = keys_of(&record, self.kinds);
            // Only documents without a print, or with an unprinted one, have rows of keys in the catalog. The keys of
            // all others were only in runs, and a merge has dropped them.
            let has_rows = |print: Option<Print>| print.is_none_or(|print| print.unprinted);
            if keys != DocumentKeys::default() && has_rows(self.catalog.print(number)?) {
                commit.forget_keys(number, &keys);
            }
            Ok(())
        })?;
        printed.for_each(|number| commit.forget_print(number));
        commit.write()?;
        self.purged_below(end, numbers);
        Ok(())
    }

    /// Records that the rows of the numbers below `end` are removed.
    fn purged_below(&mut self, end: u64, numbers: &mut RoaringTreemap) {
        let mut done = numbers.clone();
        done.remove_range(end..);
        numbers.remove_range(..end);
        self.retired.purged |= done;
    }

    /// Removes deletions that are in the deleted set's file, from a generation and a number on. Returns where to
    /// continue, because starting from the beginning would mean skipping all rows that have been removed.
    fn forget_folded(&self, from: (u64, u64), folded: u64) -> Result<Option<(u64, u64)>> {
        let mut commit = self.catalog.begin();
        let (mut rows, mut last) = (0, from);
        self.catalog.folded_deletions(from, folded, &mut |generation, number| {
            commit.forget_deletion(generation, number);
            (rows, last) = (rows + 1, (generation, number));
            rows < self.thresholds.slice
        })?;
        if rows > 0 {
            commit.write()?;
        }
        Ok((rows == self.thresholds.slice).then_some((last.0, last.1 + 1)))
    }

    /// Removes deletions of numbers that have left the deleted set.
    pub(super) fn forget_deletions(&mut self, left: &RoaringTreemap) -> Result<()> {
        let (mut commit, mut forgotten) = (self.catalog.begin(), 0);
        self.catalog.deletions(self.snapshot.manifest.folded, &mut |generation, numbers| {
            let leaving = deleted_in(left, numbers.clone());
            if leaving > 0 {
                commit.forget_deletion(generation, numbers.start);
                let mut rest = RoaringTreemap::new();
                rest.insert_range(numbers);
                commit.delete(generation, &(rest - left));
                forgotten += leaving;
            }
        })?;
        self.unfolded = self.unfolded.saturating_sub(forgotten);
        if forgotten > 0 { commit.write() } else { Ok(()) }
    }

    /// Returns the numbers that only the deleted set still contains. A cancelled range leaves as a whole.
    fn leaving(&self) -> RoaringTreemap {
        let mut leaving = self.retired.purged.clone();
        for numbers in self.snapshot.ranges.in_state(RangeState::Cancelled) {
            if !contains_all(&leaving, numbers.clone()) {
                leaving.remove_range(numbers);
            }
        }
        leaving
    }

    /// Removes the rows of cancelled ranges whose numbers have left the deleted set.
    pub(super) fn forget_cancelled(&mut self, left: &RoaringTreemap) -> Result<()> {
        let is_gone =
            |low: u64, range: &Range| range.state == RangeState::Cancelled && contains_all(left, low..range.high);
        let rows = self.catalog.ranges()?;
        let mut commit = self.catalog.begin();
        let mut any = false;
        for (low, _) in rows.iter().filter(|(low, range)| is_gone(*low, range)) {
            commit.forget_range(*low);
            any = true;
        }
        if any {
            commit.write()?;
            self.snapshot.ranges.retain(|low, range| !is_gone(low, range));
        }
        Ok(())
    }
}
