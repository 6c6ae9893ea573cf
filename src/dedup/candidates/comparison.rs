//! Comparison of two texts, with a cache of prepared texts.

use std::collections::HashMap;
use std::rc::Rc;

use nddb_index::Result;
use nddb_page::text::{DOCUMENT_UNITS, first_units};
use nddb_verdict::{PreparedText, TextComparer, TextVerdict};

use super::source::Verifier;
use crate::texts::{Kept, TextSources};

/// A measure of two texts.
pub(crate) trait Measure {
    /// The prepared form of a text.
    type Ready;
    /// The result of a comparison.
    type Outcome;

    /// Returns the prepared form of a text, the first 10 KB of a document.
    fn ready(&self, text: &str) -> Self::Ready;

    /// Returns the prepared form of a document, from the kept texts or else from its source; `None` if its text cannot
    /// be read.
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

    /// Returns the result of the comparison, which is symmetric.
    fn compare(&mut self, a: &Self::Ready, b: &Self::Ready) -> Self::Outcome;
}

/// The comparison by which a method judges.
pub(crate) struct ByMethod(pub(crate) Box<dyn TextComparer>);

impl Measure for ByMethod {
    type Ready = PreparedText;
    type Outcome = TextVerdict;

    fn ready(&self, text: &str) -> PreparedText {
        self.0.prepare(text)
    }

    fn size(ready: &PreparedText) -> usize {
        ready.size()
    }

    fn compare(&mut self, a: &PreparedText, b: &PreparedText) -> TextVerdict {
        self.0.judge(a, b)
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

    /// Compares two documents; `None` if a text cannot be read.
    pub(crate) fn compare(&mut self, a: u32, b: u32) -> Option<M::Outcome> {
        let (a, b) = (self.ready(a)?, self.ready(b)?);
        Some(self.measure.compare(&a, &b))
    }
}

impl Verifier for ComparisonCache<'_, ByMethod> {
    fn judge(&mut self, a: u32, b: u32) -> Result<TextVerdict> {
        self.clear();
        Ok(self.compare(a, b).unwrap_or(TextVerdict::UNREAD))
    }
}
