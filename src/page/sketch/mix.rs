//! The mixing function behind all pseudo-random numbers of the sketches.

/// The odd constant nearest to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns number `index` of the sequence that SplitMix64 gives for `seed` (Steele, Lea, Flood:
/// Fast splittable pseudorandom number generators, OOPSLA 2014), counting from 0.
#[inline]
pub const fn split_mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(GOLDEN.wrapping_mul(index.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let first: Vec<u64> = (0..3).map(|index| split_mix(1_234_567, index)).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
