//! Probability from the traits of two profiles ([`Model`](super::traits::Model)).

use super::definition::{Besides, Candidates, Definition, Keys, any_rules, no_bounds, no_least, share};
use super::rules::{Threshold, above};
use super::sketches::Sketch;

pub(super) static DEFINITION: Definition = Definition {
    name: "model",
    help: "all evidence of content, titles, headings and numbers, weighed to a probability",
    compares: &[Sketch::Profile],
    candidates: Candidates::Sharing(&[Keys::Bands]),
    class: &[Sketch::MinValues, Sketch::Profile],
    besides: Besides::Nothing,
    thresholds: &[Threshold {
        name: "probability",
        get: |rules| rules.probability,
        set: |rules, value| rules.probability = value,
        counts: None,
    }],
    check: any_rules,
    least: no_least,
    decide: |rules, evidence| {
        above(rules.probability_of(evidence).map(|probability| probability >= rules.probability), "model")
    },
    score: |rules, evidence| share(rules.probability_of(evidence)),
    // Identical pairs rank first, and no other score has a known bound.
    perfect: u64::MAX,
    bounds: no_bounds,
};
