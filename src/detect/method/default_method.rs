//! The default method of a database.

use super::registry::Method;
use crate::sketch::Recipe;
use crate::store::View;

/// The method chosen for a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodChoice {
    /// The method.
    pub method: Method,
    /// Whether simhash decides pairs that the method cannot decide.
    pub or_simhash: bool,
}

impl MethodChoice {
    /// Returns the named method if there is one; else simhash if a distance is given; else the default of the recipe of
    /// the database, with simhash for documents of which only the fingerprint is known.
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
    /// The default method, with the constants of [`Rules::default`](super::rules::Rules) and sketches of the content:
    /// the most accurate method on labelled pages, and the baseline for the evaluation of others.
    pub const DEFAULT: Method = Method::Model;

    /// Returns the default method of a recipe: [`Method::DEFAULT`] if the recipe keeps an index for it, else
    /// simhash.
    pub fn default_of(recipe: Option<&Recipe>) -> Method {
        match recipe {
            Some(recipe) if recipe.has_profile() => Method::DEFAULT,
            _ => Method::Simhash,
        }
    }
}
