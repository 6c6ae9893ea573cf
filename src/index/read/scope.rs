//! The documents against which a new document is judged: documents that share a key with it, or whose fingerprints are
//! near. They are committed documents of one state and, for a writer, also staged ones.

use std::ops::Range;
use std::sync::Arc;

use nddb_format::Fingerprint;
use nddb_format::record::{Print, Record};
use nddb_format::summaries::Summary;

use super::probe::Match;
use super::search::Search;
use super::view::{Stored, View};
use crate::catalog::{Family, Key, KeyCursor, Recent};
use crate::runs::summaries::SummariesFile;
use crate::within::Within;
use crate::{Error, Result};

/// Maximum number of rows of one key that are skipped because their documents are deleted or hidden; further rows count
/// as unread.
const PASSED_MAX: usize = 1 << 16;

/// A callback for the documents of a key: index of the key, the numbers of all keys so far, the index of the first
/// number of this key, and whether there are more documents.
type TakenKey<'t> = dyn FnMut(usize, &mut Vec<u64>, usize, bool) + 't;

/// Initial capacity in documents: a page of a template shares a key with some hundred documents.
const NUMBERS: usize = 256;

/// The documents that share a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Their numbers, ascending.
    pub numbers: Vec<u64>,
    /// Number of keys with more documents than requested: only their oldest are included.
    pub cut: usize,
}

/// Collects the documents of one key, after those of other keys: the oldest of each source, one source after the other.
struct Taken<'a> {
    most: usize,
    numbers: &'a mut Vec<u64>,
    /// Index of the first of this key.
    start: usize,
    /// Number of documents that were skipped.
    passed: usize,
    /// There are more documents.
    cut: bool,
}

impl<'a> Taken<'a> {
    fn new(most: usize, numbers: &'a mut Vec<u64>) -> Self {
        Self { most, start: numbers.len(), numbers, passed: 0, cut: false }
    }

    /// Takes a number if its document is live. Returns whether to continue.
    fn take(&mut self, number: u64, is_live: bool) -> bool {
        if !is_live {
            self.passed += 1;
            self.cut |= self.passed > PASSED_MAX;
        } else if self.numbers.len() - self.start == self.most {
            self.cut = true;
        } else {
            self.numbers.push(number);
        }
        !self.cut
    }

    /// Adds the numbers taken from another source, ascending.
    fn join(&mut self, numbers: &[u64], cut: bool) {
        if !numbers.is_empty() {
            self.numbers.extend_from_slice(numbers);
            let mut all = self.numbers.split_off(self.start);
            all.sort_unstable();
            all.dedup();
            self.numbers.append(&mut all);
        }
        self.cut |= cut || self.numbers.len() - self.start > self.most;
        self.numbers.truncate(self.start + self.most);
    }
}

/// The lists of documents, kept one after the other without duplicates: most keys of a page are shared by the same
/// other pages.
#[derive(Default)]
struct Lists {
    /// The end of each list.
    ends: Vec<usize>,
}

impl Lists {
    /// Drops the list from `start` on if the same list is already kept.
    fn keep(&mut self, start: usize, numbers: &mut Vec<u64>) {
        let (kept, list) = numbers.split_at(start);
        let mut from = 0;
        let is_known = self.ends.iter().any(|&end| {
            let known = &kept[std::mem::replace(&mut from, end)..end];
            // Lists that differ usually differ at their ends.
            known.len() == list.len() && known.last() == list.last() && known == list
        });
        if is_known {
            numbers.truncate(start);
        } else if !list.is_empty() {
            self.ends.push(numbers.len());
        }
    }
}

/// The documents near a fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// The least by (distance, number).
    pub matches: Vec<Match>,
    /// Number of further documents; some of them may be deleted by staged changes.
    pub more: u64,
}

/// The result of looking up a document.
pub struct Found<'a>(FoundIn<'a>);

enum FoundIn<'a> {
    /// A staged document.
    Staged(Box<Stored>),
    /// The place of a document's summary.
    Summary(&'a SummariesFile, Range<u64>),
    /// The encoded summary of a document of the memtable.
    Recent(&'a [u8]),
    /// A document without a summary: everything except the print.
    Record(Arc<Recent>),
}

/// A candidate: the data that is compared and that an answer shows.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and most are summaries")]
pub enum Candidate<'f> {
    /// The summary of a printed document.
    Summary(Summary<'f>),
    /// The record of any document, and its print if it is at hand.
    Record(&'f Record, Option<Print>),
}

/// The staged changes of a writer.
pub(crate) trait Staging {
    /// Passes the numbers of the staged documents with this stored key, ascending, to `visit`, until it returns
    /// `false`; some may be abandoned.
    fn sharing(&self, key: u64, visit: &mut dyn FnMut(u64) -> bool);

    /// Appends the staged documents within `within` bits: for each fingerprint, the `most` oldest. Returns the number
    /// left out, abandoned ones included.
    fn near(&self, fingerprint: Fingerprint, within: Within, most: usize, matches: &mut Vec<Match>) -> u64;

    /// Returns whether a number is that of a staged document that will be written.
    fn keeps(&self, number: u64) -> bool;

    /// Returns whether a committed document will be deleted.
    fn deletes(&self, number: u64) -> bool;

    /// Returns the number of committed documents that will be deleted.
    fn deleted_len(&self) -> usize;

    /// Returns the staged document of a number.
    fn stored(&self, number: u64) -> Option<Stored>;
}

/// The documents of one state, and the staged documents on top.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    view: View<'a>,
    group: Option<&'a dyn Staging>,
}

impl<'a> Scope<'a> {
    /// Returns the scope of the committed documents only.
    pub fn of(view: View<'a>) -> Self {
        Self { view, group: None }
    }

    /// Returns the scope of the committed and staged documents.
    pub(crate) fn with_group(view: View<'a>, group: &'a dyn Staging) -> Self {
        Self { view, group: Some(group) }
    }

    /// Returns the view of the committed documents.
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// Finds the documents that share one of these keys: for each key, the `most` oldest. The cost does not depend on
    /// how many documents share a key, nor on how many of them are deleted.
    pub fn sharing(&self, keys: &mut [Key], most: usize) -> Result<Sharing> {
        keys.sort_unstable();
        let (mut numbers, mut lists, mut cut) = (Vec::with_capacity(NUMBERS), Lists::default(), 0);
        self.take_each(keys, most, &mut numbers, &mut |_, numbers, start, is_cut| {
            cut += usize::from(is_cut);
            lists.keep(start, numbers);
        })?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Sharing { numbers, cut })
    }

    /// Appends, for each of these sorted keys, the numbers of the `most` oldest documents that have it, and calls
    /// `taken` after each.
    pub(super) fn take_each(
        &self,
        keys: &[Key],
        most: usize,
        numbers: &mut Vec<u64>,
        taken: &mut TakenKey<'_>,
    ) -> Result<()> {
        let snapshot = self.view.snapshot;
        let stored: Vec<u64> = keys.iter().map(Key::stored).collect();
        let in_runs = snapshot.key_lists(&stored)?;
        let mut in_runs = in_runs.iter().peekable();
        let in_memory = snapshot.memtable.sharing(&stored);
        let mut cursor: Option<(Family, KeyCursor<'_>)> = None;
        let are_all_live = self.group.is_none() && snapshot.has_only_live();
        let is_live = |number| if are_all_live { number < snapshot.seen } else { self.is_live(number) };
        for (index, key) in keys.iter().enumerate() {
            let mut row_numbers = Vec::new();
            let mut of_rows = Taken::new(most, &mut row_numbers);
            if snapshot.may_have_rows(key, self.view.catalog) {
                let family = key.family();
                if cursor.as_ref().is_none_or(|(open, _)| *open != family) {
                    cursor = Some((family, self.view.catalog.keys(family)));
                }
                if let Some((_, rows)) = &mut cursor {
                    rows.numbers(&key.prefix(), &mut |number| of_rows.take(number, is_live(number)))?;
                }
            }
            let mut of_key = Taken::new(most, numbers);
            while let Some(list) = in_runs.next_if(|list| list.query == index) {
                if !of_key.cut {
                    snapshot.each_of_list(list, |number| of_key.take(number, is_live(number)))?;
                }
            }
            // Documents of the memtable are younger than those of runs, and staged documents are younger than committed
            // ones.
            for number in in_memory.numbers(index) {
                if of_key.cut || !of_key.take(number, is_live(number)) {
                    break;
                }
            }
            of_key.join(of_rows.numbers, of_rows.cut);
            if let Some(group) = self.group.filter(|_| !of_key.cut) {
                group.sharing(stored[index], &mut |number| !group.keeps(number) || of_key.take(number, true));
            }
            let (start, cut) = (of_key.start, of_key.cut);
            taken(index, numbers, start, cut);
        }
        Ok(())
    }

    /// Finds the documents within `within` bits, the `most` nearest and oldest.
    pub fn near(&self, fingerprint: Fingerprint, within: Within, most: usize) -> Result<Near> {
        let limit = most.saturating_add(self.group.map_or(0, |group| group.deleted_len()));
        let probed = self.view.probe(&[fingerprint], Search::within(within).limit(limit))?;
        let Some(probed) = probed.into_iter().next() else { return Ok(Near::default()) };
        let mut more = probed.count - probed.matches.len() as u64;
        let mut matches = probed.matches;
        if let Some(group) = self.group {
            matches.retain(|found| !group.deletes(found.number));
            more += group.near(fingerprint, within, most, &mut matches);
            matches.sort_unstable_by_key(|found| (found.distance, found.number));
        }
        more += matches.len().saturating_sub(most) as u64;
        matches.truncate(most);
        Ok(Near { matches, more })
    }

    /// Reads in advance, for ascending numbers, the data that [`Scope::found`] will need.
    pub fn read(&self, numbers: &[u64]) -> Result<()> {
        // Staged documents are the youngest.
        let end = self.group.and_then(|group| numbers.iter().position(|&number| group.keeps(number)));
        let (mut rest, snapshot) = (Vec::new(), self.view.snapshot);
        let numbers = &numbers[..end.unwrap_or(numbers.len())];
        for &number in numbers {
            snapshot.summaries(number).iter().for_each(|file| file.prefetch_presence(number));
        }
        for &number in numbers {
            let has_summary = match snapshot.summaries(number) {
                Some(file) => file.prefetch_entry(number)?,
                None => snapshot.memtable.summary(number).is_some(),
            };
            if !has_summary {
                rest.push(number);
            }
        }
        self.view.catalog.read_recent(&rest)
    }

    /// Returns the document of a number that one of these look-ups found.
    pub fn found(&self, number: u64) -> Result<Option<Found<'a>>> {
        if let Some(stored) = self.group.and_then(|group| group.stored(number)) {
            return Ok(Some(Found(FoundIn::Staged(Box::new(stored)))));
        }
        if let Some(file) = self.view.snapshot.summaries(number)
            && let Some(range) = file.find(number)?
        {
            return Ok(Some(Found(FoundIn::Summary(file, range))));
        }
        if let Some(summary) = self.view.snapshot.memtable.summary(number) {
            return Ok(Some(Found(FoundIn::Recent(summary))));
        }
        Ok(self.view.catalog.recent(number)?.map(|recent| Found(FoundIn::Record(recent))))
    }

    /// Returns a look-up result as a candidate.
    pub fn candidate<'f>(&self, found: &'f Found<'a>) -> Result<Candidate<'f>> {
        match &found.0 {
            FoundIn::Staged(stored) => {
                let print = Print { fingerprint: stored.fingerprint.0, unprinted: stored.unprinted };
                Ok(Candidate::Record(&stored.record, Some(print)))
            }
            FoundIn::Summary(file, range) => file.summary(range.clone()).map(Candidate::Summary),
            FoundIn::Recent(summary) => {
                let path = self.view.dir.catalog();
                Summary::decode(summary).map(Candidate::Summary).map_err(Error::format(&path))
            }
            FoundIn::Record(recent) => Ok(Candidate::Record(&recent.record, None)),
        }
    }

    /// Returns the record of a document.
    pub fn record(&self, number: u64) -> Result<Option<Record>> {
        match self.group.and_then(|group| group.stored(number)) {
            Some(stored) => Ok(Some(stored.record)),
            None => self.view.catalog.record(number),
        }
    }

    /// Returns the print of a document that was found without it.
    pub fn print(&self, number: u64, found: &Found<'_>) -> Result<Option<Print>> {
        match &found.0 {
            FoundIn::Record(recent) => self.view.catalog.print_of(number, recent),
            _ => self.view.catalog.print(number),
        }
    }

    /// Returns whether a committed document is visible.
    #[inline]
    fn is_live(&self, number: u64) -> bool {
        let snapshot = self.view.snapshot;
        number < snapshot.seen && snapshot.is_live(number) && !self.group.is_some_and(|group| group.deletes(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_several_keys_share_is_kept_once() {
        let lists: [&[u64]; 8] = [&[1, 5, 9], &[2, 5, 9], &[], &[1, 5, 9], &[9], &[2, 5, 9], &[], &[1, 9]];
        let (mut kept, mut numbers) = (Lists::default(), Vec::new());
        for list in lists {
            let start = numbers.len();
            numbers.extend_from_slice(list);
            kept.keep(start, &mut numbers);
        }
        assert_eq!(numbers, [1, 5, 9, 2, 5, 9, 9, 1, 9]);
        assert_eq!(kept.ends, [3, 6, 7, 9]);
    }

    /// The oldest documents of a key are taken from each source, after those of other keys.
    #[test]
    fn of_a_key_the_oldest_are_taken() {
        for (most, rows, want, cut) in [
            (9, &[2, 4, 6][..], &[1, 2, 3, 4, 6][..], false),
            (9, &[], &[1, 3, 4], false),
            (3, &[2], &[1, 2, 3], true),
            (3, &[3], &[1, 3, 4], false),
            (2, &[], &[1, 3], true),
        ] {
            let mut numbers = vec![7, 8];
            let mut taken = Taken::new(most, &mut numbers);
            for (number, is_live) in [(1, true), (2, false), (3, true), (4, true)] {
                if !taken.take(number, is_live) {
                    break;
                }
            }
            taken.join(rows, false);
            assert_eq!(taken.cut, cut, "{most} {rows:?}");
            assert_eq!(numbers[..2], [7, 8]);
            assert_eq!(numbers[2..], *want, "{most} {rows:?}");
        }
    }
}
