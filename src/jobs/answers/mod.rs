//! Queries of many documents, and their answers as lines of JSON: near-duplicates, and passages in common.
//!
//! [`Asking`] answers queries on many threads, in their order, by a way to answer: [`Judged`] finds near-duplicates by a
//! method, [`InParts`] passages in common; a program may have ways of its own ([`Answering`]).

mod asking;
mod near;
mod passage_rows;
mod passages;
mod texts;

use std::path::PathBuf;

use nddb_format::fingerprint::low_mask;
use nddb_index::{Document, Federation, Fingerprint, Reader, Stored};
use nddb_page::text::{Page, PageKind};

use crate::error::{JobError, Result};

pub use self::asking::{Answering, Answers, Asking};
pub use self::near::Judged;
pub use self::passage_rows::{PASSAGE_COLUMNS, PairInParts, PassageRows};
pub(crate) use self::passages::whole;
pub use self::passages::{
    Database, InParts, Noticed, PairsFound, PassageOptions, ask_inputs, pairs_in_parts, refuse_without_parts,
    with_parts,
};
pub use self::texts::{PassageTexts, Texts};

/// One database, or several that are searched as one.
#[derive(Debug)]
pub struct NamedFederation<'a> {
    /// The databases.
    pub federation: Federation<'a>,
    /// The name of each; empty for a single database.
    pub names: Vec<String>,
}

impl<'a> NamedFederation<'a> {
    /// Several databases searched as one, under these names.
    ///
    /// # Errors
    /// No database; one whose fingerprints cannot be compared ([`JobError::Listed`]).
    pub fn new(paths: &[PathBuf], readers: &[&'a Reader]) -> Result<Self> {
        let names = paths.iter().filter(|_| paths.len() > 1).map(|path| path.display().to_string()).collect();
        let mut readers = paths.iter().zip(readers);
        let (_, first) = readers.next().ok_or_else(|| JobError::options("no database is named"))?;
        let mut federation = Federation::of(first.view());
        for (path, reader) in readers {
            federation.join(reader.view()).map_err(|source| JobError::Listed { list: path.clone(), source })?;
        }
        Ok(Self { federation, names })
    }

    /// Returns the name of a part, if there are several.
    pub fn name(&self, part: usize) -> Option<&str> {
        self.names.get(part).map(String::as_str)
    }
}

/// A query.
#[derive(Debug)]
pub enum Query {
    /// A fingerprint.
    Print(Fingerprint),
    /// A stored document, and the index of its database.
    Stored(usize, Box<Stored>),
    /// A document of another database.
    Outside(Box<Stored>),
    /// A page of a file.
    Page(Box<PageQuery>),
    /// An id that is not stored.
    Missing(String),
}

/// A page from a file, and the document made from it.
#[derive(Debug)]
pub struct PageQuery {
    /// The path as it was given.
    pub path: PathBuf,
    /// The page.
    pub file: PageFile,
    /// Its document.
    pub document: Document,
}

/// A page from a file, with what is known about it.
#[derive(Debug)]
pub struct PageFile {
    /// Its bytes.
    pub body: Vec<u8>,
    /// Markup or plain text.
    pub kind: PageKind,
    /// Its character set, if known.
    pub charset: Option<String>,
    /// Its address, if known.
    pub url: Option<String>,
}

impl PageFile {
    /// The page.
    pub fn page(&self) -> Page<'_> {
        Page { kind: self.kind, charset: self.charset.as_deref(), url: self.url.as_deref(), body: &self.body }
    }
}

impl Query {
    /// Returns the database and the number of a stored document, which is no match of itself.
    pub fn own(&self) -> Option<(usize, u64)> {
        if let Query::Stored(part, stored) = self { Some((*part, stored.number)) } else { None }
    }

    /// Returns the fingerprint in a database of this width, and whether the document has fewer than two tokens; `None`
    /// for an id that is not stored.
    pub fn fingerprint(&self, bits: u8) -> Option<(Fingerprint, bool)> {
        match self {
            Query::Print(fingerprint) => Some((*fingerprint, false)),
            Query::Stored(_, stored) | Query::Outside(stored) => Some((stored.fingerprint, stored.unprinted)),
            Query::Page(page) => Some((masked(&page.document, bits), page.document.is_unprinted())),
            Query::Missing(_) => None,
        }
    }
}

/// Returns the fingerprint of a document in a database of this width.
fn masked(document: &Document, bits: u8) -> Fingerprint {
    Fingerprint(document.fingerprint().0 & low_mask(bits))
}
