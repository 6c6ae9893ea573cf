//! A document to be stored.

use nddb_format::document_keys::KeyKinds;
use nddb_format::fingerprint::low_mask;
use nddb_format::record::{self, Print, Record, SourcePosition};
use nddb_format::summaries::Summary;
use nddb_format::{Fingerprint, FormatError};

use super::catalog::DocumentKeys;
use super::keys::keys_of;
use super::read::view::Stored;
use crate::{Error, Result};

/// Documents of fewer tokens are in no run and never matched by fingerprint.
const TOKENS_MIN: u64 = 2;
/// Greatest size of an address, and of a site, in bytes: the summaries of 14 documents must have less than 4 GiB
/// together (SPEC 8.7), or no run could be made of them.
const ADDRESS_MAX: usize = 64 << 20;

/// A document: its id, its fingerprint, and the other data that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) unprinted: bool,
    /// Whether a recipe computed the fingerprint, with 64 bits. A database with fewer bits uses its low bits.
    pub sketched: bool,
    pub(crate) record: Record,
}

/// The outcome of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its id was not stored.
    New,
    /// Its id was stored with other content, which is deleted.
    Replaced,
    /// Content digest, fingerprint, url and site equal those already stored under its id, so nothing was changed.
    Unchanged,
}

impl Document {
    /// Returns a document that has only a fingerprint.
    ///
    /// # Errors
    /// [`Error::Document`] for an id that is empty, longer than 4,096 bytes, holds a NUL, or begins with U+0001 and is
    /// not one of [`number_id`](record::number_id).
    pub fn bare(id: &str, fingerprint: Fingerprint) -> Result<Self> {
        check_id(id)?;
        Ok(Self {
            fingerprint,
            unprinted: false,
            sketched: false,
            record: Record { id: id.into(), ..Record::default() },
        })
    }

    /// Returns a document from a record and the 64-bit fingerprint that a recipe computed from the same text. With
    /// fewer than two tokens it is in no run, and is never matched by its fingerprint.
    ///
    /// # Errors
    /// Errors of [`Document::bare`], for the id in the record.
    pub fn sketched(fingerprint: Fingerprint, record: Record) -> Result<Self> {
        check_id(&record.id)?;
        let unprinted = record.tokens.is_some_and(|tokens| tokens < TOKENS_MIN);
        Ok(Self { fingerprint, unprinted, sketched: true, record })
    }

    /// Returns the same content under another id and fingerprint, for fingerprints computed elsewhere.
    ///
    /// # Errors
    /// Errors of [`Document::bare`].
    pub fn renamed(mut self, id: &str, fingerprint: Fingerprint) -> Result<Self> {
        self.record.id = Self::bare(id, fingerprint)?.record.id;
        self.fingerprint = fingerprint;
        self.unprinted = false;
        self.sketched = false;
        Ok(self)
    }

    /// Adds the address of the document, and its site, if it is known.
    pub fn with_url(mut self, url: &str, site: Option<String>) -> Self {
        self.record.url = Some(url.into());
        self.record.site = site;
        self
    }

    /// Adds sketches computed elsewhere: supershingles and projection (Henzinger 2006, 2).
    pub fn with_sketches(mut self, supershingles: Option<[u64; 6]>, projection: Option<[u64; 6]>) -> Self {
        self.record.supershingles = supershingles;
        self.record.projection = projection;
        self
    }

    /// Adds the time when the document was fetched, in seconds since 1970.
    pub fn with_date(mut self, date: Option<i64>) -> Self {
        self.record.date = date;
        self
    }

    /// Adds the position of the document's bytes in an archive; `archive` is a number from
    /// [`BulkLoad::archives`](crate::BulkLoad::archives).
    pub fn with_source(mut self, archive: u32, offset: u64, inner: u64, length: u64) -> Self {
        self.record.source = Some(SourcePosition { archive, offset, inner, length });
        self
    }

    /// Adds the words of the page, as its compared text.
    pub fn with_words(mut self, words: Option<String>) -> Self {
        self.record.words = words;
        self
    }

    /// Removes the position: the page cannot be read again.
    pub fn without_source(mut self) -> Self {
        self.record.source = None;
        self
    }

    /// Adds the [digest](record::page_digest) of the page as it was read, by which a later load finds it unchanged.
    pub fn with_page_digest(mut self, digest: [u8; 16]) -> Self {
        self.record.page = Some(digest);
        self
    }

    /// Marks a document whose page was truncated at a limit.
    pub fn truncated(mut self, truncated: bool) -> Self {
        self.record.truncated = truncated;
        self
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// Returns the fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns whether the document has fewer than two tokens: it is stored, but never matched by fingerprint.
    pub fn is_unprinted(&self) -> bool {
        self.unprinted
    }

    /// Returns the document for a database of `bits`-bit fingerprints. A fingerprint given by the caller must fit; one
    /// computed by a recipe is cut to its low bits, which are the recipe's fingerprint of that width.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if a given fingerprint is too wide; as [`Document::check_address`].
    pub fn fitted(mut self, bits: u8) -> Result<Self> {
        self.check_address()?;
        self.fingerprint = self.fitted_fingerprint(bits)?;
        Ok(self)
    }

    /// Fails if the address or the site is too long to be stored.
    ///
    /// # Errors
    /// [`Error::Document`] if one of them has more than 64 MiB.
    pub fn check_address(&self) -> Result<()> {
        let length = [&self.record.url, &self.record.site].into_iter().flatten().map(|text| text.len()).max();
        match length {
            Some(length) if length > ADDRESS_MAX => {
                let why = format!("its address or site has {length} bytes: at most {ADDRESS_MAX} are stored");
                Err(Error::Document { id: self.record.id.chars().take(80).collect(), why })
            }
            _ => Ok(()),
        }
    }

    /// Returns the fingerprint of [`Document::fitted`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if a given fingerprint is too wide.
    pub fn fitted_fingerprint(&self, bits: u8) -> Result<Fingerprint> {
        let is_cut = self.sketched;
        fitting(if is_cut { Fingerprint(self.fingerprint.0 & low_mask(bits)) } else { self.fingerprint }, bits)
    }

    /// Returns the record for changes; the document no longer counts as made by a recipe.
    #[cfg(any(test, feature = "testing"))]
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Makes it a document that is in no run.
    #[cfg(any(test, feature = "testing"))]
    pub fn without_print(mut self) -> Self {
        self.unprinted = true;
        self
    }

    /// Returns the record, which is everything but the fingerprint.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the document as bytes: the values that the catalog stores under its number (SPEC 9.1), one after the
    /// other.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.print().encode().to_vec();
        self.record.encode_into(&mut bytes);
        bytes
    }

    /// Returns the document of the bytes that [`Document::to_bytes`] made.
    ///
    /// # Errors
    /// [`FormatError`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let (print, record) = bytes.split_at(bytes.len().min(Print::SIZE));
        let Print { fingerprint, unprinted } = Print::decode(print)?;
        let record = Record::decode(record)?;
        Ok(Self { fingerprint: Fingerprint(fingerprint), unprinted, sketched: record.digest.is_some(), record })
    }

    /// Returns the print: the fingerprint, and whether it is in a run.
    pub fn print(&self) -> Print {
        Print { fingerprint: self.fingerprint.0, unprinted: self.unprinted }
    }

    pub(crate) fn keys(&self, kinds: KeyKinds) -> DocumentKeys {
        keys_of(&self.record, kinds)
    }

    /// Returns whether nothing visible to a user differs from the stored document. The same content loaded again from
    /// another place counts as unchanged.
    pub(crate) fn is_same_as(&self, print: &Print, stored: &Record) -> bool {
        self.print() == *print
            && self.record.digest == stored.digest
            && self.record.profile == stored.profile
            && self.record.url == stored.url
            && self.record.site == stored.site
    }

    /// Like [`Document::is_same_as`], given a document that is not stored.
    pub(crate) fn is_same_as_document(&self, other: &Self) -> bool {
        self.is_same_as(&other.print(), &other.record)
    }

    /// Like [`Document::is_same_as`], given the summary of the stored document, which has everything that is compared.
    pub(crate) fn is_same_as_summary(&self, stored: &Summary<'_>) -> bool {
        self.print() == Print { fingerprint: stored.fingerprint, unprinted: false }
            && self.record.digest == stored.digest
            && self.record.profile.as_deref() == stored.profile.as_ref()
            && self.record.url.as_deref() == stored.url
            && self.record.site.as_deref() == stored.site
    }
}

/// Fails if a text cannot be an id.
fn check_id(id: &str) -> Result<()> {
    record::check_id(id).map_err(|error| Error::Document { id: id.chars().take(80).collect(), why: error.to_string() })
}

/// Returns a fingerprint if a database of `bits`-bit fingerprints can hold it.
///
/// # Errors
/// [`Error::OutOfRange`] if it is too wide.
pub fn fitting(fingerprint: Fingerprint, bits: u8) -> Result<Fingerprint> {
    let (requested, limit) = (fingerprint.0, low_mask(bits));
    if requested > limit {
        return Err(Error::OutOfRange { what: "the fingerprint", requested, limit });
    }
    Ok(fingerprint)
}

impl From<Stored> for Document {
    /// Turns a stored document back into one that can be used as a query.
    fn from(stored: Stored) -> Self {
        let Stored { fingerprint, unprinted, record, .. } = stored;
        Self { fingerprint, unprinted, sketched: false, record }
    }
}
