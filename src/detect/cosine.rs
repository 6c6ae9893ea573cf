//! Cosine of term frequencies (Huang et al. 2008, 4: "each document is represented by a vector of term
//! frequencies", its baseline; ALGORITHMS L7).

use crate::text::{Page, tokens};

/// How often each term stands in a text: the terms of the recipes, upper and lower case apart.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// Hash and count of each term, by hash.
    counts: Vec<(u64, u32)>,
    /// Sum of the squares of the counts.
    square: u128,
}

/// The terms of a visible text.
pub(crate) fn terms(text: &str) -> Terms {
    let mut hashes = tokens(&Page::text(text)).hashes().to_vec();
    hashes.sort_unstable();
    let mut counts: Vec<(u64, u32)> = Vec::new();
    for hash in hashes {
        match counts.last_mut() {
            Some((last, count)) if *last == hash => *count += 1,
            _ => counts.push((hash, 1)),
        }
    }
    let square = counts.iter().map(|&(_, count)| u128::from(count) * u128::from(count)).sum();
    Terms { counts, square }
}

impl Terms {
    /// Bytes of memory.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.counts.len() * size_of::<(u64, u32)>()
    }

    /// The cosine of the angle between two vectors, 0 to 1; of a text without terms 0. Equal texts have exactly 1.
    pub(crate) fn cosine(&self, other: &Terms) -> f64 {
        let (mut left, mut right) = (self.counts.iter().peekable(), other.counts.iter().peekable());
        let mut product = 0u128;
        while let (Some(&&(a, x)), Some(&&(b, y))) = (left.peek(), right.peek()) {
            if a == b {
                product += u128::from(x) * u128::from(y);
            }
            if a <= b {
                left.next();
            }
            if b <= a {
                right.next();
            }
        }
        if product == 0 {
            return 0.0;
        }
        // Texts of 10 KB: the product of the squares is below 2^53, and its root is rounded once.
        product as f64 / ((self.square * other.square) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The definition: sum of x_t * y_t over the root of the sums of squares.
    fn plain(a: &str, b: &str) -> f64 {
        let count = |text: &str| {
            let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
            tokens(&Page::text(text)).hashes().iter().for_each(|&hash| *counts.entry(hash).or_default() += 1.0);
            counts
        };
        let (a, b) = (count(a), count(b));
        let product: f64 = a.iter().map(|(term, x)| x * b.get(term).copied().unwrap_or(0.0)).sum();
        let norm = |of: &BTreeMap<u64, f64>| of.values().map(|x| x * x).sum::<f64>().sqrt();
        if product == 0.0 { 0.0 } else { product / (norm(&a) * norm(&b)) }
    }

    proptest! {
        #[test]
        fn the_cosine_is_that_of_the_definition(a in "[a-d ]{0,60}", b in "[a-d ]{0,60}") {
            let found = terms(&a).cosine(&terms(&b));
            prop_assert!((found - plain(&a, &b)).abs() < 1e-12, "{found}");
            prop_assert_eq!(found, terms(&b).cosine(&terms(&a)));
            let own = terms(&a).cosine(&terms(&a));
            prop_assert!(own == 1.0 || own == 0.0);
        }
    }
}
