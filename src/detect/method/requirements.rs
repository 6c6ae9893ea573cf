//! What a method needs of the documents, and whether a database has it.

use super::name::Method;
use super::options::PairOptions;
use crate::sketch::Recipe;
use crate::store::View;
use crate::{Error, Result};

/// Least threshold of B for which two equal supershingles are what candidates share.
const B_MIN: u32 = 2;

/// Refuses a method that a database cannot answer completely, before anything is read.
///
/// # Errors
/// [`Error::Method`] if the recipe does not make the sketches;
/// [`Error::OutOfRange`] for thresholds that candidates do not reach down to.
pub fn check(view: View<'_>, options: &PairOptions) -> Result<()> {
    let (method, rules) = (options.method, &options.rules);
    if rules.b < B_MIN && matches!(method, Method::B | Method::Combined | Method::Split) {
        let what = "the least B-similarity (at least 2 are shared by every candidate)";
        return Err(Error::OutOfRange { what, requested: rules.b.into(), limit: B_MIN.into() });
    }
    if method == Method::Shingles && rules.resemblance <= 0.0 {
        let what = "the least resemblance in hundredths (more than 0 is shared by every candidate)";
        return Err(Error::OutOfRange { what, requested: 0, limit: 1 });
    }
    let most = view.settings().k.into();
    if method == Method::Simhash && rules.within > most {
        return Err(Error::OutOfRange { what: "k", requested: rules.within.into(), limit: most.into() });
    }
    let label = &view.settings().recipe;
    let recipe = Recipe::of_any_version(label);
    let (b, c) = needed(method);
    if method == Method::MinHash {
        require(method, label, recipe.as_ref(), "makes no min-values", Recipe::has_min_hash)?;
    }
    if method == Method::Model {
        require(method, label, recipe.as_ref(), "makes no profiles", Recipe::has_profile)?;
    }
    if b {
        require(method, label, recipe.as_ref(), "makes no supershingles", Recipe::has_min_hash)?;
    }
    if c {
        require(method, label, recipe.as_ref(), "makes no projections", Recipe::has_projection)?;
    }
    Ok(())
}

/// Refuses a method if the recipe of the database lacks something, and names those that have it.
pub(crate) fn require(
    method: Method,
    label: &str,
    recipe: Option<&Recipe>,
    lacks: &str,
    has: fn(&Recipe) -> bool,
) -> Result<()> {
    if recipe.is_some_and(has) {
        return Ok(());
    }
    let others = Recipe::NAMES.iter().copied().filter(|name| Recipe::named(name).is_some_and(|recipe| has(&recipe)));
    let others = others.collect::<Vec<_>>().join(", ");
    let why = format!("the recipe '{label}' of the database {lacks}; recipes that fit: {others}");
    Err(Error::Method { method: method.name(), why })
}

/// Whether a method needs supershingles, and projections.
fn needed(method: Method) -> (bool, bool) {
    let split = matches!(method, Method::Combined | Method::Split);
    (split || method == Method::B, split || method == Method::C)
}

/// How many documents have what methods need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Documents that are not deleted.
    pub documents: u64,
    /// Of these, documents with a fingerprint: with two tokens or more.
    pub fingerprints: u64,
    /// Documents with the digest of a token sequence.
    pub digests: u64,
    /// Documents with supershingles.
    pub supershingles: u64,
    /// Documents with a projection.
    pub projections: u64,
    /// Documents with min-values.
    pub min_values: u64,
    /// Documents with a profile.
    pub profiles: u64,
    /// Documents without any token.
    pub empty: u64,
}

/// Refuses a method also if no document at all has what it needs. Returns the number of documents of which
/// the method knows nothing, because they came without the sketch that others have.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_documents(view: View<'_>, held: &Held, options: &PairOptions) -> Result<u64> {
    check(view, options)?;
    let method = options.method;
    let (b, c) = needed(method);
    let none = |needed: bool, have: u64| needed && have == 0 && held.documents > held.empty;
    let missing = [
        (none(b, held.supershingles), "supershingles"),
        (none(c, held.projections), "a projection"),
        (none(method == Method::MinHash, held.min_values), "min-values"),
        (none(method == Method::Model, held.profiles), "a profile"),
        (none(method == Method::Identity, held.digests), "the digest of a text"),
        (none(method.needs_text() || options.verify_lcs, held.digests), "a text"),
    ];
    if let Some((_, what)) = missing.into_iter().find(|(missing, _)| *missing) {
        let why = format!("no document has {what}: they were loaded as fingerprints");
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
        Method::MinHash => held.min_values,
        Method::Model => held.profiles,
        Method::Combined | Method::Split => held.supershingles.min(held.projections),
        // Those of one token have none, by definition.
        _ => return 0,
    };
    (held.documents - held.empty).saturating_sub(known)
}
