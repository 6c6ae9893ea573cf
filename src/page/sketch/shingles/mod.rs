//! Shingles of words, and samples of them (Ye, Wen, Ma 3.1, 3.2, 4.4), after Broder.
//!
//! "Every document D is associated with a set of subsequences of token S(D, w), i.e., shingles." The resemblance of two
//! documents is the size of the intersection of their sets divided by that of the union. "When the sampling ratio is
//! 1/n, we run n trials by selecting the shingles with different remainders divided by n, ranging from 0 to n - 1."
//!
//! As specified here:
//!
//! * A shingle is w successive [canonical words](crate::text::CanonicalWords), with a space between each two; its
//!   hash is XXH3 (128 bits, seed 0) of that text (MD5 in the paper). w is 5 by default.
//! * A page of fewer than w words has one shingle, of all its words. A page without words has no shingle, and
//!   resembles nothing, not even another such page.
//! * n is a power of two up to 32, so that samples nest: the shingles kept at 1/32 are kept at 1/16 with the
//!   remainder modulo 16. Samples of different ratios are compared at the coarser one.

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_128;

use crate::text::CanonicalWords;

/// Words in a shingle, w of Ye et al. 3.1.
pub const SHINGLE_WORDS: usize = 5;

/// The coarsest sample: one shingle in 32 (Ye et al. 4.4).
pub const SAMPLING_MAX: u32 = 32;

/// Number of pending shingles at which repeated ones are dropped, so that a page of 50 MB that repeats itself takes
/// little memory.
const PENDING: usize = 1 << 16;

/// A sampling: keeps the shingles whose hash modulo n is r (Ye et al. 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampling {
    ratio: u32,
    remainder: u32,
}

impl Sampling {
    /// Keeps all shingles.
    pub const ALL: Sampling = Sampling { ratio: 1, remainder: 0 };

    /// Returns the sampling that keeps one shingle in `ratio`, those whose hash leaves `remainder`; `None` unless
    /// the ratio is 1, 2, 4, 8, 16 or 32 and the remainder below it.
    pub fn new(ratio: u32, remainder: u32) -> Option<Self> {
        let fits = ratio.is_power_of_two() && ratio <= SAMPLING_MAX && remainder < ratio;
        fits.then_some(Sampling { ratio, remainder })
    }

    /// Returns n, the ratio.
    pub fn ratio(self) -> u32 {
        self.ratio
    }

    /// Returns r, the remainder.
    pub fn remainder(self) -> u32 {
        self.remainder
    }

    /// Returns whether a shingle is kept.
    pub fn keeps(self, shingle: u128) -> bool {
        shingle as u32 & (self.ratio - 1) == self.remainder
    }

    /// Returns the coarser of two samplings; `None` if they do not nest.
    pub fn coarser(self, other: Sampling) -> Option<Sampling> {
        let (coarse, fine) = if self.ratio >= other.ratio { (self, other) } else { (other, self) };
        (coarse.remainder & (fine.ratio - 1) == fine.remainder).then_some(coarse)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::ALL
    }
}

/// The set of a page's shingles, or a sample of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shingles {
    sampling: Sampling,
    hashes: Vec<u128>,
}

impl Shingles {
    /// Makes a set from hashes of [`Shingles::hashes`], all or some of them, in their order.
    pub fn of_hashes(sampling: Sampling, hashes: Vec<u128>) -> Self {
        debug_assert!(hashes.is_sorted(), "hashes ascend");
        Shingles { sampling, hashes }
    }

    /// Returns the sampling of the set.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// Returns the hashes of the shingles, strictly ascending.
    pub fn hashes(&self) -> &[u128] {
        &self.hashes
    }

    /// Returns the number of different shingles.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether there is no shingle.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the shingles that a coarser sampling keeps; `None` if the samplings do not nest.
    pub fn resample(&self, sampling: Sampling) -> Option<Shingles> {
        let coarser = sampling.ratio >= self.sampling.ratio && self.sampling.coarser(sampling).is_some();
        let hashes = || self.hashes.iter().copied().filter(|&hash| sampling.keeps(hash)).collect();
        coarser.then(|| Shingles { sampling, hashes: hashes() })
    }

    /// Compares two sets, at the coarser of their samplings; `None` if these do not nest.
    pub fn overlap(&self, other: &Shingles) -> Option<Overlap> {
        let sampling = self.sampling.coarser(other.sampling)?;
        let mut left = self.hashes.iter().copied().filter(|&hash| sampling.keeps(hash)).peekable();
        let mut right = other.hashes.iter().copied().filter(|&hash| sampling.keeps(hash)).peekable();
        let (mut shared, mut union) = (0, 0);
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let order = a.cmp(b);
            union += 1;
            shared += usize::from(order == Ordering::Equal);
            if order != Ordering::Greater {
                left.next();
            }
            if order != Ordering::Less {
                right.next();
            }
        }
        union += left.count() + right.count();
        Some(Overlap { shared, union })
    }
}

/// The overlap of two sets of shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Number of shingles in both.
    pub shared: usize,
    /// Number of shingles in either.
    pub union: usize,
}

impl Overlap {
    /// Returns the resemblance, 0 to 1: shared over union (Ye et al. 3.2); 0 if neither set has a shingle.
    pub fn resemblance(self) -> f64 {
        if self.union == 0 { 0.0 } else { self.shared as f64 / self.union as f64 }
    }
}

/// Returns the sampled shingles of `width` words each (Ye et al. 3.1, 4.4). A width of 0 counts as 1. Memory: 16
/// bytes for each different shingle kept, and 8 for each of `width` words.
pub fn shingles(words: &CanonicalWords, width: usize, sampling: Sampling) -> Shingles {
    let text = words.text();
    let width = width.clamp(1, words.len().max(1));
    let mut hashes = Vec::new();
    let mut limit = PENDING;
    let mut take = |from: usize, to: usize| {
        let hash = xxh3_128(&text.as_bytes()[from..to]);
        if sampling.keeps(hash) {
            hashes.push(hash);
            if hashes.len() >= limit {
                hashes.sort_unstable();
                hashes.dedup();
                limit = PENDING.max(2 * hashes.len());
            }
        }
    };
    // The beginnings of the last words, in a ring; a shingle ends with the current word.
    let mut begins = vec![0; width];
    let mut begin = 0;
    let mut index = 0;
    while index < words.len() {
        begins[index % width] = begin;
        let end = memchr::memchr(b' ', &text.as_bytes()[begin..]).map_or(text.len(), |size| begin + size);
        if index + 1 >= width {
            take(begins[(index + 1) % width], end);
        }
        begin = end + 1;
        index += 1;
    }
    hashes.sort_unstable();
    hashes.dedup();
    Shingles { sampling, hashes }
}

/// Computes [`shingles`] as the definition does (Ye et al. 3.1, 4.4).
pub fn plain(words: &CanonicalWords, width: usize, sampling: Sampling) -> Shingles {
    let words: Vec<&str> = words.iter().collect();
    let mut set = std::collections::BTreeSet::new();
    if !words.is_empty() {
        for shingle in words.windows(width.clamp(1, words.len())) {
            let hash = xxh3_128(shingle.join(" ").as_bytes());
            if hash % u128::from(sampling.ratio) == u128::from(sampling.remainder) {
                set.insert(hash);
            }
        }
    }
    Shingles { sampling, hashes: set.into_iter().collect() }
}

#[cfg(test)]
mod tests;
