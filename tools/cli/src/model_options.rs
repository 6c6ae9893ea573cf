//! Options of the model of the default verdict.

use std::path::{Path, PathBuf};

use nddb::detect::{ALL_TRAITS, Method, Model, Rules};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::inputs;

/// How the model decides.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ModelOptions {
    /// Minimum model probability of a near-duplicate [default: 0.5]
    #[arg(long, value_name = "P", value_parser = probability)]
    min_probability: Option<f64>,
    /// Read the constants of the model from this file, written by `nddb-lab fit --output`
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl ModelOptions {
    /// Whether any was given.
    pub(crate) fn is_given(&self) -> bool {
        self.min_probability.is_some() || self.model.is_some()
    }

    /// Changes the rules of a method to what the user gave. Refuses what means nothing to the method.
    pub(crate) fn apply(&self, method: Method, rules: &mut Rules) -> Result<()> {
        if self.is_given() && method != Method::Model {
            let name = if self.model.is_some() { "--model" } else { "--min-probability" };
            return Err(Failure::usage(format!("{name} applies to the method model, not to {method}")));
        }
        rules.probability = self.min_probability.unwrap_or(rules.probability);
        if let Some(path) = &self.model {
            rules.model = read(path)?;
        }
        Ok(())
    }
}

/// Reads a probability.
fn probability(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("must be 0 to 1".into()) }
}

/// Reads the constants of a model: an object with `constant`, and `weights` by the names of all traits.
fn read(path: &Path) -> Result<Model> {
    let failure = |why: String| Failure::failed(format!("{}: {why}", path.display()));
    let value: Value =
        serde_json::from_slice(&inputs::read(path)?).map_err(|error| failure(format!("not JSON: {error}")))?;
    let number = |value: &Value, name: &str| {
        value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| failure(format!("no number {name}")))
    };
    let mut model = Model { constant: number(&value["constant"], "constant")?, ..Model::MAIN };
    for (weight, of) in model.weights.iter_mut().zip(&ALL_TRAITS) {
        *weight = number(&value["weights"][of.name], of.name)?;
    }
    Ok(model)
}
