//! Fingerprints within k bits (Manku et al. 2007, 3).

use nddb_format::scheme::K_MAX;
use nddb_page::sketch::FingerprintKind;

use crate::column::{Bound, Column, Limit, Value};
use crate::method::{Besides, Candidates, Method, OutOfReach};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::Verdict;

/// Fingerprints within k bits (Manku et al. 2007, 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hamming {
    /// Greatest Hamming distance (Manku et al. 2007, 3: k = 3).
    pub k: u32,
    /// Least number of tokens of the shorter document, as a share of the longer one's (Manku et al. 2007, 6.A, cites a
    /// variation of 20%, that is 0.8); 0 is no bound. A document whose number is unknown passes.
    pub length: f64,
    /// The kind of fingerprints whose name was given as that of the method: those of other kinds are refused.
    pub only: Option<FingerprintKind>,
}

impl Default for Hamming {
    fn default() -> Self {
        Self::within(3)
    }
}

impl Hamming {
    /// Returns the method with a greatest distance in bits, and without a bound on lengths.
    pub fn within(k: u32) -> Self {
        Self { k, length: 0.0, only: None }
    }

    /// Returns whether the lengths of two documents are near enough.
    fn is_as_long(&self, pair: &DocumentPair<'_>) -> bool {
        pair.length_ratio().is_none_or(|ratio| ratio >= self.length)
    }

    /// Returns the distance of two fingerprints in bits.
    pub fn distance(pair: &DocumentPair<'_>) -> Option<u32> {
        pair.a.fingerprint.zip(pair.b.fingerprint).map(|(a, b)| (a.0 ^ b.0).count_ones())
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::count("distance")];

impl Method for Hamming {
    fn name(&self) -> &'static str {
        "hamming"
    }

    fn help(&self) -> &'static str {
        "within k bits"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { k, length, only: _ } = self;
        vec![
            Parameter::count("k", "greatest distance in bits", k, 0..=K_MAX.into()).threshold(),
            Parameter::share("length", "least tokens of the shorter, as a share of the longer", length),
        ]
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

    fn besides(&self) -> Besides {
        if self.length > 0.0 { Besides::Length } else { Besides::Nothing }
    }

    fn within(&self, k: u32) -> Option<Box<dyn Method>> {
        Some(Self { k, ..*self }.into())
    }

    fn only(&self) -> Option<FingerprintKind> {
        self.only
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
        Verdict::of(distance.map(|distance| distance <= self.k && self.is_as_long(pair)), "hamming", score)
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
        if self.length > 0.0 {
            let value = pair.length_ratio().map(Value::Share);
            out.push(Bound { name: "length", value, limit: Limit::AtLeast(Value::Share(self.length)) });
        }
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
            let verdict = Hamming::default().judge(&DocumentPair::new(&a, &b, None));
            assert_eq!((verdict.is_near(), verdict.score), (expected, 64 - u64::from(bits.count_ones())));
        }
    }

    #[test]
    fn a_much_shorter_document_is_not_near_if_lengths_are_bounded() {
        let of = |tokens| Known { fingerprint: Some(Fingerprint(5)), tokens, ..Known::default() };
        let method = Hamming { length: 0.8, ..Hamming::default() };
        let lengths = [(Some(100), Some(80), true), (Some(79), Some(100), false), (Some(0), Some(0), false)];
        for (a, b, expected) in lengths.into_iter().chain([(Some(1), None, true)]) {
            let (a, b) = (of(a), of(b));
            let pair = DocumentPair::new(&a, &b, None);
            assert_eq!(method.judge(&pair).is_near(), expected, "{a:?} {b:?}");
            assert!(Hamming::default().judge(&pair).is_near());
        }
    }
}
