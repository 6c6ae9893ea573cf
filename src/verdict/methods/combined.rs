//! Candidates of B whose projections agree in at least 355 bits (Henzinger 2006, 4).

use nddb_page::sketch::PROJECTION_BITS;

use super::b::{self, B};
use super::c::{self, C};
use crate::column::Bound;
use crate::method::{Candidates, Keys, Method, OutOfReach};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::{Decision, Verdict};

/// Candidate pairs of B whose projections agree in at least 355 of 384 bits (Henzinger 2006, 4).
#[derive(Clone, Debug, PartialEq)]
pub struct Combined {
    /// Least B-similarity (Henzinger 2006, 2: 2).
    pub b: u32,
    /// Least C-similarity of B-similar pairs (Henzinger 2006, 4: 355).
    pub c: u32,
}

impl Default for Combined {
    fn default() -> Self {
        Self { b: B::default().b, c: 355 }
    }
}

impl Combined {
    /// Returns the verdict of this rule, under a name.
    pub(super) fn judge_as(&self, pair: &DocumentPair<'_>, rule: &'static str) -> Verdict {
        let of_c = Verdict::at_least(C::similarity(pair), self.c, rule);
        match Verdict::at_least(B::similarity(pair), self.b, rule).decision {
            Decision::Near(_) => of_c,
            decision => Verdict { decision, ..of_c },
        }
    }
}

impl Method for Combined {
    fn name(&self) -> &'static str {
        "combined"
    }

    fn help(&self) -> &'static str {
        "b, and 355 equal bits of the projection"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { b, c } = self;
        vec![b::parameter(b), c::parameter("c", "least number of equal bits of the projections", c)]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sharing(vec![Keys::Megashingles { supershingles: self.b, bits: self.c }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles, Sketch::Projection]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles, Sketch::Projection]
    }

    fn check(&self, _: u32) -> Result<(), OutOfReach> {
        b::check(self.b)
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        self.judge_as(pair, "combined")
    }

    fn perfect(&self) -> u64 {
        PROJECTION_BITS as u64
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        out.extend([b::bound(pair, self.b), c::bound(pair, self.c)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::similar;

    #[test]
    fn both_similarities_decide() {
        for (b, c, expected) in [(2, 354, false), (2, 355, true), (1, 384, false)] {
            let (one, other) = similar(b, c);
            let verdict = Combined::default().judge(&DocumentPair::new(&one, &other, None));
            assert_eq!((verdict.is_near(), verdict.score), (expected, c.into()), "{b} {c}");
        }
    }
}
