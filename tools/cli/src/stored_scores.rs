//! The scores of a pair from stored sketches, as columns of tables: of pairs, and of the members of clusters.

use nddb::detect::Pair;

use crate::columns::{Cell, Kind};

/// The scores of each kind of sketch.
pub const SCORES: [(&str, Kind); 7] = [
    ("distance", Kind::Number),
    ("b_sim", Kind::Number),
    ("c_sim", Kind::Number),
    ("agreement", Kind::Number),
    ("probability", Kind::Share),
    ("resemblance", Kind::Share),
    ("difference", Kind::Share),
];
/// What both documents have in common besides.
pub const SAME: [(&str, Kind); 2] = [("same_site", Kind::Flag), ("same_heading", Kind::Flag)];

/// Returns the cells of [`SCORES`], nulls without a pair.
pub fn scores(pair: Option<&Pair>) -> [Cell<'static>; SCORES.len()] {
    let evidence = pair.map(|pair| &pair.evidence);
    [
        evidence.and_then(|evidence| evidence.distance).into(),
        evidence.and_then(|evidence| evidence.b_similarity).into(),
        evidence.and_then(|evidence| evidence.c_similarity).into(),
        evidence.and_then(|evidence| evidence.agreement).into(),
        pair.and_then(|pair| pair.probability).into(),
        evidence.and_then(|evidence| evidence.likely_resemblance()).into(),
        evidence.and_then(|evidence| evidence.difference).into(),
    ]
}

/// Returns the cells of [`SAME`], nulls without a pair.
pub fn same(pair: Option<&Pair>) -> [Cell<'static>; SAME.len()] {
    let evidence = pair.map(|pair| &pair.evidence);
    [
        evidence.and_then(|evidence| evidence.same_site).into(),
        evidence.and_then(|evidence| evidence.same_heading).into(),
    ]
}
