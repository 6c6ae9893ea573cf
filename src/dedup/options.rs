//! Options of a search for pairs.

use nddb_index::spill::resources::Resources;
use nddb_index::{Result, View};
use nddb_verdict::methods::Hamming;
use nddb_verdict::{Decider, Method};

use crate::default_method::MethodChoice;
use crate::requirements::{self, Held};
use crate::text_scope::TextScope;
use crate::verification::Verification;
use crate::words::WordsFrom;

/// Default group limit, in members: a larger group is flagged.
pub const GROUP_LIMIT: usize = 1000;

/// Options of a search for pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions {
    /// Method, with its parameters.
    pub method: Box<dyn Method>,
    /// The method hamming, if it decides pairs that the method cannot decide, because only the fingerprint of either
    /// document is known.
    pub or_hamming: Option<Hamming>,
    /// Whether all pairs are written, instead of groups and the pairs between them.
    pub expand: bool,
    /// Greatest number of members of a group that is not flagged. If more documents share a candidate key, they are
    /// compared only with the oldest of them.
    pub group_limit: usize,
    /// The text comparison that verifies the pairs of another method; pairs that it rejects are dropped. Pairs with an
    /// unreadable text are kept, and marked in their verdict.
    pub verify: Option<Verification>,
    /// The part of a page that is compared as its text; by default, that of the recipe of the database.
    pub part: Option<TextScope>,
    /// Where the words come from by which the losses of pairs are known; `None` if they are not wanted.
    pub words: Option<WordsFrom>,
    /// Memory limit and folder for temporary files.
    pub resources: Resources,
}

impl PairOptions {
    /// Returns the options of a method with default limits.
    pub fn new(method: impl Into<Box<dyn Method>>) -> Self {
        Self {
            method: method.into(),
            or_hamming: None,
            expand: false,
            group_limit: GROUP_LIMIT,
            verify: None,
            part: None,
            words: None,
            resources: Resources::default(),
        }
    }

    /// Returns the options of a method chosen for a database.
    pub fn chosen(choice: MethodChoice) -> Self {
        let MethodChoice { method, or_hamming } = choice;
        Self { or_hamming, ..Self::new(method) }
    }

    /// Changes the method to hamming if hamming decides every pair, because no document has the sketches of the method.
    pub fn settle(&mut self, held: &Held) {
        if self.decider().or_hamming.is_some()
            && held.lacking(&*self.method).is_some()
            && let Some(hamming) = self.or_hamming.take()
        {
            self.method = hamming.into();
        }
    }

    /// Returns the text comparison that verifies the pairs of the method, if there is one.
    pub(crate) fn verifier(&self) -> Option<&Verification> {
        Verification::of(self.verify.as_ref(), &*self.method)
    }

    /// Returns whether the pairs of the method are verified by their texts.
    pub(crate) fn verifies(&self) -> bool {
        self.verifier().is_some()
    }

    /// Returns these options without verification, for the pairs whose texts are to be read.
    pub(crate) fn unverified(&self) -> Self {
        Self { verify: None, ..self.clone() }
    }

    /// Returns the decider of these options.
    pub fn decider(&self) -> Decider<'_> {
        Decider::new(&*self.method, self.or_hamming.as_ref())
    }
}

/// Rejects a method that a database cannot answer completely, before any document is read.
///
/// # Errors
/// [`nddb_index::Error::Method`] if the recipe does not make the sketches;
/// [`nddb_index::Error::OutOfRange`] for parameters beyond the reach of the candidate source.
pub fn check(view: View<'_>, options: &PairOptions) -> Result<()> {
    requirements::check(view, &options.decider())
}
