//! A collection of documents that no database holds.

use nddb_index::spill::mapped_rows::MappedRowsWriter;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::temp_file::TempFile;
use nddb_index::{Document, Result};
use nddb_page::sketch::Recipe;

use super::build::CollectionRows;
use super::documents::Collection;
use super::row::Row;

/// A document with a number that determines its age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number; an older document has a lower one.
    pub number: u64,
    /// Whether the document is deleted. A deleted document may be a founder, but is not a member.
    pub deleted: bool,
    /// The document.
    pub document: Document,
}

impl Collection {
    /// Returns a collection of documents made by a recipe, in the order of their numbers. No two documents may have the
    /// same id or the same number.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn of(documents: &mut [Numbered], recipe: Option<&Recipe>, resources: &Resources) -> Result<Self> {
        documents.sort_unstable_by_key(|one| one.number);
        let folder = &resources.folder;
        let mut by_id: Vec<u32> = (0..documents.len() as u32).collect();
        by_id.sort_unstable_by_key(|&index| documents[index as usize].document.id().as_bytes());
        let (mut ids, mut ends, mut end) = (TempFile::create(folder)?, MappedRowsWriter::<1>::new(folder)?, 0);
        let mut ranks = vec![0; documents.len()];
        let mut bytes = Vec::new();
        for (rank, &index) in (0..).zip(&by_id) {
            let id = documents[index as usize].document.id().as_bytes();
            bytes.extend_from_slice(id);
            end += id.len() as u64;
            ends.push(&[end])?;
            ranks[index as usize] = rank;
        }
        ids.append(&bytes)?;
        let mut rows = CollectionRows::new(resources, documents.len(), Vec::new())?;
        for (one, &rank) in documents.iter().zip(&ranks) {
            let record = one.document.record();
            let site = record.site.as_ref().map(|site| rows.site(site));
            rows.push(&Row::of(one.number, rank as u32, site, one.document.print(), record, one.deleted), record)?;
        }
        rows.finish(ids, ends, recipe, resources)
    }
}
