//! Cosine of term frequencies, in perhaps-similar sets (the baseline of Huang et al. 2008, 4).

use crate::column::{Bound, Column};
use crate::compare::Frequencies;
use crate::method::{Candidates, Method};
use crate::parameter::Parameter;
use crate::perhaps_similar::SetOptions;
use crate::text_comparer::{PreparedText, TextComparer, TextVerdict};
use crate::verdict::{Verdict, share};

/// Cosine of term frequencies, in perhaps-similar sets (the baseline of Huang et al. 2008, 4).
#[derive(Clone, Debug, PartialEq)]
pub struct Cosine {
    /// Cosine that a pair must exceed (Huang et al. 2008, 4: 0.95).
    pub cosine: f64,
    /// Parameters of perhaps-similar sets.
    pub sets: SetOptions,
}

impl Default for Cosine {
    fn default() -> Self {
        Self { cosine: 0.95, sets: SetOptions::default() }
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::share("cosine")];

impl Method for Cosine {
    fn name(&self) -> &'static str {
        "cosine"
    }

    fn help(&self) -> &'static str {
        "of term frequencies"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { cosine, sets } = self;
        let cosine = Parameter::share("cosine", "cosine that must be exceeded", cosine).threshold();
        std::iter::once(cosine).chain(sets.parameters()).collect()
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sets(self.sets)
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn texts(&self) -> Option<Box<dyn TextComparer>> {
        Some(Box::new(ByCosine { least: self.cosine }))
    }
}

/// Comparison by the cosine of term frequencies.
struct ByCosine {
    least: f64,
}

impl TextComparer for ByCosine {
    fn prepare(&self, text: &str) -> PreparedText {
        let frequencies = Frequencies::of_text(text);
        let size = frequencies.size();
        PreparedText::new(frequencies, size)
    }

    fn judge(&mut self, a: &PreparedText, b: &PreparedText) -> TextVerdict {
        let cosine = a.get::<Frequencies>().cosine(b.get());
        let verdict = Verdict::of(Some(cosine > self.least), "cosine", share(cosine));
        TextVerdict { verdict, bounds: vec![Bound::above("cosine", Some(cosine), self.least)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_above_the_threshold_is_near() {
        let near = |cosine: f64, other: &str| {
            let mut texts = Cosine { cosine, ..Cosine::default() }.texts().expect("it compares texts");
            let (a, b) = (texts.prepare("one two three four"), texts.prepare(other));
            texts.judge(&a, &b).verdict.is_near()
        };
        assert!(near(0.95, "four three two one") && !near(0.95, "one two three"));
        assert!(near(0.74, "one two three other") && !near(0.75, "one two three other"));
    }
}
