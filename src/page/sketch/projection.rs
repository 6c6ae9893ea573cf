//! The random projection of algorithm C (Henzinger 2), after Charikar.
//!
//! "Each token is projected into b-dimensional space by randomly choosing b entries from {-1, 1}.
//! This projection is the same for all pages. For each page a b-dimensional vector is created by
//! adding the projections of all the tokens in its token sequence. The final vector for the page is
//! created by setting every positive entry in the vector to 1 and every non-positive entry to 0."
//!
//! b = 384. The entries of a token are the bits (1 for +1, 0 for -1) of the first six numbers that
//! SplitMix64 gives for the token's hash as its seed: entry d is bit d mod 64 of number d / 64.

use nddb_format::cpu::{self, Compute};

use crate::sketch::mix::split_mix;
use crate::sketch::tally::Tally;

/// Number of dimensions of the projection (Henzinger 2006, 2: b).
pub const PROJECTION_BITS: usize = 384;

/// 64-bit words of a projection.
const WORDS: usize = PROJECTION_BITS / 64;

/// The bits of a page's projection (Henzinger 2): dimension d is bit d mod 64 of word d / 64.
pub type Projection = [u64; WORDS];

/// Returns the projection of a token sequence (Henzinger 2), or of any other hashed features.
pub fn projection(tokens: &[u64]) -> Projection {
    cpu::run(Projecting(tokens))
}

/// The computation of [`projection`].
struct Projecting<'a>(&'a [u64]);

impl Compute for Projecting<'_> {
    type Output = Projection;

    #[inline(always)]
    fn compute(self) -> Projection {
        let mut tally = Tally::<WORDS>::new();
        for &token in self.0 {
            tally.add(std::array::from_fn(|word| split_mix(token, word as u64)));
        }
        tally.majority()
    }
}

/// Returns the bits of the projection of a token sequence, as the paper defines it (Henzinger 2).
pub fn plain(tokens: &[u64]) -> Projection {
    let mut sums = [0i64; PROJECTION_BITS];
    for &token in tokens {
        for (dimension, sum) in sums.iter_mut().enumerate() {
            let word = split_mix(token, (dimension / 64) as u64);
            *sum += if word >> (dimension % 64) & 1 == 1 { 1 } else { -1 };
        }
    }
    let mut projection = [0; WORDS];
    for (dimension, sum) in sums.into_iter().enumerate() {
        if sum > 0 {
            projection[dimension / 64] |= 1 << (dimension % 64);
        }
    }
    projection
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fast_projection_is_the_plain_one(
            tokens in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4], 0..80),
        ) {
            prop_assert_eq!(projection(&tokens), plain(&tokens));
        }
    }

    #[test]
    fn nothing_projects_to_zero_and_one_token_to_itself() {
        assert_eq!(projection(&[]), [0; WORDS]);
        assert_eq!(projection(&[7])[5], split_mix(7, 5));
    }
}
