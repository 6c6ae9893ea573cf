//! The online detector: method, thresholds and limits, and their requirements on a database.

use nddb_index::{Result, View};
use nddb_verdict::{Decider, Method, Rules, Verification};

use crate::default_method::MethodChoice;
use crate::options::GROUP_LIMIT;
use crate::requirements;

/// Method, thresholds and limits of the verdict on one document.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineDetector {
    /// Method.
    pub method: Method,
    /// Thresholds of the method.
    pub rules: Rules,
    /// Whether to find also documents whose projections differ in 12 bits, each in another piece.
    pub complete: bool,
    /// Greatest number of documents compared per candidate key; of a longer posting list, the oldest are compared.
    pub group_limit: usize,
    /// Whether simhash decides pairs that the method cannot decide, because only the fingerprint of either document is
    /// known.
    pub or_simhash: bool,
    /// Which matches of the method are verified by texts, and dropped if these reject them. Matches with an unreadable
    /// text are kept, and marked in their verdict.
    pub verify: Verification,
}

impl OnlineDetector {
    /// Returns a detector with the default thresholds, those of the papers, and the default limit.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            rules: Rules::default(),
            complete: false,
            group_limit: GROUP_LIMIT,
            or_simhash: false,
            verify: Verification::Off,
        }
    }

    /// Returns the default detector of a database: the default method of its recipe ([`MethodChoice`]), and simhash
    /// within the k of the database for documents of which only the fingerprint is known.
    pub fn usual(view: View<'_>) -> Self {
        Self::chosen(view, MethodChoice::of(view, None, false))
    }

    /// Returns the detector of a method chosen for a database, with the k of the database as the simhash threshold.
    pub fn chosen(view: View<'_>, choice: MethodChoice) -> Self {
        let MethodChoice { method, or_simhash } = choice;
        let mut online = Self { or_simhash, ..Self::new(method) };
        online.rules.within = view.settings().k.into();
        online
    }

    /// Rejects a detector that a database cannot answer completely, before any document is read.
    ///
    /// # Errors
    /// [`nddb_index::Error::Method`] if the recipe of the database keeps no index for the method, or the method
    /// compares texts; [`nddb_index::Error::OutOfRange`] for thresholds beyond the reach of the candidate source.
    pub fn check(&self, view: View<'_>) -> Result<()> {
        requirements::check_index(view, &self.decider())
    }

    /// Returns the decider of this detector, which asks how much differs unless the texts will tell.
    pub(super) fn decider(&self) -> Decider<'_> {
        let decider = Decider::new(self.method, &self.rules, self.or_simhash);
        if self.verify.applies_to(self.method) { decider.without_limit() } else { decider }
    }
}
