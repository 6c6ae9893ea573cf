//! How near-duplicates are judged, without a database.

use nddb::detect::PairOptions;
use nddb::detect::options::GROUP_LIMIT;
use nddb::sketch::Recipe;
use nddb::verdict::{default_of, methods::Hamming};

use crate::errors::Result;
use crate::judging::{check_probability, method as named_method, set_known, within};

/// Returns the options of a method; without one those of the default of the recipe, with hamming for documents of which
/// only the fingerprint is known.
pub(super) fn pair_options(
    recipe: &Recipe,
    method: Option<&str>,
    k: u8,
    group_limit: Option<usize>,
    complete: bool,
    min_probability: Option<f64>,
) -> Result<PairOptions> {
    let (method, or_hamming) = match method {
        Some(name) => (named_method(name)?, None),
        None => (default_of(Some(recipe)), Some(Hamming::within(k.into()))),
    };
    if method.needs_text() {
        let why = "it compares texts, and sketches are given".into();
        return Err(nddb::Error::Method { method: method.name(), why }.into());
    }
    check_probability(min_probability)?;
    let mut method = within(method, k);
    set_known(&mut method, complete, min_probability)?;
    let group_limit = group_limit.unwrap_or(GROUP_LIMIT);
    Ok(PairOptions { or_hamming, group_limit, ..PairOptions::new(method) })
}
