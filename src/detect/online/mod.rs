//! The verdict on one document, online: what stored documents it is a near-duplicate of, by a chosen method.
//!
//! It owns the way from one document to its matches: candidates by the keys that the catalog holds, evidence from
//! the records, the decision of [`Rules`], and the order of matches. The answers are the pairs that
//! [`pairs`](super::pairs()) finds with `expand`, no more and no fewer, as long as no key has more documents than
//! the group limit.

mod ask;
mod evidence;
mod insert;
mod page;
#[cfg(test)]
mod tests;
mod verify;

use super::method::evidence::Evidence;
use super::method::name::Method;
use super::method::options::{GROUP_LIMIT, PairOptions};
use super::method::pair::{Verified, verdict};
use super::method::requirements;
use super::method::rules::Rules;
use crate::sketch::Recipe;
use crate::store::{Stored, View};
use crate::{Error, Result};

pub use super::method::bounds::{Bound, bounds};
pub use crate::compare::terms::{Edit, TermDifference, content_difference, term_difference};
pub use insert::Judgement;
pub use page::{UnreadReason, read_page};

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

    /// The way to take where no other is asked for: [`Method::default_of`] the database's recipe, and simhash within
    /// the database's k where only fingerprints are known.
    pub fn usual(view: View<'_>) -> Self {
        let recipe = Recipe::of_any_version(&view.settings().recipe);
        let mut online = Self { or_simhash: true, ..Self::new(Method::default_of(recipe.as_ref())) };
        online.rules.within = view.settings().k.into();
        online
    }

    /// Refuses what a database cannot answer completely, before anything is read.
    ///
    /// # Errors
    /// [`Error::Method`] if the recipe of the database keeps no index for the method, or the method compares
    /// texts; [`Error::OutOfRange`] for thresholds that candidates do not reach down to.
    pub fn check(&self, view: View<'_>) -> Result<()> {
        let (method, rules) = (self.method, self.rules);
        if method.needs_text() {
            let why = "it compares texts, and the index finds documents by what it keeps of them".into();
            return Err(Error::Method { method: method.name(), why });
        }
        requirements::check(view, &PairOptions { rules, complete: self.complete, ..PairOptions::new(method) })?;
        if matches!(method, Method::C | Method::Split) {
            let label = &view.settings().recipe;
            let recipe = Recipe::of_any_version(label);
            requirements::require(
                method,
                label,
                recipe.as_ref(),
                "keeps no pieces of projections",
                Recipe::has_pieces,
            )?;
        }
        if method == Method::MinHash {
            let label = &view.settings().recipe;
            let recipe = Recipe::of_any_version(label);
            requirements::require(method, label, recipe.as_ref(), "keeps no bands of min-values", |recipe| {
                recipe.has_bands() || recipe.has_profile()
            })?;
        }
        Ok(())
    }
}

/// A stored document that is a near-duplicate.
#[derive(Clone, Debug, PartialEq)]
pub struct NearDuplicate {
    /// The document.
    pub stored: Stored,
    /// What is known of it and the one that was asked for.
    pub evidence: Evidence,
    /// The probability that they are near-duplicates, by the model; absent where one has no profile.
    pub probability: Option<f64>,
    /// The rule that decided.
    pub rule: &'static str,
    /// What the comparison of the texts says, if it was asked for.
    pub verified: Option<Verified>,
}

impl NearDuplicate {
    /// The rules that decided, in words: that of the method, and that of the comparison of texts.
    pub fn verdict(&self) -> std::borrow::Cow<'static, str> {
        verdict(self.rule, self.verified)
    }
}

/// The near-duplicates of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearDuplicates {
    /// Identical ones first, then by the method's own similarity (simhash: the least distance; b: supershingles;
    /// c, combined, split: bits of the projection; min-hash: min-values), then the older. What simhash decided in
    /// index of another method comes behind.
    pub matches: Vec<NearDuplicate>,
    /// How many there are, at least; by simhash exactly, if no more than the group limit are identical.
    pub count: u64,
    /// All of them are in `matches`. If not, some key has more documents than the group limit, and only the
    /// oldest of these (by simhash, the nearest and oldest) were compared.
    pub complete: bool,
}
