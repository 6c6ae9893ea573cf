//! Groups and pairs one by one.

use std::collections::VecDeque;

use nddb_index::spill::progress::Ticker;
use nddb_index::spill::sort::{IndexedRows, Sorted};
use nddb_index::{Result, View, Watch};

use super::{PairJob, STRETCH, groups, with_words};
use crate::collection::Collection;
use crate::options::PairOptions;
use crate::pair::{Group, Line, Pair, PairSummary};
use crate::words::DocumentWords;

/// Candidate pairs that are decided before the first near-duplicates of them are returned.
const TOGETHER: usize = 16 * STRETCH;

/// The near-duplicates among the documents of a collection: first the groups, then the pairs, as [`super::pairs`]
/// passes them on. After an error nothing follows.
pub struct NearPairs<'a> {
    found: PairJob,
    collection: &'a Collection,
    options: &'a PairOptions,
    words: Option<DocumentWords>,
    groups: Box<dyn Iterator<Item = Group> + 'a>,
    candidates: IndexedRows<1>,
    /// Index of the first candidate that is not decided.
    next: usize,
    decided: VecDeque<Pair>,
    summary: PairSummary,
}

impl<'a> NearPairs<'a> {
    /// Finds all near-duplicates among the documents of a collection built from this view, as [`super::pairs`] does.
    /// The candidates are found at once, which `watch` can stop; they are decided while the iterator is read.
    ///
    /// # Errors
    /// Errors of [`super::pairs`].
    pub fn find(
        view: View<'_>,
        collection: &'a Collection,
        options: &'a PairOptions,
        watch: Option<Watch>,
    ) -> Result<Self> {
        let mut watch = watch.unwrap_or_else(|| Box::new(|_| true));
        let (mut found, words) = with_words(view, collection, options, &mut *watch)?;
        let (mut summary, groups) = (found.summary(collection, options), groups::groups(&found, collection, options)?);
        summary.words_unread = words.as_ref().map(DocumentWords::unread).unwrap_or_default();
        let sorted = std::mem::replace(&mut found.sorted, Sorted::of(Vec::new(), 1));
        let candidates = sorted.indexed(&options.resources.folder)?;
        let (groups, decided) = (Box::new(groups), VecDeque::new());
        Ok(Self { found, collection, options, words, groups, candidates, next: 0, decided, summary })
    }

    /// Returns the totals of what was returned so far; those of all groups and pairs at the end.
    pub fn summary(&self) -> &PairSummary {
        &self.summary
    }

    /// Decides more candidates. Returns whether there were any.
    fn decide(&mut self) -> Result<bool> {
        let Self { found, collection, options, words, candidates, next, decided, summary, .. } = self;
        let mut rows = Vec::new();
        // Equal rows are one candidate.
        let fits = |rows: &Vec<_>, row: &_| rows.len() < TOGETHER || rows.last() == Some(row);
        while let Some(row) = candidates.get(*next).filter(|row| fits(&rows, row)) {
            rows.push(row);
            *next += 1;
        }
        if rows.is_empty() {
            return Ok(false);
        }
        let (rows, watch) = (Sorted::of(rows, 1), &mut |_: &_| true);
        let (ticker, push) = (Ticker::new(watch), |pairs: &mut Vec<Pair>, pair| pairs.push(pair));
        found.decide_all(&rows, collection, options, words.as_ref(), &ticker, summary, &push, &mut |pairs| {
            decided.extend(pairs);
            Ok(())
        })?;
        Ok(true)
    }
}

impl Iterator for NearPairs<'_> {
    type Item = Result<Line>;

    fn next(&mut self) -> Option<Result<Line>> {
        if let Some(group) = self.groups.next() {
            self.summary.count(&group);
            return Some(Ok(Line::Group(group)));
        }
        while self.decided.is_empty() {
            match self.decide() {
                Ok(true) => (),
                Ok(false) => return None,
                Err(error) => {
                    self.next = usize::MAX;
                    return Some(Err(error));
                }
            }
        }
        self.decided.pop_front().map(|pair| Ok(Line::Pair(pair)))
    }
}
