//! Sketches of documents, and the set of sketches that a document has.

use nddb_format::record::{MIN_VALUES, PROFILE, Record};

use nddb_page::sketch::Recipe;

/// A sketch: stored data of a document that methods compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// The fingerprint.
    Fingerprint,
    /// The digest of the text.
    Digest,
    /// Six supershingles.
    Supershingles,
    /// The projection of 384 bits.
    Projection,
    /// A byte of each of 84 min-values, and with them the hashes of title and first heading.
    MinValues,
    /// The profile.
    Profile,
    /// The digest of the content, a part of the profile.
    Content,
}

/// A predicate: whether a recipe makes a sketch.
pub(crate) type OfRecipe = fn(&Recipe) -> bool;

impl Sketch {
    /// Returns the name of the sketch for messages, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Sketch::Fingerprint => "a fingerprint",
            Sketch::Digest => "the digest of a text",
            Sketch::Supershingles => "supershingles",
            Sketch::Projection => "a projection",
            Sketch::MinValues => "min-values",
            Sketch::Profile => "a profile",
            Sketch::Content => "the digest of a content",
        }
    }

    /// Returns the size of the sketch in bytes.
    pub(crate) fn size(self) -> u64 {
        match self {
            Sketch::Fingerprint | Sketch::Content => 8,
            Sketch::Digest => 16,
            Sketch::Supershingles | Sketch::Projection => 48,
            Sketch::MinValues => MIN_VALUES as u64 + 16,
            Sketch::Profile => PROFILE as u64,
        }
    }

    /// Returns the wording for a recipe that does not make the sketch, and a predicate that tells whether a recipe
    /// makes it; `None` if every recipe does.
    pub fn of_recipe(self) -> Option<(&'static str, OfRecipe)> {
        match self {
            Sketch::Fingerprint | Sketch::Digest => None,
            Sketch::Supershingles => Some(("makes no supershingles", Recipe::has_min_hash)),
            Sketch::Projection => Some(("makes no projections", Recipe::has_projection)),
            Sketch::MinValues => Some(("makes no min-values", Recipe::has_min_hash)),
            Sketch::Profile => Some(("makes no profiles", Recipe::has_profile)),
            Sketch::Content => Some(("makes no digests of contents", Recipe::has_profile)),
        }
    }

    /// Returns whether short documents lack the sketch: true for the fingerprint, which needs two tokens.
    fn is_optional(self) -> bool {
        self == Sketch::Fingerprint
    }
}

/// The set of sketches that a document has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sketches(u8);

impl Sketches {
    /// Returns the sketches of a record; an empty text has no digest, since empty texts are not compared.
    pub fn of(record: &Record, has_fingerprint: bool) -> Self {
        let has_text = record.tokens != Some(0);
        Self::default()
            .with(Sketch::Fingerprint, has_fingerprint)
            .with(Sketch::Digest, record.digest.is_some() && has_text)
            .with(Sketch::Supershingles, record.supershingles.is_some())
            .with(Sketch::Projection, record.projection.is_some())
            .with(Sketch::MinValues, record.min_bytes.is_some())
            .with(Sketch::Profile, record.profile.is_some())
            .with(Sketch::Content, record.profile.is_some())
    }

    /// Adds a sketch if the document has it.
    pub fn with(self, sketch: Sketch, is_there: bool) -> Self {
        Self(self.0 | u8::from(is_there) << sketch as u8)
    }

    /// Returns whether the set contains a sketch.
    #[inline]
    pub fn has(self, sketch: Sketch) -> bool {
        self.0 >> sketch as u8 & 1 == 1
    }

    /// Returns whether the set contains all of these sketches, except those that short documents lack.
    pub fn suffice_for(self, sketches: &[Sketch]) -> bool {
        sketches.iter().all(|&sketch| sketch.is_optional() || self.has(sketch))
    }

    /// Returns whether the set contains a sketch that exists only if the content has terms. A projection does not
    /// count, because a database may have a projection of a content without terms.
    pub(crate) fn are_of_terms(self) -> bool {
        [Sketch::Supershingles, Sketch::MinValues, Sketch::Profile].iter().any(|&one| self.has(one))
    }

    /// Returns whether the set contains nothing except a fingerprint and a digest.
    pub fn are_bare(self) -> bool {
        !self.are_of_terms() && !self.has(Sketch::Projection)
    }
}
