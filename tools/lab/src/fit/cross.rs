//! Cross-validation over groups.

use std::collections::BTreeMap;
use std::convert::Infallible;

use nddb::verdict::{Constants, FEATURE_COUNT};
use nddb_dedup::in_order;
use nddb_evaluate::calibration::logistic::{self, Example};

/// The penalties from which one is chosen. A penalty is for a weight of 1 on a feature of deviation 1, per pair, in units
/// of the log-likelihood.
pub const PENALTIES: [f64; 3] = [0.0002, 0.001, 0.005];

/// Number of parts into which groups are divided to choose a penalty.
const FOLDS: u32 = 5;

/// The data to which models are fitted, and the options of the fit.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// All labelled pairs.
    pub examples: &'a [Example],
    /// The weight of each.
    pub weights: &'a [f64],
    /// The features that a model uses.
    pub used: [bool; FEATURE_COUNT],
    /// The penalties from which one is chosen.
    pub penalties: &'a [f64],
}

impl Task<'_> {
    /// Returns the model of all examples and its penalty: the one whose models best predict pairs of other groups.
    pub fn fit(&self) -> (Constants, f64) {
        let kept: Vec<usize> = (0..self.examples.len()).filter(|index| !self.examples[*index].is_identical).collect();
        self.fit_some(&kept, None)
    }

    /// Returns the probability of each example, by a model fitted to the examples that share no group with it; 1 for
    /// identical documents. The work is divided among threads.
    pub fn cross_validated(&self, threads: usize) -> Vec<f64> {
        let examples = self.examples;
        let mut by_groups: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (index, example) in examples.iter().enumerate().filter(|(_, example)| !example.is_identical) {
            let [a, b] = example.groups;
            by_groups.entry([a.min(b), a.max(b)]).or_default().push(index);
        }
        // Models of nearly all examples are near the model of all examples, so the search begins there.
        let (near, _) = self.fit();
        let predict = |(groups, indexes): ([u32; 2], Vec<usize>)| -> Vec<(usize, f64)> {
            let touches = |example: &Example| example.groups.iter().any(|group| groups.contains(group));
            let is_kept = |index: &usize| !examples[*index].is_identical && !touches(&examples[*index]);
            let kept: Vec<usize> = (0..examples.len()).filter(is_kept).collect();
            let (model, _) = self.fit_some(&kept, Some(&near));
            let probability = |index: usize| model.probability(&examples[index].features);
            indexes.into_iter().map(|index| (index, probability(index))).collect()
        };
        let mut probabilities = vec![1.0; examples.len()];
        let mut parts = by_groups.into_iter();
        let mut note = |found: Vec<(usize, f64)>| -> Result<(), Infallible> {
            found.into_iter().for_each(|(index, probability)| probabilities[index] = probability);
            Ok(())
        };
        let Ok(()) = in_order(threads, || parts.next(), predict, &mut note);
        probabilities
    }

    /// Returns the model of the examples at some indexes, and its penalty.
    fn fit_some(&self, kept: &[usize], near: Option<&Constants>) -> (Constants, f64) {
        let penalty = match self.penalties {
            [only] => *only,
            _ => self.chosen_penalty(kept, near),
        };
        let (kept, weights) = self.take(kept.iter().copied());
        (logistic::fit(&kept, &weights, scaled(penalty, &weights), self.used, near), penalty)
    }

    /// Returns the penalty with which models of four parts of the groups best predict the fifth part.
    fn chosen_penalty(&self, kept: &[usize], near: Option<&Constants>) -> f64 {
        let examples = self.examples;
        let folds: Vec<_> = (0..FOLDS)
            .map(|fold| {
                let is_out = |index: &usize| examples[*index].groups.iter().any(|group| group % FOLDS == fold);
                let trained = self.take(kept.iter().copied().filter(|index| !is_out(index)));
                // A pair with groups in two parts is predicted once.
                let first = |index: &usize| examples[*index].groups.iter().map(|group| group % FOLDS).min();
                (trained, self.take(kept.iter().copied().filter(|index| first(index) == Some(fold))))
            })
            .collect();
        let likelihood = |penalty: f64| -> f64 {
            let each = folds.iter().map(|((trained, trained_weights), (tested, tested_weights))| {
                let penalty = scaled(penalty, trained_weights);
                let model = logistic::fit(trained, trained_weights, penalty, self.used, near);
                let of = |example: &Example| {
                    let odds = model.log_odds(&example.features);
                    let signed = if example.is_near { odds } else { -odds };
                    // ln(1 / (1 + exp(-x))), without overflow.
                    -(-signed).max(0.0) - (-signed.abs()).exp().ln_1p()
                };
                tested.iter().zip(tested_weights).map(|(example, weight)| weight * of(example)).sum::<f64>()
            });
            each.sum()
        };
        let tried = self.penalties.iter().map(|penalty| (*penalty, likelihood(*penalty)));
        tried.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(PENALTIES[0], |best| best.0)
    }

    fn take(&self, indexes: impl Iterator<Item = usize>) -> (Vec<Example>, Vec<f64>) {
        indexes.map(|index| (self.examples[index], self.weights[index])).unzip()
    }
}

/// Returns the penalty multiplied by the number of pairs.
fn scaled(penalty: f64, weights: &[f64]) -> f64 {
    penalty * weights.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use nddb::verdict::FeatureValues;

    use super::*;

    #[test]
    fn a_pair_is_predicted_by_pairs_that_touch_none_of_its_groups() {
        // In each group the first feature decides; in the last group it decides in the opposite direction.
        let example = |number: u32| {
            let group = number % 12;
            let mut values = [0.0; FEATURE_COUNT];
            values[0] = f64::from(number / 12 % 8) - 3.5;
            let is_near = (values[0] > 0.0) != (group == 11);
            Example {
                set: 0,
                groups: [group, group],
                is_near,
                is_identical: number == 5,
                features: FeatureValues::from_values(values),
            }
        };
        let examples: Vec<Example> = (0..192).map(example).collect();
        let even = vec![1.0; examples.len()];
        let used = std::array::from_fn(|index| index == 0);
        let task = Task { examples: &examples, weights: &even, used, penalties: &PENALTIES };
        let probabilities = task.cross_validated(1);
        assert_eq!(probabilities, task.cross_validated(3), "threads make no difference");
        assert_eq!(probabilities[5], 1.0, "identical");
        for (example, probability) in examples.iter().zip(&probabilities).filter(|(example, _)| !example.is_identical) {
            let is_right = (*probability > 0.5) == example.is_near;
            assert_eq!(is_right, example.groups[0] != 11, "{example:?} {probability}");
        }
        let (model, penalty) = task.fit();
        assert!(model.weights[0] > 0.5 && PENALTIES.contains(&penalty));
    }
}
