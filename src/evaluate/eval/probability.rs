//! Precision and recall of the default verdict by the least probability, and how its probabilities agree with labels.

use nddb_dedup::Collection;
use nddb_verdict::methods::Model;

use super::bootstrap::{Cells, Intervals, bootstrap};
use super::gold::Gold;
use super::label::Label;
use super::score::Counts;
use crate::calibration::{Calibration, calibration};

/// The probabilities that are tried.
pub const LEAST: [f64; 13] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];

/// The default verdict with one least probability.
#[derive(Clone, Debug, PartialEq)]
pub struct AtProbability {
    /// Pairs with at least this probability are found.
    pub least: f64,
    /// The labelled pairs.
    pub counts: Counts,
    /// The intervals of the figures.
    pub intervals: Intervals,
}

/// The default verdict with each least probability.
#[derive(Clone, Debug, PartialEq)]
pub struct ByProbability {
    /// For each of [`LEAST`].
    pub steps: Vec<AtProbability>,
    /// The agreement of the probabilities with the labels.
    pub calibration: Calibration,
    /// Pairs of which no probability is known, because a document has no profile. They are never found.
    pub unknown: u64,
}

/// Counts the selected labelled pairs by their probabilities, computed from the sketches, whether the pair would be a
/// candidate or not. `None` if no pair has a probability. The intervals come from draws of sites by a seed.
pub fn by_probability(
    gold: &Gold,
    (selected, cells): (&[bool], &Cells),
    collection: &Collection,
    model: &Model,
    seed: u64,
) -> Option<ByProbability> {
    let probability = |index: usize| {
        let pair = &gold.pairs[index];
        let known = || collection.compared(pair.a, pair.b, |pair| model.probability_of(pair));
        selected[index].then(known).flatten()
    };
    let probabilities: Vec<Option<f64>> = (0..gold.pairs.len()).map(probability).collect();
    let scored = || gold.pairs.iter().zip(&probabilities).zip(selected).filter(|(_, selected)| **selected);
    let decided: Vec<(f64, bool)> = scored()
        .filter(|((pair, _), _)| pair.label != Label::Undecided)
        .filter_map(|((pair, probability), _)| Some(((*probability)?, pair.label == Label::Correct)))
        .collect();
    if decided.is_empty() {
        return None;
    }
    let found: Vec<Vec<bool>> = LEAST
        .iter()
        .map(|&least| probabilities.iter().map(|known| known.is_some_and(|p| p >= least)).collect())
        .collect();
    let lists: Vec<&[bool]> = found.iter().map(Vec::as_slice).collect();
    let intervals = bootstrap(gold, cells, &lists, 0, seed);
    let steps = LEAST.iter().zip(&found).zip(intervals).map(|((&least, found), intervals)| {
        let mut counts = Counts::default();
        for (index, pair) in gold.pairs.iter().enumerate().filter(|(index, _)| selected[*index]) {
            counts.add(pair.label, found[index]);
        }
        AtProbability { least, counts, intervals }
    });
    let unknown = scored().filter(|((_, probability), _)| probability.is_none()).count() as u64;
    Some(ByProbability { steps: steps.collect(), calibration: calibration(&decided), unknown })
}
