//! Cosine of term frequencies: the baseline of Huang et al. (2008, 4).
//!
//! "Cosine can be seen as an alternative similarity measurement for our framework. [..] Two web documents were
//! regarded as similar if their Cosine similarity exceeded 0.95." The vectors count the occurrences of each token.
//! Sums are integers, and only the last step rounds, so the value does not depend on the order of tokens.

use nddb_page::text::{Page, tokens};

/// The number of occurrences of each token of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frequencies {
    /// Tokens, ascending, with their counts.
    counts: Vec<(u64, u32)>,
    /// The sum of the squares of the counts.
    square: u64,
}

impl Frequencies {
    /// Counts the tokens of a document, in any order.
    pub(crate) fn new(tokens: &[u64]) -> Self {
        let mut sorted = tokens.to_vec();
        sorted.sort_unstable();
        let counts: Vec<(u64, u32)> =
            sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u32)).collect();
        let square = counts.iter().map(|&(_, count)| u64::from(count).pow(2)).sum();
        Self { counts, square }
    }

    /// Counts the terms of a visible text, case-sensitively.
    pub fn of_text(text: &str) -> Self {
        Self::new(tokens(&Page::text(text)).hashes())
    }

    /// Returns the size in memory, in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.counts.len() * size_of::<(u64, u32)>()
    }

    /// Returns the cosine of the angle between two vectors, 0 to 1; 0 if a document has no tokens.
    pub fn cosine(&self, other: &Self) -> f64 {
        // Below 2^64 for documents of fewer than 2^32 tokens (Cauchy and Schwarz).
        let mut product = 0;
        let mut theirs = other.counts.iter().copied().peekable();
        for &(token, count) in &self.counts {
            while theirs.next_if(|&(their, _)| their < token).is_some() {}
            if let Some((_, also)) = theirs.next_if(|&(their, _)| their == token) {
                product += u64::from(count) * u64::from(also);
            }
        }
        quotient(product, self.square, other.square)
    }
}

fn quotient(product: u64, a: u64, b: u64) -> f64 {
    if product == 0 { 0.0 } else { product as f64 / (a as f64 * b as f64).sqrt() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// The definition: the product of two vectors over the product of their lengths.
    fn cosine(a: &[u64], b: &[u64]) -> f64 {
        let count = |tokens: &[u64]| {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            for &token in tokens {
                *counts.entry(token).or_default() += 1;
            }
            counts
        };
        let (a, b) = (count(a), count(b));
        let product = |a: &HashMap<u64, u64>, b: &HashMap<u64, u64>| -> u64 {
            a.iter().map(|(token, count)| count * b.get(token).copied().unwrap_or(0)).sum()
        };
        quotient(product(&a, &b), product(&a, &a), product(&b, &b))
    }

    #[test]
    fn known_angles_have_their_cosines() {
        assert_eq!(cosine(&[1, 2, 3], &[3, 1, 2]), 1.0);
        assert_eq!(cosine(&[1, 2], &[3, 4]), 0.0);
        assert_eq!(cosine(&[1, 1, 1, 2, 2, 2, 2], &[1]), 0.6);
        assert_eq!(cosine(&[], &[1]), 0.0);
        assert_eq!(cosine(&[], &[]), 0.0);
    }

    proptest! {
        #[test]
        fn counted_once_or_merged_is_the_same(
            a in prop::collection::vec(0u64..20, 0..60),
            b in prop::collection::vec(0u64..20, 0..60),
        ) {
            let merged = Frequencies::new(&a).cosine(&Frequencies::new(&b));
            prop_assert_eq!(merged, cosine(&a, &b));
            prop_assert_eq!(merged, cosine(&b, &a));
            prop_assert!((0.0..=1.0 + 1e-12).contains(&merged));
            if !a.is_empty() {
                let mut turned = a.clone();
                turned.reverse();
                prop_assert_eq!(Frequencies::new(&a).cosine(&Frequencies::new(&turned)), 1.0);
            }
        }
    }
}
