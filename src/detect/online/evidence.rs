//! What two records say of a pair.

use nddb_format::Fingerprint;
use nddb_format::record::Record;

use crate::detect::collection::{b_similarity, c_similarity};
use crate::detect::evidence::Evidence;
use crate::detect::method::Method;
use crate::sketch::agreement;
use crate::text::Headings;

/// What is known of one document.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    /// Its fingerprint, unless it has fewer than two tokens.
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) record: &'a Record,
}

impl<'a> Facts<'a> {
    /// The digest of its text, if it has any: nothing is no text to be equal.
    pub(super) fn digest(&self) -> Option<&'a [u8; 16]> {
        self.record.digest.as_ref().filter(|_| !self.is_empty())
    }

    /// Whether it is known to have no token.
    pub(super) fn is_empty(&self) -> bool {
        self.record.tokens == Some(0)
    }

    /// Whether what the method compares is known of it; of what has no text there is nothing more to know.
    pub(super) fn are_enough_for(&self, method: Method) -> bool {
        let record = self.record;
        let has = match method {
            Method::Identity => self.digest().is_some(),
            Method::B => record.supershingles.is_some(),
            Method::C => record.projection.is_some(),
            Method::MinHash => record.min_values.is_some(),
            Method::Combined | Method::Split => record.supershingles.is_some() && record.projection.is_some(),
            _ => true,
        };
        has || self.is_empty()
    }

    /// All that is known of it and another.
    pub(super) fn evidence(&self, other: &Facts<'_>) -> Evidence {
        let (a, b) = (self.record, other.record);
        let both = |a: &'a Option<[u64; 6]>, b| Option::zip(a.as_ref(), b);
        let min_values = a.min_values.as_deref().zip(b.min_values.as_deref());
        Evidence {
            identical: self.digest().zip(other.digest()).is_some_and(|(a, b)| a == b),
            distance: self.fingerprint.zip(other.fingerprint).map(|(a, b)| (a.0 ^ b.0).count_ones()),
            b_similarity: both(&a.supershingles, b.supershingles.as_ref()).map(|(a, b)| b_similarity(a, b)),
            c_similarity: both(&a.projection, b.projection.as_ref()).map(|(a, b)| c_similarity(a, b)),
            agreement: min_values.map(|(a, b)| agreement(a, b)),
            same_heading: min_values.and_then(|_| headings(a)?.agree(&headings(b)?)),
            same_site: a.site.as_ref().zip(b.site.as_ref()).map(|(a, b)| a == b),
            ..Evidence::default()
        }
    }
}

/// Title and first heading of a document.
fn headings(record: &Record) -> Option<Headings> {
    record.headings.map(|[title, heading]| Headings { title, heading })
}
