//! Options of a search for pairs.

use nddb_index::spill::resources::Resources;
use nddb_index::{Result, View};
use nddb_verdict::compare::lcs::Parameters;
use nddb_verdict::{Decider, Method, Rules, Sketch, Verification};

use crate::default_method::MethodChoice;
use crate::requirements::{self, Held};
use crate::text_options::{SetOptions, ShingleOptions, TextScope};

/// Default group limit, in members: a larger group is flagged.
pub const GROUP_LIMIT: usize = 1000;

/// Options of a search for pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions {
    /// Method.
    pub method: Method,
    /// Thresholds of the method.
    pub rules: Rules,
    /// Whether all pairs are written, instead of groups and the pairs between them.
    pub expand: bool,
    /// Greatest number of members of a group that is not flagged. If more documents share one candidate key, they are
    /// compared with the oldest of them only.
    pub group_limit: usize,
    /// Whether projections are cut into 13 pieces instead of 12, so that no pair with 12 different bits is missed.
    pub complete: bool,
    /// Whether simhash decides pairs that the method cannot decide, because only the fingerprint of either document is
    /// known.
    pub or_simhash: bool,
    /// Which pairs of the method are verified by texts, and dropped if these reject them. Pairs with an unreadable text
    /// are kept, and marked in their verdict.
    pub verify: Verification,
    /// The part of a page that is compared as its text; by default, that of the recipe of the database.
    pub part: Option<TextScope>,
    /// Parameters of trustable longest common subsequence.
    pub lcs: Parameters,
    /// Options of perhaps-similar sets, the candidate source of the methods lcs and cosine.
    pub sets: SetOptions,
    /// Options of the method shingles.
    pub shingles: ShingleOptions,
    /// Memory limit and folder for temporary files.
    pub resources: Resources,
}

impl PairOptions {
    /// Returns the default thresholds, those of the papers, and default limits.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            rules: Rules::default(),
            expand: false,
            group_limit: GROUP_LIMIT,
            complete: false,
            or_simhash: false,
            verify: Verification::Off,
            part: None,
            lcs: Parameters::default(),
            sets: SetOptions::default(),
            shingles: ShingleOptions::default(),
            resources: Resources::default(),
        }
    }

    /// Returns the options of a method chosen for a database, with the k of the database as the simhash threshold.
    pub fn chosen(view: View<'_>, choice: MethodChoice) -> Self {
        let MethodChoice { method, or_simhash } = choice;
        let mut options = Self { or_simhash, ..Self::new(method) };
        options.rules.within = view.settings().k.into();
        options
    }

    /// Changes the method to simhash if simhash decides every pair, because no document has the sketches of the method.
    pub fn settle(&mut self, held: &Held) {
        if self.decider().or_simhash && held.lacking(self.method.definition()).is_some() {
            (self.method, self.or_simhash) = (Method::Simhash, false);
        }
    }

    /// Returns whether the texts of what the method finds are read, to reject some of it.
    pub(crate) fn verifies(&self) -> bool {
        self.verify.applies_to(self.method)
    }

    /// Returns whether the words of the texts that are read say how much of two differs.
    pub(crate) fn compares_words(&self) -> bool {
        self.verifies() && self.rules.max_difference.is_some()
    }

    /// Returns these options for the pairs whose texts are to be read: without verification, and whatever differs.
    pub(crate) fn unverified(&self) -> Self {
        let rules = Rules { max_difference: None, ..self.rules };
        Self { verify: Verification::Off, rules, ..self.clone() }
    }

    /// Returns whether documents of one class may differ by more than the rules allow: classes are of equal sketches of
    /// the method, and how much differs is told by others.
    pub(crate) fn limits_classes(&self) -> bool {
        self.rules.max_difference.is_some() && !self.method.definition().class.contains(&Sketch::Profile)
    }

    /// Returns the decider of these options, which asks how much differs unless the texts will tell.
    pub(crate) fn decider(&self) -> Decider<'_> {
        let decider = Decider::new(self.method, &self.rules, self.or_simhash);
        if self.verifies() { decider.without_limit() } else { decider }
    }
}

/// Rejects a method that a database cannot answer completely, before any document is read.
///
/// # Errors
/// [`nddb_index::Error::Method`] if the recipe does not make the sketches;
/// [`nddb_index::Error::OutOfRange`] for thresholds beyond the reach of the candidate source.
pub fn check(view: View<'_>, options: &PairOptions) -> Result<()> {
    requirements::check(view, &options.decider())
}
