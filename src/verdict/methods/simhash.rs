//! Fingerprints within k bits (Manku et al. 2007, 3).

use nddb_format::scheme::K_MAX;

use crate::measure::{Bound, Column, Limit, Value};
use crate::method::{Candidates, Method, OutOfReach};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::Verdict;

/// Fingerprints within k bits (Manku et al. 2007, 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simhash {
    /// Greatest Hamming distance (Manku et al. 2007, 3: k = 3).
    pub k: u32,
}

impl Default for Simhash {
    fn default() -> Self {
        Self { k: 3 }
    }
}

impl Simhash {
    /// Returns the distance of two fingerprints in bits.
    pub fn distance(pair: &DocumentPair<'_>) -> Option<u32> {
        pair.a.fingerprint.zip(pair.b.fingerprint).map(|(a, b)| (a.0 ^ b.0).count_ones())
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::count("distance")];

impl Method for Simhash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn help(&self) -> &'static str {
        "within k bits"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![Parameter::count("k", "greatest distance in bits", &mut self.k, 0..=K_MAX.into()).threshold()]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Near(self.k)
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Fingerprint]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::Fingerprint]
    }

    fn check(&self, k: u32) -> Result<(), OutOfReach> {
        if self.k > k {
            return Err(OutOfReach { what: "k", requested: self.k.into(), limit: k.into() });
        }
        Ok(())
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        let distance = Self::distance(pair);
        let score = 64u64.saturating_sub(distance.unwrap_or(64).into());
        Verdict::of(distance.map(|distance| distance <= self.k), "simhash", score)
    }

    fn perfect(&self) -> u64 {
        64
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        let value = Self::distance(pair).map(Value::Count);
        out.push(Bound { name: "distance", value, limit: Limit::AtMost(Value::Count(self.k)) });
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::Fingerprint;

    use super::*;
    use crate::known::Known;

    #[test]
    fn distances_up_to_k_are_near() {
        let known = |bits: u64| Known { fingerprint: Some(Fingerprint(bits)), ..Known::default() };
        for (bits, expected) in [(0, true), (0b111, true), (0b1111, false)] {
            let (a, b) = (known(0), known(bits));
            let verdict = Simhash::default().judge(&DocumentPair::new(&a, &b, None));
            assert_eq!((verdict.is_near(), verdict.score), (expected, 64 - u64::from(bits.count_ones())));
        }
    }
}
