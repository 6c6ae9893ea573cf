//! Options of a search for pairs.

use super::decider::Decider;
use super::default_method::MethodChoice;
use super::evidence::Evidence;
use super::frame_table::FrameTable;
use super::registry::Method;
use super::requirements::{self, Held};
use super::rules::Rules;
use super::text_options::TextScope;
use super::text_options::{SetOptions, ShingleOptions};
use super::verification::Verification;
use crate::compare::lcs::Parameters;
use crate::spill::resources::Resources;
use crate::store::View;
use crate::{Error, Result};

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
    /// Frame of sites. Pairs that the model finds are judged again by sketches of the two pages without it, computed
    /// from their texts: they stay if they are still near, with that evidence, or if a text cannot be read, or if fewer
    /// than five terms are left of either page. Not with a verification.
    pub frames: Option<FrameTable>,
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
            frames: None,
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

    /// Returns whether a second look at texts is asked for.
    pub(crate) fn needs_text(&self) -> bool {
        self.frames.is_some() || self.verify != Verification::Off
    }

    /// Returns whether the texts of what the method finds are read, to reject some of it.
    pub(crate) fn looks_again(&self) -> bool {
        self.frames.is_some() || self.verify.applies_to(self.method)
    }

    /// Returns whether documents of equal sketches and different texts are among what is looked at again. The model is
    /// sure of them; but the few words that sketches do not see may be the only ones that are not frame.
    pub(crate) fn looks_at_equal_sketches(&self) -> bool {
        self.frames.is_some() || self.verify == Verification::Lcs && self.looks_again()
    }

    /// Returns whether a pair that the method finds is looked at again. What simhash finds has no content to compare.
    pub(crate) fn takes(&self, evidence: &Evidence) -> bool {
        match &self.frames {
            Some(_) => !evidence.identical && evidence.traits.is_some(),
            None => self.verify.takes(evidence, &self.rules),
        }
    }

    /// Returns these options without a second look.
    pub(crate) fn once(&self) -> Self {
        Self { verify: Verification::Off, frames: None, ..self.clone() }
    }

    /// Rejects frames that these options, or this database, cannot have.
    pub(crate) fn check_frames(&self, view: View<'_>) -> Result<()> {
        let Some(table) = &self.frames else { return Ok(()) };
        let refused = |why: &str| Err(Error::Method { method: self.method.definition().name, why: why.into() });
        if self.method != Method::Model {
            return refused("it has no frames, which are of the contents that the method 'model' compares");
        }
        if self.verify != Verification::Off {
            return refused("what it finds is either verified by texts or judged without frames, not both");
        }
        let recipe = &view.settings().recipe;
        if table.recipe() != recipe {
            return Err(Error::OtherFrames { table: table.recipe().into(), database: recipe.clone() });
        }
        Ok(())
    }

    /// Returns the decider of these options.
    pub(crate) fn decider(&self) -> Decider<'_> {
        Decider::new(self.method, &self.rules, self.or_simhash)
    }
}

/// Rejects a method that a database cannot answer completely, before any document is read.
///
/// # Errors
/// [`crate::Error::Method`] if the recipe does not make the sketches;
/// [`crate::Error::OutOfRange`] for thresholds beyond the reach of the candidate source;
/// [`crate::Error::OtherFrames`] for a frame table of another recipe.
pub fn check(view: View<'_>, options: &PairOptions) -> Result<()> {
    options.check_frames(view)?;
    requirements::check(view, &options.decider())
}
