//! Figures of the papers that need labels. By what is stored: precision and recall by Hamming distance ([`by_distance`]),
//! by B-similarity and C-similarity ([`BySimilarity`]). By the texts of the labelled documents, which are read again from
//! their archives: by the slope of trustable regions ([`by_slope`]), by the features of a simhash ([`by_features`]), by
//! the shingles of algorithm B ([`by_shingles`]), by language ([`by_language`]), and of the main content ([`contents`],
//! [`content_simhash`]).

mod contents;
mod distance;
mod features;
mod languages;
mod shingle_lengths;
mod similarity;
mod slope;
#[cfg(test)]
mod tests;
mod texts;

pub use contents::{Contents, content_simhash, contents};
pub use distance::{AtDistance, DISTANCES, by_distance, distances_of};
pub use features::{OfFeatures, by_features};
pub use languages::{ByLanguage, by_language};
pub use shingle_lengths::{OfShingles, by_shingles};
pub use similarity::{BySimilarity, ByThreshold, C_RANGES, COMBINED_C, SimilarPair, similar_pairs};
pub use slope::{AtSlope, RECALL, SLOPES, Slopes, by_slope};

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
