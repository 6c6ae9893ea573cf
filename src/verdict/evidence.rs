//! Evidence of a pair of documents, and its comparison with thresholds.

use nddb_page::sketch::resemblance_of;

use super::traits::Traits;
use crate::compare::lcs::Likeness;

/// Evidence of a pair of documents; a measure that was not computed, or cannot be, is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Whether the token sequences are equal.
    pub identical: bool,
    /// Hamming distance of the fingerprints, in bits.
    pub distance: Option<u32>,
    /// Equal supershingles at equal indexes, 0 to 6 (Henzinger 2006, B-similarity).
    pub b_similarity: Option<u32>,
    /// Equal bits of the projections, 0 to 384 (Henzinger 2006, C-similarity).
    pub c_similarity: Option<u32>,
    /// Equal min-values at equal indexes, 0 to 84: 84 times the estimated resemblance (Henzinger 2006, 2).
    pub agreement: Option<u32>,
    /// Estimated or exact resemblance of the shingle sets, 0 to 1 (Ye et al. 2007, 2).
    pub resemblance: Option<f64>,
    /// Cosine of the term frequencies, 0 to 1.
    pub cosine: Option<f64>,
    /// Resemblance by trustable longest common subsequence, 0 to 1 (Huang et al. 2008, 3).
    pub lcs_resemblance: Option<f64>,
    /// Containment by trustable longest common subsequence, 0 to 1; `None` if the shorter text is too short.
    pub lcs_containment: Option<f64>,
    /// Whether the shorter text is too short for containment (Huang et al. 2008, 3.4).
    pub lcs_short: bool,
    /// Share of the words of the longer whole text that have no counterpart in the other, 0 to 1: estimated from the
    /// profiles, or exact if the texts were read for that; `None` if it cannot be known.
    pub difference: Option<f64>,
    /// Whether the sites are equal; `None` if either site is unknown.
    pub same_site: Option<bool>,
    /// Traits, the input of the default verdict; `None` if either document has no profile.
    pub traits: Option<Traits>,
    /// Whether title or first heading agree ([`Headings`](nddb_page::text::Headings)); `None` if neither is known of
    /// both.
    pub same_heading: Option<bool>,
    /// Whether the content of either document has tokens but no terms, so that its fingerprint carries no evidence.
    pub is_without_terms: bool,
}

impl Evidence {
    /// Returns the resemblance if it is known, else its estimate, the share of equal min-values (Broder 1997; Henzinger
    /// 2006, 2: "to approximate the percentage of unique shingles on which two pages agree").
    pub fn likely_resemblance(&self) -> Option<f64> {
        let estimate = self.agreement.map(resemblance_of);
        self.resemblance.or(estimate)
    }

    /// Adds the result of a comparison of the two texts.
    pub fn add_likeness(&mut self, likeness: &Likeness) {
        self.lcs_resemblance = Some(likeness.resemblance);
        self.lcs_containment = likeness.containment;
        self.lcs_short = likeness.is_short();
    }
}

/// A number of the evidence and the threshold that a rule compares it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name in pair lines.
    pub name: &'static str,
    /// The number; `None` if unknown.
    pub value: Option<u32>,
    /// The threshold.
    pub threshold: u32,
    /// Whether the threshold is an upper bound; else it is a lower bound.
    pub at_most: bool,
}

impl Bound {
    /// Returns a bound whose threshold is a lower bound.
    pub(super) fn at_least(name: &'static str, value: Option<u32>, threshold: u32) -> Self {
        Self { name, value, threshold, at_most: false }
    }

    /// Returns whether the number satisfies its threshold; `None` if the number is unknown.
    pub fn holds(&self) -> Option<bool> {
        self.value.map(|value| if self.at_most { value <= self.threshold } else { value >= self.threshold })
    }
}
