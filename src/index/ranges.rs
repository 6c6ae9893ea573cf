//! Number ranges in memory: the states of document numbers of batches and loads (SPEC 9.4).

use std::ops::Range as Numbers;

use nddb_format::record::{Range, RangeState};
use roaring::RoaringTreemap;

#[cfg(feature = "catalog")]
use crate::catalog::Catalog;

/// The number ranges of a database, ascending; neighbours with the same batch and state are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges {
    all: Vec<(u64, Range)>,
    /// The ranges that are pending or loading.
    hidden: Vec<Numbers<u64>>,
    /// Least number in the catalog's last row.
    last_row: u64,
    /// Least number in the row before that of the current load.
    row_before_loading: u64,
}

fn is_hidden(state: RangeState) -> bool {
    matches!(state, RangeState::Pending | RangeState::Loading)
}

impl Ranges {
    /// Reads the ranges of a catalog.
    #[cfg(feature = "catalog")]
    pub(crate) fn read(catalog: &Catalog) -> crate::Result<Self> {
        let mut ranges = Self::default();
        catalog.ranges()?.into_iter().for_each(|(low, range)| ranges.push(low, range));
        Ok(ranges)
    }

    /// Adds a range above all others.
    pub(crate) fn push(&mut self, low: u64, range: Range) {
        if range.state == RangeState::Loading {
            self.row_before_loading = self.last_row;
        }
        self.last_row = low;
        self.join(low, range);
    }

    fn join(&mut self, low: u64, range: Range) {
        if is_hidden(range.state) {
            match self.hidden.last_mut() {
                Some(last) if last.end == low => last.end = range.high,
                _ => self.hidden.push(low..range.high),
            }
        }
        match self.all.last_mut() {
            Some((_, last)) if last.high == low && (last.state, last.batch) == (range.state, range.batch) => {
                last.high = range.high;
            }
            _ => self.all.push((low, range)),
        }
    }

    /// Returns the row of the catalog for a range above all others: the last row, extended, if it has the same
    /// batch and state and ends where the new range begins.
    pub(crate) fn row_for(&self, low: u64, range: Range) -> (u64, Range) {
        match self.all.last() {
            Some((_, last)) if last.high == low && (last.state, last.batch) == (range.state, range.batch) => {
                (self.last_row, range)
            }
            _ => (low, range),
        }
    }

    /// Adds a range that was written as the row of [`Ranges::row_for`].
    pub(crate) fn extend(&mut self, low: u64, range: Range) {
        (self.last_row, _) = self.row_for(low, range);
        self.join(low, range);
    }

    /// Removes the last range, which is loading and begins at `low`.
    pub(crate) fn pop_loading(&mut self, low: u64) {
        if self.all.pop_if(|(last, range)| *last == low && range.state == RangeState::Loading).is_none() {
            return;
        }
        if let Some(hidden) = self.hidden.last_mut() {
            hidden.end = low;
        }
        self.hidden.pop_if(|hidden| hidden.is_empty());
        self.last_row = self.row_before_loading;
    }

    /// Changes the state of the ranges selected by `of`.
    pub(crate) fn change(&mut self, of: impl Fn(&Range) -> bool, state: RangeState) {
        let all = std::mem::take(&mut self.all);
        self.hidden.clear();
        for (low, range) in all {
            self.join(low, if of(&range) { Range { state, ..range } } else { range });
        }
    }

    /// Removes all cancelled ranges except those selected by `keep`.
    pub(crate) fn retain(&mut self, keep: impl Fn(u64, &Range) -> bool) {
        self.all.retain(|(low, range)| range.state != RangeState::Cancelled || keep(*low, range));
    }

    /// Returns the range that contains a number.
    pub(crate) fn of(&self, number: u64) -> Option<(u64, Range)> {
        let after = self.all.partition_point(|(_, range)| range.high <= number);
        self.all.get(after).filter(|(low, _)| *low <= number).copied()
    }

    /// Returns all ranges, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Numbers<u64>, RangeState, u32)> + '_ {
        self.all.iter().map(|(low, range)| (*low..range.high, range.state, range.batch))
    }

    /// Returns the ranges in a state, ascending.
    pub(crate) fn in_state(&self, state: RangeState) -> impl Iterator<Item = Numbers<u64>> + '_ {
        self.iter().filter(move |(_, of, _)| *of == state).map(|(numbers, ..)| numbers)
    }

    /// Returns the ranges that are pending or loading, ascending; neighbours are joined.
    #[inline]
    pub(crate) fn hidden(&self) -> &[Numbers<u64>] {
        &self.hidden
    }

    /// Returns whether a number is in a range that is pending or loading.
    #[inline]
    pub(crate) fn is_hidden(&self, number: u64) -> bool {
        let after = self.hidden.partition_point(|range| range.end <= number);
        self.hidden.get(after).is_some_and(|range| range.contains(&number))
    }
}

/// Returns the number of members of a set in a range.
pub(crate) fn deleted_in(set: &RoaringTreemap, numbers: Numbers<u64>) -> u64 {
    let below = |number: u64| if number == 0 { 0 } else { set.rank(number - 1) };
    below(numbers.end) - below(numbers.start)
}

/// Returns whether a set contains all numbers of a range.
pub(crate) fn contains_all(set: &RoaringTreemap, numbers: Numbers<u64>) -> bool {
    let len = numbers.end - numbers.start;
    deleted_in(set, numbers) == len
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]
mod tests {
    use super::*;

    fn range(high: u64, state: RangeState, batch: u32) -> Range {
        Range { high, state, batch }
    }

    #[test]
    fn neighbours_of_one_batch_and_state_are_one_range_and_one_row() {
        let mut ranges = Ranges::default();
        let rows: Vec<u64> = [(0, 5, 1), (5, 9, 1), (9, 12, 2), (12, 20, 2), (21, 30, 2)]
            .map(|(low, high, batch)| {
                let new = range(high, RangeState::Committed, batch);
                let (row, written) = ranges.row_for(low, new);
                assert_eq!(written, new);
                ranges.extend(low, new);
                row
            })
            .to_vec();
        assert_eq!(rows, [0, 0, 9, 9, 21]);
        assert_eq!(ranges.iter().map(|(numbers, ..)| numbers).collect::<Vec<_>>(), [0..9, 9..20, 21..30]);
        assert_eq!(ranges.of(8).map(|(low, range)| (low, range.batch)), Some((0, 1)));
        assert_eq!((ranges.of(20), ranges.of(30)), (None, None));
    }

    #[test]
    fn a_load_is_hidden_until_it_ends_and_its_numbers_join_the_row_before() {
        let mut ranges = Ranges::default();
        ranges.push(3, range(10, RangeState::Pending, 7));
        ranges.push(10, range(20, RangeState::Loading, 7));
        assert_eq!(ranges.hidden(), &[3..20]);
        assert!(ranges.is_hidden(19) && !ranges.is_hidden(20) && !ranges.is_hidden(2));
        ranges.pop_loading(10);
        assert_eq!(ranges.hidden(), &[3..10]);
        assert_eq!(ranges.row_for(10, range(20, RangeState::Pending, 7)).0, 3);
        ranges.extend(10, range(20, RangeState::Pending, 7));
        ranges.change(|range| range.batch == 7, RangeState::Cancelled);
        assert_eq!(
            (ranges.hidden().len(), ranges.in_state(RangeState::Cancelled).collect::<Vec<_>>()),
            (0, vec![3..20])
        );
        ranges.retain(|low, _| low != 3);
        assert_eq!(ranges, Ranges { last_row: 3, row_before_loading: 3, ..Ranges::default() });
    }
}
