//! Logistic regression with a penalty on the squares of the weights, by Newton's method.

use nddb::detect::{Model, TRAITS};

/// A labelled pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// Its set.
    pub set: u32,
    /// The groups of its documents; sets may have groups in common.
    pub groups: [u32; 2],
    /// The two are near-duplicates.
    pub is_near: bool,
    /// They have one text, which every method knows without a model.
    pub is_identical: bool,
    /// The values of the traits.
    pub traits: [f64; TRAITS],
}

/// What each trait can say: 1 only that two pages are near-duplicates, -1 only that they are not, 0 either.
pub const DIRECTIONS: [i8; TRAITS] = [1, -1, -1, -1, -1];

/// Unknowns: the constant and the weights.
const N: usize = TRAITS + 1;
const STEPS_MAX: usize = 50;
/// Greatest change of a weight in a step: far from the optimum a Newton step can be far too long.
const STEP_MAX: f64 = 4.0;

/// Fits the traits that are `used`, those whose weight would have the wrong sign left out one by one.
pub(super) fn fit(examples: &[Example], weights: &[f64], penalty: f64, mut used: [bool; TRAITS]) -> Model {
    loop {
        let model = fit_all(examples, weights, penalty, used);
        let wrong = |index: &usize| f64::from(DIRECTIONS[*index]) * model.scaled[*index];
        let worst = (0..TRAITS).filter(|index| wrong(index) < 0.0).min_by(|a, b| wrong(a).total_cmp(&wrong(b)));
        match worst {
            Some(index) => used[index] = false,
            None => return model.model,
        }
    }
}

struct Fitted {
    model: Model,
    /// The weights of traits of deviation 1.
    scaled: [f64; TRAITS],
}

fn fit_all(examples: &[Example], weights: &[f64], penalty: f64, used: [bool; TRAITS]) -> Fitted {
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mean = |of: &dyn Fn(&Example) -> f64| {
        examples.iter().zip(weights).map(|(example, weight)| weight * of(example)).sum::<f64>() / total
    };
    let middle: [f64; TRAITS] = std::array::from_fn(|index| mean(&|example| example.traits[index]));
    let deviation: [f64; TRAITS] = std::array::from_fn(|index| {
        let variance = mean(&|example| (example.traits[index] - middle[index]).powi(2));
        if used[index] && variance > 1e-12 { variance.sqrt() } else { f64::INFINITY }
    });
    let row = |example: &Example| -> [f64; N] {
        std::array::from_fn(|at| match at {
            0 => 1.0,
            _ => (example.traits[at - 1] - middle[at - 1]) / deviation[at - 1],
        })
    };
    let rows: Vec<[f64; N]> = examples.iter().map(row).collect();
    let mut at = [0.0; N];
    for _ in 0..STEPS_MAX {
        let (mut slope, mut curve) = ([0.0; N], [[0.0; N]; N]);
        for ((row, example), weight) in rows.iter().zip(examples).zip(weights) {
            let p = 1.0 / (1.0 + (-dot(&at, row)).exp());
            let (error, spread) = (f64::from(u8::from(example.is_near)) - p, (p * (1.0 - p)).max(1e-6));
            for i in 0..N {
                slope[i] += weight * error * row[i];
                for j in 0..=i {
                    curve[i][j] += weight * spread * row[i] * row[j];
                }
            }
        }
        for i in 0..N {
            // The constant has no penalty but for what keeps the matrix regular.
            let penalty = if i == 0 { 1e-9 } else { penalty };
            slope[i] -= penalty * at[i];
            curve[i][i] += penalty;
        }
        // Only the lower half was summed.
        for (i, j) in (0..N).flat_map(|i| (0..i).map(move |j| (i, j))) {
            curve[j][i] = curve[i][j];
        }
        let step = solve(curve, slope);
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let shorten = if longest > STEP_MAX { STEP_MAX / longest } else { 1.0 };
        at.iter_mut().zip(step).for_each(|(at, step)| *at += shorten * step);
        if longest < 1e-7 {
            break;
        }
    }
    let scaled: [f64; TRAITS] = std::array::from_fn(|index| if used[index] { at[index + 1] } else { 0.0 });
    let weights: [f64; TRAITS] = std::array::from_fn(|index| scaled[index] / deviation[index]);
    let constant = at[0] - weights.iter().zip(middle).map(|(weight, middle)| weight * middle).sum::<f64>();
    Fitted { model: Model { constant, weights }, scaled }
}

fn dot(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves linear equations by elimination with pivots; the matrix is positive definite.
fn solve(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
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

    /// Pairs of which the first two traits decide, by known weights.
    fn examples() -> Vec<Example> {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..4000)
            .map(|number| {
                let mut traits = [0.0; TRAITS];
                (traits[0], traits[1], traits[2]) = (random() * 4.0 - 2.0, random(), random());
                let odds = 1.0 + 2.0 * traits[0] - 3.0 * traits[1];
                let is_near = random() < 1.0 / (1.0 + (-odds).exp());
                Example { set: 0, groups: [number, number], is_near, is_identical: false, traits }
            })
            .collect()
    }

    #[test]
    fn known_weights_are_found_again() {
        let examples = examples();
        let model = fit(&examples, &vec![1.0; examples.len()], 1e-6, [true; TRAITS]);
        for (found, expected) in [(model.constant, 1.0), (model.weights[0], 2.0), (model.weights[1], -3.0)] {
            assert!((found - expected).abs() < 0.35, "{model:?}");
        }
        assert!(model.weights[2] <= 0.0 && model.weights[2] > -0.4, "{model:?}");
        assert_eq!(model.weights[3..], [0.0; TRAITS - 3]);
    }

    #[test]
    fn a_weight_of_the_wrong_sign_is_left_out_and_a_penalty_makes_weights_small() {
        let mut examples = examples();
        // Now what the second trait says is the opposite of what it can.
        examples.iter_mut().for_each(|example| example.traits[1] = 1.0 - example.traits[1]);
        let even = vec![1.0; examples.len()];
        let model = fit(&examples, &even, 1e-6, [true; TRAITS]);
        assert!(model.weights[1] == 0.0 && model.weights[0] > 1.0, "{model:?}");
        let small = fit(&examples, &even, 1e4, [true; TRAITS]);
        assert!(small.weights[0] < 0.3 * model.weights[0] && small.weights[0] > 0.0, "{small:?}");
        let without = fit(&examples, &even, 1e-6, std::array::from_fn(|index| index != 0));
        assert_eq!(without.weights[0], 0.0);
    }
}
