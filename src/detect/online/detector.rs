//! How documents are judged, and what a database must have for it.

use crate::Result;
use crate::detect::method::decider::Decider;
use crate::detect::method::default_method::MethodChoice;
use crate::detect::method::options::GROUP_LIMIT;
use crate::detect::method::registry::Method;
use crate::detect::method::requirements;
use crate::detect::method::rules::Rules;
use crate::store::View;

/// How a document is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineDetector {
    /// By which method.
    pub method: Method,
    /// With which thresholds.
    pub rules: Rules,
    /// Documents whose projections differ in 12 bits, each in another piece, are found too.
    pub complete: bool,
    /// Of each key that more documents share, so many are compared: the oldest.
    pub group_limit: usize,
    /// Simhash decides where the method cannot, because of one of two documents only the fingerprint is known.
    pub or_simhash: bool,
    /// What the method finds is compared by trustable longest common subsequence too, and what is not near by it
    /// is no match. Where a text cannot be read the match stays, and its verdict says so.
    pub verify_lcs: bool,
}

impl OnlineDetector {
    /// The papers' thresholds and the usual limit.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            rules: Rules::default(),
            complete: false,
            group_limit: GROUP_LIMIT,
            or_simhash: false,
            verify_lcs: false,
        }
    }

    /// The way to take where no other is asked for: the default of the database's recipe ([`MethodChoice`]), and simhash
    /// within the database's k where only fingerprints are known.
    pub fn usual(view: View<'_>) -> Self {
        Self::chosen(view, MethodChoice::of(view, None, false))
    }

    /// The detector of a method that was chosen for a database, with simhash within the database's k.
    pub fn chosen(view: View<'_>, choice: MethodChoice) -> Self {
        let MethodChoice { method, or_simhash } = choice;
        let mut online = Self { or_simhash, ..Self::new(method) };
        online.rules.within = view.settings().k.into();
        online
    }

    /// Refuses what a database cannot answer completely, before anything is read.
    ///
    /// # Errors
    /// [`crate::Error::Method`] if the recipe of the database keeps no index for the method, or the method compares
    /// texts; [`crate::Error::OutOfRange`] for thresholds that candidates do not reach down to.
    pub fn check(&self, view: View<'_>) -> Result<()> {
        requirements::check_index(view, &self.decider())
    }

    /// How pairs are decided.
    pub(super) fn decider(&self) -> Decider<'_> {
        Decider::new(self.method, &self.rules, self.or_simhash)
    }
}
