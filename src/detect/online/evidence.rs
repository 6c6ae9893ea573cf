//! What two records say of a pair.

use nddb_format::Fingerprint;
use nddb_format::record::Record;

use crate::detect::method::known::Known;
use crate::detect::method::name::Method;
use crate::sketch::Profile;
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
            Method::Model => record.profile.is_some(),
            Method::Combined | Method::Split => record.supershingles.is_some() && record.projection.is_some(),
            _ => true,
        };
        has || self.is_empty()
    }

    /// All that is known of it.
    pub(super) fn known(&self) -> Known<&'a str> {
        let record = self.record;
        let profile = record.profile.as_deref().map(Profile::from_bytes);
        let headings = match &profile {
            Some(profile) => Some(profile.titles()),
            None => record.headings.map(|[title, heading]| Headings { title, heading }),
        };
        Known {
            fingerprint: self.fingerprint,
            digest: self.digest().map(|digest| u128::from_be_bytes(*digest)),
            supershingles: record.supershingles,
            projection: record.projection,
            min_values: record.min_values.clone(),
            headings,
            profile,
            site: record.site.as_deref(),
        }
    }
}
