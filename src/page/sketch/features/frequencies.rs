//! Document frequencies of features, from which weights by inverse document frequency are made.

use std::collections::HashMap;

use super::WeightTable;

/// The number of documents that have each feature, by the hash of the feature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frequencies {
    documents: u64,
    of: HashMap<u64, u64>,
}

/// Units of a weight in one natural logarithm.
const UNITS: f64 = 1000.0;

impl Frequencies {
    /// Makes the table from the number of documents and the number of those that have each feature. Numbers of equal
    /// hashes are added.
    pub fn new(documents: u64, frequencies: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut of = HashMap::new();
        for (hash, documents) in frequencies {
            *of.entry(hash).or_default() += documents;
        }
        Frequencies { documents, of }
    }

    /// Counts a document, given the hashes of its features ([`Features::hashes`](super::Features::hashes)). A feature
    /// counts once, however often it occurs.
    pub fn add(&mut self, mut features: Vec<u64>) {
        features.sort_unstable();
        features.dedup();
        self.documents += 1;
        for hash in features {
            *self.of.entry(hash).or_default() += 1;
        }
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents that have a feature.
    pub fn of(&self, hash: u64) -> u64 {
        self.of.get(&hash).copied().unwrap_or(0)
    }

    /// Returns the weights by inverse document frequency: 1,000 ln(N / n) for a feature that n of N documents have,
    /// rounded. A feature that no document has weighs as much as one of a single document; a feature of all documents
    /// weighs 0.
    pub fn inverse(&self) -> WeightTable {
        let weight = |of: u64| {
            let inverse = self.documents.max(1) as f64 / of.max(1) as f64;
            (UNITS * inverse.ln()).round().max(0.0) as u32
        };
        WeightTable::new(self.of.iter().map(|(&hash, &of)| (hash, weight(of))), weight(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_is_the_logarithm_of_the_inverse() {
        let mut counted = Frequencies::default();
        for features in [vec![1, 2, 1], vec![1, 3], vec![1, 3], vec![1]] {
            counted.add(features);
        }
        assert_eq!(counted, Frequencies::new(4, [(1, 3), (2, 1), (3, 2), (1, 1)]));
        assert_eq!((counted.documents(), counted.of(1), counted.of(2), counted.of(9)), (4, 4, 1, 0));
        let weights = counted.inverse();
        // ln 4 = 1.3863, ln 2 = 0.6931.
        assert_eq!([1, 2, 3, 9].map(|hash| weights.weight(hash)), [0, 1386, 693, 1386]);
    }
}
