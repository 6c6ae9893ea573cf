//! The document of a page.

use nddb_index::{Document, Fingerprint, Result};
use nddb_page::sketch::Recipe;
use nddb_page::text::Page;

/// Returns a document with all sketches of a page by a recipe.
///
/// # Errors
/// [`nddb_index::Error::Document`] for an id that is empty, longer than 4,096 bytes or holds a NUL.
pub fn document_of_page(id: &str, page: &Page<'_>, recipe: &Recipe) -> Result<Document> {
    let sketch = recipe.sketch(page);
    Document::sketched(Fingerprint(sketch.fingerprint), sketch.record(id, page.url))
}

/// Like [`document_of_page`], and with the text of the page, for a database that keeps texts.
///
/// # Errors
/// Errors of [`document_of_page`].
pub fn document_with_words(id: &str, page: &Page<'_>, recipe: &Recipe) -> Result<Document> {
    let (sketch, text) = recipe.sketch_with_text(page);
    let document = Document::sketched(Fingerprint(sketch.fingerprint), sketch.record(id, page.url))?;
    Ok(document.with_words(Some(text)))
}
