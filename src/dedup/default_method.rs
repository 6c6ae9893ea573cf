//! The default method of a database.

use nddb_index::View;
use nddb_page::sketch::Recipe;
use nddb_verdict::Method;

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
