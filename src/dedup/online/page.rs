//! The page of a stored document, read again from its source.

use std::fmt;

use nddb_archive::{ArchiveError, Options, PageEntry, Position, path_of, read_page as read_at};
use nddb_format::record::Record;
use nddb_index::{Result, View};
use nddb_page::sketch::Recipe;

/// Reason why the page of a stored document cannot be read again.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnreadReason {
    /// The document did not come from an archive.
    NoSource,
    /// The catalog does not know the archive.
    NoArchive,
    /// The archive cannot be read at the position of the page.
    Archive(ArchiveError),
    /// The archive has another page at that position.
    Other {
        /// Path of the archive.
        path: String,
    },
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSource => write!(f, "it was not loaded from an archive"),
            Self::NoArchive => write!(f, "the catalog does not know its archive"),
            Self::Archive(error) => {
                write!(f, "{error}")?;
                let mut source = std::error::Error::source(error);
                while let Some(error) = source {
                    write!(f, ": {error}")?;
                    source = error.source();
                }
                Ok(())
            }
            Self::Other { path } => write!(f, "{path}: another page stands there than the one that was loaded"),
        }
    }
}

/// Reads the page of a stored document from its archive; a page with other tokens counts as another page.
///
/// # Errors
/// Damage of the catalog.
pub fn read_page(view: View<'_>, record: &Record) -> Result<Result<PageEntry, UnreadReason>> {
    let Some(source) = record.source else { return Ok(Err(UnreadReason::NoSource)) };
    let Some(archive) = view.archive(source.archive)? else { return Ok(Err(UnreadReason::NoArchive)) };
    let position = Position { offset: source.offset, inner: source.inner, length: source.length };
    Ok(match read_at(&path_of(&archive.path), &position, &Options::from_reading(archive.reading.as_ref())) {
        Err(error) => Err(UnreadReason::Archive(error)),
        Ok(page) if is_page_of(&page, record.digest, view) => Ok(page),
        Ok(_) => Err(UnreadReason::Other { path: archive.path }),
    })
}

fn is_page_of(page: &PageEntry, digest: Option<[u8; 16]>, view: View<'_>) -> bool {
    Recipe::of_any_version(&view.settings().recipe).is_some_and(|recipe| has_digest(page, digest, &recipe))
}

/// Returns whether a page is the one of which this digest is stored.
pub(crate) fn has_digest(page: &PageEntry, digest: Option<[u8; 16]>, recipe: &Recipe) -> bool {
    digest == Some(recipe.sketch(&page.page()).digest)
}
