//! Passages that a document has in common with stored ones. They are found by their parts, without a text.
//!
//! A part is a key like others. Each document that shares at least two parts with the one asked for (or one, where a
//! second need not exist) is a candidate, and its record has the places of its parts. Parts in order at nearly equal
//! distances are a passage (`chain`).
//!
//! A part in many different texts is boilerplate: it extends a passage and begins none, so a footer on a million pages
//! costs a list of [`LIST_MAX`] documents for each of its parts, whose summaries are read once.

mod chain;

use std::cmp::Reverse;
use std::ops::Range;

use nddb_format::document_keys;
use nddb_format::parts::{PART_WORDS, Parts};
use nddb_format::record::Record;
use std::collections::HashMap;

use self::chain::Asked;
use super::scope::Scope;
use super::view::View;
use crate::catalog::Key;
use crate::{Error, Result};

/// Number of keys that are looked up together.
const KEYS: usize = 4096;
/// Greatest number of documents of a part that are looked at: the oldest.
const LIST_MAX: usize = 80;
/// Greatest number of summaries that a search reads to tell different texts from copies; behind it, each document of a
/// part counts as a text of its own.
const SUMMARIES_MAX: usize = 1 << 14;
/// Greatest number of documents that are compared: those with the most parts in common, then the oldest.
const COMPARED_MAX: usize = 1 << 10;
/// Number of records that are read together.
const RECORDS: usize = 64;
/// Within this distance in words a frequent part may belong to the same passage.
const NEAR: u32 = 128;

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
        Asked::new(asked, Vec::new()).passages(stored, self)
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub struct Passages {
    /// The documents with passages in common: those with the most words first, then the oldest.
    pub matches: Vec<PassageMatch>,
    /// Number of different parts in too many texts to begin a passage.
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
        let mut search = Search {
            view: *self,
            limits,
            own,
            evidence: HashMap::new(),
            fingerprints: HashMap::new(),
            frequent: Vec::new(),
            passages: Passages::default(),
        };
        search.look_up(text)?;
        let candidates = search.candidates()?;
        search.compare(text, &candidates)
    }
}

/// The parts that a candidate has in common with the query.
struct Evidence {
    /// Number of parts in common that are not frequent.
    parts: u32,
    /// The place of one of them.
    at: u32,
}

struct Search<'a> {
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

impl Search<'_> {
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

    /// Returns whether documents have more different texts than the limit. Texts whose fingerprints are near count
    /// once.
    fn is_frequent(&mut self, numbers: &[u64]) -> Result<bool> {
        if numbers.len() <= self.limits.texts {
            return Ok(false);
        }
        let near = u32::from(self.view.settings.k);
        let (mut texts, mut others): (Vec<u64>, usize) = (Vec::new(), 0);
        for &number in numbers {
            match self.fingerprint(number)? {
                Some(fingerprint) if texts.iter().any(|text| (text ^ fingerprint).count_ones() <= near) => {}
                Some(fingerprint) => texts.push(fingerprint),
                None => others += 1,
            }
            if texts.len() + others > self.limits.texts.min(LIST_MAX - 1) {
                return Ok(true);
            }
        }
        Ok(false)
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
        let is_near_frequent = |at: u32| {
            let next = places.partition_point(|&place| place + NEAR < at);
            places.get(next).is_some_and(|&place| place <= at + NEAR)
        };
        let mut candidates = Vec::new();
        for (&number, evidence) in &self.evidence {
            let is_enough = evidence.parts > 1
                || self.limits.min_words <= PART_WORDS as u32
                || is_near_frequent(evidence.at)
                // A text of so few words has no second part.
                || self.view.summary(number)?.is_none_or(|summary| {
                    summary.tokens.is_none_or(|tokens| tokens <= 2 * PART_WORDS as u32)
                });
            if is_enough {
                candidates.push((Reverse(evidence.parts), number));
            }
        }
        candidates.sort_unstable();
        self.passages.left_out += candidates.len().saturating_sub(COMPARED_MAX) as u64;
        candidates.truncate(COMPARED_MAX);
        let mut numbers: Vec<u64> = candidates.into_iter().map(|(_, number)| number).collect();
        numbers.sort_unstable();
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
