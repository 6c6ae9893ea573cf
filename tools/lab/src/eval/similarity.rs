//! Precision by B-similarity and C-similarity (Henzinger 2006, results for algorithms B and C, the combined algorithm).

use std::ops::RangeInclusive;

use super::gold::Gold;
use super::score::Counts;
use nddb::detect::Collection;
use nddb::detect::methods::{B, C};

/// Least B-similarity of what the combined algorithm looks at.
const B_MIN: u32 = 2;
/// Ranges of C-similarity that are told apart: those of C-similar pairs, as in the paper, and below.
pub const C_RANGES: [(u32, u32); 9] =
    [(0, 319), (320, 339), (340, 354), (355, 371), (372, 374), (375, 377), (378, 380), (381, 383), (384, 384)];
/// Thresholds R of the combined algorithm that are tried; it takes 355.
pub const COMBINED_R: RangeInclusive<u32> = 330..=384;

/// Labelled pairs by what their sketches say. They are taken as found where the similarity is in question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BySimilarity {
    /// Pairs with each B-similarity, 0 to 6, as found; all others are missed.
    pub by_b: Vec<Counts>,
    /// Pairs with a C-similarity in each of [`C_RANGES`].
    pub by_c: Vec<Counts>,
    /// Pairs with a B-similarity of 2 and more and a C-similarity of R and more, for each of [`COMBINED_R`].
    pub combined: Vec<Counts>,
    /// Pairs with a B-similarity of 2 and more: algorithm B.
    pub b: Counts,
    /// Pairs of which a document has no supershingles, or no projection.
    pub unknown: [u64; 2],
}

/// Counts the selected labelled pairs by their similarities. A pair counts by what its documents' sketches say, whether
/// they would meet as candidates or not: with a B-similarity of 2 they always do, with a C-similarity of 373.
pub fn by_similarity(gold: &Gold, selected: &[bool], collection: &Collection) -> BySimilarity {
    let mut made = BySimilarity {
        by_b: vec![Counts::default(); 7],
        by_c: vec![Counts::default(); C_RANGES.len()],
        combined: vec![Counts::default(); COMBINED_R.count()],
        ..BySimilarity::default()
    };
    for (pair, _) in gold.pairs.iter().zip(selected).filter(|(_, selected)| **selected) {
        let (b, c) = collection.compared(pair.a, pair.b, |pair| (B::similarity(pair), C::similarity(pair)));
        made.unknown[0] += u64::from(b.is_none());
        made.unknown[1] += u64::from(c.is_none());
        (0..).zip(&mut made.by_b).for_each(|(value, counts)| counts.add(pair.label, b == Some(value)));
        for ((from, to), counts) in C_RANGES.iter().zip(&mut made.by_c) {
            counts.add(pair.label, c.is_some_and(|c| (*from..=*to).contains(&c)));
        }
        made.b.add(pair.label, b >= Some(B_MIN));
        for (least, counts) in COMBINED_R.zip(&mut made.combined) {
            counts.add(pair.label, b >= Some(B_MIN) && c >= Some(least));
        }
    }
    made
}
