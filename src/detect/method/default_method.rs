//! The default: by which method documents are judged, if no other is named.

use super::registry::Method;
use crate::sketch::Recipe;
use crate::store::View;

/// The method by which the documents of a database are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodChoice {
    /// The method.
    pub method: Method,
    /// Simhash decides where the method cannot.
    pub or_simhash: bool,
}

impl MethodChoice {
    /// Returns the method that is named; where none is, simhash if a distance is given, else the default of the
    /// database's recipe, and simhash where only fingerprints are known.
    pub fn of(view: View<'_>, named: Option<Method>, has_distance: bool) -> Self {
        match named {
            Some(method) => Self { method, or_simhash: false },
            None if has_distance => Self { method: Method::Simhash, or_simhash: false },
            None => {
                let recipe = Recipe::of_any_version(&view.settings().recipe);
                Self { method: Method::default_of(recipe.as_ref()), or_simhash: true }
            }
        }
    }
}

impl Method {
    /// The method to take, with the constants of [`Rules::default`](super::rules::Rules) and sketches of the content: the
    /// best on labelled pages. Other methods are measured against it.
    pub const DEFAULT: Method = Method::Model;

    /// Returns the method that documents of a recipe are judged by if no other is named: [`Method::DEFAULT`] where they
    /// are found by it, min-hash where they are by that (`main/2`), else simhash.
    pub fn default_of(recipe: Option<&Recipe>) -> Method {
        match recipe {
            Some(recipe) if recipe.has_profile() => Method::DEFAULT,
            Some(recipe) if recipe.has_bands() => Method::MinHash,
            _ => Method::Simhash,
        }
    }
}
