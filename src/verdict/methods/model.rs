//! The default verdict: a probability from the traits of two profiles.

use crate::logistic::{Constants, log_odds};
use crate::measure::{Bound, Column, Limit, Value};
use crate::method::{Candidates, Keys, Method, Piece};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::traits::{ALL_TRAITS, Traits, told};
use crate::verdict::{Verdict, share};

/// Probability from the traits of two profiles, for pairs that share a band of short shingles.
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
    /// Returns the traits of a pair; `None` if either document has no profile.
    pub fn traits(pair: &DocumentPair<'_>) -> Option<Traits> {
        let (a, b, agreement) = pair.profiles()?;
        Some(pair.named(Traits::of_contents(a, b, agreement), a, b))
    }

    /// Returns the probability that the two documents of a pair are near-duplicates: 1 for equal token sequences;
    /// `None` if either document has no profile.
    pub fn probability_of(&self, pair: &DocumentPair<'_>) -> Option<f64> {
        if pair.identical() {
            return Some(1.0);
        }
        Self::traits(pair).map(|traits| self.constants.probability(&traits))
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::share("probability")];

impl Method for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn help(&self) -> &'static str {
        "probability from the evidence of content, titles, headings and numbers"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { probability, constants: Constants { constant, weights } } = self;
        let probability = Parameter::share("probability", "least probability", probability).threshold();
        let constant = Parameter::number("constant", "log-odds before any evidence", constant);
        let weights = ALL_TRAITS.iter().zip(weights);
        let weights =
            weights.map(|(of, weight)| Parameter::number(of.name, "weight of this piece of evidence", weight));
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

    /// Names are not compared if the contents alone rule out near-duplicates, as for many candidates.
    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        let Some((a, b, agreement)) = pair.profiles() else { return Verdict::UNKNOWN };
        let contents = Traits::of_contents(a, b, agreement);
        if !self.constants.may_reach(&contents, log_odds(self.probability)) {
            return Verdict::of(Some(false), "model", 0);
        }
        let probability = self.constants.probability(&pair.named(contents, a, b));
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
        let Some(traits) = Self::traits(pair) else { return Vec::new() };
        let says = "before any evidence".to_owned();
        let first = Piece { name: "constant", says, value: None, adds: self.constants.constant };
        let parts = self.constants.parts(&traits).into_iter().enumerate().map(|(index, adds)| {
            let value = traits.values[index];
            Piece { name: ALL_TRAITS[index].name, says: told(index, value), value: Some(value), adds }
        });
        std::iter::once(first).chain(parts).collect()
    }
}
