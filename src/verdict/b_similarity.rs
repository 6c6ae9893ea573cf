//! At least two equal supershingles (Henzinger 2006, algorithm B).

use nddb_page::sketch::SUPERSHINGLES;

use super::definition::{Besides, Candidates, Definition, Keys, Least, OutOfReach};
use super::evidence::{Bound, Evidence};
use super::rules::{Rules, Threshold, at_least};
use super::sketches::Sketch;

/// Least valid threshold: every candidate pair shares a megashingle, that is two equal supershingles.
const B_MIN: u32 = 2;

/// Threshold of the B-similarity, 2 to 6.
pub(super) const THRESHOLD: Threshold = Threshold {
    name: "b",
    get: |rules| rules.b.into(),
    set: |rules, value| rules.b = value as u32,
    counts: Some((B_MIN as u16, SUPERSHINGLES as u16)),
};

pub(super) static DEFINITION: Definition = Definition {
    name: "b",
    help: "two of six supershingles",
    compares: &[Sketch::Supershingles],
    candidates: Candidates::Sharing(&[Keys::Megashingles]),
    class: &[Sketch::Supershingles],
    besides: Besides::Nothing,
    thresholds: &[THRESHOLD],
    check: |rules, _| check(rules),
    least: |rules, _| Least { b: rules.b, ..Least::default() },
    decide: |rules, evidence| at_least(evidence.b_similarity, rules.b, "b"),
    score: |_, evidence| evidence.b_similarity.unwrap_or(0).into(),
    perfect: SUPERSHINGLES as u64,
    bounds: |rules, evidence| vec![bound(rules, evidence)],
};

/// Rejects a threshold of the B-similarity below the least that candidate pairs cover.
pub(super) fn check(rules: &Rules) -> Result<(), OutOfReach> {
    if rules.b < B_MIN {
        let what = "the least B-similarity (at least 2 are shared by every candidate)";
        return Err(OutOfReach { what, requested: rules.b.into(), limit: B_MIN.into() });
    }
    Ok(())
}

/// Returns the B-similarity with its threshold.
pub(super) fn bound(rules: &Rules, evidence: &Evidence) -> Bound {
    Bound::at_least("b_sim", evidence.b_similarity, rules.b)
}
