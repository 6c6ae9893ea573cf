//! The default method of a database.

use nddb_index::View;
use nddb_page::sketch::Recipe;
use nddb_verdict::methods::Hamming;
use nddb_verdict::{Method, default_of};

/// The method chosen for a database.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodChoice {
    /// The method.
    pub method: Box<dyn Method>,
    /// The method hamming, if it decides pairs that the method cannot decide.
    pub or_hamming: Option<Hamming>,
}

impl MethodChoice {
    /// Returns a method with its parameters unchanged. A distance that the database cannot answer is refused when the
    /// method runs.
    pub fn exactly(method: impl Into<Box<dyn Method>>) -> Self {
        Self { method: method.into(), or_hamming: None }
    }

    /// Returns the named method, or else the default of a database; with a distance `k`, the method within it.
    ///
    /// # Errors
    /// A named method that compares no distances, if there is a distance.
    pub fn of(view: View<'_>, named: Option<Box<dyn Method>>, k: Option<u32>) -> Result<Self, Box<dyn Method>> {
        match (named, k) {
            (None, None) => Ok(Self::usual(view)),
            (Some(method), None) => Ok(Self::named(view, method)),
            (named, Some(k)) => {
                let method = named.unwrap_or_else(|| Hamming::default().into());
                method.within(k).map(Self::exactly).ok_or(method)
            }
        }
    }

    /// Returns the method of a name; hamming has the k of the database.
    pub fn named(view: View<'_>, method: Box<dyn Method>) -> Self {
        Self::exactly(method.within(view.settings().k.into()).unwrap_or(method))
    }

    /// Returns the default method of the recipe of a database. Hamming, with the k of the database, decides about
    /// documents of which only the fingerprint is known.
    pub fn usual(view: View<'_>) -> Self {
        let recipe = Recipe::of_any_version(&view.settings().recipe);
        let hamming = Hamming::within(view.settings().k.into());
        Self { or_hamming: Some(hamming), ..Self::named(view, default_of(recipe.as_ref())) }
    }
}
