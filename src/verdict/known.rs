//! Stored sketches of one document, and the evidence of a pair: the only place where evidence is computed.

use nddb_format::Fingerprint;
use nddb_format::record::Record;
use nddb_format::summaries::Summary;
use nddb_page::sketch::{MIN_VALUES, Profile, agreement, min_bytes, titles_of};
use nddb_page::text::Headings;

use super::difference::difference;
use super::evidence::Evidence;
use super::sketches::Sketches;
use super::traits::Traits;

/// Stored sketches of a document; `S` is the type of the site, a name or a number.
#[derive(Clone, Debug)]
pub struct Known<S> {
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
    /// What the default verdict compares.
    pub profile: Option<Profile>,
    /// Site.
    pub site: Option<S>,
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

impl<'a> Known<&'a str> {
    /// Returns the sketches of a record; the fingerprint is stored outside the record.
    pub fn of(record: &'a Record, fingerprint: Option<Fingerprint>) -> Self {
        Self {
            fingerprint,
            digest: digest_of(record).map(|digest| u128::from_be_bytes(*digest)),
            supershingles: record.supershingles,
            projection: record.projection,
            min_bytes: record.min_values.as_deref().map(min_bytes),
            profile: record.profile.as_deref().map(Profile::from_bytes),
            site: record.site.as_deref(),
            is_without_terms: is_without_terms(record.tokens, Sketches::of(record, fingerprint.is_some())),
        }
    }

    /// As [`Known::of`], of a printed document.
    pub fn of_summary(summary: &Summary<'a>) -> Self {
        Self {
            fingerprint: Some(Fingerprint(summary.fingerprint)),
            digest: summary.digest.map(u128::from_be_bytes),
            supershingles: summary.supershingles,
            projection: summary.projection,
            min_bytes: summary.min_bytes,
            profile: summary.profile.as_ref().map(Profile::from_bytes),
            site: summary.site,
            is_without_terms: summary.is_without_terms,
        }
    }
}

impl<S: PartialEq> Known<S> {
    /// Returns the evidence of the pair of this document and another.
    pub fn evidence(&self, other: &Known<S>) -> Evidence {
        let evidence = self.evidence_of_sketches(other);
        let traits = self.compared(other, &evidence).map(|(a, b, agreement)| Traits::of(a, b, agreement));
        let difference = self.difference(other, &evidence);
        let same_heading = self.same_heading(self.headings(), other, &evidence);
        let (distance, same_site) = (self.distance(other.fingerprint), self.same_site(other));
        Evidence { distance, traits, difference, same_site, same_heading, ..evidence }
    }

    /// Returns the evidence of the pair that its sketches alone give: without its site, the words of its titles and
    /// headings, and the distance.
    pub(super) fn evidence_of_sketches(&self, other: &Known<S>) -> Evidence {
        let (a, b) = (self, other);
        Evidence {
            identical: a.digest.zip(b.digest).is_some_and(|(a, b)| a == b),
            b_similarity: a.supershingles.zip(b.supershingles).map(|(a, b)| b_similarity(&a, &b)),
            c_similarity: a.projection.zip(b.projection).map(|(a, b)| c_similarity(&a, &b)),
            agreement: a.min_bytes.as_ref().zip(b.min_bytes.as_ref()).map(|(a, b)| agreement(a, b)),
            is_without_terms: a.is_without_terms || b.is_without_terms,
            ..Evidence::default()
        }
    }

    /// Returns what the traits of the pair with this evidence are computed from.
    pub(super) fn compared<'k>(
        &'k self,
        other: &'k Known<S>,
        evidence: &Evidence,
    ) -> Option<(&'k Profile, &'k Profile, u32)> {
        Some((self.profile.as_ref()?, other.profile.as_ref()?, evidence.agreement?))
    }

    /// Returns the estimated difference of the whole texts of the pair with this evidence.
    pub(super) fn difference(&self, other: &Known<S>, evidence: &Evidence) -> Option<f64> {
        if evidence.identical {
            return Some(0.0);
        }
        self.compared(other, evidence).map(|(a, b, agreement)| difference(a, b, agreement))
    }

    /// Returns whether the sites are equal.
    pub(super) fn same_site(&self, other: &Known<S>) -> Option<bool> {
        self.site.as_ref().zip(other.site.as_ref()).map(|(a, b)| a == b)
    }

    /// Returns whether titles or headings of the pair with this evidence agree; `headings` are those of this document.
    pub(super) fn same_heading(
        &self,
        headings: Option<Headings>,
        other: &Known<S>,
        evidence: &Evidence,
    ) -> Option<bool> {
        evidence.agreement.and_then(|_| headings?.agree(&other.headings()?))
    }

    /// Returns the distance of the fingerprints.
    pub fn distance(&self, other: Option<Fingerprint>) -> Option<u32> {
        self.fingerprint.zip(other).map(|(a, b)| (a.0 ^ b.0).count_ones())
    }

    /// Returns the hashes of title and headings.
    pub(super) fn headings(&self) -> Option<Headings> {
        self.profile.as_ref().map(titles_of)
    }
}

/// Returns the B-similarity, 0 to 6: the number of equal supershingles at equal indexes (Henzinger 2006, 2).
pub fn b_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as u32
}

/// Returns the C-similarity, 0 to 384: the number of equal bits of the projections (Henzinger 2006, 2).
pub fn c_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    384 - a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
}
