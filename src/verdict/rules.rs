//! Thresholds of all methods, and the decision of a rule.

use super::evidence::Evidence;
use super::traits::Model;
use crate::compare::lcs::Thresholds;

/// Decision of a rule about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Near-duplicates, by the rule of this name.
    Near(&'static str),
    /// Not near-duplicates by this method.
    Apart,
    /// Undecided: evidence that the method needs is absent.
    Unknown,
}

/// Thresholds of all methods; the defaults are those of the papers, where a paper gives one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Greatest Hamming distance of simhash (Manku et al. 2007, 3: k = 3).
    pub within: u32,
    /// Least B-similarity (Henzinger 2006, 2: 2).
    pub b: u32,
    /// Least C-similarity (Henzinger 2006, 2: 372).
    pub c: u32,
    /// Least C-similarity of B-similar pairs (Henzinger 2006, 4: 355).
    pub combined: u32,
    /// Least number of equal min-values (36 of 84, a resemblance of 0.43: chosen on labelled pages, see
    /// benches/README.md; no paper gives a threshold).
    pub agreement: u32,
    /// Least probability by the model (0.5).
    pub probability: f64,
    /// Constants of the model.
    pub model: Model,
    /// Least resemblance by shingles (Ye et al. 2007, 5: 0.85).
    pub resemblance: f64,
    /// Cosine that a pair must exceed (Huang et al. 2008, 4: 0.95).
    pub cosine: f64,
    /// Resemblance and containment by trustable LCS, either of which a pair must exceed (Huang et al. 2008, 3: 0.28,
    /// 0.7).
    pub lcs: Thresholds,
    /// Greatest share of the words of the longer text that may differ, 0 to 1, whatever a method says of the pair
    /// (none by default). A pair of which it is not known how much differs is no near-duplicate then.
    pub max_difference: Option<f64>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            within: 3,
            b: 2,
            c: 372,
            combined: 355,
            agreement: 36,
            probability: 0.5,
            model: Model::MAIN,
            resemblance: 0.85,
            cosine: 0.95,
            lcs: Thresholds::default(),
            max_difference: None,
        }
    }
}

impl Rules {
    /// Returns the probability by the model that the two documents of a pair are near-duplicates: 1 for equal token
    /// sequences; `None` if either document has no profile.
    pub fn probability_of(&self, evidence: &Evidence) -> Option<f64> {
        if evidence.identical {
            return Some(1.0);
        }
        evidence.traits.as_ref().map(|traits| self.model.probability(traits))
    }

    /// Returns whether more of two texts may differ than is allowed. Equal texts do not differ; what is not known may
    /// be anything.
    pub fn differ_too_much(&self, evidence: &Evidence) -> bool {
        let differs = |most| !evidence.identical && evidence.difference.is_none_or(|difference| difference > most);
        self.max_difference.is_some_and(differs)
    }
}

/// A threshold of a decision rule, with its accessors.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// Name.
    pub name: &'static str,
    /// Returns the value.
    pub get: fn(&Rules) -> f64,
    /// Sets the value.
    pub set: fn(&mut Rules, f64),
    /// Least and greatest value of a threshold that is a count; `None` for a share, which is 0 to 1.
    pub counts: Option<(u16, u16)>,
}

/// Returns the decision of a rule with a lower bound: near-duplicates if the number is at least the threshold.
pub(super) fn at_least(value: Option<u32>, least: u32, name: &'static str) -> Decision {
    above(value.map(|value| value >= least), name)
}

/// Returns the decision of a rule with an upper bound: near-duplicates if the number is at most the threshold.
pub(super) fn at_most(value: Option<u32>, most: u32, name: &'static str) -> Decision {
    above(value.map(|value| value <= most), name)
}

/// Returns the decision of a rule: near-duplicates if the threshold is reached, undecided if that is unknown.
pub(super) fn above(reached: Option<bool>, name: &'static str) -> Decision {
    match reached {
        Some(true) => Decision::Near(name),
        Some(false) => Decision::Apart,
        None => Decision::Unknown,
    }
}
