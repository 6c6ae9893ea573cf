//! Comparison of two texts, with a cache of prepared texts.

use std::collections::HashMap;
use std::rc::Rc;

use nddb_index::Result;
use nddb_page::text::{DOCUMENT_UNITS, Page, first_units, whole_words};
use nddb_verdict::compare::lcs::{Comparer, Parameters, Prepared};
use nddb_verdict::compare::{Frequencies, WordComparer};
use nddb_verdict::{Evidence, Rules};

use super::source::Verifier;
use crate::texts::{Kept, TextSources};

/// A measure of the similarity of two texts.
pub(crate) trait Measure {
    /// The prepared form of a text.
    type Ready;

    /// Returns the prepared form of a text, the first 10 KB of a document.
    fn ready(&self, text: &str) -> Self::Ready;

    /// Returns the prepared form of a document that was kept or can be read; `None` if it cannot.
    fn read(&self, kept: &Kept, sources: Option<&TextSources>, ordinal: u32) -> Option<Self::Ready> {
        match kept.get(ordinal) {
            Some(text) => Some(self.ready(text)),
            None => {
                let text = sources?.text(ordinal)?;
                Some(self.ready(first_units(&text, DOCUMENT_UNITS)))
            }
        }
    }

    /// Returns the size of a prepared text in bytes of memory.
    fn size(ready: &Self::Ready) -> usize;

    /// Adds the result of the comparison to the evidence of a pair. The comparison is symmetric.
    fn compare(&mut self, a: &Self::Ready, b: &Self::Ready, evidence: &mut Evidence);
}

/// Trustable longest common subsequence (Huang et al. 2008, 3.3 and 3.4).
pub(crate) struct ByLcs(Comparer);

impl ByLcs {
    pub(crate) fn new(parameters: Parameters, rules: &Rules) -> Self {
        Self(Comparer::new(parameters, &rules.lcs))
    }
}

impl Measure for ByLcs {
    type Ready = Prepared;

    fn ready(&self, text: &str) -> Prepared {
        Prepared::new(text, self.0.parameters())
    }

    fn size(ready: &Prepared) -> usize {
        ready.size()
    }

    fn compare(&mut self, a: &Prepared, b: &Prepared, evidence: &mut Evidence) {
        evidence.add_likeness(&self.0.compare(a, b));
    }
}

/// Cosine of term frequencies (Huang et al. 2008, 4).
pub(crate) struct ByCosine;

impl Measure for ByCosine {
    type Ready = Frequencies;

    fn ready(&self, text: &str) -> Frequencies {
        Frequencies::of_text(text)
    }

    fn size(ready: &Frequencies) -> usize {
        ready.size()
    }

    fn compare(&mut self, a: &Frequencies, b: &Frequencies, evidence: &mut Evidence) {
        evidence.cosine = Some(a.cosine(b));
    }
}

/// The words of whole pages in which two differ.
#[derive(Default)]
pub(crate) struct ByWords(WordComparer);

impl Measure for ByWords {
    type Ready = Vec<u64>;

    fn ready(&self, text: &str) -> Vec<u64> {
        whole_words(&Page::text(text))
    }

    /// Reads the whole page: a text is its first 10 KB.
    fn read(&self, kept: &Kept, sources: Option<&TextSources>, ordinal: u32) -> Option<Vec<u64>> {
        kept.words(ordinal).or_else(|| Some(whole_words(&sources?.page(ordinal)?.page())))
    }

    fn size(ready: &Vec<u64>) -> usize {
        size_of_val(&ready[..])
    }

    /// Leaves the estimate where the words are too many.
    fn compare(&mut self, a: &Vec<u64>, b: &Vec<u64>, evidence: &mut Evidence) {
        evidence.difference = self.0.difference(a, b).or(evidence.difference);
    }
}

/// Comparison of documents by their texts: texts kept by a pass, and single look-ups for others if `sources` is given.
pub(crate) struct ComparisonCache<'a, M: Measure> {
    measure: M,
    kept: &'a Kept,
    sources: Option<&'a TextSources>,
    ready: HashMap<u32, Option<Rc<M::Ready>>>,
    used: usize,
    resources: usize,
}

impl<'a, M: Measure> ComparisonCache<'a, M> {
    /// Returns a cache that keeps about `memory` bytes.
    pub(crate) fn new(measure: M, kept: &'a Kept, sources: Option<&'a TextSources>, memory: u64) -> Self {
        let resources = usize::try_from(memory).unwrap_or(usize::MAX);
        Self { measure, kept, sources, ready: HashMap::new(), used: 0, resources }
    }

    /// Empties the cache if it is full.
    pub(crate) fn clear(&mut self) {
        if self.used >= self.resources {
            self.ready.clear();
            self.used = 0;
        }
    }

    /// Returns the prepared text of a document; `None` if the text cannot be read.
    pub(crate) fn ready(&mut self, ordinal: u32) -> Option<Rc<M::Ready>> {
        if let Some(ready) = self.ready.get(&ordinal) {
            return ready.clone();
        }
        let ready = self.measure.read(self.kept, self.sources, ordinal).map(Rc::new);
        if self.used < self.resources {
            self.used += 64 + ready.as_deref().map_or(0, M::size);
            self.ready.insert(ordinal, ready.clone());
        }
        ready
    }

    /// Compares two documents. Returns whether both texts could be read.
    pub(crate) fn compare(&mut self, a: u32, b: u32, evidence: &mut Evidence) -> bool {
        let (Some(a), Some(b)) = (self.ready(a), self.ready(b)) else { return false };
        self.measure.compare(&a, &b, evidence);
        true
    }
}

impl<M: Measure> Verifier for ComparisonCache<'_, M> {
    fn add(&mut self, a: u32, b: u32, evidence: &mut Evidence) -> Result<()> {
        self.clear();
        self.compare(a, b, evidence);
        Ok(())
    }
}
