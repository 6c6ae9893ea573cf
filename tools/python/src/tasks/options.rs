//! How near-duplicates are judged, without a database.

use nddb::detect::{GROUP_LIMIT, Method, PairOptions};
use nddb::sketch::Recipe;

use crate::errors::Result;
use crate::judging::{check_shares, method as named_method};

/// Returns the options of a method; without one those of the default of the recipe, with simhash for documents of which
/// only the fingerprint is known.
pub(super) fn pair_options(
    recipe: &Recipe,
    method: Option<&str>,
    k: u8,
    group_limit: Option<usize>,
    complete: bool,
    min_probability: Option<f64>,
    max_difference: Option<f64>,
) -> Result<PairOptions> {
    let (method, or_simhash) = match method {
        Some(name) => (named_method(name)?, false),
        None => (Method::default_of(Some(recipe)), true),
    };
    if method.needs_text() {
        let why = "it compares texts, and sketches are given".into();
        return Err(nddb::Error::Method { method: method.name(), why }.into());
    }
    check_shares(min_probability, max_difference)?;
    let mut options = PairOptions { or_simhash, complete, ..PairOptions::new(method) };
    options.group_limit = group_limit.unwrap_or(GROUP_LIMIT);
    options.rules.within = k.into();
    options.rules.probability = min_probability.unwrap_or(options.rules.probability);
    options.rules.max_difference = max_difference;
    Ok(options)
}
