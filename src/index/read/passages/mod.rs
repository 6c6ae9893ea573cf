//! Passages that a document has in common with stored ones. They are found by their parts, without a text.
//!
//! A part is a key like others. Each document that shares at least two parts with the one asked for (or one, where a
//! second need not exist) is a candidate, and its record has the places of its parts. Parts in order at nearly equal
//! distances are a passage (`chain`).
//!
//! A part in many different texts is boilerplate: it extends a passage and begins none, so a footer on a million pages
//! costs a list of [`LIST_MAX`] documents for each of its parts, whose summaries are read once.

mod chain;
pub mod evidence;

use std::cmp::Reverse;
use std::ops::Range;

use nddb_format::document_keys;
use nddb_format::parts::Parts;
use nddb_format::record::Record;
use std::collections::HashMap;

use self::chain::Asked;
use self::evidence::{Evidence, LIST_MAX, is_frequent, is_short, most_in_common};
use super::scope::Scope;
use super::view::View;
use crate::catalog::Key;
use crate::{Error, Result};

/// Number of keys that are looked up together.
const KEYS: usize = 4096;
/// Greatest number of summaries that a search reads to tell different texts from copies; behind it, each document of a
/// part counts as a text of its own.
const SUMMARIES_MAX: usize = 1 << 14;
/// Number of records that are read together.
const RECORDS: usize = 64;

/// What counts as a passage in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageLimits {
    /// Least number of words in common. A document of fewer words must have all of them in common. Where only a
    /// selection of the parts is stored, it suffices that ten words are known and that so many are possible.
    pub min_words: u32,
    /// Greatest number of words that may be inserted or removed between two parts of a passage.
    pub gap: u32,
    /// A part in more different texts begins no passage. At most 64 are told apart.
    pub texts: usize,
}

impl Default for PassageLimits {
    fn default() -> Self {
        Self { min_words: 20, gap: 8, texts: 20 }
    }
}

impl PassageLimits {
    /// Returns the passages that two texts have in common, given all their parts, in the order of the text asked for.
    /// None is too frequent.
    #[must_use]
    pub fn passages(&self, asked: &Parts, stored: &Parts) -> Vec<Passage> {
        evidence::passages(self, (asked, Vec::new()), stored)
    }
}

/// A passage that two documents have in common, by its known words: it may be longer at both ends if only a selection
/// of the parts is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its words in the document asked for, by their indexes.
    pub asked: Range<u32>,
    /// Its words in the stored document.
    pub stored: Range<u32>,
    /// Number of words in common.
    pub words: u32,
    /// The greatest number of successive words in common.
    pub longest: u32,
}

/// A stored document with passages in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassageMatch {
    /// The user's id.
    pub id: String,
    /// Document number.
    pub number: u64,
    /// Address of the document.
    pub url: Option<String>,
    /// Site of the document.
    pub site: Option<String>,
    /// Number of words in common.
    pub words: u32,
    /// Number of words of the stored document.
    pub stored_words: u32,
    /// The passages, in the order of the document asked for.
    pub passages: Vec<Passage>,
}

impl PassageMatch {
    /// Returns the shares of the words of a document of `words` words, which was asked for, and of the stored one that
    /// are in common.
    #[must_use]
    pub fn contained(&self, words: u32) -> [f64; 2] {
        [words, self.stored_words].map(|of| f64::from(self.words.min(of)) / f64::from(of.max(1)))
    }

    /// Returns the longest run of words in common.
    #[must_use]
    pub fn longest(&self) -> Option<u32> {
        self.passages.iter().map(|passage| passage.longest).max()
    }
}

/// The answer to a search for passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages<M = PassageMatch> {
    /// The documents with passages in common: those with the most words first, then the oldest.
    pub matches: Vec<M>,
    /// Number of different parts in too many texts to begin a passage; of several databases, the sum.
    pub frequent: u64,
    /// Number of candidates that were not compared because there were too many, and of parts of which only the oldest
    /// documents were.
    pub left_out: u64,
    /// Number of documents that were compared.
    pub compared: u64,
}

impl View<'_> {
    /// Finds the documents that have passages in common with a text, given its parts. `own` is a document that is left
    /// out.
    ///
    /// Let the text have all its parts, and stored texts one of each `window`. Then a common passage of `window + 4`
    /// words has a common part. One of `min_words` words, and at least `2 * window + 8`, is found if one of its common
    /// parts is in at most `texts` texts.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn parts(&self, text: &Parts, own: Option<u64>, limits: &PassageLimits) -> Result<Passages> {
        let mut search = PassageSearch::new(*self, own, limits);
        search.look_up(text)?;
        let candidates = search.candidates()?;
        search.compare(text, &candidates)
    }
}

impl Passages<(usize, PassageMatch)> {
    /// Searches each of several databases, as [`View::parts`] does. A match has the index of its database, and so has
    /// `own`, a document that is left out. Of documents with as many words in common, those of earlier databases come
    /// first.
    ///
    /// # Errors
    /// Damage of a database.
    pub fn in_each<'a>(
        views: impl IntoIterator<Item = View<'a>>,
        text: &Parts,
        own: Option<(usize, u64)>,
        limits: &PassageLimits,
    ) -> Result<Self> {
        let mut all = Self::default();
        for (part, view) in views.into_iter().enumerate() {
            let own = own.filter(|(of, _)| *of == part).map(|(_, number)| number);
            let found = view.parts(text, own, limits)?;
            all.frequent += found.frequent;
            all.left_out += found.left_out;
            all.compared += found.compared;
            all.matches.extend(found.matches.into_iter().map(|found| (part, found)));
        }
        all.matches.sort_by_key(|(_, found)| Reverse(found.words));
        Ok(all)
    }
}

struct PassageSearch<'a> {
    view: View<'a>,
    limits: &'a PassageLimits,
    own: Option<u64>,
    /// By document number.
    evidence: HashMap<u64, Evidence>,
    /// The fingerprints in the summaries read so far, by document number.
    fingerprints: HashMap<u64, Option<u64>>,
    /// The hash and the first place of each frequent part.
    frequent: Vec<(u64, u32)>,
    passages: Passages,
}

impl<'a> PassageSearch<'a> {
    fn new(view: View<'a>, own: Option<u64>, limits: &'a PassageLimits) -> Self {
        let (evidence, fingerprints, frequent, passages) = Default::default();
        Self { view, limits, own, evidence, fingerprints, frequent, passages }
    }

    /// Looks up each part, and notes frequent ones and candidates.
    fn look_up(&mut self, text: &Parts) -> Result<()> {
        let mut keys: Vec<(u64, u64, u32)> =
            text.selected.iter().map(|part| (document_keys::part(part.hash), part.hash, part.at)).collect();
        keys.sort_unstable();
        keys.dedup_by_key(|(key, ..)| *key);
        let scope = Scope::of(self.view);
        let (mut numbers, mut lists) = (Vec::new(), Vec::new());
        for keys in keys.chunks(KEYS) {
            numbers.clear();
            lists.clear();
            let wanted: Vec<Key> = keys.iter().map(|(key, ..)| Key::Megashingle(*key)).collect();
            scope.take_each(&wanted, LIST_MAX, &mut numbers, &mut |index, numbers, start, is_cut| {
                if numbers.len() > start {
                    lists.push((index, start..numbers.len(), is_cut));
                }
            })?;
            for (index, list, is_cut) in lists.drain(..) {
                let (_, hash, at) = keys[index];
                let list = &numbers[list];
                if self.is_frequent(list)? {
                    self.frequent.push((hash, at));
                    continue;
                }
                self.passages.left_out += u64::from(is_cut);
                for number in list.iter().filter(|number| Some(**number) != self.own) {
                    self.evidence.entry(*number).or_insert(Evidence { parts: 0, at }).parts += 1;
                }
            }
        }
        self.passages.frequent = self.frequent.len() as u64;
        Ok(())
    }

    /// Returns whether documents have more different texts than the limit.
    fn is_frequent(&mut self, numbers: &[u64]) -> Result<bool> {
        let (limits, k) = (*self.limits, self.view.settings.k);
        is_frequent(&limits, k, numbers.len(), |index| self.fingerprint(numbers[index]))
    }

    fn fingerprint(&mut self, number: u64) -> Result<Option<u64>> {
        if let Some(&known) = self.fingerprints.get(&number) {
            return Ok(known);
        }
        if self.fingerprints.len() == SUMMARIES_MAX {
            return Ok(None);
        }
        let fingerprint = self.view.summary(number)?.map(|summary| summary.fingerprint);
        self.fingerprints.insert(number, fingerprint);
        Ok(fingerprint)
    }

    /// Returns the numbers of the documents to compare, ascending.
    fn candidates(&mut self) -> Result<Vec<u64>> {
        let mut places: Vec<u32> = self.frequent.iter().map(|(_, at)| *at).collect();
        places.sort_unstable();
        let mut candidates = Vec::new();
        for (&number, evidence) in &self.evidence {
            let is_enough = evidence.is_enough(self.limits, &places)
                || self.view.summary(number)?.is_none_or(|summary| is_short(summary.tokens));
            if is_enough {
                candidates.push((evidence.parts, number));
            }
        }
        let (numbers, left_out) = most_in_common(candidates);
        self.passages.left_out += left_out;
        self.passages.compared = numbers.len() as u64;
        Ok(numbers)
    }

    /// Compares the text with the documents of these numbers.
    fn compare(self, text: &Parts, candidates: &[u64]) -> Result<Passages> {
        let Self { view, limits, frequent, mut passages, .. } = self;
        let asked = Asked::new(text, frequent.into_iter().map(|(hash, _)| hash).collect());
        for numbers in candidates.chunks(RECORDS) {
            view.catalog.records(numbers, &mut |index, bytes| {
                let record = Record::decode(bytes).map_err(Error::format(view.catalog.path()))?;
                let Some(stored) = &record.parts else { return Ok(()) };
                let found = asked.passages(stored, limits);
                if found.is_empty() {
                    return Ok(());
                }
                passages.matches.push(PassageMatch {
                    id: record.id,
                    number: numbers[index],
                    url: record.url,
                    site: record.site,
                    words: found.iter().map(|passage| passage.words).sum(),
                    stored_words: stored.words,
                    passages: found,
                });
                Ok(())
            })?;
        }
        passages.matches.sort_by_key(|found| Reverse(found.words));
        Ok(passages)
    }
}

#[cfg(test)]
mod tests;
