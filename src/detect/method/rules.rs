//! The thresholds of all methods, and what a rule says.

use super::evidence::Evidence;
use super::traits::Model;
use crate::compare::lcs::Thresholds;

/// What a rule says of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Near-duplicates, by the rule of this name.
    Near(&'static str),
    /// Not near-duplicates by this method.
    Apart,
    /// The method cannot tell: evidence that it needs is absent.
    Unknown,
}

/// Thresholds of all methods; the defaults are the papers', where a paper has one.
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
    /// Least number of equal min-values (36 of 84, a resemblance of 0.43: chosen on labelled pages, as
    /// benches/README.md tells; no paper decides by it).
    pub agreement: u32,
    /// Least probability of the model: one half.
    pub probability: f64,
    /// The constants of the model.
    pub model: Model,
    /// Least resemblance by shingles (Ye et al. 2007, 5: 0.85).
    pub resemblance: f64,
    /// The cosine that a pair must exceed (Huang et al. 2008, 4: 0.95).
    pub cosine: f64,
    /// The resemblance or containment by trustable LCS that a pair must exceed (Huang et al. 2008, 3: 0.28, 0.7).
    pub lcs: Thresholds,
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
        }
    }
}

impl Rules {
    /// The probability that a pair is one of near-duplicates, by the model: 1 of equal token sequences; absent where one
    /// has no profile.
    pub fn probability_of(&self, evidence: &Evidence) -> Option<f64> {
        if evidence.identical {
            return Some(1.0);
        }
        evidence.traits.as_ref().map(|traits| self.model.probability(traits))
    }
}

/// A number that decides: its name, how it is read out of the rules, and how it is put in.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// Its name.
    pub name: &'static str,
    /// Returns its value.
    pub get: fn(&Rules) -> f64,
    /// Sets its value.
    pub set: fn(&mut Rules, f64),
    /// The least and the greatest count that it may be; none for a share, which is 0 to 1.
    pub counts: Option<(u16, u16)>,
}

/// Near by this rule if a number is known and reaches a threshold.
pub(super) fn at_least(value: Option<u32>, least: u32, name: &'static str) -> Decision {
    above(value.map(|value| value >= least), name)
}

/// Near by this rule if a number is known and does not exceed a threshold.
pub(super) fn at_most(value: Option<u32>, most: u32, name: &'static str) -> Decision {
    above(value.map(|value| value <= most), name)
}

/// Near by this rule if it is known that its threshold is reached.
pub(super) fn above(reached: Option<bool>, name: &'static str) -> Decision {
    match reached {
        Some(true) => Decision::Near(name),
        Some(false) => Decision::Apart,
        None => Decision::Unknown,
    }
}
