//! Candidates of B whose projections agree in at least 355 bits (Henzinger 2006, 4).

use nddb_page::sketch::PROJECTION_BITS;

use super::definition::{Besides, Candidates, Definition, Keys, Least};
use super::evidence::{Bound, Evidence};
use super::rules::{Decision, Rules, Threshold, at_least};
use super::sketches::Sketch;
use super::{b_similarity, c_similarity};

pub(super) static DEFINITION: Definition = Definition {
    name: "combined",
    help: "b, and 355 bits",
    compares: &[Sketch::Supershingles, Sketch::Projection],
    candidates: Candidates::Sharing(&[Keys::Megashingles]),
    class: &[Sketch::Supershingles, Sketch::Projection],
    besides: Besides::Nothing,
    thresholds: &[b_similarity::THRESHOLD, threshold("c")],
    check: |rules, _| b_similarity::check(rules),
    least: |rules, _| Least { b: rules.b, c: rules.combined, ..Least::default() },
    decide: |rules, evidence| decide(rules, evidence, "combined"),
    score: |_, evidence| evidence.c_similarity.unwrap_or(0).into(),
    perfect: PROJECTION_BITS as u64,
    bounds,
};

/// Returns the threshold of the C-similarity of B-similar pairs, under a name.
pub(super) const fn threshold(name: &'static str) -> Threshold {
    Threshold {
        name,
        get: |rules| rules.combined.into(),
        set: |rules, value| rules.combined = value as u32,
        counts: Some((0, PROJECTION_BITS as u16)),
    }
}

/// Returns the decision of the rule combined, under a name.
pub(super) fn decide(rules: &Rules, evidence: &Evidence, name: &'static str) -> Decision {
    match at_least(evidence.b_similarity, rules.b, name) {
        Decision::Near(name) => at_least(evidence.c_similarity, rules.combined, name),
        other => other,
    }
}

/// Returns both similarities with their thresholds.
pub(super) fn bounds(rules: &Rules, evidence: &Evidence) -> Vec<Bound> {
    vec![b_similarity::bound(rules, evidence), c_similarity::bound(evidence, rules.combined)]
}
