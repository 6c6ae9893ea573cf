//! What is known of a pair of documents, and the numbers in it against their thresholds.

use super::traits::Traits;
use crate::compare::lcs::Likeness;
use crate::sketch::MIN_VALUES;

/// What is known of a pair of documents; what was not looked at, or cannot be, is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The token sequences are equal.
    pub identical: bool,
    /// Hamming distance of the fingerprints.
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
    /// Containment by the same, 0 to 1; absent if the shorter text is too short for it.
    pub lcs_containment: Option<f64>,
    /// The shorter text is too short for containment (Huang et al. 2008, 3.4).
    pub lcs_short: bool,
    /// Whether both are of one site; absent when the site of one is not known.
    pub same_site: Option<bool>,
    /// What the default verdict weighs; absent where one has no profile.
    pub traits: Option<Traits>,
    /// Whether title or first heading agree ([`Headings`](crate::text::Headings)); absent when neither is known of both.
    pub same_heading: Option<bool>,
    /// The content of one has tokens, and no terms that sketches are made of: its fingerprint is that of nothing.
    pub is_without_terms: bool,
}

impl Evidence {
    /// The resemblance if it is known, else as min-values estimate it: the share of equal ones (Broder 1997; Henzinger
    /// 2006, 2: "to approximate the percentage of unique shingles on which two pages agree").
    pub fn likely_resemblance(&self) -> Option<f64> {
        let estimate = self.agreement.map(|equal| f64::from(equal) / MIN_VALUES as f64);
        self.resemblance.or(estimate)
    }

    /// Adds what a comparison of the two texts says.
    pub(crate) fn add_likeness(&mut self, likeness: &Likeness) {
        self.lcs_resemblance = Some(likeness.resemblance);
        self.lcs_containment = likeness.containment;
        self.lcs_short = likeness.is_short();
    }
}

/// A number that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its name in pair lines.
    pub name: &'static str,
    /// The number; absent if it is not known.
    pub value: Option<u32>,
    /// Its threshold.
    pub threshold: u32,
    /// The number must not exceed the threshold; else it must not fall below it.
    pub at_most: bool,
}

impl Bound {
    /// A number that must not fall below its threshold.
    pub(super) fn at_least(name: &'static str, value: Option<u32>, threshold: u32) -> Self {
        Self { name, value, threshold, at_most: false }
    }

    /// Whether the number is on the right side of its threshold.
    pub fn holds(&self) -> Option<bool> {
        self.value.map(|value| if self.at_most { value <= self.threshold } else { value >= self.threshold })
    }
}
