//! What a method needs of the documents, and whether a database has it.

use super::collection::{Collection, Held};
use super::method::Method;
use super::options::PairOptions;
use crate::sketch::Recipe;
use crate::store::View;
use crate::{Error, Result};

/// Least threshold of B for which two equal supershingles are what candidates share.
const B_MIN: u32 = 2;

/// Refuses a method that this database cannot answer completely. Returns the number of documents of which
/// the method knows nothing, because they came without the sketch that the others have.
///
/// # Errors
/// [`Error::Method`] if the recipe does not make the sketches, or no document has them;
/// [`Error::OutOfRange`] for thresholds that candidates do not reach down to.
pub(super) fn check(view: View<'_>, collection: &Collection, options: &PairOptions) -> Result<u64> {
    let (method, held) = (options.method, collection.held());
    if options.rules.b < B_MIN && matches!(method, Method::B | Method::Combined | Method::Split) {
        let what = "the least B-similarity (at least 2 are shared by every candidate)";
        return Err(Error::OutOfRange { what, asked: options.rules.b.into(), limit: B_MIN.into() });
    }
    let label = &view.settings().recipe;
    let recipe = Recipe::from_label(label).ok();
    let makes = |has: fn(&Recipe) -> bool| recipe.as_ref().is_some_and(has);
    let supershingles = ("supershingles", makes(Recipe::has_min_hash), held.supershingles);
    let projections = ("projections", makes(Recipe::has_projection), held.projections);
    let needs = match method {
        Method::B => vec![supershingles],
        Method::C => vec![projections],
        Method::Combined | Method::Split => vec![supershingles, projections],
        _ => Vec::new(),
    };
    for (what, made, have) in &needs {
        if !made {
            let why = format!("the recipe '{label}' of the database makes no {what}");
            return Err(Error::Method { method: method.name(), why });
        }
        if *have == 0 && held.documents > held.empty {
            let why = format!("no document has {what}: they were loaded as fingerprints");
            return Err(Error::Method { method: method.name(), why });
        }
    }
    if method == Method::Identity && held.digests == 0 && held.documents > held.empty {
        let why = "no document has the digest of a text: they were loaded as fingerprints".into();
        return Err(Error::Method { method: method.name(), why });
    }
    Ok(unsketched(method, held))
}

/// Documents with tokens that the method knows nothing of.
fn unsketched(method: Method, held: &Held) -> u64 {
    let known = match method {
        Method::Identity => held.digests,
        Method::B => held.supershingles,
        Method::C => held.projections,
        Method::Combined | Method::Split => held.supershingles.min(held.projections),
        // Those of one token have none, by definition.
        _ => return 0,
    };
    (held.documents - held.empty).saturating_sub(known)
}
