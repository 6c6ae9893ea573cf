//! Resemblance by shingles, sampled or not (Ye et al. 2007).

use super::definition::{Besides, Candidates, Definition, OutOfReach, no_bounds, no_least, share};
use super::rules::{Threshold, above};

pub(super) static DEFINITION: Definition = Definition {
    name: "shingles",
    help: "resemblance of their sets",
    compares: &[],
    candidates: Candidates::Shingles,
    class: &[],
    besides: Besides::Nothing,
    thresholds: &[Threshold {
        name: "resemblance",
        get: |rules| rules.resemblance,
        set: |rules, value| rules.resemblance = value,
        counts: None,
    }],
    check: |rules, _| {
        if rules.resemblance <= 0.0 {
            let what = "the least resemblance in hundredths (more than 0 is shared by every candidate)";
            return Err(OutOfReach { what, requested: 0, limit: 1 });
        }
        Ok(())
    },
    least: no_least,
    decide: |rules, evidence| above(evidence.resemblance.map(|value| value >= rules.resemblance), "shingles"),
    score: |_, evidence| share(evidence.resemblance),
    perfect: u64::MAX,
    bounds: no_bounds,
};
