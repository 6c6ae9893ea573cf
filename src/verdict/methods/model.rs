//! The default verdict: a probability from the features of two profiles.

use crate::column::{Bound, Column, Limit, Value};
use crate::features::{FEATURES, FeatureValues};
use crate::logistic::{Constants, log_odds};
use crate::method::{Candidates, Keys, Method, Piece};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::{Verdict, share};

/// Probability from the features of two profiles, for pairs that share a band of content or whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Least probability (0.5).
    pub probability: f64,
    /// Constant and weights of the log-odds.
    pub constants: Constants,
}

impl Default for Model {
    fn default() -> Self {
        Self { probability: 0.5, constants: Constants::MAIN }
    }
}

impl Model {
    /// Returns the features of a pair; `None` if either document has no profile.
    pub fn features(pair: &DocumentPair<'_>) -> Option<FeatureValues> {
        pair.computed_features().or_else(|| pair.evidence_of_texts().map(|texts| pair.features_of(texts)))
    }

    /// Returns the probability that the two documents of a pair are near-duplicates: 1 for equal token sequences;
    /// `None` if either document has no profile.
    pub fn probability_of(&self, pair: &DocumentPair<'_>) -> Option<f64> {
        if pair.identical() {
            return Some(1.0);
        }
        Self::features(pair).map(|features| self.constants.probability(&features))
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::share("probability")];

impl Method for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn help(&self) -> &'static str {
        "probability from the evidence of content, whole text, titles, headings and numbers"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { probability, constants: Constants { constant, weights } } = self;
        let probability = Parameter::share("probability", "least probability", probability).threshold();
        let constant = Parameter::number("constant", "log-odds before any evidence", constant);
        let weights = FEATURES.iter().zip(weights);
        let weights = weights.map(|(of, weight)| Parameter::number(of.name, "weight of this evidence", weight));
        [probability, constant].into_iter().chain(weights).collect()
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sharing(vec![Keys::Bands { agreement: 0 }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Profile]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::MinValues, Sketch::Profile]
    }

    /// Names are not compared if the texts alone rule out near-duplicates, as for many candidates.
    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        let Some(texts) = pair.evidence_of_texts() else { return Verdict::UNKNOWN };
        if !self.constants.may_reach(&texts, log_odds(self.probability)) {
            return Verdict::of(Some(false), "model", 0);
        }
        let probability = self.constants.probability(&pair.features_of(texts));
        Verdict::of(Some(probability >= self.probability), "model", share(probability))
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        let value = self.probability_of(pair).map(Value::Share);
        out.push(Bound { name: "probability", value, limit: Limit::AtLeast(Value::Share(self.probability)) });
    }

    /// The probability is 1 / (1 + exp(-sum)) of the contributions of all pieces.
    fn explain(&self, pair: &DocumentPair<'_>) -> Vec<Piece> {
        let Some(features) = Self::features(pair) else { return Vec::new() };
        let says = "before any evidence".to_owned();
        let mut pieces = vec![Piece { name: "constant", says, value: None, adds: self.constants.constant }];
        let parts = FEATURES.iter().zip(features.values).zip(self.constants.parts(&features));
        pieces.extend(parts.map(|((of, value), adds)| Piece {
            name: of.name,
            says: of.describe(value),
            value: Some(value),
            adds,
        }));
        let sum: f64 = pieces.iter().map(|piece| piece.adds).sum();
        let says = format!("{:.0}% of the word sequences of both whole pages are common", 100.0 * features.whole);
        let adds = self.constants.log_odds(&features) - sum;
        pieces.push(Piece { name: "whole", says, value: Some(features.whole), adds });
        pieces
    }
}
