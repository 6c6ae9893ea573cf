//! Checks whether a database has the sketches and keys that a method requires.

use nddb_index::{Document, Error, Result, View};
use nddb_page::sketch::Recipe;
use nddb_verdict::{Decider, Keys, Method, OutOfReach, Sketch};

/// Rejects a method whose sketches the recipe of a database does not make, or parameters beyond the reach of the
/// candidate source.
///
/// # Errors
/// [`Error::Method`] for missing sketches, [`Error::OutOfRange`] for parameters.
pub(crate) fn check(view: View<'_>, decider: &Decider<'_>) -> Result<()> {
    let (method, k) = (decider.method, view.settings().k.into());
    method.check(k).map_err(out_of_reach)?;
    if let Some(hamming) = decider.or_hamming {
        hamming.check(k).map_err(out_of_reach)?;
    }
    let recipe = &view.settings().recipe;
    let kind = Recipe::kind_of_label(recipe);
    if let Some(only) = method.only().filter(|only| *only != kind) {
        let why = format!("the fingerprints of recipe {recipe} are no {only} but {kind} ({})", kind.help());
        return Err(Error::Method { method: only.name(), why: why + "; method hamming compares them" });
    }
    let made = method.compares().iter().filter_map(|sketch| sketch.of_recipe());
    made.into_iter().try_for_each(|(lacks, has)| require(view, method, lacks, has, has))
}

/// Rejects a document made of a text, if the fingerprints of the database are made by another program.
///
/// # Errors
/// [`Error::Document`].
pub(crate) fn check_maker(view: View<'_>, document: &Document) -> Result<()> {
    match Recipe::from_label(&view.settings().recipe) {
        Err(error) if error.takes_fingerprints() && document.sketched => {
            Err(Error::Document { id: document.id().to_owned(), why: error.to_string() })
        }
        _ => Ok(()),
    }
}

fn out_of_reach(OutOfReach { what, requested, limit }: OutOfReach) -> Error {
    Error::OutOfRange { what, requested, limit }
}

/// Rejects a method for which a database keeps no index.
///
/// # Errors
/// Errors of [`check`].
pub(crate) fn check_index(view: View<'_>, decider: &Decider<'_>) -> Result<()> {
    let method = decider.method;
    if method.needs_text() {
        let why = "it compares texts, but the index has only sketches".into();
        return Err(Error::Method { method: method.name(), why });
    }
    check(view, decider)?;
    let has = |recipe: &Recipe, keys: Keys| match keys {
        Keys::Megashingles { .. } => recipe.keys().megashingles,
        Keys::Pieces { .. } => recipe.keys().pieces,
        Keys::Bands { .. } | Keys::Contents => recipe.keys().bands,
    };
    let all = method.keys();
    let has_all = |recipe: &Recipe| all.iter().all(|&keys| has(recipe, keys));
    all.iter().try_for_each(|&keys| {
        let lacks = match keys {
            Keys::Megashingles { .. } => "keeps no megashingles",
            Keys::Pieces { .. } => "keeps no pieces of projections",
            Keys::Bands { .. } => "keeps no bands of profiles",
            Keys::Contents => "keeps no keys of contents",
        };
        require(view, method, lacks, |recipe| has(recipe, keys), has_all)
    })
}

/// Rejects a method if the recipe of the database lacks a property; the error names the recipes that fit.
fn require(
    view: View<'_>,
    method: &dyn Method,
    lacks: &str,
    has: impl Fn(&Recipe) -> bool,
    fits: impl Fn(&Recipe) -> bool,
) -> Result<()> {
    let label = &view.settings().recipe;
    if Recipe::of_any_version(label).as_ref().is_some_and(has) {
        return Ok(());
    }
    let others = Recipe::labels_of(fits).join(", ");
    let why = format!("the recipe '{label}' of the database {lacks}; recipes that fit: {others}");
    Err(Error::Method { method: method.name(), why })
}

/// The number of documents that have each sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Documents that are not deleted.
    pub documents: u64,
    /// Of these, documents with a fingerprint: those with two tokens or more.
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

impl Held {
    /// Returns the number of documents with a sketch; for the fingerprint, which short documents lack, the number of
    /// documents that are not empty.
    fn count(&self, sketch: Sketch) -> u64 {
        match sketch {
            Sketch::Fingerprint => self.documents - self.empty,
            Sketch::Digest => self.digests,
            Sketch::Supershingles => self.supershingles,
            Sketch::Projection => self.projections,
            Sketch::MinValues => self.min_values,
            Sketch::Profile | Sketch::Content => self.profiles,
        }
    }

    /// Returns the first sketch that the method compares and that no document has.
    pub(super) fn lacking(&self, method: &dyn Method) -> Option<Sketch> {
        method.compares().iter().copied().find(|&sketch| sketch != Sketch::Fingerprint && self.count(sketch) == 0)
    }

    /// Returns the number of documents that have tokens but lack a sketch that the method compares.
    fn unsketched(&self, method: &dyn Method) -> u64 {
        let documents = self.documents - self.empty;
        let known = method.compares().iter().map(|&sketch| self.count(sketch)).min();
        known.map_or(0, |known| documents.saturating_sub(known))
    }
}

/// Returns the number of documents that lack a sketch that the method needs. Rejects a method as [`check`] does, and
/// also if no document has the sketch or text that the method needs.
///
/// # Errors
/// Errors of [`check`].
pub(crate) fn check_documents(view: View<'_>, held: &Held, decider: &Decider<'_>, verifies: bool) -> Result<u64> {
    check(view, decider)?;
    let (method, or_hamming) = (decider.method, decider.or_hamming.is_some());
    let is_any = held.documents > held.empty;
    let lacking = held.lacking(method).filter(|_| !or_hamming).map(Sketch::name);
    let text = (method.needs_text() || verifies) && held.digests == 0;
    if let Some(what) = lacking.or(text.then_some("a text")).filter(|_| is_any) {
        let why = format!("no document has {what}: they were loaded as fingerprints");
        return Err(Error::Method { method: method.name(), why });
    }
    Ok(if or_hamming { 0 } else { held.unsketched(method) })
}
