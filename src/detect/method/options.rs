//! How pairs are to be found.

use super::decider::Decider;
use super::default_method::MethodChoice;
use super::registry::Method;
use super::requirements::{self, Held};
use super::rules::Rules;
use super::text_options::TextScope;
use super::text_options::{SetOptions, ShingleOptions};
use crate::Result;
use crate::compare::lcs::Parameters;
use crate::spill::resources::Resources;
use crate::store::View;

/// Members of a group beyond which it is flagged, unless the caller says otherwise.
pub const GROUP_LIMIT: usize = 1000;

/// How pairs are to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions {
    /// By which method.
    pub method: Method,
    /// With which thresholds.
    pub rules: Rules,
    /// All pairs instead of groups and the pairs between them.
    pub expand: bool,
    /// Groups with more members are flagged; candidates with one key beyond it are compared with the
    /// oldest of them only.
    pub group_limit: usize,
    /// Projections are cut in 13 pieces instead of 12: no pair with 12 different bits is missed.
    pub complete: bool,
    /// Simhash decides where the method cannot, because of one of two documents only the fingerprint is known.
    pub or_simhash: bool,
    /// The pairs of the method are compared by trustable longest common subsequence too, and those that are not near by
    /// it are none. Pairs of which a text cannot be read stay, and their verdict says so.
    pub verify_lcs: bool,
    /// What of a page is its text; what the database's recipe looks at, if it is not said.
    pub part: Option<TextScope>,
    /// How texts are compared by trustable longest common subsequence.
    pub lcs: Parameters,
    /// Perhaps-similar sets, where candidates of the methods lcs and cosine come from.
    pub sets: SetOptions,
    /// Shingles of the method of that name.
    pub shingles: ShingleOptions,
    /// Resources to work in.
    pub resources: Resources,
}

impl PairOptions {
    /// The papers' thresholds and the usual limits.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            rules: Rules::default(),
            expand: false,
            group_limit: GROUP_LIMIT,
            complete: false,
            or_simhash: false,
            verify_lcs: false,
            part: None,
            lcs: Parameters::default(),
            sets: SetOptions::default(),
            shingles: ShingleOptions::default(),
            resources: Resources::default(),
        }
    }

    /// The options of a method that was chosen for a database, with simhash within the database's k.
    pub fn chosen(view: View<'_>, choice: MethodChoice) -> Self {
        let MethodChoice { method, or_simhash } = choice;
        let mut options = Self { or_simhash, ..Self::new(method) };
        options.rules.within = view.settings().k.into();
        options
    }

    /// Makes simhash the method where it decides anyway: no document has what the method compares.
    pub fn settle(&mut self, held: &Held) {
        if self.decider().or_simhash && held.lacking(self.method.definition()).is_some() {
            (self.method, self.or_simhash) = (Method::Simhash, false);
        }
    }

    /// How pairs are decided.
    pub(crate) fn decider(&self) -> Decider<'_> {
        Decider::new(self.method, &self.rules, self.or_simhash)
    }
}

/// Refuses a method that a database cannot answer completely, before anything is read.
///
/// # Errors
/// [`crate::Error::Method`] if the recipe does not make the sketches;
/// [`crate::Error::OutOfRange`] for thresholds that candidates do not reach down to.
pub fn check(view: View<'_>, options: &PairOptions) -> Result<()> {
    requirements::check(view, &options.decider())
}
