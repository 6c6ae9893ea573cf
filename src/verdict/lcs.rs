//! Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).

use super::definition::{Besides, Candidates, Comparison, Definition, any_rules, no_bounds, no_least, share};
use super::rules::{Decision, Threshold, above};

pub(super) static DEFINITION: Definition = Definition {
    name: "lcs",
    help: "trustable common subsequence",
    compares: &[],
    candidates: Candidates::Sets(Comparison::Lcs),
    class: &[],
    besides: Besides::Nothing,
    thresholds: &[
        Threshold {
            name: "resemblance",
            get: |rules| rules.lcs.resemblance,
            set: |rules, value| rules.lcs.resemblance = value,
            counts: None,
        },
        Threshold {
            name: "containment",
            get: |rules| rules.lcs.containment,
            set: |rules, value| rules.lcs.containment = value,
            counts: None,
        },
    ],
    check: any_rules,
    least: no_least,
    decide: |rules, evidence| {
        if evidence.lcs_resemblance.is_none() && evidence.lcs_containment.is_none() {
            return Decision::Unknown;
        }
        if evidence.lcs_resemblance.is_some_and(|value| value > rules.lcs.resemblance) {
            return Decision::Near(if evidence.lcs_short { "lcs: resemblance, short" } else { "lcs: resemblance" });
        }
        above(Some(evidence.lcs_containment.is_some_and(|value| value > rules.lcs.containment)), "lcs: containment")
    },
    score: |_, evidence| share(evidence.lcs_resemblance).max(share(evidence.lcs_containment)),
    perfect: u64::MAX,
    bounds: no_bounds,
};
