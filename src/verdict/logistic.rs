//! The model of the default verdict: a logistic regression over the [`Traits`] of a pair of profiles.
//!
//! The log-odds that two pages are near-duplicates are a constant plus, for each trait of the pair, its value times its
//! weight. The weights are fitted by maximum likelihood on pairs labelled by people, with a penalty on the squares of
//! the weights (`nddb-lab fit`), and belong to one version of the recipe.

use crate::traits::{NAMES, REST_WEIGHT, SIBLINGS, TRAITS, Traits};

/// Constants of a model: the intercept and the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Intercept, in log-odds.
    pub constant: f64,
    /// Weight of each trait.
    pub weights: [f64; TRAITS],
}

/// Returns the log-odds of a probability.
pub(crate) fn log_odds(probability: f64) -> f64 {
    let probability = probability.max(0.0);
    (probability / (1.0 - probability)).ln()
}

impl Constants {
    /// Constants fitted for the recipe `main/1`, as `benches/fit.sh` prints them.
    pub const MAIN: Constants = Constants { constant: 0.37, weights: [1.2, -2.92, -1.95, -4.78, -6.98, REST_WEIGHT] };

    /// Returns the contribution of each trait to the log-odds.
    pub fn parts(&self, traits: &Traits) -> [f64; TRAITS] {
        std::array::from_fn(|index| self.weights[index] * traits.values[index])
    }

    /// Returns the log-odds that the two documents of a pair are near-duplicates.
    pub fn log_odds(&self, traits: &Traits) -> f64 {
        self.constant + self.parts(traits).iter().sum::<f64>()
    }

    /// Returns whether a pair whose contents have these traits may reach these log-odds, whatever the names of the
    /// pages. Names can only lower the log-odds, so if the contents alone are too far apart, names need not be
    /// compared.
    pub(crate) fn may_reach(&self, contents: &Traits, log_odds: f64) -> bool {
        // Tolerances for rounding: of sums, and of probabilities so near to 1 that they are rounded to 1.
        const NEARLY_NOTHING: f64 = 1e-6;
        const CERTAIN: f64 = 15.0;
        let can_help = self.weights[SIBLINGS] > 0.0 || self.weights[NAMES] > 0.0;
        can_help || self.log_odds(contents) + NEARLY_NOTHING >= log_odds.min(CERTAIN)
    }

    /// Returns the probability that the two documents of a pair are near-duplicates, 0 to 1.
    pub fn probability(&self, traits: &Traits) -> f64 {
        1.0 / (1.0 + (-self.log_odds(traits)).exp())
    }
}
