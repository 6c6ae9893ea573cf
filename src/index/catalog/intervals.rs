//! The intervals of a catalog in memory: documents without rows of their own (SPEC 9.8).

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use nddb_format::FormatError;
use nddb_format::record::{self, GROUP, Interval, Record};
use roaring::RoaringTreemap;

/// All intervals, and the numbers in them that are no longer documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Intervals {
    /// In ascending order of their numbers, which do not overlap.
    all: Vec<Interval>,
    gone: RoaringTreemap,
    by_prefix: HashMap<String, Vec<PrefixInterval>>,
}

/// An interval of a prefix. The intervals of a prefix are in the order of their first ordinals.
#[derive(Clone, Debug)]
struct PrefixInterval {
    first: u64,
    /// The greatest end of the ordinals of this interval and of all before it.
    end: u64,
    index: usize,
}

/// The documents that may have ids of a prefix and consecutive ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holding {
    /// There are no such documents.
    None,
    /// Every id has a document; the numbers of these documents are consecutive, beginning with this one.
    All(u64),
    /// Some ids may have a document: each id must be looked up.
    Some,
}

/// The changes of intervals in a commit.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The least numbers of the removed intervals.
    pub(super) removed: Vec<u64>,
    /// New intervals, and the remaining parts of old ones.
    pub(super) put: Vec<Interval>,
    /// Numbers of documents that are gone, in groups that still have other documents.
    pub(super) gone: Vec<u64>,
    /// Groups of which no document is left.
    pub(super) groups: Vec<Range<u64>>,
    /// The numbers in these groups that were already gone.
    pub(super) unmarked: Vec<u64>,
}

impl Intervals {
    /// Returns whether an interval has an id whose first byte is in this range.
    pub(super) fn any_id_beginning(&self, first: &Range<u8>) -> bool {
        self.all.iter().any(|interval| match interval.prefix.bytes().next() {
            Some(byte) => first.contains(&byte),
            // Ids of an interval without a prefix are ordinals.
            None => first.start <= b'9' && first.end > b'0',
        })
    }

    /// Returns the set of these intervals; the numbers in `gone` are no longer documents. `None` if two intervals
    /// overlap.
    pub(super) fn new(mut all: Vec<Interval>, gone: RoaringTreemap) -> Option<Self> {
        all.sort_unstable_by_key(|interval| interval.low);
        if all.windows(2).any(|pair| pair[0].high > pair[1].low) {
            return None;
        }
        let mut by_prefix: HashMap<String, Vec<PrefixInterval>> = HashMap::new();
        for (index, interval) in all.iter().enumerate() {
            let end = interval.ordinal + (interval.high - interval.low);
            let places = by_prefix.entry(interval.prefix.clone()).or_default();
            places.push(PrefixInterval { first: interval.ordinal, end, index });
        }
        for places in by_prefix.values_mut() {
            places.sort_unstable_by_key(|place| place.first);
            let mut end = 0;
            for place in places {
                end = end.max(place.end);
                place.end = end;
            }
        }
        Some(Self { all, gone, by_prefix })
    }

    /// Returns the intervals, in ascending order of their numbers.
    pub(super) fn all(&self) -> &[Interval] {
        &self.all
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the numbers that are no longer documents.
    pub(super) fn gone(&self) -> &RoaringTreemap {
        &self.gone
    }

    /// Returns the interval with this number, whether its document exists or is gone.
    pub(super) fn covering(&self, number: u64) -> Option<&Interval> {
        let after = self.all.partition_point(|interval| interval.high <= number);
        self.all.get(after).filter(|interval| interval.low <= number)
    }

    /// Returns the interval of the document with this number.
    pub(super) fn of(&self, number: u64) -> Option<&Interval> {
        self.covering(number).filter(|_| !self.gone.contains(number))
    }

    /// Returns all documents from a number on, in the order of their numbers.
    pub(super) fn documents(&self, low: u64) -> impl Iterator<Item = (&Interval, u64)> {
        let after = self.all.partition_point(|interval| interval.high <= low);
        let numbers = move |interval: &Interval| low.max(interval.low)..interval.high;
        let all =
            self.all[after..].iter().flat_map(move |interval| numbers(interval).map(move |number| (interval, number)));
        all.filter(|(_, number)| !self.gone.contains(*number))
    }

    /// Appends the numbers of the documents with this id.
    pub(super) fn numbers(&self, id: &str, numbers: &mut Vec<u64>) {
        if self.all.is_empty() {
            return;
        }
        for (prefix, ordinal) in record::splits(id) {
            let Some(places) = self.by_prefix.get(prefix) else { continue };
            let begun = places.partition_point(|place| place.first <= ordinal);
            for place in places[..begun].iter().rev().take_while(|place| place.end > ordinal) {
                let number = self.all[place.index].number(ordinal);
                numbers.extend(number.filter(|number| !self.gone.contains(*number)));
            }
        }
    }

    /// Returns which documents may have ids of this prefix and these ordinals; intervals whose documents are all
    /// deleted are left out.
    pub(super) fn holding(
        &self,
        prefix: &str,
        ordinals: &Range<u64>,
        are_deleted: &dyn Fn(Range<u64>) -> bool,
    ) -> Holding {
        // `a` with 12 is the same id as `a1` with 2.
        let is_related = |other: &str| {
            let rest = other.strip_prefix(prefix).or_else(|| prefix.strip_prefix(other));
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if self.by_prefix.keys().any(|other| is_related(other)) {
            return Holding::Some;
        }
        let places = self.by_prefix.get(prefix).map_or(&[][..], Vec::as_slice);
        let begun = places.partition_point(|place| place.first < ordinals.end);
        let places = places[..begun].iter().rev().take_while(|place| place.end > ordinals.start);
        let all = places.map(|place| &self.all[place.index]);
        let mut overlapping = all.filter(|interval| {
            let number = |ordinal: u64| interval.low + (ordinal.max(interval.ordinal) - interval.ordinal);
            let numbers = number(ordinals.start)..number(ordinals.end).min(interval.high);
            !numbers.is_empty() && !are_deleted(numbers)
        });
        let Some(interval) = overlapping.next() else { return Holding::None };
        let gone_up_to = |end: u64| end.checked_sub(1).map_or(0, |last| self.gone.rank(last));
        match (interval.number(ordinals.start), interval.number(ordinals.end - 1), overlapping.next()) {
            (Some(first), Some(last), None) if gone_up_to(last + 1) == gone_up_to(first) => Holding::All(first),
            _ => Holding::Some,
        }
    }

    /// Returns all documents by id bytewise and number.
    pub(super) fn by_id(&self) -> ById<'_> {
        let mut ids = ById { intervals: self, heads: BinaryHeap::new() };
        for (index, interval) in self.all.iter().enumerate() {
            // Ordinals of one length are in the order of their digits.
            let mut low = interval.low;
            while low < interval.high {
                let longer = (interval.ordinal + (low - interval.low)).max(1).ilog10() + 1;
                let end = 10u64.checked_pow(longer).and_then(|first| interval.number(first)).unwrap_or(interval.high);
                ids.begin(index, low..end);
                low = end;
            }
        }
        ids
    }

    /// Returns the changes that add these intervals and remove the documents with these ascending numbers.
    pub(super) fn changes(&self, new: Vec<Interval>, numbers: &[u64]) -> Changes {
        let mut changes = Changes { put: new, ..Changes::default() };
        let mut numbers = numbers;
        while let Some(interval) = numbers.first().and_then(|&number| self.covering(number)) {
            let (of_interval, rest) = numbers.split_at(numbers.partition_point(|&number| number < interval.high));
            numbers = rest;
            self.forget(interval, of_interval, &mut changes);
        }
        changes
    }

    fn forget(&self, interval: &Interval, numbers: &[u64], changes: &mut Changes) {
        let mut kept = interval.low;
        let mut parts = Vec::new();
        for group in numbers.chunk_by(|&a, &b| a / GROUP == b / GROUP) {
            let first = interval.group_of(group[0]);
            let end = (first - first % GROUP + GROUP).min(interval.high);
            let mut left: RoaringTreemap = (first..end).filter(|number| !self.gone.contains(*number)).collect();
            group.iter().for_each(|&number| _ = left.remove(number));
            if !left.is_empty() {
                changes.gone.extend(group);
                continue;
            }
            changes.unmarked.extend((first..end).filter(|number| self.gone.contains(*number)));
            changes.groups.push(first..end);
            parts.push(kept..first);
            kept = end;
        }
        if kept == interval.low {
            return;
        }
        parts.push(kept..interval.high);
        changes.removed.push(interval.low);
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        changes.put.extend(parts.map(|part| interval.part(part.start, part.end)));
    }

    /// Applies changes.
    pub(super) fn apply(&mut self, changes: Changes) {
        self.gone.extend(changes.gone);
        changes.unmarked.into_iter().for_each(|number| _ = self.gone.remove(number));
        if changes.removed.is_empty() && changes.put.is_empty() {
            return;
        }
        let is_kept = |interval: &Interval| !changes.removed.contains(&interval.low);
        let all = std::mem::take(&mut self.all).into_iter().filter(is_kept).chain(changes.put).collect();
        // Parts of intervals that do not overlap do not overlap either.
        *self = Self::new(all, std::mem::take(&mut self.gone)).unwrap_or_default();
    }
}

/// Writes the record that a document of an interval has into `value`, encoded.
pub(super) fn encode_record(interval: &Interval, number: u64, value: &mut Vec<u8>) {
    value.clear();
    record_of(interval, number).encode_into(value);
}

/// The stored form of a document's record.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    /// A row, encoded.
    Row(&'a [u8]),
    /// The interval from which the record follows.
    Interval(&'a Interval),
}

impl Kept<'_> {
    /// Returns whether the record has nothing but an id and perhaps a batch.
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Interval(_))
    }

    /// Returns the record of the document with this number.
    ///
    /// # Errors
    /// [`FormatError`] if the row is damaged.
    pub fn record(self, number: u64) -> Result<Record, FormatError> {
        match self {
            Self::Row(value) => Record::decode(value),
            Self::Interval(interval) => Ok(record_of(interval, number)),
        }
    }
}

/// Returns the record that a document of an interval has.
pub(super) fn record_of(interval: &Interval, number: u64) -> Record {
    let batch = Some(interval.batch).filter(|&batch| batch != 0);
    Record { id: interval.id(number), batch, ..Record::default() }
}

/// The documents of intervals by id. An interval is divided into stretches of ordinals with equal length.
pub(super) struct ById<'a> {
    intervals: &'a Intervals,
    /// For each stretch: its next id and number, the end of its numbers, and the index of its interval.
    heads: BinaryHeap<Reverse<(String, u64, u64, usize)>>,
}

impl ById<'_> {
    fn begin(&mut self, index: usize, numbers: Range<u64>) {
        let Range { mut start, end } = numbers;
        while start < end && self.intervals.gone.contains(start) {
            start += 1;
        }
        if start < end {
            self.heads.push(Reverse((self.intervals.all[index].id(start), start, end, index)));
        }
    }

    /// Returns the next id with its number.
    pub(super) fn peek(&self) -> Option<(&str, u64)> {
        self.heads.peek().map(|Reverse((id, number, ..))| (id.as_str(), *number))
    }

    /// Skips the next id.
    pub(super) fn advance(&mut self) {
        let Some(mut head) = self.heads.peek_mut() else { return };
        let Reverse((id, number, end, index)) = &mut *head;
        let passed = *number;
        *number += 1;
        while number < end && self.intervals.gone.contains(*number) {
            *number += 1;
        }
        if number == end {
            PeekMut::pop(head);
        } else if *number == passed + 1 {
            count_on(id);
        } else {
            *id = self.intervals.all[*index].id(*number);
        }
    }
}

/// Adds one to the digits at the end of an id; the digits must not be all nines.
fn count_on(id: &mut String) {
    let digits = id.trim_end_matches('9').len();
    let nines = id.len() - digits;
    id.truncate(digits);
    if let Some(digit) = id.pop() {
        id.push((digit as u8 + 1) as char);
        id.extend(std::iter::repeat_n('0', nines));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nddb_test_support::Random;

    use super::*;

    fn interval(low: u64, len: u64, prefix: &str, ordinal: u64) -> Interval {
        Interval { low, high: low + len, ordinal, batch: 0, prefix: prefix.into() }
    }

    fn sample() -> Vec<Interval> {
        vec![
            interval(10, 2000, "a", 5),
            interval(2010, 700, "a1", 0),
            interval(4000, 1500, "a", 900),
            interval(6000, 60, "", 95),
        ]
    }

    /// All documents as (id, number), the plain way.
    fn plain(all: &[Interval], gone: &BTreeSet<u64>) -> Vec<(String, u64)> {
        let numbers = |interval: &Interval| {
            (interval.low..interval.high).map(|number| (interval.id(number), number)).collect::<Vec<_>>()
        };
        let mut documents: Vec<_> = all.iter().flat_map(numbers).filter(|(_, number)| !gone.contains(number)).collect();
        documents.sort();
        documents
    }

    fn compare(intervals: &Intervals, expected: &[(String, u64)]) {
        let mut by_id = intervals.by_id();
        for (id, number) in expected {
            assert_eq!(by_id.peek(), Some((id.as_str(), *number)));
            by_id.advance();
        }
        assert_eq!(by_id.peek(), None);
        let mut numbers: Vec<u64> = expected.iter().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        let from = numbers.partition_point(|&number| number < 1234);
        assert!(intervals.documents(1234).map(|(_, number)| number).eq(numbers[from..].iter().copied()));
        assert!(numbers.iter().all(|&number| intervals.of(number).is_some()));
        for same in expected.chunk_by(|a, b| a.0 == b.0) {
            let mut found = Vec::new();
            intervals.numbers(&same[0].0, &mut found);
            found.sort_unstable();
            assert!(found.iter().eq(same.iter().map(|(_, number)| number)), "{}", same[0].0);
        }
    }

    #[test]
    fn documents_are_found_by_id_and_number_and_come_in_both_orders() {
        let intervals = Intervals::new(sample(), RoaringTreemap::new()).expect("apart");
        compare(&intervals, &plain(&sample(), &BTreeSet::new()));
        for id in ["a4", "a2500", "b7", "a", "", "a05", "94", "155", "a10700"] {
            let mut found = Vec::new();
            intervals.numbers(id, &mut found);
            assert!(found.is_empty(), "{id}: {found:?}");
        }
        assert!(Intervals::new(vec![interval(5, 6, "a", 0), interval(10, 1, "b", 0)], RoaringTreemap::new()).is_none());
    }

    #[test]
    fn what_is_said_to_hold_ids_is_what_holds_them() {
        let gone = RoaringTreemap::from_iter([1500]);
        let intervals = Intervals::new(sample(), gone.clone()).expect("apart");
        let apart =
            Intervals::new(vec![interval(0, 50, "x", 100), interval(50, 9, "x", 149), interval(90, 9, "xy", 0)], gone);
        let apart = apart.expect("apart");
        let mut kinds = [0; 3];
        for (intervals, prefixes) in [(&intervals, ["a", "a1", "", "b"]), (&apart, ["x", "xy", "", "x1"])] {
            for prefix in prefixes {
                for start in [0, 5, 8, 90, 99, 100, 148, 149, 150, 157, 158, 895, 1400, 2004] {
                    for len in [1, 2, 10, 60] {
                        let mut numbers = Vec::new();
                        (start..start + len)
                            .for_each(|ordinal| intervals.numbers(&format!("{prefix}{ordinal}"), &mut numbers));
                        match intervals.holding(prefix, &(start..start + len), &|_| false) {
                            Holding::None => {
                                kinds[0] += 1;
                                assert!(numbers.is_empty(), "{prefix} {start} {len}");
                            }
                            Holding::All(first) => {
                                kinds[1] += 1;
                                assert!(numbers.iter().copied().eq(first..first + len), "{prefix} {start} {len}");
                            }
                            Holding::Some => kinds[2] += 1,
                        }
                    }
                }
            }
        }
        assert!(kinds.iter().all(|&kind| kind > 10), "{kinds:?}");
        let of = |ordinals| apart.holding("x", &ordinals, &|_| false);
        assert_eq!([of(0..100), of(100..149), of(158..900)], [Holding::None, Holding::All(0), Holding::None]);
        assert_eq!([of(99..101), of(149..150), of(150..158)], [Holding::Some, Holding::Some, Holding::All(51)]);
        // 148 and 149 of the first interval are deleted.
        let of = |ordinals| apart.holding("x", &ordinals, &|numbers| numbers.start >= 48 && numbers.end <= 50);
        assert_eq!([of(149..150), of(148..149), of(147..150)], [Holding::All(50), Holding::None, Holding::Some]);
    }

    #[test]
    fn what_is_forgotten_is_gone_and_empty_groups_leave() {
        let mut random = Random::seeded("intervals");
        let mut intervals = Intervals::new(sample(), RoaringTreemap::new()).expect("apart");
        let mut gone = BTreeSet::new();
        let (mut groups, mut all) = (0, sample());
        for _ in 0..120 {
            let start = random.below(6100);
            let len = 1 + random.below(900);
            let step = 1 + random.below(3) as usize;
            let numbers: Vec<u64> =
                (start..start + len).step_by(step).filter(|number| intervals.of(*number).is_some()).collect();
            gone.extend(&numbers);
            // A reader of the rows must get the state that the writer has in memory.
            let changes = intervals.changes(Vec::new(), &numbers);
            groups += changes.groups.len();
            all.retain(|interval| !changes.removed.contains(&interval.low));
            all.extend(changes.put.iter().cloned());
            let rows: RoaringTreemap = intervals
                .gone
                .iter()
                .chain(changes.gone.iter().copied())
                .filter(|number| !changes.unmarked.contains(number))
                .collect();
            intervals.apply(changes);
            assert_eq!(rows, intervals.gone);
            let read = Intervals::new(all.clone(), rows).expect("apart");
            assert_eq!(read.all, intervals.all);
            compare(&intervals, &plain(&sample(), &gone));
        }
        assert!(groups > 3, "{groups}");
        let rest: Vec<u64> = intervals.documents(0).map(|(_, number)| number).collect();
        let changes = intervals.changes(Vec::new(), &rest);
        intervals.apply(changes);
        assert!(intervals.is_empty() && intervals.gone.is_empty());
    }

    #[test]
    fn numbers_of_no_interval_change_nothing() {
        let intervals = Intervals::new(sample(), RoaringTreemap::new()).expect("apart");
        let changes = intervals.changes(Vec::new(), &[3000]);
        assert!(changes.removed.is_empty() && changes.gone.is_empty() && changes.groups.is_empty());
    }
}
