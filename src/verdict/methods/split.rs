//! C for pairs on different sites, combined for pairs on the same site (Henzinger 2006, 4).

use nddb_page::sketch::PROJECTION_BITS;

use super::b;
use super::c::{self, C};
use super::combined::Combined;
use crate::column::Bound;
use crate::method::{Besides, Candidates, Keys, Method, OutOfReach};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::Verdict;

/// C for pairs on different sites, combined for pairs on the same site (Henzinger 2006, 4).
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Least B-similarity of a pair on the same site (Henzinger 2006, 2: 2).
    pub b: u32,
    /// Least C-similarity of a pair on different sites (Henzinger 2006, 2: 372).
    pub c: u32,
    /// Least C-similarity of a B-similar pair on the same site (Henzinger 2006, 4: 355).
    pub same: u32,
    /// Whether projections are cut into 13 pieces instead of 12, so that no pair with 12 different bits is missed.
    pub complete: bool,
}

impl Default for Split {
    fn default() -> Self {
        let Combined { b, c: same } = Combined::default();
        Self { b, c: C::default().c, same, complete: false }
    }
}

impl Split {
    fn within_a_site(&self) -> Combined {
        Combined { b: self.b, c: self.same }
    }
}

impl Method for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn help(&self) -> &'static str {
        "c between sites, combined within a site"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { b, c, same, complete } = self;
        vec![
            b::parameter(b),
            c::parameter("c", "least number of equal bits between sites", c),
            c::parameter("same", "least number of equal bits within a site", same),
            c::complete(complete),
        ]
    }

    fn candidates(&self) -> Candidates {
        // The source of candidates does not know sites: a pair that shares a megashingle may be on one site or on two.
        let megashingles = Keys::Megashingles { supershingles: 0, bits: self.same.min(self.c) };
        Candidates::Sharing(vec![megashingles, Keys::Pieces { complete: self.complete, bits: self.c }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles, Sketch::Projection]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::Supershingles, Sketch::Projection]
    }

    fn besides(&self) -> Besides {
        Besides::Site
    }

    fn check(&self, _: u32) -> Result<(), OutOfReach> {
        b::check(self.b)
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        match pair.same_site() {
            Some(true) => self.within_a_site().judge_as(pair, "split: same site, combined"),
            _ => Verdict::at_least(C::similarity(pair), self.c, "split: different sites, c"),
        }
    }

    fn perfect(&self) -> u64 {
        PROJECTION_BITS as u64
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        match pair.same_site() {
            Some(true) => self.within_a_site().bounds(pair, out),
            _ => out.push(c::bound(pair, self.c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::similar;

    #[test]
    fn the_site_says_which_rule_decides() {
        for (b, c, same_site, expected) in [
            (2, 355, Some(true), true),
            (1, 384, Some(true), false),
            (0, 372, Some(false), true),
            (2, 355, Some(false), false),
            // An unknown site counts as a different site.
            (0, 372, None, true),
        ] {
            let (one, other) = similar(b, c);
            let verdict = Split::default().judge(&DocumentPair::new(&one, &other, same_site));
            assert_eq!(verdict.is_near(), expected, "{b} {c} {same_site:?}");
        }
    }
}
