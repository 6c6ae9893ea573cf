//! The explanation of a page's fingerprint, for `nddb fp`.

use std::collections::{BTreeMap, BTreeSet};

use crate::sketch::{min_bits, min_hash};

/// A feature of a page, with all its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The text of the feature.
    pub text: String,
    /// Its weight: the number of its occurrences (Manku et al. 2) or, for a fingerprint of min-values, the number of
    /// bits that the feature decides.
    pub weight: u64,
    /// Its hash.
    pub hash: u64,
}

/// The values from which the bits of a fingerprint follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// The weighted sum of each bit, bit 0 first (Manku et al. 2). The bit is 1 if the sum is above zero (for
    /// trafilatura, if it is not below zero).
    Sums(Box<[i64; 64]>),
    /// The text of the feature that has the least value of each bit's function, bit 0 first (Shrivastava and Li 2014);
    /// none for a page without features.
    Least(Vec<String>),
}

/// The derivation of a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The number of terms of the page.
    pub tokens: u64,
    /// The number of different features.
    pub distinct: u64,
    /// The heaviest features, the heaviest first, at most 40; features that decide no bit are left out.
    pub features: Vec<Feature>,
    /// The values from which the bits follow.
    pub derivation: Derivation,
    /// The fingerprint.
    pub fingerprint: u64,
}

impl Explanation {
    /// Maximum number of features listed by an explanation.
    pub(crate) const FEATURES_MAX: usize = 40;

    /// Returns the derivation of the [fingerprint](min_bits) of the terms of a content, which are given with their
    /// hashes.
    pub(crate) fn of_content(terms: &[String], hashes: &[u64], tokens: u64, fingerprint: u64) -> Explanation {
        let width = min_bits::width(hashes);
        let features = min_hash::shingle_hashes(hashes, width);
        let texts: Vec<String> = terms.windows(width.min(terms.len()).max(1)).map(|words| words.join(" ")).collect();
        let mut decided = Explainer::default();
        let mut least = Vec::new();
        for at in min_bits::deciders(&features) {
            decided.add(&texts[at], features[at]);
            least.push(texts[at].clone());
        }
        let distinct = features.iter().collect::<BTreeSet<_>>().len() as u64;
        let features = decided.heaviest();
        Explanation { tokens, distinct, features, derivation: Derivation::Least(least), fingerprint }
    }
}

/// Collects the features of one page.
#[derive(Default)]
pub(crate) struct Explainer {
    features: BTreeMap<String, (u64, u64)>,
}

impl Explainer {
    /// Adds one occurrence of a feature.
    pub(crate) fn add(&mut self, text: &str, hash: u64) {
        match self.features.get_mut(text) {
            Some((weight, _)) => *weight += 1,
            None => {
                self.features.insert(text.to_owned(), (1, hash));
            }
        }
    }

    pub(crate) fn finish(self, tokens: u64, fingerprint: u64) -> Explanation {
        let mut sums = [0i64; 64];
        for &(weight, hash) in self.features.values() {
            let weight = i64::try_from(weight).unwrap_or(i64::MAX);
            for (position, sum) in sums.iter_mut().enumerate() {
                let sign = if hash >> position & 1 == 1 { weight } else { -weight };
                *sum = sum.saturating_add(sign);
            }
        }
        let distinct = self.features.len() as u64;
        let derivation = Derivation::Sums(Box::new(sums));
        Explanation { tokens, distinct, features: self.heaviest(), derivation, fingerprint }
    }

    /// Returns the features with the greatest weights, the heaviest first.
    fn heaviest(self) -> Vec<Feature> {
        let mut features: Vec<Feature> =
            self.features.into_iter().map(|(text, (weight, hash))| Feature { text, weight, hash }).collect();
        // The sort is stable, so equal weights stay in the order of their text.
        features.sort_by_key(|feature| std::cmp::Reverse(feature.weight));
        features.truncate(Explanation::FEATURES_MAX);
        features
    }
}
