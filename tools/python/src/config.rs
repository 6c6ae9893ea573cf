//! The class `Config`: what is fixed when a database is created.

use std::hash::{Hash, Hasher};

use nddb::Config;
use nddb::sketch::Recipe;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Fault, Result};

/// The settings of a database, which are fixed when it is created: `Config(k=3, *, recipe="main", bits=64,
/// keep_words=False)`. `keep_words` stores the words of pages, from which `clusters` computes the loss of each removal.
///
/// `k` is the maximum distance of a query, 0 to 7; `recipe` is the label of the recipe that sketches pages, or
/// `given/NAME` for fingerprints made by the program NAME; `bits` is the width of fingerprints. Raises OutOfRange,
/// RecipeError.
///
/// >>> nddb.Config(k=3, recipe="main")
/// Config(k=3, recipe="main/1", bits=64)
#[pyclass(frozen, name = "Config", module = "nddb", eq, hash)]
#[derive(PartialEq, Eq)]
pub(crate) struct PyConfig {
    pub(crate) config: Config,
    #[pyo3(get)]
    k: u8,
    #[pyo3(get)]
    bits: u8,
    #[pyo3(get)]
    recipe: String,
    #[pyo3(get)]
    keep_words: bool,
}

#[pymethods]
impl PyConfig {
    #[new]
    #[pyo3(signature = (k=3, *, recipe="main", bits=64, keep_words=false))]
    fn new(k: u8, recipe: &str, bits: u8, keep_words: bool) -> Result<Self> {
        let recipe = match named(recipe) {
            // Fingerprints that another program makes.
            Err(Fault::Recipe(error)) if error.takes_fingerprints() => recipe.to_owned(),
            recipe => recipe?.label(),
        };
        let config = Config::within(k)?.bits(bits)?.recipe(&recipe).keep_words(keep_words);
        Ok(Self { config, k, bits, recipe, keep_words })
    }

    fn __repr__(&self) -> String {
        format!("Config(k={}, recipe={:?}, bits={})", self.k, self.recipe, self.bits)
    }

    /// A configuration is pickled as its settings.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((u8,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("recipe", &self.recipe)?;
        named.set_item("bits", self.bits)?;
        named.set_item("keep_words", self.keep_words)?;
        Ok(((self.k,), named))
    }
}

impl Hash for PyConfig {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.k, self.bits, &self.recipe, self.keep_words).hash(state);
    }
}

/// Finds a recipe by its name, or its label with the version.
pub(crate) fn named(name: &str) -> Result<Recipe> {
    match Recipe::named(name) {
        Some(recipe) => Ok(recipe),
        None => Ok(Recipe::from_label(name)?),
    }
}
