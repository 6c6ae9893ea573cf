//! Options of the model of the default verdict.

use std::path::{Path, PathBuf};

use nddb::detect::{ALL_TRAITS, Model, Rules};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::inputs;

/// How the model decides.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ModelOptions {
    /// Least probability of a near-duplicate, by the model
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = probability)]
    min_probability: f64,
    /// Take the constants of the model from this file, which `nddb lab fit --output` wrote
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl ModelOptions {
    /// Changes the rules to what the user gave.
    pub(crate) fn apply(&self, rules: &mut Rules) -> Result<()> {
        rules.probability = self.min_probability;
        if let Some(path) = &self.model {
            rules.model = read(path)?;
        }
        Ok(())
    }
}

/// Reads a probability.
fn probability(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("a probability is 0 to 1".into()) }
}

/// Reads the constants of a model: an object with `constant`, and `weights` by the names of all traits.
fn read(path: &Path) -> Result<Model> {
    let failure = |why: String| Failure::failed(format!("{}: {why}", path.display()));
    let value: Value =
        serde_json::from_slice(&inputs::read(path)?).map_err(|error| failure(format!("no JSON: {error}")))?;
    let number = |value: &Value, name: &str| {
        value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| failure(format!("no number {name}")))
    };
    let mut model = Model { constant: number(&value["constant"], "constant")?, ..Model::MAIN };
    for (weight, of) in model.weights.iter_mut().zip(&ALL_TRAITS) {
        *weight = number(&value["weights"][of.name], of.name)?;
    }
    Ok(model)
}
