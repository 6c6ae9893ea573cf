//! At least 372 of 384 equal bits of the projections (Henzinger 2006, algorithm C).

use nddb_page::sketch::PROJECTION_BITS;

use super::definition::{Besides, Candidates, Definition, Keys, Least, any_rules};
use super::evidence::{Bound, Evidence};
use super::rules::{Threshold, at_least};
use super::sketches::Sketch;

/// Threshold of the C-similarity, 0 to 384.
pub(super) const THRESHOLD: Threshold = Threshold {
    name: "c",
    get: |rules| rules.c.into(),
    set: |rules, value| rules.c = value as u32,
    counts: Some((0, PROJECTION_BITS as u16)),
};

pub(super) static DEFINITION: Definition = Definition {
    name: "c",
    help: "372 of 384 bits of the projection",
    compares: &[Sketch::Projection],
    candidates: Candidates::Sharing(&[Keys::Pieces]),
    class: &[Sketch::Projection],
    besides: Besides::Nothing,
    thresholds: &[THRESHOLD],
    check: any_rules,
    least: |rules, _| Least { c: rules.c, ..Least::default() },
    decide: |rules, evidence| at_least(evidence.c_similarity, rules.c, "c"),
    score: |_, evidence| evidence.c_similarity.unwrap_or(0).into(),
    perfect: PROJECTION_BITS as u64,
    bounds: |rules, evidence| vec![bound(evidence, rules.c)],
};

/// Returns the C-similarity with a threshold.
pub(super) fn bound(evidence: &Evidence, threshold: u32) -> Bound {
    Bound::at_least("c_sim", evidence.c_similarity, threshold)
}
