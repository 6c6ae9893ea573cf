//! The parameters of a comparison by shingles, from which candidate pairs are made, too.

use nddb_page::sketch::SHINGLE_WORDS;

use crate::column::{Bound, Limit, Value};
use crate::ratios::Ratios;
use crate::text_comparer::TextVerdict;
use crate::verdict::{Verdict, share};

/// Resemblance by shingles, sampled or not (Ye et al. 2007).
#[derive(Clone, Debug, PartialEq)]
pub struct Shingles {
    /// Least resemblance (Ye et al. 2007, 5: 0.85).
    pub resemblance: f64,
    /// Words in a shingle (Ye et al. 2007, 3.1).
    pub words: usize,
    /// Sampling ratios of documents.
    pub ratios: Ratios,
    /// A shingle is kept if its hash modulo the ratio is this remainder.
    pub remainder: u32,
    /// Greatest number of distinct texts with one shingle; more frequent shingles are dropped (Broder's rule: 1,000).
    pub stop: Option<u64>,
    /// Greatest number of shingles kept of a document, those with the least hashes (Broder's rule: 400).
    pub cap: Option<u64>,
}

impl Default for Shingles {
    fn default() -> Self {
        Self { resemblance: 0.85, words: SHINGLE_WORDS, ratios: Ratios::ALL, remainder: 0, stop: None, cap: None }
    }
}

impl Shingles {
    /// Returns the verdict about a pair with this resemblance; undecided if the resemblance is not known.
    pub fn judge_resemblance(&self, resemblance: Option<f64>) -> TextVerdict {
        let reached = resemblance.map(|value| value >= self.resemblance);
        let limit = Limit::AtLeast(Value::Share(self.resemblance));
        let bound = Bound { name: "resemblance", value: resemblance.map(Value::Share), limit };
        let verdict = Verdict::of(reached, "shingles", share(resemblance.unwrap_or(0.0)));
        TextVerdict { verdict, bounds: vec![bound] }
    }
}
