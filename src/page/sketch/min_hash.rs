//! Min-values and supershingles of algorithm B (Henzinger 2), after Broder and
//! Fetterly.
//!
//! "Every subsequence of k tokens is fingerprinted using 64-bit Rabin fingerprints, which results
//! in a sequence of n - k + 1 fingerprints, called shingles. [..] To approximate [the percentage of
//! unique shingles on which two pages agree] every shingle is fingerprinted with m different
//! fingerprinting functions f_i [..] that are the same for all pages. [..] For each i the smallest of these
//! values is called the i-th minvalue [..]. The m-dimensional vector of minvalues is reduced to a
//! m'-dimensional vector of supershingles by fingerprinting non-overlapping sequences of
//! minvalues." The window does not wrap around. k = 8, m = 84, m' = 6.
//!
//! As specified here:
//!
//! * A shingle is XXH3 (64 bits, seed 0) of its eight tokens, each as 8 bytes, little-endian. A
//!   page of one to seven tokens has one shingle, of all its tokens. A page of none has no
//!   min-values.
//! * f_i(shingle) = (a_i * x + b_i) mod 2^32, x being the low 32 bits of the shingle; a_i is number 2i (made odd) and
//!   b_i number 2i + 1 of SplitMix64 with seed 84, the low 32 bits of each. These are permutations of the 32-bit
//!   numbers, nearly min-wise independent on values that are themselves hashes, and AVX2 calculates eight at once,
//!   which it cannot do with 64-bit products. A test shows that the share of equal min-values has the resemblance as
//!   its mean and the variance of independent draws.
//! * A supershingle is XXH3 (64 bits, seed 0) of its 14 min-values, each as 4 bytes, little-endian.

#[cfg(test)]
use std::collections::BTreeSet;
use std::collections::HashMap;

use nddb_format::cpu::{self, Compute};
use nddb_format::record::min_byte;
use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::mix::split_mix;
use crate::sketch::word_hash::xxh3_of_words;

/// Tokens in a shingle, k of Henzinger 2.
pub(crate) const SHINGLE: usize = 8;

/// Min-values of a page, m of Henzinger 2.
pub const MIN_VALUES: usize = 84;

/// Supershingles of a page, m' of Henzinger 2.
pub(crate) const SUPERSHINGLES: usize = 6;

/// Min-values and supershingles of a page (Henzinger 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinHash {
    /// The least value of each of the 84 functions over the shingles. The share of indexes where two pages agree
    /// estimates their resemblance.
    pub values: [u32; MIN_VALUES],
    /// The hash of each run of 14 min-values. Two pages are B-similar if at least two agree.
    pub supershingles: [u64; SUPERSHINGLES],
}

impl MinHash {
    fn of_values(values: [u32; MIN_VALUES]) -> Self {
        const RUN: usize = MIN_VALUES / SUPERSHINGLES;
        let bytes = values.map(u32::to_le_bytes);
        let (runs, _) = bytes.as_chunks::<RUN>();
        let supershingles = std::array::from_fn(|index| xxh3_64(runs[index].as_flattened()));
        MinHash { values, supershingles }
    }
}

/// Returns the byte of each min-value that is stored and compared.
pub fn min_bytes(values: &[u32; MIN_VALUES]) -> [u8; MIN_VALUES] {
    values.map(min_byte)
}

/// Returns the number of indexes where the bytes of min-values agree, 0 to 84. It is about 84 times the resemblance of
/// the pages (Henzinger 2), plus 0.33 by chance if all min-values differ, because one in 256 pairs of different
/// min-values has equal bytes.
pub fn agreement(a: &[u8; MIN_VALUES], b: &[u8; MIN_VALUES]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}

/// Returns the resemblance estimated from the number of agreeing bytes among 84, corrected for chance agreement (Li and
/// Koenig 2010).
pub fn resemblance_of(agreement: u32) -> f64 {
    resemblance_of_many(agreement, MIN_VALUES)
}

/// Like [`resemblance_of`], for any number of bytes.
pub fn resemblance_of_many(agreement: u32, bytes: usize) -> f64 {
    let by_chance = 1.0 / 256.0;
    ((f64::from(agreement) / bytes as f64 - by_chance) / (1.0 - by_chance)).max(0.0)
}

/// Factors and summands of the functions, padded to whole vectors of eight for the fast version.
const FUNCTIONS: ([u32; LANES * VECTORS], [u32; LANES * VECTORS]) = {
    let mut factors = [1; LANES * VECTORS];
    let mut summands = [0; LANES * VECTORS];
    let mut i = 0;
    while i < MIN_VALUES {
        factors[i] = split_mix(SEED, 2 * i as u64) as u32 | 1;
        summands[i] = split_mix(SEED, 2 * i as u64 + 1) as u32;
        i += 1;
    }
    (factors, summands)
};

const SEED: u64 = 84;

/// 32-bit numbers in a vector register.
const LANES: usize = 8;

/// Vector registers that hold all min-values.
const VECTORS: usize = MIN_VALUES.div_ceil(LANES);

/// Returns f_i of a shingle.
pub(super) fn function(i: usize, shingle: u64) -> u32 {
    FUNCTIONS.0[i].wrapping_mul(shingle as u32).wrapping_add(FUNCTIONS.1[i])
}

/// Returns the min-values and supershingles of a token sequence (Henzinger 2), or of any other hashed features;
/// `None` if it is empty.
pub fn min_hash(tokens: &[u64]) -> Option<MinHash> {
    first_min_values(tokens, SHINGLE).map(MinHash::of_values)
}

/// Returns the first N min-values, by the functions of algorithm B, of the shingles of `shingle` tokens; `None` if
/// there are no tokens.
pub(super) fn first_min_values<const N: usize>(tokens: &[u64], shingle: usize) -> Option<[u32; N]> {
    let mut least = Least::new();
    each_block(tokens, shingle, |hashes| least.add(hashes));
    least.values()
}

/// Like [`first_min_values`], but for shingles that are long enough to distinguish texts ([`separating`]); if no length
/// is enough, for the [`occurrences`] of shingles. Also returns the class of the length: the values of two texts can be
/// compared only if their classes are equal.
pub(super) fn separating_min_values<const N: usize>(
    tokens: &[u64],
    shingle: usize,
    share: usize,
) -> Option<([u32; N], u8)> {
    let Separating { length, class, is_enough, values } = separating(tokens, shingle, share);
    let occurrences = if is_enough { None } else { occurrences(tokens, length) };
    let values = match occurrences {
        Some(occurrences) => {
            let mut least = Least::new();
            least.add(&occurrences);
            least.values()
        }
        None => values,
    };
    values.map(|values| (values, class))
}

/// The shingles by which a text is compared.
struct Separating<const N: usize> {
    /// Terms in a shingle.
    length: usize,
    /// How often the least length was doubled; [`OF_FEW_WORDS`] for a text of few words.
    class: u8,
    /// Whether enough of the shingles are distinct.
    is_enough: bool,
    /// Their first min-values.
    values: Option<[u32; N]>,
}

/// Class of the length of shingles of a text of few words.
const OF_FEW_WORDS: u8 = 7;

/// Maximum number of distinct shingles that are counted one by one.
const COUNTED: usize = 1 << 16;

/// Returns a hash for each occurrence of each shingle, so that texts which repeat one sequence differ by the number of
/// repetitions. The hash of the first occurrence is the XXH3 (64 bits, seed 0) of the shingle. The hash of each further
/// one is the XXH3 of the shingle's hash and the number of occurrences before it, 8 bytes each, little-endian. `None`
/// if there are too many distinct shingles.
fn occurrences(tokens: &[u64], shingle: usize) -> Option<Vec<u64>> {
    let (mut counts, mut hashes) = (HashMap::new(), Vec::new());
    for hash in shingle_hashes(tokens, shingle) {
        let count = counts.entry(hash).or_insert(0u64);
        let of_this = [hash.to_le_bytes(), count.to_le_bytes()];
        hashes.push(if *count == 0 { hash } else { xxh3_64(of_this.as_flattened()) });
        *count += 1;
        if counts.len() > COUNTED {
            return None;
        }
    }
    Some(hashes)
}

/// Returns the bytes of tokens, 8 each, little-endian.
pub(super) fn bytes_of(tokens: &[u64]) -> Vec<[u8; 8]> {
    tokens.iter().map(|token| token.to_le_bytes()).collect()
}

/// Maximum length of shingles for texts of few distinct shingles.
const LONGEST: usize = 32;

/// Terms in a shingle of a text of few different words.
const LONG: usize = 16;
/// A text of at most this many distinct words, each of which occurs three times on average, is one of few words.
const FEW_WORDS: usize = 16;

/// Returns whether a text has few distinct words.
fn is_of_few_words(tokens: &[u64]) -> bool {
    let (mut words, mut len) = ([0; FEW_WORDS], 0);
    for token in tokens {
        if !words[..len].contains(token) {
            if len == FEW_WORDS {
                return false;
            }
            words[len] = *token;
            len += 1;
        }
    }
    tokens.len() >= 3 * len.max(1)
}

/// Returns the number of terms in the shingles by which a text is compared, given its tokens: `shingle`, doubled while
/// fewer than one in `share` of the shingles are distinct, up to 32. For a text of at most 16 distinct words that occur
/// three times each on average, the number is 16, or half of the text, because all texts of four letters, or of yes and
/// no, have the same pairs of terms. Also returns whether at least one in `share` of the shingles is distinct.
///
/// Distinct shingles are estimated by linear counting (Whang et al. 1990): in a bitmap with four bits for each shingle,
/// rounded up to a power of two, each shingle sets the bit given by the low bits of its XXH3 (64 bits, seed 0).
fn separating<const N: usize>(tokens: &[u64], shingle: usize, share: usize) -> Separating<N> {
    let (mut length, mut class, longest) = match is_of_few_words(tokens) {
        true => (shingle.max(LONG.min(tokens.len() / 2)), OF_FEW_WORDS, 0),
        false => (shingle, 0, LONGEST),
    };
    let mut seen: Vec<u64> = Vec::new();
    loop {
        if tokens.len() <= length {
            return Separating { length, class, is_enough: true, values: first_min_values(tokens, length) };
        }
        let count = tokens.len() - length + 1;
        let mask = (4 * count).next_power_of_two().max(64) - 1;
        seen.clear();
        seen.resize(mask / 64 + 1, 0);
        let (mut least, mut different) = (Least::new(), 0);
        each_block(tokens, length, |hashes| {
            least.add(hashes);
            for &hash in hashes {
                // Counting ends when there are enough: in prose, in the first sentences.
                if share * different >= count {
                    break;
                }
                let bit = hash as usize & mask;
                let word = &mut seen[bit / 64];
                different += usize::from(*word >> (bit % 64) & 1 == 0);
                *word |= 1 << (bit % 64);
            }
        });
        let is_enough = share * different >= count;
        if is_enough || length >= longest {
            return Separating { length, class, is_enough, values: least.values() };
        }
        (length, class) = (2 * length, class + 1);
    }
}

/// Returns the min-values and supershingles of a set of shingles, by the low bits of their hashes; `None` if it is
/// empty.
pub fn min_hash_of_shingles(shingles: impl IntoIterator<Item = u32>) -> Option<MinHash> {
    let mut least = Least::new();
    let mut shingles = shingles.into_iter().map(u64::from);
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        block.extend(shingles.by_ref().take(BLOCK));
        if block.is_empty() {
            return least.values().map(MinHash::of_values);
        }
        least.add(&block);
    }
}

/// Returns the hash of each shingle of `shingle` tokens, in order; the functions use its low bits. A sequence of fewer
/// tokens has one shingle, of all of them.
pub fn shingle_hashes(tokens: &[u64], shingle: usize) -> Vec<u64> {
    let mut all = Vec::with_capacity(tokens.len());
    each_block(tokens, shingle, |hashes| all.extend_from_slice(hashes));
    all
}

/// Maximum number of shingles that are hashed together: they stay in the first-level cache for all functions.
const BLOCK: usize = 1024;

/// Passes the hashes of all shingles of `shingle` tokens, in order, to `each`, block by block.
fn each_block(tokens: &[u64], shingle: usize, mut each: impl FnMut(&[u64])) {
    let width = shingle.clamp(1, tokens.len().max(1));
    let mut hashes = Vec::with_capacity(tokens.len().min(BLOCK));
    let mut rest = tokens;
    while rest.len() >= width {
        let len = BLOCK.min(rest.len() + 1 - width);
        let block = &rest[..len + width - 1];
        hashes.clear();
        match width {
            1 => hash_windows::<1>(block, &mut hashes),
            2 => hash_windows::<2>(block, &mut hashes),
            3 => hash_windows::<3>(block, &mut hashes),
            SHINGLE => hash_windows::<SHINGLE>(block, &mut hashes),
            _ => hashes.extend(bytes_of(block).windows(width).map(|shingle| xxh3_64(shingle.as_flattened()))),
        }
        each(&hashes);
        rest = &rest[len..];
    }
}

/// Appends the hash of each shingle of `WIDTH` tokens.
fn hash_windows<const WIDTH: usize>(tokens: &[u64], hashes: &mut Vec<u64>) {
    let start = hashes.len();
    hashes.resize(start + tokens.len() + 1 - WIDTH, 0);
    // Without a capacity to check for each hash, several are computed at the same time.
    for (hash, shingle) in hashes[start..].iter_mut().zip(tokens.windows(WIDTH)) {
        *hash = shingle.first_chunk().map_or(0, xxh3_of_words::<WIDTH>);
    }
}

/// The first N min-values of the shingles so far.
struct Least<const N: usize> {
    values: [u32; LANES * VECTORS],
    is_empty: bool,
}

impl<const N: usize> Least<N> {
    fn new() -> Self {
        const { assert!(N <= MIN_VALUES) };
        Least { values: [u32::MAX; LANES * VECTORS], is_empty: true }
    }

    /// Adds shingles, by their hashes.
    fn add(&mut self, shingles: &[u64]) {
        self.is_empty &= shingles.is_empty();
        cpu::run(Lower { values: &mut self.values[..N.next_multiple_of(LANES)], shingles });
    }

    /// Returns the values; `None` if there were no shingles.
    fn values(&self) -> Option<[u32; N]> {
        self.values.first_chunk().copied().filter(|_| !self.is_empty)
    }
}

/// The update of min-values with more shingles, by their hashes.
struct Lower<'a> {
    values: &'a mut [u32],
    shingles: &'a [u64],
}

impl Compute for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let (mut at, len) = (0, self.values.len());
        while at < len {
            at += match len - at {
                ..16 => lower::<LANES>(self.values, self.shingles, at),
                16..24 => lower::<{ 2 * LANES }>(self.values, self.shingles, at),
                24..32 => lower::<{ 3 * LANES }>(self.values, self.shingles, at),
                32.. => lower::<{ 4 * LANES }>(self.values, self.shingles, at),
            };
        }
    }
}

/// Updates the `WIDTH` min-values from index `at` on; returns their number. With four vector registers of values, their
/// factors and summands take twelve of the sixteen registers.
#[inline(always)]
fn lower<const WIDTH: usize>(values: &mut [u32], shingles: &[u64], at: usize) -> usize {
    // Copies of fixed size, which the compiler keeps in registers.
    let (mut a, mut b, mut least) = ([0; WIDTH], [0; WIDTH], [0; WIDTH]);
    a.copy_from_slice(&FUNCTIONS.0[at..at + WIDTH]);
    b.copy_from_slice(&FUNCTIONS.1[at..at + WIDTH]);
    least.copy_from_slice(&values[at..at + WIDTH]);
    for &shingle in shingles {
        for lane in 0..WIDTH {
            least[lane] = least[lane].min(a[lane].wrapping_mul(shingle as u32).wrapping_add(b[lane]));
        }
    }
    values[at..at + WIDTH].copy_from_slice(&least);
    WIDTH
}

/// Returns the min-values and supershingles of a token sequence, as the paper defines it
/// (Henzinger 2).
pub fn plain(tokens: &[u64]) -> Option<MinHash> {
    if tokens.is_empty() {
        return None;
    }
    let mut values = [u32::MAX; MIN_VALUES];
    for window in tokens.windows(SHINGLE.min(tokens.len())) {
        let bytes: Vec<u8> = window.iter().flat_map(|token| token.to_le_bytes()).collect();
        let shingle = xxh3_64(&bytes);
        for (i, value) in values.iter_mut().enumerate() {
            *value = (*value).min(function(i, shingle));
        }
    }
    Some(MinHash::of_values(values))
}

/// Returns the min-values of the shingles of a token sequence, and the class of the length of the shingles, computed as
/// in the definition. The length is `shingle` tokens, doubled until one in `share` of the shingles is distinct, or 16
/// tokens for a text of few words. If too few are distinct even then, each occurrence counts.
#[cfg(test)]
pub(crate) fn plain_separating(tokens: &[u64], shingle: usize, share: usize) -> Option<([u32; MIN_VALUES], u8)> {
    let hashes = |length: usize| -> Vec<u64> {
        let windows = tokens.windows(length.min(tokens.len()).max(1));
        windows.map(|window| xxh3_64(bytes_of(window).as_flattened())).collect()
    };
    // Linear counting: the number of bits set in a bitmap with four bits for each shingle.
    let is_enough = |hashes: &[u64]| {
        let places = (4 * hashes.len()).next_power_of_two().max(64) as u64;
        let different: BTreeSet<u64> = hashes.iter().map(|hash| hash % places).collect();
        hashes.len() <= 1 || share * different.len() >= hashes.len()
    };
    let words = tokens.iter().collect::<BTreeSet<_>>().len();
    let (mut length, mut class) = (shingle, 0);
    if words <= FEW_WORDS && tokens.len() >= 3 * words.max(1) {
        (length, class) = (shingle.max(LONG.min(tokens.len() / 2)), OF_FEW_WORDS);
    } else {
        while length < LONGEST && !is_enough(&hashes(length)) {
            (length, class) = (2 * length, class + 1);
        }
    }
    let mut hashes = hashes(length);
    if !is_enough(&hashes) {
        let all = hashes.clone();
        for (index, hash) in hashes.iter_mut().enumerate() {
            let before = all[..index].iter().filter(|other| *other == hash).count() as u64;
            if before > 0 {
                *hash = xxh3_64([hash.to_le_bytes(), before.to_le_bytes()].as_flattened());
            }
        }
    }
    let value = |i: usize| hashes.iter().map(|hash| function(i, *hash)).min();
    value(0).map(|_| (std::array::from_fn(|i| value(i).unwrap_or_default()), class))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The hashes are those of another program.
    #[test]
    fn supershingles_are_pinned() {
        let found = MinHash::of_values(std::array::from_fn(|i| i as u32)).supershingles;
        assert_eq!([found[0], found[5]], [0xc211_4431_fbac_eb1a, 0x8814_61b5_415e_2bbc]);
    }

    proptest! {
        #[test]
        fn the_fast_separating_values_are_the_plain_ones(
            tokens in prop_oneof![
                prop::collection::vec(0u64..2, 0..90),
                prop::collection::vec(0u64..40, 0..90),
                (prop::collection::vec(0u64..40, 1..30), 1..12usize).prop_map(|(unit, times)| unit.repeat(times)),
            ],
            shingle in 2..4usize,
        ) {
            let fast = separating_min_values::<MIN_VALUES>(&tokens, shingle, 4);
            prop_assert_eq!(fast, plain_separating(&tokens, shingle, 4));
        }

        #[test]
        fn the_fast_min_values_are_the_plain_ones(
            tokens in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4], 0..60),
        ) {
            prop_assert_eq!(min_hash(&tokens), plain(&tokens));
        }
    }

    #[test]
    fn more_shingles_than_a_block_give_the_same_values() {
        let tokens: Vec<u64> = (0..5000).map(|n| split_mix(n, 0)).collect();
        assert_eq!(min_hash(&tokens), plain(&tokens));
    }

    #[test]
    fn a_short_page_is_one_shingle() {
        assert_eq!(min_hash(&[]), None);
        let bytes: Vec<u8> = [1u64, 2, 3].iter().flat_map(|token| token.to_le_bytes()).collect();
        let shingle = xxh3_64(&bytes);
        let found = min_hash(&[1, 2, 3]).map(|found| found.values);
        assert_eq!(found, Some(std::array::from_fn(|i| function(i, shingle))));
    }

    #[test]
    fn the_functions_are_different_permutations() {
        for i in 0..MIN_VALUES {
            assert_eq!(FUNCTIONS.0[i] & 1, 1);
            for j in 0..i {
                assert_ne!(FUNCTIONS.0[i], FUNCTIONS.0[j]);
                assert_ne!(FUNCTIONS.1[i], FUNCTIONS.1[j]);
            }
        }
    }
}
