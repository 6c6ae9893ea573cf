//! Precision by B-similarity and C-similarity (Henzinger 2006, results for algorithms B and C and the combined
//! algorithm).

use std::ops::RangeInclusive;

use nddb_dedup::Collection;
use nddb_evaluate::eval::{Counts, Gold, GoldPair, Label};
use nddb_verdict::methods::{B, C};

use super::ratio;

/// Least B-similarity of the pairs that the combined algorithm considers.
const B_MIN: u32 = 2;
/// Ranges of C-similarity: those of C-similar pairs, as in the paper, and ranges below.
pub const C_RANGES: [(u32, u32); 9] =
    [(0, 319), (320, 339), (340, 354), (355, 371), (372, 374), (375, 377), (378, 380), (381, 383), (384, 384)];
/// Thresholds of C-similarity that are tried for the combined algorithm; its default is 355.
pub const COMBINED_C: RangeInclusive<u32> = 330..=384;

/// Counts of pairs with a B-similarity of at least 2, and of those that the combined algorithm keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByThreshold {
    /// Algorithm B.
    pub b: Counts,
    /// The combined algorithm with each of [`COMBINED_C`].
    pub combined: Vec<Counts>,
}

impl Default for ByThreshold {
    fn default() -> Self {
        Self { b: Counts::default(), combined: vec![Counts::default(); COMBINED_C.count()] }
    }
}

impl ByThreshold {
    /// R of the threshold with this index: "the number of correct near-duplicate pairs returned by the combined
    /// algorithm divided by the number of correct near-duplicate pairs returned by alg. B" (Henzinger 2006, the
    /// combined algorithm).
    pub fn r(&self, index: usize) -> Option<f64> {
        ratio(self.combined[index].found[0], self.b.found[0])
    }

    fn add(&mut self, pair: &SimilarPair) {
        let is_b = pair.b >= Some(B_MIN);
        self.b.add(pair.label, is_b);
        for (least, counts) in COMBINED_C.zip(&mut self.combined) {
            counts.add(pair.label, is_b && pair.c >= Some(least));
        }
    }
}

/// A labelled pair with its similarities by sketches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimilarPair {
    /// Index in [`Gold::pairs`].
    pub index: usize,
    /// Its label.
    pub label: Label,
    /// Whether both are on one site, by Henzinger's rule.
    pub same_site: Option<bool>,
    /// B-similarity; `None` if a document has no supershingles.
    pub b: Option<u32>,
    /// C-similarity; `None` if a document has no projection.
    pub c: Option<u32>,
}

/// Returns the similarities of the selected labelled pairs, computed from the sketches, whether the pair would be a
/// candidate or not. A pair is always a candidate with a B-similarity of 2 or a C-similarity of 373.
pub fn similar_pairs(gold: &Gold, selected: &[bool], collection: &Collection) -> Vec<SimilarPair> {
    let chosen = gold.pairs.iter().enumerate().filter(|(index, _)| selected[*index]);
    let of = |(index, pair): (usize, &GoldPair)| {
        let (b, c) = collection.compared(pair.a, pair.b, |pair| (B::similarity(pair), C::similarity(pair)));
        SimilarPair { index, label: pair.label, same_site: pair.same_site[0], b, c }
    };
    chosen.map(of).collect()
}

/// Counts of labelled pairs by their similarities. In the counts of one similarity, the pairs with that similarity are
/// the found ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BySimilarity {
    /// For each B-similarity, 0 to 6: pairs with it count as found, all others as missed.
    pub by_b: Vec<Counts>,
    /// The same for a C-similarity in each of [`C_RANGES`].
    pub by_c: Vec<Counts>,
    /// All pairs, by the threshold of the combined algorithm.
    pub all: ByThreshold,
    /// Pairs on one site.
    pub same_site: ByThreshold,
    /// Pairs on different sites.
    pub different_sites: ByThreshold,
    /// Number of pairs without supershingles of a document, and without a projection.
    pub unknown: [u64; 2],
}

impl BySimilarity {
    /// Counts these pairs.
    pub fn of(pairs: &[SimilarPair]) -> Self {
        let mut made =
            Self { by_b: vec![Counts::default(); 7], by_c: vec![Counts::default(); C_RANGES.len()], ..Self::default() };
        for pair in pairs {
            made.unknown[0] += u64::from(pair.b.is_none());
            made.unknown[1] += u64::from(pair.c.is_none());
            (0..).zip(&mut made.by_b).for_each(|(value, counts)| counts.add(pair.label, pair.b == Some(value)));
            for ((from, to), counts) in C_RANGES.iter().zip(&mut made.by_c) {
                counts.add(pair.label, pair.c.is_some_and(|c| (*from..=*to).contains(&c)));
            }
            made.all.add(pair);
            match pair.same_site {
                Some(true) => made.same_site.add(pair),
                Some(false) => made.different_sites.add(pair),
                None => {}
            }
        }
        made
    }
}
