//! The online detector: method and limits, and their requirements on a database.

use nddb_index::{Result, View};
use nddb_verdict::methods::Hamming;
use nddb_verdict::{Decider, Level, Method};

use crate::default_method::MethodChoice;
use crate::options::GROUP_LIMIT;
use crate::requirements;
use crate::verification::Verification;

/// Method and limits of the verdict on one document.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineDetector {
    /// Method, with its parameters.
    pub method: Box<dyn Method>,
    /// The method hamming, if it decides pairs that the method cannot decide, because only the fingerprint of either
    /// document is known.
    pub or_hamming: Option<Hamming>,
    /// How much of a document may be lost that is not inserted, because a near-duplicate of it is stored.
    pub level: Level,
    /// Greatest number of documents compared per candidate key; of a longer posting list, the oldest are compared.
    pub group_limit: usize,
    /// The text comparison that verifies the matches of another method; matches that it rejects are dropped. Matches
    /// with an unreadable text are kept, and marked in their verdict.
    pub verify: Option<Verification>,
}

impl OnlineDetector {
    /// Returns a detector of a method with the default limit.
    pub fn new(method: impl Into<Box<dyn Method>>) -> Self {
        let (method, group_limit) = (method.into(), GROUP_LIMIT);
        Self { method, or_hamming: None, level: Level::default(), group_limit, verify: None }
    }

    /// Returns the default detector of a database: the default method of its recipe ([`MethodChoice`]), and hamming
    /// within the k of the database for documents of which only the fingerprint is known.
    pub fn usual(view: View<'_>) -> Self {
        Self::chosen(MethodChoice::usual(view))
    }

    /// Returns the detector of a method chosen for a database.
    pub fn chosen(choice: MethodChoice) -> Self {
        let MethodChoice { method, or_hamming } = choice;
        Self { or_hamming, ..Self::new(method) }
    }

    /// Rejects a detector that a database cannot answer completely, before any document is read.
    ///
    /// # Errors
    /// [`nddb_index::Error::Method`] if the recipe of the database keeps no index for the method, or the method
    /// compares texts; [`nddb_index::Error::OutOfRange`] for parameters beyond the reach of the candidate source.
    pub fn check(&self, view: View<'_>) -> Result<()> {
        requirements::check_index(view, &self.decider())
    }

    /// Returns the decider of this detector.
    pub fn decider(&self) -> Decider<'_> {
        Decider::new(&*self.method, self.or_hamming.as_ref())
    }

    /// Returns the text comparison that verifies matches, if there is one.
    pub(super) fn verifier(&self) -> Option<&Verification> {
        Verification::of(self.verify.as_ref(), &*self.method)
    }
}
