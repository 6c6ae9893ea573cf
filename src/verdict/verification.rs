//! Verification of what a method finds, by the texts of the two documents.

use super::evidence::Evidence;
use super::registry::Method;
use super::rules::{Decision, Rules};

/// Which pairs that a method finds are verified by the texts of their documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verification {
    /// None.
    #[default]
    Off,
    /// All, by trustable longest common subsequence (Huang et al. 2008, 3).
    Lcs,
}

impl Verification {
    /// Returns whether it changes anything that a method finds.
    pub fn applies_to(self, method: Method) -> bool {
        self == Self::Lcs && method != Method::Lcs
    }

    /// Returns whether the texts decide about a pair that its method finds.
    pub fn takes(self, evidence: &Evidence) -> bool {
        self == Self::Lcs && !evidence.identical
    }

    /// Returns the decision of the texts about a pair; undecided if a text could not be read.
    pub fn decide(evidence: &Evidence, rules: &Rules) -> Decision {
        rules.decide(Method::Lcs, evidence)
    }
}
