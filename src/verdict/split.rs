//! C for pairs on different sites, combined for pairs on the same site (Henzinger 2006, 4).

use nddb_page::sketch::PROJECTION_BITS;

use super::definition::{Besides, Candidates, Definition, Keys, Least};
use super::rules::at_least;
use super::sketches::Sketch;
use super::{b_similarity, c_similarity, combined};

pub(super) static DEFINITION: Definition = Definition {
    name: "split",
    help: "c between sites, combined within one",
    compares: &[Sketch::Supershingles, Sketch::Projection],
    candidates: Candidates::Sharing(&[Keys::Megashingles, Keys::Pieces]),
    class: &[Sketch::Supershingles, Sketch::Projection],
    besides: Besides::Site,
    thresholds: &[b_similarity::THRESHOLD, c_similarity::THRESHOLD, combined::threshold("same")],
    check: |rules, _| b_similarity::check(rules),
    // A pair that shares a megashingle may be on the same site or not; only the decision sees the sites.
    least: |rules, keys| match keys {
        Keys::Megashingles => Least { c: rules.combined.min(rules.c), ..Least::default() },
        _ => Least { c: rules.c, ..Least::default() },
    },
    decide: |rules, evidence| match evidence.same_site {
        Some(true) => combined::decide(rules, evidence, "split: same site, combined"),
        _ => at_least(evidence.c_similarity, rules.c, "split: different sites, c"),
    },
    score: |_, evidence| evidence.c_similarity.unwrap_or(0).into(),
    perfect: PROJECTION_BITS as u64,
    bounds: |rules, evidence| match evidence.same_site {
        Some(true) => combined::bounds(rules, evidence),
        _ => vec![c_similarity::bound(evidence, rules.c)],
    },
};
