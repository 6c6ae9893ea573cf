//! Cross-validation over groups.

use std::collections::BTreeMap;

use nddb::detect::{Model, TRAITS, Traits};

use super::logistic::{self, Example};

/// Penalties that are chosen from: that of a weight of 1 on a trait of deviation 1, for each pair, in the units of the
/// log-likelihood.
pub const PENALTIES: [f64; 3] = [0.0002, 0.001, 0.005];

/// Parts that groups are put in where a penalty is chosen.
const FOLDS: u32 = 5;

/// Returns the model of all examples that the traits `used` give, and its penalty: of the given ones the one whose
/// predictions of pairs of other groups are the likeliest.
pub fn fit(examples: &[Example], weights: &[f64], used: [bool; TRAITS], penalties: &[f64]) -> (Model, f64) {
    let kept: Vec<usize> = (0..examples.len()).filter(|index| !examples[*index].is_identical).collect();
    fit_some(examples, weights, &kept, used, penalties)
}

/// Returns the probability of each example by a model of those that touch neither of its groups; 1 of identical ones.
pub fn cross_validated(examples: &[Example], weights: &[f64], used: [bool; TRAITS], penalties: &[f64]) -> Vec<f64> {
    let mut by_groups: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (index, example) in examples.iter().enumerate() {
        let [a, b] = example.groups;
        by_groups.entry([a.min(b), a.max(b)]).or_default().push(index);
    }
    let mut probabilities = vec![1.0; examples.len()];
    for (groups, indexes) in by_groups {
        if indexes.iter().all(|index| examples[*index].is_identical) {
            continue;
        }
        let touches = |example: &Example| example.groups.iter().any(|group| groups.contains(group));
        let kept = (0..examples.len()).filter(|index| !examples[*index].is_identical && !touches(&examples[*index]));
        let (model, _) = fit_some(examples, weights, &kept.collect::<Vec<_>>(), used, penalties);
        for index in indexes.into_iter().filter(|index| !examples[*index].is_identical) {
            probabilities[index] = model.probability(&Traits { values: examples[index].traits });
        }
    }
    probabilities
}

fn fit_some(
    examples: &[Example],
    weights: &[f64],
    kept: &[usize],
    used: [bool; TRAITS],
    penalties: &[f64],
) -> (Model, f64) {
    let take = |indexes: &mut dyn Iterator<Item = usize>| -> (Vec<Example>, Vec<f64>) {
        indexes.map(|index| (examples[index], weights[index])).unzip()
    };
    let folds: Vec<_> = (0..FOLDS)
        .map(|fold| {
            let is_out = |index: &usize| examples[*index].groups.iter().any(|group| group % FOLDS == fold);
            let trained = take(&mut kept.iter().copied().filter(|index| !is_out(index)));
            // A pair of groups of two parts is predicted once.
            let first = |index: &usize| examples[*index].groups.iter().map(|group| group % FOLDS).min();
            (trained, take(&mut kept.iter().copied().filter(|index| first(index) == Some(fold))))
        })
        .collect();
    let likelihood = |penalty: f64| -> f64 {
        let each = folds.iter().map(|((trained, trained_weights), (tested, tested_weights))| {
            let model = logistic::fit(trained, trained_weights, scaled(penalty, trained_weights), used);
            let of = |example: &Example| {
                let odds = model.log_odds(&Traits { values: example.traits });
                let signed = if example.is_near { odds } else { -odds };
                // ln(1 / (1 + exp(-x))), without overflow.
                -(-signed).max(0.0) - (-signed.abs()).exp().ln_1p()
            };
            tested.iter().zip(tested_weights).map(|(example, weight)| weight * of(example)).sum::<f64>()
        });
        each.sum()
    };
    let penalty = match penalties {
        [only] => *only,
        _ => {
            let tried = penalties.iter().map(|penalty| (*penalty, likelihood(*penalty)));
            tried.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(PENALTIES[0], |best| best.0)
        }
    };
    let (kept, kept_weights) = take(&mut kept.iter().copied());
    (logistic::fit(&kept, &kept_weights, scaled(penalty, &kept_weights), used), penalty)
}

/// Returns the penalty of as many pairs.
fn scaled(penalty: f64, weights: &[f64]) -> f64 {
    penalty * weights.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_predicted_by_pairs_that_touch_none_of_its_groups() {
        // In each group the first trait decides, but in the last one the other way round.
        let example = |number: u32| {
            let group = number % 12;
            let mut traits = [0.0; TRAITS];
            traits[0] = f64::from(number / 12 % 8) - 3.5;
            let is_near = (traits[0] > 0.0) != (group == 11);
            Example { set: 0, groups: [group, group], is_near, is_identical: number == 5, traits }
        };
        let examples: Vec<Example> = (0..192).map(example).collect();
        let even = vec![1.0; examples.len()];
        let used = std::array::from_fn(|index| index == 0);
        let probabilities = cross_validated(&examples, &even, used, &PENALTIES);
        assert_eq!(probabilities[5], 1.0, "identical");
        for (example, probability) in examples.iter().zip(&probabilities).filter(|(example, _)| !example.is_identical) {
            let is_right = (*probability > 0.5) == example.is_near;
            assert_eq!(is_right, example.groups[0] != 11, "{example:?} {probability}");
        }
        let (model, penalty) = fit(&examples, &even, used, &PENALTIES);
        assert!(model.weights[0] > 0.5 && PENALTIES.contains(&penalty));
    }
}
