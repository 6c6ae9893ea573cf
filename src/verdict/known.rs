//! Stored sketches of one document.

use nddb_format::Fingerprint;
use nddb_format::record::Record;
use nddb_format::summaries::Summary;
use nddb_page::sketch::{MIN_VALUES, Profile, titles_of};
use nddb_page::text::Headings;

use crate::sketches::Sketches;

/// Stored sketches of a document.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Fingerprint; `None` with fewer than two tokens.
    pub fingerprint: Option<Fingerprint>,
    /// Digest of the token sequence; `None` if the text is empty.
    pub digest: Option<u128>,
    /// Supershingles (Henzinger 2006, 2).
    pub supershingles: Option<[u64; 6]>,
    /// Projection (Henzinger 2006, 2).
    pub projection: Option<[u64; 6]>,
    /// A byte of each min-value.
    pub min_bytes: Option<[u8; MIN_VALUES]>,
    /// The profile, which the default method compares.
    pub profile: Option<Profile>,
    /// Number of tokens, at most 2^32 - 1; `None` if unknown.
    pub tokens: Option<u32>,
    /// Whether the document has tokens but no terms, so that its fingerprint carries no evidence.
    pub is_without_terms: bool,
}

/// Returns the digest of the text of a record; `None` for an empty text, since empty texts are not compared.
pub fn digest_of(record: &Record) -> Option<&[u8; 16]> {
    record.digest.as_ref().filter(|_| record.tokens != Some(0))
}

/// Returns whether the fingerprint of a document with this number of tokens carries no evidence, because none of the
/// tokens is a term of the content. The number of tokens of a bare fingerprint is unknown.
pub fn is_without_terms(tokens: Option<u64>, sketches: Sketches) -> bool {
    tokens.is_some_and(|tokens| tokens > 0) && !sketches.are_of_terms()
}

impl Known {
    /// Returns the sketches of a record; the fingerprint is stored outside the record.
    pub fn of(record: &Record, fingerprint: Option<Fingerprint>) -> Self {
        Self {
            fingerprint,
            digest: digest_of(record).map(|digest| u128::from_be_bytes(*digest)),
            supershingles: record.supershingles,
            projection: record.projection,
            min_bytes: record.min_bytes.as_deref().copied(),
            profile: record.profile.as_deref().map(Profile::from_bytes),
            tokens: record.tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
            is_without_terms: is_without_terms(record.tokens, Sketches::of(record, fingerprint.is_some())),
        }
    }

    /// Like [`Known::of`], for a summary; its document has a fingerprint.
    pub fn of_summary(summary: &Summary<'_>) -> Self {
        Self {
            fingerprint: Some(Fingerprint(summary.fingerprint)),
            digest: summary.digest.map(u128::from_be_bytes),
            supershingles: summary.supershingles,
            projection: summary.projection,
            min_bytes: summary.min_bytes,
            profile: summary.profile.as_ref().map(Profile::from_bytes),
            tokens: summary.tokens,
            is_without_terms: summary.is_without_terms,
        }
    }

    /// Returns the hashes of title and headings.
    pub(crate) fn headings(&self) -> Option<Headings> {
        self.profile.as_ref().map(titles_of)
    }
}
