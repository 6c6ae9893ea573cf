//! How documents are judged, and what a database must have for it.

use crate::detect::method::name::Method;
use crate::detect::method::options::{GROUP_LIMIT, PairOptions};
use crate::detect::method::requirements;
use crate::detect::method::rules::Rules;
use crate::sketch::Recipe;
use crate::store::View;
use crate::{Error, Result};

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
