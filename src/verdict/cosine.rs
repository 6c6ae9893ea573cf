//! Cosine of term frequencies, in perhaps-similar sets (the baseline of Huang et al. 2008, 4).

use super::definition::{Besides, Candidates, Comparison, Definition, any_rules, no_bounds, no_least, share};
use super::rules::{Threshold, above};

pub(super) static DEFINITION: Definition = Definition {
    name: "cosine",
    help: "of term frequencies",
    compares: &[],
    candidates: Candidates::Sets(Comparison::Cosine),
    class: &[],
    besides: Besides::Nothing,
    thresholds: &[Threshold {
        name: "cosine",
        get: |rules| rules.cosine,
        set: |rules, value| rules.cosine = value,
        counts: None,
    }],
    check: any_rules,
    least: no_least,
    decide: |rules, evidence| above(evidence.cosine.map(|value| value > rules.cosine), "cosine"),
    score: |_, evidence| share(evidence.cosine),
    perfect: u64::MAX,
    bounds: no_bounds,
};
