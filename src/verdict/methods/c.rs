//! At least 372 of 384 equal bits of the projections (Henzinger 2006, algorithm C).

use nddb_page::sketch::PROJECTION_BITS;

use crate::column::{Bound, Column};
use crate::method::{Candidates, Keys, Method};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::Verdict;

/// At least 372 of 384 equal bits of the projections (Henzinger 2006, algorithm C).
#[derive(Clone, Debug, PartialEq)]
pub struct C {
    /// Least C-similarity (Henzinger 2006, 2: 372).
    pub c: u32,
    /// Whether projections are cut into 13 pieces instead of 12, so that no pair with 12 different bits is missed.
    pub complete: bool,
}

impl Default for C {
    fn default() -> Self {
        Self { c: 372, complete: false }
    }
}

impl C {
    /// Returns the C-similarity, 0 to 384: the number of equal bits of the projections (Henzinger 2006, 2).
    pub fn similarity(pair: &DocumentPair<'_>) -> Option<u32> {
        pair.a.projection.zip(pair.b.projection).map(|(a, b)| c_similarity(&a, &b))
    }
}

/// Returns the number of equal bits of two projections, 0 to 384.
pub fn c_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    384 - a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
}

/// Returns a threshold of the C-similarity as a parameter.
pub(super) fn parameter<'a>(name: &'static str, help: &'static str, bits: &'a mut u32) -> Parameter<'a> {
    Parameter::count(name, help, bits, 0..=PROJECTION_BITS as u64).threshold()
}

/// Returns, as a parameter, whether projections are cut into 13 pieces.
pub(super) fn complete(at: &mut bool) -> Parameter<'_> {
    Parameter::flag("complete", "13 pieces of projections, not 12: finds every pair with 12 different bits", at)
}

/// Returns the C-similarity with a threshold.
pub(super) fn bound(pair: &DocumentPair<'_>, least: u32) -> Bound {
    Bound::at_least("c_sim", C::similarity(pair), least)
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::count("c_sim")];

impl Method for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn help(&self) -> &'static str {
        "372 of 384 bits of the projection"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { c, complete } = self;
        vec![parameter("c", "least number of equal bits of the projections", c), self::complete(complete)]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sharing(vec![Keys::Pieces { complete: self.complete, bits: self.c }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Projection]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::Projection]
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        Verdict::at_least(Self::similarity(pair), self.c, "c")
    }

    fn perfect(&self) -> u64 {
        PROJECTION_BITS as u64
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        out.push(bound(pair, self.c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::similar;

    #[test]
    fn projections_with_372_equal_bits_are_near() {
        for (c, expected) in [(371, false), (372, true), (384, true)] {
            let (one, other) = similar(0, c);
            let verdict = C::default().judge(&DocumentPair::new(&one, &other, None));
            assert_eq!((verdict.is_near(), verdict.score), (expected, c.into()));
        }
    }
}
