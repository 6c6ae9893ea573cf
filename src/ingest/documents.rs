//! Entries of archives made into documents.

use nddb_format::fingerprint::low_mask;
use nddb_format::record::Settings;

use super::LoadError;
use crate::archive::{Entry, EntryContent, OtherKind, PageEntry, Position, Reason};
use crate::sketch::Recipe;
use crate::store::Document;
use crate::{Fingerprint, Result};

/// An entry made ready for storing.
pub(super) enum Prepared {
    /// A document with its sketches.
    Document(Box<Document>),
    /// What cannot be read, or cannot be stored.
    Skipped { position: Position, reason: Reason, detail: String },
    /// A sound record that is no document.
    Other(OtherKind),
}

/// Makes documents as a database stores them.
pub(super) struct Maker {
    recipe: Recipe,
    greatest: u64,
}

impl Maker {
    /// Returns a maker of documents for the database of these settings.
    pub(super) fn new(settings: &Settings) -> std::result::Result<Self, LoadError> {
        Ok(Self { recipe: Recipe::from_label(&settings.recipe)?, greatest: low_mask(settings.bits) })
    }

    /// Makes an entry ready; `archive` is the number of the archive it is of.
    pub(super) fn make(&self, entry: Entry, archive: Option<u32>) -> Prepared {
        let position = entry.position;
        let made = match entry.content {
            EntryContent::Page(page) => self.page(&page, position, archive),
            EntryContent::Fingerprint { fingerprint, .. } if fingerprint > self.greatest => {
                let detail = format!("{fingerprint:016x} is wider than the database's fingerprints");
                return Prepared::Skipped { position, reason: Reason::BadFingerprint, detail };
            }
            EntryContent::Fingerprint { id, fingerprint, url } => {
                Document::bare(&id, Fingerprint(fingerprint)).map(|document| match url {
                    Some(url) => document.with_url(&url, &self.recipe),
                    None => document,
                })
            }
            EntryContent::Skipped { reason, detail } => return Prepared::Skipped { position, reason, detail },
            EntryContent::Other(kind) => return Prepared::Other(kind),
        };
        match made {
            Ok(document) => Prepared::Document(Box::new(document)),
            Err(error) => Prepared::Skipped { position, reason: Reason::BadId, detail: error.to_string() },
        }
    }

    fn page(&self, entry: &PageEntry, position: Position, archive: Option<u32>) -> Result<Document> {
        let document = Document::from_page(&entry.id, &entry.page(), &self.recipe)?;
        let document = document.with_date(entry.date).truncated(entry.truncated);
        Ok(match archive {
            Some(archive) => document.with_source(archive, position.offset, position.inner, position.length),
            None => document,
        })
    }
}
