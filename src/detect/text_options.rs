//! What can be asked of the methods that compare texts.

use super::ratios::Ratios;
use crate::sketch::{SHINGLE_WORDS, SignatureRules};

/// How perhaps-similar sets are made, and how much of them is compared; the defaults are the paper's, where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetOptions {
    /// How signatures are made.
    pub signatures: SignatureRules,
    /// Signatures of more documents are dropped.
    pub most: u64,
    /// Signatures of more documents are dropped if more than half of these are of one site.
    pub most_of_site: u64,
    /// All pairs of a set are compared, not only each with the leader; with `expand`, and for clusters, they always are.
    pub exhaustive: bool,
    /// Comparisons in a set, for each document in it. What is left beyond that is not compared, and reported.
    pub comparisons: u64,
}

impl Default for SetOptions {
    fn default() -> Self {
        Self {
            signatures: SignatureRules::default(),
            most: 10_000,
            most_of_site: 400,
            exhaustive: false,
            comparisons: 1000,
        }
    }
}

impl SetOptions {
    /// The usual limits, with all pairs of each set compared.
    pub fn exhaustive() -> Self {
        Self { exhaustive: true, comparisons: u64::MAX, ..Self::default() }
    }
}

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
