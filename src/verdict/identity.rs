//! Equal token sequences (Henzinger 2006, 2).

use super::definition::{Besides, Candidates, Definition, any_rules, no_bounds, no_least};
use super::rules::Decision;
use super::sketches::Sketch;

pub(super) static DEFINITION: Definition = Definition {
    name: "identity",
    help: "equal texts",
    compares: &[Sketch::Digest],
    candidates: Candidates::Identical,
    class: &[],
    besides: Besides::Nothing,
    thresholds: &[],
    check: any_rules,
    least: no_least,
    decide: |_, _| Decision::Apart,
    score: |_, _| 0,
    perfect: u64::MAX,
    bounds: no_bounds,
};
