//! Logistic regression with a penalty on the squares of the weights, by Newton's method.

use nddb_verdict::{Constants, FEATURE_COUNT, FEATURES, FeatureValues};

/// A labelled pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// Its set.
    pub set: u32,
    /// The groups of its documents; several sets may have the same group.
    pub groups: [u32; 2],
    /// Whether the two are near-duplicates.
    pub is_near: bool,
    /// Whether their texts are equal, which every method recognizes without a model.
    pub is_identical: bool,
    /// Their features.
    pub features: FeatureValues,
}

/// Number of unknowns: the constant and the weights.
const N: usize = FEATURE_COUNT + 1;
const STEPS_MAX: usize = 50;
/// Greatest change of a weight in a step, because a Newton step far from the optimum can be far too long.
const STEP_MAX: f64 = 4.0;
/// The search ends when a step changes all weights by less than this.
const STEP_MIN: f64 = 1e-7;

/// Fits the weights of the features that are `used`, except those whose weight is chosen. Features whose weight would
/// have the wrong sign are left out, one by one. The bounds by the whole texts are not part of the fit. The search
/// begins at the model `near`, which affects only its duration.
pub fn fit(
    examples: &[Example],
    weights: &[f64],
    penalty: f64,
    mut used: [bool; FEATURE_COUNT],
    near: Option<&Constants>,
) -> Constants {
    used.iter_mut().zip(&FEATURES).for_each(|(used, feature)| *used &= feature.chosen.is_none());
    let columns =
        |example: &Example| std::array::from_fn(|at| if at == 0 { 1.0 } else { example.features.values[at - 1] });
    let raw: Vec<[f64; N]> = examples.iter().map(columns).collect();
    let labels: Vec<bool> = examples.iter().map(|example| example.is_near).collect();
    let start = near
        .map_or([0.0; N], |near| std::array::from_fn(|at| if at == 0 { near.constant } else { near.weights[at - 1] }));
    loop {
        let columns = std::array::from_fn(|at| at == 0 || used[at - 1]);
        let found = Standardized::of(&raw, weights, columns).fit(&labels, weights, penalty, start);
        let wrong = |index: &usize| {
            let weight = found.scaled[*index + 1];
            if FEATURES[*index].speaks_for { weight } else { -weight }
        };
        let worst = (0..FEATURE_COUNT).filter(|index| wrong(index) < 0.0).min_by(|a, b| wrong(a).total_cmp(&wrong(b)));
        match worst {
            Some(index) => used[index] = false,
            None => {
                let [constant, mut weights @ ..] = found.plain;
                let chosen = FEATURES.map(|feature| feature.chosen);
                weights.iter_mut().zip(chosen).for_each(|(weight, chosen)| *weight = chosen.unwrap_or(*weight));
                return Constants { constant, weights };
            }
        }
    }
}

/// Rows whose first column is 1; the other columns have mean 0 and deviation 1, or are 0 if they are not used.
pub struct Standardized<const N: usize> {
    rows: Vec<[f64; N]>,
    middle: [f64; N],
    deviation: [f64; N],
}

/// The weights of the columns.
pub struct Fitted<const N: usize> {
    /// For the original columns.
    pub plain: [f64; N],
    /// For columns with deviation 1.
    scaled: [f64; N],
}

impl<const N: usize> Standardized<N> {
    /// Standardizes weighted rows; columns that are not `used` become 0.
    pub fn of(raw: &[[f64; N]], weights: &[f64], used: [bool; N]) -> Self {
        let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut middle = [0.0; N];
        for (row, weight) in raw.iter().zip(weights) {
            middle.iter_mut().zip(row).for_each(|(middle, value)| *middle += weight * value / total);
        }
        let mut variance = [0.0; N];
        for (row, weight) in raw.iter().zip(weights) {
            for at in 0..N {
                variance[at] += weight * (row[at] - middle[at]).powi(2) / total;
            }
        }
        let mut deviation: [f64; N] = std::array::from_fn(|at| match used[at] && variance[at] > 1e-12 {
            true => variance[at].sqrt(),
            false => f64::INFINITY,
        });
        (middle[0], deviation[0]) = (0.0, 1.0);
        let row = |row: &[f64; N]| std::array::from_fn(|at| (row[at] - middle[at]) / deviation[at]);
        Self { rows: raw.iter().map(row).collect(), middle, deviation }
    }

    /// Returns the weights that maximize the penalized likelihood of the labels. The search begins at `start`, in units
    /// of the original columns.
    pub fn fit(&self, labels: &[bool], weights: &[f64], penalty: f64, start: [f64; N]) -> Fitted<N> {
        let mut at = start;
        for column in 1..N {
            at[0] += start[column] * self.middle[column];
            at[column] = if self.deviation[column].is_finite() { start[column] * self.deviation[column] } else { 0.0 };
        }
        for _ in 0..STEPS_MAX {
            let step = self.step(&at, labels, weights, penalty);
            let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            let shorten = if longest > STEP_MAX { STEP_MAX / longest } else { 1.0 };
            at.iter_mut().zip(step).for_each(|(at, step)| *at += shorten * step);
            if longest < STEP_MIN {
                break;
            }
        }
        let mut plain: [f64; N] = std::array::from_fn(|column| at[column] / self.deviation[column]);
        plain[0] = at[0] - (1..N).map(|column| plain[column] * self.middle[column]).sum::<f64>();
        Fitted { plain, scaled: at }
    }

    /// Returns the Newton step at these weights.
    fn step(&self, at: &[f64; N], labels: &[bool], weights: &[f64], penalty: f64) -> [f64; N] {
        let (mut slope, mut curve) = ([0.0; N], [[0.0; N]; N]);
        for ((row, is_near), weight) in self.rows.iter().zip(labels).zip(weights) {
            let odds: f64 = at.iter().zip(row).map(|(weight, value)| weight * value).sum();
            let p = 1.0 / (1.0 + (-odds).exp());
            let error = weight * (f64::from(u8::from(*is_near)) - p);
            let spread = weight * (p * (1.0 - p)).max(1e-6);
            for i in 0..N {
                slope[i] += error * row[i];
                // The whole row is added, although half would do, because this compiles to vector operations.
                let part = spread * row[i];
                for j in 0..N {
                    curve[i][j] += part * row[j];
                }
            }
        }
        for i in 0..N {
            // The constant has only the tiny penalty that keeps the matrix regular.
            let penalty = if i == 0 { 1e-9 } else { penalty };
            slope[i] -= penalty * at[i];
            curve[i][i] += penalty;
        }
        solve(curve, slope)
    }
}

/// Solves linear equations by elimination with pivots; the matrix is positive definite.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = (column..N).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()));
        let pivot = pivot.unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..N {
            let factor = matrix[row][column] / matrix[column][column];
            let (above, below) = matrix.split_at_mut(row);
            for (value, over) in below[0].iter_mut().zip(&above[column]).skip(column) {
                *value -= factor * over;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs that are decided by the first two features, with known weights.
    fn examples() -> Vec<Example> {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..4000)
            .map(|number| {
                let mut values = [0.0; FEATURE_COUNT];
                (values[0], values[1], values[2]) = (random() * 4.0 - 2.0, random(), random());
                let odds = 1.0 + 2.0 * values[0] - 3.0 * values[1];
                let is_near = random() < 1.0 / (1.0 + (-odds).exp());
                Example {
                    set: 0,
                    groups: [number, number],
                    is_near,
                    is_identical: false,
                    features: FeatureValues::from_values(values),
                }
            })
            .collect()
    }

    #[test]
    fn known_weights_are_found_again() {
        let examples = examples();
        let model = fit(&examples, &vec![1.0; examples.len()], 1e-6, [true; FEATURE_COUNT], None);
        for (found, expected) in [(model.constant, 1.0), (model.weights[0], 2.0), (model.weights[1], -3.0)] {
            assert!((found - expected).abs() < 0.35, "{model:?}");
        }
        assert!(model.weights[2] <= 0.0 && model.weights[2] > -0.4, "{model:?}");
        assert_eq!(model.weights[3..], [0.0, 0.0, -4.0], "features that never vary, and the chosen weight");
    }

    #[test]
    fn where_the_search_begins_makes_no_difference() {
        let examples = examples();
        let weights: Vec<f64> = (0..examples.len()).map(|number| 0.5 + (number % 7) as f64).collect();
        let from = |near: Option<&Constants>| fit(&examples, &weights, 10.0, [true; FEATURE_COUNT], near);
        let found = from(None);
        for near in [found, Constants { constant: -3.0, weights: [0.5, -9.0, -1.0, -2.0, -3.0, -4.0] }] {
            let again = from(Some(&near));
            let differ = |a: f64, b: f64| (a - b).abs() > 1e-6;
            assert!(!differ(found.constant, again.constant), "{found:?} {again:?}");
            assert!(!found.weights.iter().zip(again.weights).any(|(a, b)| differ(*a, b)), "{found:?} {again:?}");
        }
    }

    #[test]
    fn a_weight_of_the_wrong_sign_is_left_out_and_a_penalty_makes_weights_small() {
        let mut examples = examples();
        // Now the second feature is evidence in the wrong direction.
        examples.iter_mut().for_each(|example| example.features.values[1] = 1.0 - example.features.values[1]);
        let even = vec![1.0; examples.len()];
        let model = fit(&examples, &even, 1e-6, [true; FEATURE_COUNT], None);
        assert!(model.weights[1] == 0.0 && model.weights[0] > 1.0, "{model:?}");
        let small = fit(&examples, &even, 1e4, [true; FEATURE_COUNT], None);
        assert!(small.weights[0] < 0.3 * model.weights[0] && small.weights[0] > 0.0, "{small:?}");
        let without = fit(&examples, &even, 1e-6, std::array::from_fn(|index| index != 0), None);
        assert_eq!(without.weights[0], 0.0);
    }
}
