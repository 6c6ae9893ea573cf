//! At least two equal supershingles (Henzinger 2006, algorithm B).

use nddb_page::sketch::SUPERSHINGLES;

use crate::column::{Bound, Column};
use crate::method::{Candidates, Keys, Method, OutOfReach};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::Verdict;

/// Least valid threshold: every candidate pair shares a megashingle, that is two equal supershingles.
const B_MIN: u32 = 2;

/// At least two equal supershingles (Henzinger 2006, algorithm B).
#[derive(Clone, Debug, PartialEq)]
pub struct B {
    /// Least B-similarity (Henzinger 2006, 2: 2).
    pub b: u32,
}

impl Default for B {
    fn default() -> Self {
        Self { b: B_MIN }
    }
}

impl B {
    /// Returns the B-similarity, 0 to 6: the number of equal supershingles at equal indexes (Henzinger 2006, 2).
    pub fn similarity(pair: &DocumentPair<'_>) -> Option<u32> {
        pair.a.supershingles.zip(pair.b.supershingles).map(|(a, b)| b_similarity(&a, &b))
    }
}

/// Returns the number of equal supershingles at equal indexes, 0 to 6.
pub fn b_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as u32
}

/// Returns the threshold of the B-similarity as a parameter.
pub(super) fn parameter(b: &mut u32) -> Parameter<'_> {
    Parameter::count("b", "least number of equal supershingles", b, B_MIN.into()..=SUPERSHINGLES as u64).threshold()
}

/// Rejects a threshold of the B-similarity below the least that candidate pairs cover.
pub(super) fn check(b: u32) -> Result<(), OutOfReach> {
    if b < B_MIN {
        let what = "the least B-similarity (at least 2 are shared by every candidate)";
        return Err(OutOfReach { what, requested: b.into(), limit: B_MIN.into() });
    }
    Ok(())
}

/// Returns the B-similarity with a threshold.
pub(super) fn bound(pair: &DocumentPair<'_>, least: u32) -> Bound {
    Bound::at_least("b_sim", B::similarity(pair), least)
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::count("b_sim")];

impl Method for B {
    fn name(&self) -> &'static str {
        "b"
    }

    fn help(&self) -> &'static str {
        "two of six supershingles"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![parameter(&mut self.b)]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sharing(vec![Keys::Megashingles { supershingles: self.b, bits: 0 }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles]
    }

    fn check(&self, _: u32) -> Result<(), OutOfReach> {
        check(self.b)
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        Verdict::at_least(Self::similarity(pair), self.b, "b")
    }

    fn perfect(&self) -> u64 {
        SUPERSHINGLES as u64
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        out.push(bound(pair, self.b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::similar;

    #[test]
    fn two_equal_supershingles_are_near() {
        for b in 0..=6 {
            let (one, other) = similar(b, 0);
            let pair = DocumentPair::new(&one, &other, None);
            let verdict = B::default().judge(&pair);
            assert_eq!((verdict.is_near(), verdict.score), (b >= 2, b.into()));
            assert_eq!(B { b: 5 }.judge(&pair).is_near(), b >= 5);
        }
        assert!(B { b: 1 }.check(3).is_err() && B::default().check(3).is_ok());
    }
}
