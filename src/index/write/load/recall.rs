//! What threads that prepare documents for a load ask the database: what stored ones were sketched to, and keys.

use std::sync::Arc;

use nddb_format::Fingerprint;
use nddb_format::document_keys::KeyKinds;
use nddb_format::record::{Print, Record};

use super::LoadKeys;
use crate::catalog::Catalog;
use crate::{Document, Result};

/// Finds stored documents by id and the digest of their pages: the sketches of a page that has not changed need not be
/// computed again. Computes the keys of documents, too. It may be used on any thread while the load goes on. It must
/// not outlive the writer.
#[derive(Clone)]
pub struct Recall {
    catalog: Arc<Catalog>,
    is_empty: bool,
    kinds: KeyKinds,
}

nddb_format::debug_fields!(Recall: is_empty);

impl Recall {
    /// `is_empty` says that nothing is stored.
    pub(super) fn new(catalog: Arc<Catalog>, is_empty: bool, kinds: KeyKinds) -> Self {
        Self { catalog, is_empty, kinds }
    }

    /// Returns the keys of a document for [`BulkLoad::push_with`](super::BulkLoad::push_with).
    pub fn keys(&self, document: &Document) -> LoadKeys {
        LoadKeys::of(document, self.kinds)
    }

    /// Returns a document with this id and address whose page has this [digest](nddb_format::record::page_digest):
    /// what was computed from the page, without a date, place or batch. Whether it is visible, deleted or replaced does
    /// not matter.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn document(&self, id: &str, url: Option<&str>, page: &[u8; 16]) -> Result<Option<Document>> {
        let mut numbers = Vec::new();
        if !self.is_empty {
            self.catalog.ids().all(id, &mut numbers)?;
        }
        for number in numbers.into_iter().rev() {
            let Some(record) = self.catalog.record(number)? else { continue };
            if record.page.as_ref() != Some(page) || record.url.as_deref() != url {
                continue;
            }
            let Some(Print { fingerprint, unprinted }) = self.catalog.print(number)? else { continue };
            let record = Record { date: None, source: None, batch: None, truncated: false, ..record };
            return Ok(Some(Document { fingerprint: Fingerprint(fingerprint), unprinted, sketched: true, record }));
        }
        Ok(None)
    }
}
