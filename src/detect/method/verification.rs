//! Verification of what a method finds, by the texts of the two documents.

use super::evidence::Evidence;
use super::registry::Method;
use super::rules::{Decision, Rules};

/// Greatest probability at which the model is unsure of what it finds.
const UNSURE_MAX: f64 = 0.8;
/// Greatest share of missing words of two near-duplicates. (Chosen on labelled pages: see benches/README.md.)
const MISSING_MAX: f64 = 0.3;

/// Which pairs that a method finds are verified by the texts of their documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verification {
    /// None.
    #[default]
    Off,
    /// All, by trustable longest common subsequence (Huang et al. 2008, 3).
    Lcs,
    /// Those with a probability of at most 0.8, where the model is unsure: by trustable longest common subsequence and
    /// the words of the longer text that the other lacks.
    Unsure,
}

impl Verification {
    /// Returns whether it changes anything that a method finds.
    pub fn applies_to(self, method: Method) -> bool {
        match self {
            Self::Off => false,
            Self::Lcs => method != Method::Lcs,
            Self::Unsure => method == Method::Model,
        }
    }

    /// Returns whether the texts decide about a pair that its method finds.
    pub(crate) fn takes(self, evidence: &Evidence, rules: &Rules) -> bool {
        let is_unsure = || rules.probability_of(evidence).is_some_and(|probability| probability <= UNSURE_MAX);
        !evidence.identical && (self == Self::Lcs || self == Self::Unsure && is_unsure())
    }

    /// Returns the decision of the texts about a pair; undecided if a text could not be read.
    pub(crate) fn decide(self, evidence: &Evidence, rules: &Rules) -> Decision {
        match (rules.decide(Method::Lcs, evidence), self) {
            (Decision::Near(_), Self::Unsure) => match evidence.missing_words {
                Some(missing) if missing <= MISSING_MAX => Decision::Near("texts"),
                Some(_) => Decision::Apart,
                None => Decision::Unknown,
            },
            (decision, _) => decision,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::method::traits::{TRAITS, Traits};

    fn evidence(log_odds: f64, missing: Option<f64>) -> Evidence {
        let model = Rules::default().model;
        let mut values = [0.0; TRAITS];
        values[0] = (log_odds - model.constant) / model.weights[0];
        Evidence {
            traits: Some(Traits { values }),
            missing_words: missing,
            lcs_resemblance: missing.map(|missing| 1.0 - missing),
            ..Evidence::default()
        }
    }

    #[test]
    fn only_the_pairs_that_the_model_is_unsure_of_are_taken() {
        let rules = Rules::default();
        // Probabilities of .9 and .6.
        for (log_odds, unsure) in [(2.2, false), (0.4, true)] {
            let evidence = evidence(log_odds, None);
            assert_eq!(Verification::Unsure.takes(&evidence, &rules), unsure, "{log_odds}");
            assert!(Verification::Lcs.takes(&evidence, &rules) && !Verification::Off.takes(&evidence, &rules));
            let identical = Evidence { identical: true, ..evidence };
            assert!(!Verification::Unsure.takes(&identical, &rules) && !Verification::Lcs.takes(&identical, &rules));
        }
        // Without profiles the model says nothing.
        assert!(!Verification::Unsure.takes(&Evidence::default(), &rules));
    }

    #[test]
    fn a_pair_stands_if_both_texts_bear_it_out() {
        let rules = Rules::default();
        let decide = |evidence: &Evidence| Verification::Unsure.decide(evidence, &rules);
        assert_eq!(decide(&evidence(0.4, Some(0.3))), Decision::Near("texts"));
        assert_eq!(decide(&evidence(0.4, Some(0.31))), Decision::Apart);
        assert_eq!(decide(&evidence(0.4, None)), Decision::Unknown);
        // Common words that are not trustable bear out nothing.
        assert_eq!(decide(&Evidence { lcs_resemblance: Some(0.1), ..evidence(0.4, Some(0.2)) }), Decision::Apart);
    }
}
