//! Documents from entries of archives.

use nddb_archive::{Entry, EntryContent, OtherKind, PageEntry, Position, Reason, SketchEntry};
use nddb_format::fingerprint::low_mask;
use nddb_format::parts::PART_WORDS;
use nddb_format::record::{Settings, page_digest};
use nddb_index::{Document, Fingerprint, LoadKeys, Recall, Result};
use nddb_page::sketch::{Recipe, RecipeError};
use nddb_page::text::PageKind;

use super::LoadError;
use super::latest::{Latest, bytes_of};
use crate::{document_of_page, document_with_words};

/// An entry prepared for storing.
pub(super) enum Prepared {
    /// A document with its sketches, its keys in a database, and what was not read of its page.
    Document(Box<Document>, Option<LoadKeys>, Unread),
    /// The id and the fingerprint of a document of which nothing else is known.
    Bare(String, Fingerprint),
    /// A document from a table of sketches, and the archive that contains its page.
    Sketched(Box<Document>, Option<String>),
    /// A page for a database whose fingerprints nddb cannot make.
    Refused(RecipeError),
    /// A sketch by another recipe.
    OtherRecipe(String),
    /// An entry that cannot be read or stored.
    Skipped { position: Position, reason: Reason, detail: String },
    /// A sound record that is not a document.
    Other(OtherKind),
}

impl Prepared {
    /// Returns the bytes of memory that it takes, about.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Document(document, keys, _) => bytes_of(document) + keys.as_ref().map_or(0, LoadKeys::memory),
                Self::Sketched(document, _) => bytes_of(document),
                Self::Skipped { detail, .. } => detail.len(),
                _ => 0,
            }
    }
}

/// What was not read of a page.
#[derive(Debug, Default)]
pub(super) struct Unread {
    /// A part of it: it is longer than the size limit.
    pub(super) is_cut: bool,
    /// Its date, which was not understood.
    pub(super) date: Option<String>,
    /// It has too few words for one of the parts that are kept.
    pub(super) has_no_part: bool,
}

/// Makes documents for a database.
pub(super) struct Maker {
    /// The recipe, or the reason why no text can be given.
    recipe: std::result::Result<Recipe, RecipeError>,
    label: String,
    greatest: u64,
    keeps_words: bool,
    /// The stored documents, for those whose pages have not changed.
    recall: Option<Recall>,
    pub(super) latest: Latest,
}

impl Maker {
    /// Returns a maker of documents for the database of these settings.
    pub(super) fn new(settings: &Settings) -> std::result::Result<Self, LoadError> {
        let recipe = Recipe::of_database(&settings.recipe)?;
        let (label, greatest) = (settings.recipe.clone(), low_mask(settings.bits));
        let (keeps_words, latest) = (settings.keeps_words, Latest::default());
        Ok(Self { recipe, label, greatest, keeps_words, recall: None, latest })
    }

    /// Takes the sketches of pages that have not changed from stored documents.
    pub(super) fn recalling(self, recall: Recall) -> Self {
        Self { recall: Some(recall), ..self }
    }

    /// Returns a maker of documents without a database.
    pub(super) fn of(recipe: Recipe, keeps_words: bool) -> Self {
        let (label, latest) = (recipe.label(), Latest::default());
        Self { label, recipe: Ok(recipe), greatest: u64::MAX, keeps_words, recall: None, latest }
    }

    /// Prepares an entry; `archive` is the number of its archive.
    pub(super) fn make(&self, entry: Entry, archive: Option<u32>) -> Prepared {
        let position = entry.position;
        let mut unread = Unread::default();
        let document = match entry.content {
            EntryContent::Page(mut page) => {
                unread = Unread { is_cut: page.is_cut, date: page.unread_date.take(), has_no_part: false };
                match &self.recipe {
                    Ok(recipe) => self.page(recipe, &page, position, archive),
                    Err(error) => return Prepared::Refused(error.clone()),
                }
            }
            EntryContent::Fingerprint { fingerprint, .. } if fingerprint > self.greatest => {
                return too_wide(fingerprint, position);
            }
            EntryContent::Fingerprint { id, fingerprint, url: None } => {
                return Prepared::Bare(id, Fingerprint(fingerprint));
            }
            EntryContent::Fingerprint { id, fingerprint, url: Some(url) } => {
                Document::bare(&id, Fingerprint(fingerprint)).map(|document| {
                    document.with_url(&url, self.recipe.as_ref().copied().unwrap_or_default().site_of(&url))
                })
            }
            EntryContent::Sketch(entry) => return self.sketched(entry, position),
            EntryContent::Skipped { reason, detail } => return Prepared::Skipped { position, reason, detail },
            EntryContent::Other(kind) => return Prepared::Other(kind),
        };
        match document.and_then(|document| document.check_address().map(|()| document)) {
            Ok(document) => {
                let parts = document.record().parts.as_deref();
                unread.has_no_part = parts.is_some_and(|parts| (parts.words as usize) < PART_WORDS);
                let keys = self.recall.as_ref().map(|recall| recall.keys(&document));
                Prepared::Document(Box::new(document), keys, unread)
            }
            Err(error) => Prepared::Skipped { position, reason: Reason::BadId, detail: error.to_string() },
        }
    }

    /// The label of the recipe.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    fn sketched(&self, entry: SketchEntry, position: Position) -> Prepared {
        let SketchEntry { sketch, recipe, archive } = entry;
        if recipe != self.label {
            return Prepared::OtherRecipe(recipe);
        }
        let bad = |why: String| Prepared::Skipped { position, reason: Reason::BadSketch, detail: why };
        match Document::from_bytes(&sketch) {
            // The fingerprint of a page is cut to the width of the database.
            Ok(document) if !document.sketched && document.fingerprint().0 > self.greatest => {
                too_wide(document.fingerprint().0, position)
            }
            Ok(document) => match document.check_address() {
                Ok(()) if self.keeps_words => Prepared::Sketched(Box::new(document), archive),
                Ok(()) => Prepared::Sketched(Box::new(document.with_words(None)), archive),
                Err(error) => bad(error.to_string()),
            },
            Err(error) => bad(error.to_string()),
        }
    }

    fn page(&self, recipe: &Recipe, entry: &PageEntry, position: Position, archive: Option<u32>) -> Result<Document> {
        let made = if self.keeps_words { document_with_words } else { document_of_page };
        let document = match &self.recall {
            None => made(&entry.id, &entry.page(), recipe)?,
            Some(recall) => {
                let charset = entry.charset.as_deref().unwrap_or_default();
                let digest = page_digest(entry.kind == PageKind::Html, charset, &entry.body);
                let (id, url) = (&*entry.id, entry.url.as_deref());
                // Of a damaged row the join with the stored ids will tell.
                let stored = recall.document(id, url, &digest).ok().flatten();
                let stored = stored.filter(|document| document.record().words.is_some() == self.keeps_words);
                match stored.map(Ok).or_else(|| self.latest.document(id, url, &digest)) {
                    Some(document) => document?,
                    None => {
                        let document = made(id, &entry.page(), recipe)?.with_page_digest(digest);
                        self.latest.keep(digest, &document);
                        document
                    }
                }
            }
        };
        let document = document.with_date(entry.date).truncated(entry.truncated);
        Ok(match archive {
            Some(archive) => document.with_source(archive, position.offset, position.inner, position.length),
            None => document,
        })
    }
}

fn too_wide(fingerprint: u64, position: Position) -> Prepared {
    let detail = format!("{fingerprint:016x} is wider than the database's fingerprints");
    Prepared::Skipped { position, reason: Reason::BadFingerprint, detail }
}
