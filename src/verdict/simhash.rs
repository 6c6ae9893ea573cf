//! Fingerprints within k bits (Manku et al. 2007, 3).

use nddb_format::scheme::K_MAX;

use super::definition::{Besides, Candidates, Definition, OutOfReach, no_least};
use super::evidence::Bound;
use super::rules::{Threshold, at_most};
use super::sketches::Sketch;

pub(super) static DEFINITION: Definition = Definition {
    name: "simhash",
    help: "within k bits",
    compares: &[Sketch::Fingerprint],
    candidates: Candidates::Near,
    class: &[Sketch::Fingerprint],
    besides: Besides::Nothing,
    thresholds: &[Threshold {
        name: "k",
        get: |rules| rules.within.into(),
        set: |rules, value| rules.within = value as u32,
        counts: Some((0, K_MAX as u16)),
    }],
    check: |rules, most| {
        if rules.within > most {
            return Err(OutOfReach { what: "k", requested: rules.within.into(), limit: most.into() });
        }
        Ok(())
    },
    least: no_least,
    decide: |rules, evidence| at_most(evidence.distance, rules.within, "simhash"),
    score: |_, evidence| 64u64.saturating_sub(evidence.distance.unwrap_or(64).into()),
    perfect: 64,
    bounds: |rules, evidence| {
        vec![Bound { name: "distance", value: evidence.distance, threshold: rules.within, at_most: true }]
    },
};
