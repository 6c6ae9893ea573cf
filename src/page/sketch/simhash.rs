//! Simhash (Manku, Jain, Das Sarma 2), after Charikar.
//!
//! "We maintain an f-dimensional vector V, each of whose dimensions is initialized to zero. A
//! feature is hashed into an f-bit hash value. These f bits [..] increment/decrement the f components of
//! the vector by the weight of that feature [..]: if the i-th bit of the hash value is 1, the i-th
//! component of V is incremented by the weight of that feature; if [it] is 0, [it] is decremented [..]. When
//! all features have been processed, some components of V are positive while others are negative.
//! The signs of components determine the corresponding bits of the final fingerprint."
//!
//! A component of exactly zero gives 0. A feature's weight is the number of its occurrences, so
//! the features come as a sequence. Fewer bits than 64 are the low ones of the 64-bit fingerprint.

use crate::sketch::tally::Tally;

/// Returns the 64-bit simhash of a sequence of hashed features (Manku et al. 2).
pub fn fingerprint(hashes: impl IntoIterator<Item = u64>) -> u64 {
    tally(hashes).majority()[0]
}

/// Counts the bits of a sequence of hashed features.
pub(crate) fn tally(hashes: impl IntoIterator<Item = u64>) -> Tally<1> {
    let mut tally = Tally::new();
    for hash in hashes {
        tally.add([hash]);
    }
    tally
}

/// Computes [`fingerprint`] as the definition does (Manku et al. 2).
pub fn plain(hashes: impl IntoIterator<Item = u64>) -> u64 {
    let mut sums = [0i64; 64];
    for hash in hashes {
        for (position, sum) in sums.iter_mut().enumerate() {
            *sum += if hash >> position & 1 == 1 { 1 } else { -1 };
        }
    }
    let mut fingerprint = 0;
    for (position, sum) in sums.into_iter().enumerate() {
        if sum > 0 {
            fingerprint |= 1 << position;
        }
    }
    fingerprint
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fast_simhash_is_the_plain_one(
            mut hashes in prop::collection::vec(any::<u64>(), 0..100),
            repeats in 0usize..40,
        ) {
            if let Some(&hash) = hashes.first() {
                hashes.extend(std::iter::repeat_n(hash, repeats));
            }
            prop_assert_eq!(fingerprint(hashes.iter().copied()), plain(hashes));
        }
    }

    #[test]
    fn ties_and_nothing_give_zero() {
        assert_eq!(fingerprint([]), 0);
        assert_eq!(fingerprint([0b1100, 0b1010]), 0b1000);
        assert_eq!(fingerprint([u64::MAX]), u64::MAX);
    }
}
