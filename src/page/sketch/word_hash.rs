//! XXH3 of a few tokens, for shingles of constant length.
//!
//! XXH3 has a formula for each range of sizes. Where the size is a constant, what is left is a few instructions without
//! branches, and the hashes of neighbouring shingles are computed at the same time.

/// The first words of the secret of XXH3.
const SECRET: [u64; 8] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
];

/// A factor of XXH64, and two of XXH3.
const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
const AVALANCHE: u64 = 0x1656_6791_9e37_79f9;
const MIX: u64 = 0x9fb2_1c65_1e98_df25;

/// Returns the XXH3 (64 bits, seed 0) of 1 to 8 words, each as 8 bytes, little-endian.
#[inline(always)]
pub(super) fn xxh3_of_words<const N: usize>(words: &[u64; N]) -> u64 {
    const { assert!(1 <= N && N <= SECRET.len()) };
    let size = 8 * N as u64;
    match N {
        1 => {
            let keyed = words[0].rotate_left(32) ^ SECRET[1] ^ SECRET[2];
            let mixed = (keyed ^ keyed.rotate_left(49) ^ keyed.rotate_left(24)).wrapping_mul(MIX);
            let mixed = (mixed ^ (mixed >> 35).wrapping_add(size)).wrapping_mul(MIX);
            mixed ^ mixed >> 28
        }
        2 => {
            let (low, high) = (words[0] ^ SECRET[3] ^ SECRET[4], words[1] ^ SECRET[5] ^ SECRET[6]);
            avalanche(size.wrapping_add(low.swap_bytes()).wrapping_add(high).wrapping_add(folded(low, high)))
        }
        _ => {
            // Pairs of words from both ends; in the middle they may overlap.
            let pair =
                |at: usize, secret: usize| folded(words[at] ^ SECRET[secret], words[at + 1] ^ SECRET[secret + 1]);
            let both = |round: usize| pair(2 * round, 4 * round).wrapping_add(pair(N - 2 - 2 * round, 4 * round + 2));
            let more = if N > 4 { both(1) } else { 0 };
            avalanche(size.wrapping_mul(PRIME).wrapping_add(more).wrapping_add(both(0)))
        }
    }
}

/// Returns the halves of a product, folded into one word.
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The final mixing.
#[inline(always)]
fn avalanche(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 37).wrapping_mul(AVALANCHE);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn is_that_of_the_bytes<const N: usize>(words: &[u64; 8]) -> bool {
        let words: [u64; N] = std::array::from_fn(|index| words[index]);
        xxh3_of_words(&words) == xxh3_64(words.map(u64::to_le_bytes).as_flattened())
    }

    proptest! {
        #[test]
        fn the_hash_is_that_of_the_bytes(words in prop::array::uniform8(any::<u64>())) {
            prop_assert!(is_that_of_the_bytes::<1>(&words));
            prop_assert!(is_that_of_the_bytes::<2>(&words));
            prop_assert!(is_that_of_the_bytes::<3>(&words));
            prop_assert!(is_that_of_the_bytes::<4>(&words));
            prop_assert!(is_that_of_the_bytes::<5>(&words));
            prop_assert!(is_that_of_the_bytes::<6>(&words));
            prop_assert!(is_that_of_the_bytes::<7>(&words));
            prop_assert!(is_that_of_the_bytes::<8>(&words));
        }
    }
}
