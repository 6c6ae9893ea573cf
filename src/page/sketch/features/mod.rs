//! The features from which the simhash of a page is made (Manku, Jain, Das Sarma 2).
//!
//! In the paper, a document is a set of features, "each feature tagged with its weight. Features are computed using
//! standard IR techniques like tokenization, case folding, stop-word removal, stemming and phrase detection". A
//! [`crate::sketch::Recipe`] is one such choice; [`Features`] allow comparing choices on the same pages.
//!
//! As specified here:
//!
//! * Terms come from [`Tokens`]. Case folding is Unicode's lower case. Stop words are matched in lower case. Terms are
//!   stemmed in lower case, by the algorithm of one language, which the caller chooses.
//! * A phrase is n successive terms, after stop words are left out. Its hash is XXH3 (64 bits, seed 0) of the
//!   hashes of its terms, 8 bytes each, little-endian; a single term keeps its own hash. A page of fewer than n
//!   terms has one feature, of all its terms; a page without terms has fingerprint 0.
//! * The weight of a feature is the number of its occurrences, times its weight in the [`WeightTable`] if there is one
//!   (for tf-idf, [`Frequencies::inverse`]).

mod frequencies;
mod stemmer;

use std::fmt;

pub use frequencies::Frequencies;
pub use stemmer::Stemmer;
use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::simhash;
use crate::text::{Tokens, lower_hashes};

/// The longest phrase.
pub(crate) const PHRASE_MAX: usize = 5;

/// A choice of features; the default is that of the recipe `web`.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    /// Terms in a feature, n: 1 to 5; other values are clamped.
    pub terms: usize,
    /// Whether upper and lower case are equal.
    pub fold_case: bool,
    /// Terms that are left out.
    pub stop_words: Option<&'a StopWords>,
    /// Maps the forms of a word to one term, which is in lower case whatever the value of `fold_case`.
    pub stemmer: Option<&'a Stemmer>,
    /// Weight of one occurrence of each feature; 1 if there is no table.
    pub weights: Option<&'a WeightTable>,
    /// Number of bits of the fingerprint, f: the low bits of 64. 1 to 64; other values are clamped.
    pub bits: u32,
}

impl Default for Features<'_> {
    fn default() -> Self {
        Features { terms: 1, fold_case: true, stop_words: None, stemmer: None, weights: None, bits: 64 }
    }
}

impl Features<'_> {
    /// Returns the hash of the feature of these terms: the key of a [`WeightTable`].
    pub fn hash_of<'t>(&self, terms: impl IntoIterator<Item = &'t str>) -> u64 {
        let hashes: Vec<[u8; 8]> = terms.into_iter().map(|term| self.hash_of_term(term).to_le_bytes()).collect();
        phrase(&hashes)
    }

    fn hash_of_term(&self, term: &str) -> u64 {
        match self.stemmer {
            Some(stemmer) => xxh3_64(stemmer.stem(&term.to_lowercase()).as_bytes()),
            None if self.fold_case => xxh3_64(term.to_lowercase().as_bytes()),
            None => xxh3_64(term.as_bytes()),
        }
    }

    /// Returns the hashes of the features of a page, one for each occurrence, in their order.
    pub fn hashes(&self, tokens: &Tokens) -> Vec<u64> {
        let terms: Vec<[u8; 8]> = self
            .kept(tokens)
            .map(|(index, folded)| match self.stemmer {
                Some(_) => self.hash_of_term(tokens.term(index)),
                None if self.fold_case => folded,
                None => tokens.hashes()[index],
            })
            .map(u64::to_le_bytes)
            .collect();
        match self.width(terms.len()) {
            0 => Vec::new(),
            width => terms.windows(width).map(phrase).collect(),
        }
    }

    /// Returns the features of a page as [`Features::hashes`] does, each with its terms, separated by spaces. Terms are
    /// in lower case unless case is kept, and not stemmed.
    pub fn named(&self, tokens: &Tokens) -> Vec<(String, u64)> {
        let is_lower = self.fold_case || self.stemmer.is_some();
        let text = |index: usize| match tokens.term(index) {
            term if is_lower => term.to_lowercase(),
            term => term.to_owned(),
        };
        let terms: Vec<String> = self.kept(tokens).map(|(index, _)| text(index)).collect();
        let width = self.width(terms.len()).max(1);
        terms.windows(width).map(|terms| terms.join(" ")).zip(self.hashes(tokens)).collect()
    }

    /// Returns the terms of a page that are no stop words: their indexes, and their hashes in lower case.
    fn kept<'t>(&'t self, tokens: &'t Tokens) -> impl Iterator<Item = (usize, u64)> + 't {
        let is_stop = |folded: u64| self.stop_words.is_some_and(|words| words.contains(folded));
        (0..).zip(lower_hashes(tokens)).filter(move |&(_, folded)| !is_stop(folded))
    }

    /// Returns the number of terms of a feature, for a page of `len` terms.
    fn width(&self, len: usize) -> usize {
        self.terms.clamp(1, PHRASE_MAX).min(len)
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }
}

/// Returns the hash of a phrase, given the hashes of its terms.
fn phrase(terms: &[[u8; 8]]) -> u64 {
    match terms {
        [term] => u64::from_le_bytes(*term),
        terms => xxh3_64(terms.as_flattened()),
    }
}

/// Returns the simhash of a page, given a choice of features (Manku et al. 2).
pub fn simhash_of(tokens: &Tokens, features: &Features<'_>) -> u64 {
    let hashes = features.hashes(tokens);
    let fingerprint = match features.weights {
        None => simhash::fingerprint(hashes),
        Some(table) => {
            // For each bit, the total weight of the features that have it set.
            let (mut ones, mut total) = ([0u64; 64], 0);
            for hash in hashes {
                let weight = u64::from(table.weight(hash));
                total += weight;
                for (position, sum) in ones.iter_mut().enumerate() {
                    *sum += weight & (hash >> position & 1).wrapping_neg();
                }
            }
            ones.iter().rev().fold(0, |bits, &sum| bits << 1 | u64::from(sum > total - sum))
        }
    };
    fingerprint & features.mask()
}

/// Computes [`simhash_of`] as the definition does (Manku et al. 2).
pub fn plain(tokens: &Tokens, features: &Features<'_>) -> u64 {
    let mut terms: Vec<&str> = Vec::new();
    for term in tokens.terms() {
        let folded = xxh3_64(term.to_lowercase().as_bytes());
        if !features.stop_words.is_some_and(|words| words.contains(folded)) {
            terms.push(term);
        }
    }
    let mut sums = [0i64; 64];
    if !terms.is_empty() {
        for phrase in terms.windows(features.width(terms.len())) {
            let hash = features.hash_of(phrase.iter().copied());
            let weight = features.weights.map_or(1, |table| i64::from(table.weight(hash)));
            for (position, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> position & 1 == 1 { weight } else { -weight };
            }
        }
    }
    let mut fingerprint = 0;
    for (position, sum) in sums.into_iter().enumerate() {
        if sum > 0 && position < features.bits.clamp(1, 64) as usize {
            fingerprint |= 1 << position;
        }
    }
    fingerprint
}

/// Stop words: words that do not characterise a page.
#[derive(Clone, PartialEq, Eq)]
pub struct StopWords {
    /// Hashes of the words in lower case, ascending.
    hashes: Vec<u64>,
}

impl StopWords {
    /// Makes the set of words, in any case.
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut hashes: Vec<u64> = words.into_iter().map(|word| xxh3_64(word.to_lowercase().as_bytes())).collect();
        hashes.sort_unstable();
        hashes.dedup();
        StopWords { hashes }
    }

    /// The 33 English stop words of Lucene, separated by spaces.
    pub const ENGLISH: &'static str = "a an and are as at be but by for if in into is it no not of on or such that the \
                                       their then there these they this to was will with";

    /// Returns the set of [`StopWords::ENGLISH`].
    pub fn english() -> Self {
        StopWords::new(Self::ENGLISH.split(' '))
    }

    fn contains(&self, folded: u64) -> bool {
        self.hashes.binary_search(&folded).is_ok()
    }
}

impl fmt::Debug for StopWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StopWords({})", self.hashes.len())
    }
}

/// Weights of features by their hashes.
#[derive(Clone, PartialEq, Eq)]
pub struct WeightTable {
    /// Ascending by hash, each hash once.
    weights: Vec<(u64, u32)>,
    others: u32,
}

impl WeightTable {
    /// Makes a table from hashes ([`Features::hash_of`], [`Features::hashes`]) with their weights, whole numbers in any
    /// unit, and the weight of all other hashes. If a hash occurs several times, its last weight counts.
    pub fn new(weights: impl IntoIterator<Item = (u64, u32)>, others: u32) -> Self {
        let mut weights: Vec<(u64, u32)> = weights.into_iter().collect();
        // The sort is stable: the last of equal hashes comes first in the reversed order.
        weights.reverse();
        weights.sort_by_key(|&(hash, _)| hash);
        weights.dedup_by_key(|&mut (hash, _)| hash);
        WeightTable { weights, others }
    }

    /// Returns the weight of a feature.
    pub fn weight(&self, hash: u64) -> u32 {
        match self.weights.binary_search_by_key(&hash, |&(hash, _)| hash) {
            Ok(index) => self.weights[index].1,
            Err(_) => self.others,
        }
    }
}

impl fmt::Debug for WeightTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeightTable({}, others {})", self.weights.len(), self.others)
    }
}

#[cfg(test)]
mod tests;
