//! A part of the documents.

/// A part of the documents, and how many of these are to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its name; `None` for documents without a site or batch.
    pub name: Option<String>,
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
}
