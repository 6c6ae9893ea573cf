//! The verdict about a pair from its two texts.

use std::any::Any;

use crate::column::Bound;
use crate::verdict::{Decision, Verdict};

/// A comparison of texts. Each text is prepared once for many comparisons.
pub trait TextComparer {
    /// Returns the prepared form of a text, the first 10 KB of a document.
    fn prepare(&self, text: &str) -> PreparedText;

    /// Judges two documents by their texts, which this comparer has prepared. The result is symmetric.
    fn judge(&mut self, a: &PreparedText, b: &PreparedText) -> TextVerdict;
}

/// A text in the form that a [`TextComparer`] compares.
pub struct PreparedText {
    text: Box<dyn Any>,
    size: usize,
}

impl PreparedText {
    /// Returns a text in the form of one comparer, with its size in bytes of memory.
    pub(crate) fn new(text: impl Any, size: usize) -> Self {
        Self { text: Box::new(text), size }
    }

    /// Returns the size in bytes of memory.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the text in the form `T`.
    ///
    /// # Panics
    /// If another comparer has prepared it.
    pub(crate) fn get<T: Any>(&self) -> &T {
        self.text.downcast_ref().expect("a comparer is given what it has prepared")
    }
}

/// The result of comparing the two texts of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct TextVerdict {
    /// The verdict; undecided if a text could not be read.
    pub verdict: Verdict,
    /// The measures that the rule compares with its parameters.
    pub bounds: Vec<Bound>,
}

impl TextVerdict {
    /// The verdict about a pair if a text could not be read.
    pub const UNREAD: Self = Self { verdict: Verdict::UNKNOWN, bounds: Vec::new() };

    /// Returns the decision.
    pub fn decision(&self) -> Decision {
        self.verdict.decision
    }
}
