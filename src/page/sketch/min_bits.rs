//! The fingerprint of `main`: one bit of each of 64 min-values (Li and Koenig 2010; Shrivastava and Li 2014, "In
//! defense of minhash over simhash").
//!
//! If the sets of distinct words of two pages have resemblance r (common words over all words, Broder), each bit
//! differs with probability (1 - r) / 2, and 32 (1 - r) of the 64 bits are expected to differ: 1.6 if r is 0.95, and 29
//! if r is 0.1, as for two unrelated pages of one language. Simhash over occurrences ([`simhash`]) is dominated by
//! function words, which all pages share, so some of its bits are nearly constant. Its distance grows with the square
//! root of the difference, so for small differences it grows faster than the distance of these bits.
//!
//! As specified here:
//!
//! * The features are the distinct terms of the content; repetitions do not count. A content has *few words* if it has
//!   d distinct terms among n terms with d * d < 2 * n (answers, chords, letters of DNA; prose of 200 terms has a
//!   hundred distinct ones, and fewer than 20 would be few). Such pages all share the same words, so their features are
//!   the shingles of eight successive terms, as in algorithm B.
//! * Min-value i, 0 <= i < 64, is the minimum of f_i over all features. The f_i are the
//!   [functions](crate::sketch::min_hash) of algorithm B and are applied to its hashes of shingles; a word is a shingle
//!   of one term.
//! * Bit i is the parity of the number of ones in min-value i. (The lowest bit of a value is the lowest bit of the
//!   word's hash, up to a constant of the function, so all bits that one word decides would carry the same
//!   information.)
//! * A content without terms has fingerprint 0.
//!
//! [`simhash`]: crate::sketch::simhash

use std::collections::BTreeSet;

use crate::sketch::min_hash::{self, SHINGLE};

/// Bits of a fingerprint.
const BITS: usize = 64;

/// Returns the fingerprint of the terms of a content, by their hashes.
pub fn fingerprint(terms: &[u64]) -> u64 {
    let values = min_hash::first_min_values::<BITS>(terms, width(terms));
    let bits = values.into_iter().flatten().rev();
    bits.fold(0, |fingerprint, value| fingerprint << 1 | bit(value))
}

/// Returns the number of successive terms in a feature of this content.
pub(super) fn width(terms: &[u64]) -> usize {
    // Distinct words, ascending. For prose, the first sentences are enough to decide.
    let mut words = Vec::new();
    let are_many = terms.iter().any(|&term| match words.binary_search(&term) {
        Ok(_) => false,
        Err(at) => {
            words.insert(at, term);
            are_many(words.len(), terms.len())
        }
    });
    if are_many { 1 } else { SHINGLE }
}

/// Returns whether this number of distinct words is enough for this number of terms: whether the content does not have
/// few words.
fn are_many(words: usize, terms: usize) -> bool {
    words.saturating_mul(words) >= 2 * terms
}

/// Returns the bit of a min-value.
fn bit(value: u32) -> u64 {
    u64::from(value.count_ones() & 1)
}

/// Returns the indexes of the features that decide the 64 bits, given the hashes of all features in their order: for
/// each function, the first feature with the least value. Empty if there are no features.
pub(super) fn deciders(features: &[u64]) -> Vec<usize> {
    let least = |i| (0..features.len()).min_by_key(|&at| min_hash::function(i, features[at]));
    (0..BITS).filter_map(least).collect()
}

/// Computes [`fingerprint`] as the definition does.
pub fn plain(terms: &[u64]) -> u64 {
    let words: BTreeSet<u64> = terms.iter().copied().collect();
    let width = if words.len() * words.len() < 2 * terms.len() { SHINGLE } else { 1 };
    let features: BTreeSet<u64> = min_hash::shingle_hashes(terms, width).into_iter().collect();
    let mut fingerprint = 0;
    for i in 0..BITS {
        let values = features.iter().map(|&feature| min_hash::function(i, feature));
        if values.min().is_some_and(|least| least.count_ones() % 2 == 1) {
            fingerprint |= 1 << i;
        }
    }
    fingerprint
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sketch::mix::split_mix;

    proptest! {
        #[test]
        fn the_fast_fingerprint_is_the_plain_one(
            terms in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4], 0..90),
        ) {
            prop_assert_eq!(fingerprint(&terms), plain(&terms));
        }

        #[test]
        fn of_many_words_their_order_and_number_say_nothing(words in prop::collection::btree_set(any::<u64>(), 20..60)) {
            let terms: Vec<u64> = words.into_iter().collect();
            let mut others = terms.clone();
            others.reverse();
            others.extend(&terms[..10]);
            prop_assert_eq!(fingerprint(&terms), fingerprint(&others));
        }

        #[test]
        fn the_deciders_have_the_bits(terms in prop::collection::vec(0u64..12, 0..90)) {
            let features = min_hash::shingle_hashes(&terms, width(&terms));
            let deciders = deciders(&features);
            prop_assert_eq!(deciders.len(), if terms.is_empty() { 0 } else { BITS });
            for (i, at) in deciders.into_iter().enumerate() {
                let value = min_hash::function(i, features[at]);
                prop_assert_eq!(fingerprint(&terms) >> i & 1, bit(value));
            }
        }
    }

    #[test]
    fn more_terms_than_a_block_give_the_same_bits() {
        let terms: Vec<u64> = (0..5000).map(|n| split_mix(n % 3000, 0)).collect();
        assert_eq!(fingerprint(&terms), plain(&terms));
    }

    #[test]
    fn nothing_gives_zero_and_one_word_has_a_fingerprint() {
        assert_eq!(fingerprint(&[]), 0);
        assert_ne!(fingerprint(&[7]), fingerprint(&[8]));
    }

    /// Two answers in any order have the same words.
    #[test]
    fn few_words_are_told_apart_by_their_order() {
        let answers = |seed| -> Vec<u64> { (0..60).map(|n| split_mix(seed, n) % 2).collect() };
        let distances: Vec<u32> = (0..40)
            .map(|seed| (fingerprint(&answers(2 * seed)) ^ fingerprint(&answers(2 * seed + 1))).count_ones())
            .collect();
        assert!(distances.iter().all(|&distance| distance > 7), "{distances:?}");
        assert_eq!(width(&answers(1)), SHINGLE);
    }

    #[test]
    fn few_words_begin_below_the_root_of_twice_the_terms() {
        let terms = |words: u64, terms: u64| -> Vec<u64> { (0..terms).map(|n| n % words).collect() };
        assert_eq!((width(&terms(20, 200)), width(&terms(19, 200))), (1, SHINGLE));
        assert_eq!((width(&terms(2, 2)), width(&terms(1, 1))), (1, SHINGLE));
    }

    /// The distribution of distances: each of 64 bits differs with probability (1 - r) / 2, independently.
    #[test]
    fn the_distance_is_binomial_in_the_resemblance() {
        for (seed, len, common) in [(1, 200, 200), (2, 200, 190), (3, 200, 100), (4, 60, 6), (5, 300, 0)] {
            let trials = 400u64;
            let distances: Vec<f64> = (0..trials)
                .map(|trial| {
                    let a: Vec<u64> = (0..len).map(|n| split_mix(seed << 32 | trial, n)).collect();
                    let own = (len..2 * len - common).map(|n| split_mix(seed << 32 | trial, n));
                    let b: Vec<u64> = a[..common as usize].iter().copied().chain(own).collect();
                    f64::from((fingerprint(&a) ^ fingerprint(&b)).count_ones())
                })
                .collect();
            let mean = distances.iter().sum::<f64>() / trials as f64;
            let variance = distances.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (trials - 1) as f64;
            let p = 0.5 * (1.0 - common as f64 / (2 * len - common) as f64);
            let expected = 64.0 * p * (1.0 - p);
            let error = 5.0 * (expected / trials as f64).sqrt();
            assert!((mean - 64.0 * p).abs() <= error, "seed {seed}: mean {mean}, expected {} +- {error}", 64.0 * p);
            let error = 0.4 * expected;
            assert!((variance - expected).abs() <= error, "seed {seed}: variance {variance}, expected {expected}");
        }
    }

    /// A bit that is the same on most pages does not separate pages.
    #[test]
    fn each_bit_is_one_on_half_of_all_pages() {
        let pages = 2000u64;
        for len in [1, 5, 100] {
            let mut ones = [0u64; BITS];
            for page in 0..pages {
                let terms: Vec<u64> = (0..len).map(|n| split_mix(page, n)).collect();
                let found = fingerprint(&terms);
                ones.iter_mut().enumerate().for_each(|(i, ones)| *ones += found >> i & 1);
            }
            let error = 5.0 * (pages as f64 / 4.0).sqrt();
            for (i, &ones) in ones.iter().enumerate() {
                assert!((ones as f64 - pages as f64 / 2.0).abs() <= error, "bit {i}, {len} terms: {ones} of {pages}");
            }
        }
    }
}
