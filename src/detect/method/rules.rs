//! The rules: evidence to decision, with the papers' thresholds.

use super::evidence::Evidence;
use super::model::Model;
use super::name::Method;
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
    /// What a method says of a pair, given what is known of it. Equal token sequences are near-duplicates by
    /// every method (Henzinger 2006, 2). A pair whose sites are not both known is one on different sites.
    pub fn decide(&self, method: Method, evidence: &Evidence) -> Decision {
        if evidence.identical {
            return Decision::Near("identical");
        }
        match method {
            Method::Identity => Decision::Apart,
            Method::Simhash => at_most(evidence.distance, self.within, "simhash"),
            Method::B => at_least(evidence.b_similarity, self.b, "b"),
            Method::C => at_least(evidence.c_similarity, self.c, "c"),
            Method::Combined => self.combined(evidence, "combined"),
            Method::Split if evidence.same_site == Some(true) => self.combined(evidence, "split: same site, combined"),
            Method::Split => at_least(evidence.c_similarity, self.c, "split: different sites, c"),
            // Pages of one site that say they are about different things.
            Method::MinHash if evidence.same_site == Some(true) && evidence.same_heading == Some(false) => {
                Decision::Apart
            }
            Method::Model => above(self.probability_of(evidence).map(|value| value >= self.probability), "model"),
            Method::MinHash => at_least(evidence.agreement, self.agreement, "min-hash"),
            Method::Shingles => above(evidence.resemblance.map(|value| value >= self.resemblance), "shingles"),
            Method::Cosine => above(evidence.cosine.map(|value| value > self.cosine), "cosine"),
            Method::Lcs => self.lcs(evidence),
        }
    }

    /// The probability that a pair is one of near-duplicates, by the model: 1 of equal token sequences; absent where one
    /// has no profile.
    pub fn probability_of(&self, evidence: &Evidence) -> Option<f64> {
        if evidence.identical {
            return Some(1.0);
        }
        evidence.traits.as_ref().map(|traits| self.model.probability(traits))
    }

    fn combined(&self, evidence: &Evidence, name: &'static str) -> Decision {
        match at_least(evidence.b_similarity, self.b, name) {
            Decision::Near(name) => at_least(evidence.c_similarity, self.combined, name),
            other => other,
        }
    }

    fn lcs(&self, evidence: &Evidence) -> Decision {
        if evidence.lcs_resemblance.is_none() && evidence.lcs_containment.is_none() {
            return Decision::Unknown;
        }
        if evidence.lcs_resemblance.is_some_and(|value| value > self.lcs.resemblance) {
            return Decision::Near(if evidence.lcs_short { "lcs: resemblance, short" } else { "lcs: resemblance" });
        }
        above(Some(evidence.lcs_containment.is_some_and(|value| value > self.lcs.containment)), "lcs: containment")
    }
}

fn at_least(value: Option<u32>, least: u32, name: &'static str) -> Decision {
    above(value.map(|value| value >= least), name)
}

fn at_most(value: Option<u32>, most: u32, name: &'static str) -> Decision {
    above(value.map(|value| value <= most), name)
}

fn above(reached: Option<bool>, name: &'static str) -> Decision {
    match reached {
        Some(true) => Decision::Near(name),
        Some(false) => Decision::Apart,
        None => Decision::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::lcs::Likeness;

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
