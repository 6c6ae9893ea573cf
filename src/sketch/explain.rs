//! The explanation of a page's fingerprint, for `nddb fp`.

use std::collections::BTreeMap;

/// A feature of a page, with all its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The text of the feature.
    pub text: String,
    /// Its weight: the number of its occurrences (Manku et al. 2).
    pub weight: u64,
    /// Its hash.
    pub hash: u64,
}

/// The derivation of a fingerprint (Manku et al. 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The number of terms of the page.
    pub tokens: u64,
    /// The number of different features.
    pub distinct: u64,
    /// The heaviest features, the heaviest first, at most 40.
    pub features: Vec<Feature>,
    /// The weighted sum of each bit, bit 0 first: its sign decides the bit.
    pub sums: [i64; 64],
    /// The fingerprint: the bits whose sum is above zero (for trafilatura, not below).
    pub fingerprint: u64,
}

impl Explanation {
    /// Most features listed by an explanation.
    pub(crate) const FEATURES_MAX: usize = 40;
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
        let mut features: Vec<Feature> =
            self.features.into_iter().map(|(text, (weight, hash))| Feature { text, weight, hash }).collect();
        // Stable: equal weights stay in the order of their text.
        features.sort_by_key(|feature| std::cmp::Reverse(feature.weight));
        features.truncate(Explanation::FEATURES_MAX);
        Explanation { tokens, distinct, features, sums, fingerprint }
    }
}
