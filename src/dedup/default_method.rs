//! The default method of a database.

use nddb_index::View;
use nddb_page::sketch::Recipe;
use nddb_verdict::methods::Simhash;
use nddb_verdict::{Method, default_of};

/// The method chosen for a database.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodChoice {
    /// The method.
    pub method: Box<dyn Method>,
    /// Simhash, if it decides pairs that the method cannot decide.
    pub or_simhash: Option<Simhash>,
}

impl MethodChoice {
    /// Returns the named method if one is given; else simhash if a distance is given; else the default method of the
    /// database's recipe, with simhash for documents of which only the fingerprint is known. Simhash uses the k of the
    /// database; the parameters of a named method are unchanged.
    pub fn of(view: View<'_>, named: Option<Box<dyn Method>>, has_distance: bool) -> Self {
        let simhash = Simhash::within(view.settings().k.into());
        match named {
            Some(method) if method.is_by_distance() => Self { method: simhash.into(), or_simhash: None },
            Some(method) => Self { method, or_simhash: None },
            None if has_distance => Self { method: simhash.into(), or_simhash: None },
            None => {
                let recipe = Recipe::of_any_version(&view.settings().recipe);
                match default_of(recipe.as_ref()) {
                    method if method.is_by_distance() => Self { method: simhash.into(), or_simhash: Some(simhash) },
                    method => Self { method, or_simhash: Some(simhash) },
                }
            }
        }
    }
}
