//! Documents from entries of archives.

use nddb_format::fingerprint::low_mask;
use nddb_format::record::Settings;

use super::LoadError;
use crate::archive::{Entry, EntryContent, OtherKind, PageEntry, Position, Reason};
use crate::sketch::Recipe;
use crate::store::Document;
use crate::{Fingerprint, Result};

/// An entry prepared for storing.
pub(super) enum Prepared {
    /// A document with its sketches.
    Document(Box<Document>),
    /// An entry that cannot be read or stored.
    Skipped { position: Position, reason: Reason, detail: String },
    /// A sound record that is not a document.
    Other(OtherKind),
}

/// Makes documents for a database.
pub(super) struct Maker {
    recipe: Recipe,
    greatest: u64,
}

impl Maker {
    /// Returns a maker of documents for the database of these settings.
    pub(super) fn new(settings: &Settings) -> std::result::Result<Self, LoadError> {
        Ok(Self { recipe: Recipe::from_label(&settings.recipe)?, greatest: low_mask(settings.bits) })
    }

    /// Returns a maker of documents that no database is known of.
    pub(super) fn of(recipe: Recipe) -> Self {
        Self { recipe, greatest: u64::MAX }
    }

    /// Prepares an entry; `archive` is the number of its archive.
    pub(super) fn make(&self, entry: Entry, archive: Option<u32>) -> Prepared {
        let position = entry.position;
        let document = match entry.content {
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
        match document {
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
