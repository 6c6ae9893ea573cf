//! Pairs by the resemblance of their shingles (Ye, Wen, Ma 2007, 3 and 4, after Broder).
//!
//! "Resemblance is the ratio of the intersection of two sets to their union"; pairs of at least a threshold t are
//! wanted. The paper sorts (shingle, document) and counts for all pairs how many shingles they share, which is
//! quadratic in the documents that share a common one, so Broder's "shingles that are shared by more than 1,000
//! documents" are dropped. Nothing is dropped here unless it is asked for. A pair of resemblance t shares at least
//! t * |A| shingles of A. So, all shingles in one order, the two must share one of the first
//! |A| - ceil(t * |A|) + 1 of A and of as many of B. With rare shingles first, few documents share these; what they
//! bring together is compared in full. The pairs are those of counting, none missing (a test compares them).
//!
//! **Samples** (4.3, 4.4). Documents may keep one shingle in n, n by the number of their words ([`Ratios`]). Two
//! documents are compared at the coarser of their samples, and all of the above holds at each ratio.

mod join;
mod ratios;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use join::Resembling;
pub use ratios::{GROUP_WORDS, GROUPS, Ratios, UnknownRatio};
pub(crate) use read::{Overlaps, ShingleSets};

use crate::sketch::SHINGLE_WORDS;

/// How pairs are found by their shingles. The threshold stands in [`Rules`](super::Rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShingleOptions {
    /// Words in a shingle (Ye et al. 2007, 3.1).
    pub words: usize,
    /// How many shingles documents keep.
    pub ratios: Ratios,
    /// Which they keep: those whose hash leaves this, modulo the ratio.
    pub remainder: u32,
    /// Shingles of more documents are dropped (Broder's rule: 1,000).
    pub stop: Option<u64>,
}

impl Default for ShingleOptions {
    fn default() -> Self {
        Self { words: SHINGLE_WORDS, ratios: Ratios::ALL, remainder: 0, stop: None }
    }
}

/// What came of shingles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleSummary {
    /// Shingles of all documents that are compared, each document's counted once.
    pub shingles: u64,
    /// Of these, shingles that were kept by the samples.
    pub sampled: u64,
    /// Documents that have words, of which no shingle was kept.
    pub unsampled: u64,
    /// Different shingles that were dropped because too many documents have them.
    pub stopped: u64,
}
