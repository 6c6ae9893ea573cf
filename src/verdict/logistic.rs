//! The model of the default verdict: a logistic regression over the [features](crate::FEATURES) of a pair of profiles,
//! bounded by the resemblance of the whole texts.
//!
//! Each feature adds its value times its weight to the log-odds that two pages are near-duplicates. The features of the
//! texts and a constant are one sum, which is at least what the whole texts alone are worth. Names and numbers are the
//! other sum, which lowers the log-odds by at most a bound that depends on how equal the whole texts are. The weights
//! are fitted by maximum likelihood on pairs labelled by people, with a penalty on the squares of the weights
//! (`nddb-lab fit`), and belong to one version of the recipe.

use crate::evidence::Evidence;
use crate::features::{FEATURE_COUNT, FEATURES, FeatureValues};

/// Constants of a model: the intercept and the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Intercept, in log-odds.
    pub constant: f64,
    /// Weight of each feature.
    pub weights: [f64; FEATURE_COUNT],
}

/// Returns the log-odds of a probability.
pub(crate) fn log_odds(probability: f64) -> f64 {
    let probability = probability.max(0.0);
    (probability / (1.0 - probability)).ln()
}

impl Constants {
    /// Constants fitted for the recipe `main/1`, as `benches/fit.sh` prints them.
    pub const MAIN: Constants = Constants { constant: 0.37, weights: [1.2, -2.92, -1.95, -4.78, -6.98, -4.0] };

    /// Returns the contribution of each feature to the log-odds.
    pub fn parts(&self, features: &FeatureValues) -> [f64; FEATURE_COUNT] {
        std::array::from_fn(|index| self.weights[index] * features.values[index])
    }

    /// Returns the log-odds that the two documents of a pair are near-duplicates.
    pub fn log_odds(&self, features: &FeatureValues) -> f64 {
        let parts = self.parts(features);
        let sum = |is_bounded: bool| -> f64 {
            FEATURES.iter().zip(parts).filter(|(of, _)| of.is_bounded == is_bounded).map(|(_, part)| part).sum()
        };
        (self.constant + sum(false)).max(features.of_whole) + sum(true).max(-features.bound)
    }

    /// Returns whether a pair with this evidence may reach these log-odds, whatever the names of the pages, which are
    /// not compared yet. Names can only lower the log-odds, so if the texts alone are too far apart, names need not be
    /// compared.
    pub(crate) fn may_reach(&self, texts: &Evidence<'_>, log_odds: f64) -> bool {
        // Tolerances for rounding: of sums, and of probabilities so near to 1 that they are rounded to 1.
        const NEARLY_NOTHING: f64 = 1e-6;
        const CERTAIN: f64 = 15.0;
        let can_help = FEATURES.iter().zip(self.weights).any(|(of, weight)| of.is_bounded && weight > 0.0);
        can_help || self.log_odds(&FeatureValues::of_evidence(texts)) + NEARLY_NOTHING >= log_odds.min(CERTAIN)
    }

    /// Returns the probability that the two documents of a pair are near-duplicates, 0 to 1.
    pub fn probability(&self, features: &FeatureValues) -> f64 {
        1.0 / (1.0 + (-self.log_odds(features)).exp())
    }
}
