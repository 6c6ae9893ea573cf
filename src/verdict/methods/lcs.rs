//! Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).

use crate::column::{Bound, Column};
use crate::compare::lcs::{Comparer, Denominator, Likeness, Parameters, Prepared, Thresholds};
use crate::method::{Candidates, Method};
use crate::parameter::Parameter;
use crate::perhaps_similar::SetOptions;
use crate::text_comparer::{PreparedText, TextComparer, TextVerdict};
use crate::verdict::{Verdict, share};

/// Trustable longest common subsequence, in perhaps-similar sets (Huang et al. 2008).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lcs {
    /// Resemblance and containment, either of which a pair must exceed (Huang et al. 2008, 3: 0.28, 0.7).
    pub thresholds: Thresholds,
    /// Parameters of a comparison.
    pub comparison: Parameters,
    /// Parameters of perhaps-similar sets.
    pub sets: SetOptions,
}

/// The measures, as columns.
const COLUMNS: [Column; 2] = [Column::share("lcs"), Column::share("lcs_containment")];

impl Lcs {
    /// Returns the comparer of these parameters.
    pub fn comparer(&self) -> Comparer {
        Comparer::new(self.comparison, &self.thresholds)
    }

    /// Returns the verdict about a pair of texts with this similarity.
    pub fn judge_likeness(&self, likeness: &Likeness) -> TextVerdict {
        let Thresholds { resemblance, containment } = self.thresholds;
        let is_contained = likeness.containment.is_some_and(|value| value > containment);
        let rule = match (likeness.resemblance > resemblance, likeness.is_short()) {
            (true, true) => "lcs: resemblance, short",
            (true, false) => "lcs: resemblance",
            (false, _) => "lcs: containment",
        };
        let score = share(likeness.resemblance).max(share(likeness.containment.unwrap_or(0.0)));
        let reached = likeness.resemblance > resemblance || is_contained;
        let values = [Some(likeness.resemblance), likeness.containment];
        TextVerdict { verdict: Verdict::of(Some(reached), rule, score), bounds: self.limits(values).to_vec() }
    }

    /// Returns resemblance and containment with their thresholds, either of which must be exceeded.
    pub fn limits(&self, values: [Option<f64>; 2]) -> [Bound; 2] {
        let Thresholds { resemblance, containment } = self.thresholds;
        let [of_resemblance, of_containment] = values;
        [
            Bound::above(COLUMNS[0].name, of_resemblance, resemblance),
            Bound::above(COLUMNS[1].name, of_containment, containment),
        ]
    }
}

impl Method for Lcs {
    fn name(&self) -> &'static str {
        "lcs"
    }

    fn help(&self) -> &'static str {
        "trustable common subsequence"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { thresholds: Thresholds { resemblance, containment }, comparison, sets } = self;
        let Parameters { window, slope, blocks, rounds, min_text, denominator } = comparison;
        let few = 1..=1 << 16;
        let of_comparison = [
            Parameter::share("resemblance", "resemblance that a pair must exceed", resemblance).threshold(),
            Parameter::share("containment", "or containment that a pair must exceed", containment).threshold(),
            Parameter::count("window", "S: characters of a window", window, few.clone()),
            Parameter::share("slope", "greatest slope of a trustable region", slope),
            Parameter::count("blocks", "k: blocks of a text", blocks, few.clone()),
            Parameter::count("rounds", "searches for a region", rounds, few),
            Parameter::count(
                "min-text",
                "least characters of a text to which containment applies",
                min_text,
                0..=u64::MAX,
            ),
            Parameter::text("denominator", "denominator of the resemblance: lcs, ses, tlcs or dice", denominator),
        ];
        of_comparison.into_iter().chain(sets.parameters()).collect()
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sets(self.sets)
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn texts(&self) -> Option<Box<dyn TextComparer>> {
        Some(Box::new(ByLcs { method: self.clone(), comparer: self.comparer() }))
    }
}

/// Comparison by trustable longest common subsequence.
struct ByLcs {
    method: Lcs,
    comparer: Comparer,
}

impl TextComparer for ByLcs {
    fn prepare(&self, text: &str) -> PreparedText {
        let prepared = Prepared::new(text, self.comparer.parameters());
        let size = prepared.size();
        PreparedText::new(prepared, size)
    }

    fn judge(&mut self, a: &PreparedText, b: &PreparedText) -> TextVerdict {
        self.method.judge_likeness(&self.comparer.compare(a.get::<Prepared>(), b.get::<Prepared>()))
    }
}

/// Names of the denominators of the resemblance.
const DENOMINATORS: [(&str, Denominator); 4] =
    [("lcs", Denominator::Lcs), ("ses", Denominator::Ses), ("tlcs", Denominator::Tlcs), ("dice", Denominator::Dice)];

impl std::fmt::Display for Denominator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = DENOMINATORS.iter().find(|(_, known)| known == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl std::str::FromStr for Denominator {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = DENOMINATORS.iter().find(|(known, _)| *known == name);
        known.map(|(_, denominator)| *denominator).ok_or_else(|| format!("{name:?} is not lcs, ses, tlcs or dice"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Decision;

    /// The verdict computed from the measures of a comparison equals the verdict of the comparison.
    #[test]
    fn trustable_lcs_is_decided_by_either_number() {
        let method = Lcs::default();
        for (resemblance, containment, expected) in [
            (0.28, Some(0.7), Decision::Apart),
            (0.29, Some(0.0), Decision::Near("lcs: resemblance")),
            (0.29, None, Decision::Near("lcs: resemblance, short")),
            (0.0, Some(0.71), Decision::Near("lcs: containment")),
            (0.0, None, Decision::Apart),
        ] {
            let likeness = Likeness { resemblance, containment, trusted: 0, stopped: false };
            let TextVerdict { verdict, bounds } = method.judge_likeness(&likeness);
            assert_eq!(verdict.decision, expected);
            assert_eq!(likeness.exceeds(&method.thresholds), verdict.is_near());
            assert_eq!(bounds.iter().any(|bound| bound.holds() == Some(true)), verdict.is_near());
        }
    }

    #[test]
    fn denominators_are_read_and_written() {
        for (name, denominator) in DENOMINATORS {
            assert_eq!((name.parse(), denominator.to_string()), (Ok(denominator), name.to_owned()));
        }
        assert!("cosine".parse::<Denominator>().is_err());
    }
}
