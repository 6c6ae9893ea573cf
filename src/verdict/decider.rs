//! From evidence to decision: the only place where a pair is decided.

use super::evidence::{Bound, Evidence};
use super::registry::Method;
use super::rules::{Decision, Rules};

/// Offset above every simhash score and every method score, to rank the method before simhash.
const BY_METHOD: u64 = 1 << 48;

/// Decision procedure for pairs, online and offline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decider<'a> {
    /// The method.
    pub method: Method,
    /// The thresholds of the method.
    pub rules: &'a Rules,
    /// Whether simhash decides pairs that the method cannot decide.
    pub or_simhash: bool,
    /// Whether two texts that differ too much are apart; not where the texts are read first, which say it exactly.
    is_limited: bool,
}

impl<'a> Decider<'a> {
    /// Returns the decider of a method; the fallback to simhash applies only to methods that compare sketches.
    pub fn new(method: Method, rules: &'a Rules, or_simhash: bool) -> Self {
        Self { method, rules, or_simhash: or_simhash && method.has_keys(), is_limited: true }
    }

    /// Returns the decider that does not ask how much of the texts differs.
    pub fn without_limit(self) -> Self {
        Self { is_limited: false, ..self }
    }

    /// Returns whether two texts that differ too much are apart.
    pub fn is_limited(&self) -> bool {
        self.is_limited && self.rules.max_difference.is_some()
    }

    /// Returns the decision about a pair, given its evidence: that of the method or of simhash, and two texts that
    /// differ by more than the rules allow are apart.
    pub fn decide(&self, evidence: &Evidence) -> Decision {
        let decision = match self.rules.decide(self.method, evidence) {
            Decision::Unknown if self.falls_back(evidence) => self.rules.decide(Method::Simhash, evidence),
            decision => decision,
        };
        match decision {
            Decision::Near(_) if self.is_limited && self.rules.differ_too_much(evidence) => Decision::Apart,
            decision => decision,
        }
    }

    /// Returns whether the method cannot decide a pair and simhash decides instead.
    pub fn is_left_to_simhash(&self, evidence: &Evidence) -> bool {
        self.falls_back(evidence) && self.rules.decide(self.method, evidence) == Decision::Unknown
    }

    /// Returns the nearness of two near-duplicates by the rule that decided; greater is nearer. All identical pairs are
    /// equally near, and pairs decided by simhash instead of the method rank after all pairs decided by the method.
    pub fn nearness(&self, evidence: &Evidence) -> u64 {
        match evidence.identical {
            true => u64::MAX,
            false if self.is_left_to_simhash(evidence) => (Method::Simhash.definition().score)(self.rules, evidence),
            false => BY_METHOD + (self.method.definition().score)(self.rules, evidence),
        }
    }

    /// Returns the greatest nearness of a pair that is not identical.
    pub fn perfect(&self) -> u64 {
        BY_METHOD.saturating_add(self.method.definition().perfect)
    }

    fn falls_back(&self, evidence: &Evidence) -> bool {
        self.or_simhash && !evidence.is_without_terms
    }
}

impl Rules {
    /// Returns the decision of a method about a pair, given its evidence. Equal token sequences are near-duplicates by
    /// every method (Henzinger 2006, 2). A pair with an unknown site counts as a pair on different sites.
    pub fn decide(&self, method: Method, evidence: &Evidence) -> Decision {
        if evidence.identical {
            return Decision::Near("identical");
        }
        (method.definition().decide)(self, evidence)
    }
}

/// Returns the numbers that the rule of a method compares with its thresholds. An identical pair is a near-duplicate
/// pair regardless of these numbers.
pub fn bounds(rules: &Rules, method: Method, evidence: &Evidence) -> Vec<Bound> {
    (method.definition().bounds)(rules, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::lcs::Likeness;
    use crate::rules::Rules;

    /// Thresholds from both sides.
    #[test]
    fn a_rule_turns_at_its_threshold() {
        let rules = Rules::default();
        let b = |b: u32, c: u32, same_site| Evidence {
            b_similarity: Some(b),
            c_similarity: Some(c),
            same_site,
            ..Evidence::default()
        };
        let near = |method, evidence: &Evidence| matches!(rules.decide(method, evidence), Decision::Near(_));
        for (least, most) in [(0, 1), (1, 2), (5, 6)] {
            assert_eq!(near(Method::B, &b(least, 0, None)), least >= 2);
            assert_eq!(near(Method::B, &b(most, 0, None)), most >= 2);
        }
        assert!(!near(Method::C, &b(6, 371, None)) && near(Method::C, &b(0, 372, None)));
        assert!(!near(Method::Combined, &b(2, 354, None)) && near(Method::Combined, &b(2, 355, None)));
        assert!(!near(Method::Combined, &b(1, 384, None)));
        assert!(near(Method::Split, &b(2, 355, Some(true))) && !near(Method::Split, &b(1, 384, Some(true))));
        assert!(near(Method::Split, &b(0, 372, Some(false))) && !near(Method::Split, &b(2, 355, Some(false))));
        assert!(near(Method::Split, &b(0, 372, None)), "an unknown site is another one");
        for (agreement, expected) in [(35, false), (36, true)] {
            let evidence = Evidence { agreement: Some(agreement), ..Evidence::default() };
            assert_eq!(near(Method::MinHash, &evidence), expected);
        }
        for (same_site, same_heading, expected) in [
            (Some(true), Some(false), false),
            (Some(true), Some(true), true),
            (Some(true), None, true),
            (Some(false), Some(false), true),
            (None, Some(false), true),
        ] {
            let evidence = Evidence { agreement: Some(36), same_site, same_heading, ..Evidence::default() };
            assert_eq!(near(Method::MinHash, &evidence), expected, "{same_site:?} {same_heading:?}");
        }
        for (distance, expected) in [(3, true), (4, false)] {
            let evidence = Evidence { distance: Some(distance), ..Evidence::default() };
            assert_eq!(near(Method::Simhash, &evidence), expected);
        }
    }

    /// What may differ by anything does not differ by little.
    #[test]
    fn under_a_limit_only_pairs_that_are_known_to_differ_little_are_near() {
        let rules = Rules { max_difference: Some(0.1), ..Rules::default() };
        for (difference, identical, expected) in
            [(Some(0.1), false, true), (Some(0.2), false, false), (None, false, false), (None, true, true)]
        {
            let evidence = Evidence { distance: Some(1), difference, identical, ..Evidence::default() };
            let limited = Decider::new(Method::Simhash, &rules, false);
            assert_eq!(matches!(limited.decide(&evidence), Decision::Near(_)), expected, "{difference:?}");
            assert!(matches!(limited.without_limit().decide(&evidence), Decision::Near(_)));
        }
    }

    /// A rule without its evidence does not decide.
    #[test]
    fn what_is_not_known_is_not_decided() {
        for method in Method::ALL {
            let expected = if method == Method::Identity { Decision::Apart } else { Decision::Unknown };
            assert_eq!(Rules::default().decide(method, &Evidence::default()), expected, "{method}");
            let identical = Evidence { identical: true, ..Evidence::default() };
            assert_eq!(Rules::default().decide(method, &identical), Decision::Near("identical"));
        }
    }

    /// What a comparison of texts says of a pair is decided as the comparison itself decides.
    #[test]
    fn trustable_lcs_is_decided_by_either_number() {
        let rules = Rules::default();
        for (resemblance, containment, expected) in [
            (0.28, Some(0.7), Decision::Apart),
            (0.29, Some(0.0), Decision::Near("lcs: resemblance")),
            (0.29, None, Decision::Near("lcs: resemblance, short")),
            (0.0, Some(0.71), Decision::Near("lcs: containment")),
            (0.0, None, Decision::Apart),
        ] {
            let likeness = Likeness { resemblance, containment, trusted: 0, stopped: false };
            let mut evidence = Evidence::default();
            evidence.add_likeness(&likeness);
            assert_eq!(rules.decide(Method::Lcs, &evidence), expected);
            assert_eq!(likeness.exceeds(&rules.lcs), expected != Decision::Apart);
        }
    }
}
