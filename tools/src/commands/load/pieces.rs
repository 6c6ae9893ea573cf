//! Pieces of the inputs: read by one thread, sketched by many, stored by one, in order.

use std::path::PathBuf;

use nddb::archive::{Entry, Input, OtherKind, PageEntry, Position, Reason, What};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Document, Fingerprint};
use nddb_format::fingerprint::low_mask;
use nddb_format::record::{Archive, Settings};

use super::inputs::{Progress, Sources};
use super::skipped::What as SkippedWhat;
use crate::failure::{Result, chain};
use crate::{database, interrupt};

/// Entries of a piece.
const ENTRIES_MAX: usize = 256;
/// Bytes of the pages of a piece, more or less.
const BODIES_MAX: usize = 1 << 20;

/// A stretch of one input.
pub(super) struct Piece<T> {
    /// Which input.
    pub(super) source: usize,
    /// Its path.
    pub(super) path: PathBuf,
    /// Its archive number.
    pub(super) archive: Option<u32>,
    /// What was found.
    pub(super) entries: Vec<T>,
    /// Why the input cannot be read any further.
    pub(super) error: Option<String>,
    /// How far its archive has been read with this piece.
    pub(super) progress: Option<(u32, Archive)>,
    /// Bytes of the file read so far.
    pub(super) bytes_read: u64,
    /// What they have decompressed to.
    pub(super) payload_bytes: u64,
}

/// An entry made ready for storing.
pub(super) enum Made {
    Document(Box<Document>),
    Skipped(SkippedWhat),
    Other(OtherKind),
}

/// Reads all inputs, piece by piece.
pub(super) struct Reading {
    sources: Sources,
    place: usize,
    input: Option<Input>,
    /// Documents of the present input, for its archive.
    documents: u64,
    /// Fingerprints so far, over all inputs: the ids of raw ones.
    ordinal: u64,
}

impl Reading {
    /// Begins with the first input.
    pub(super) fn new(sources: Sources) -> Self {
        Self { sources, place: 0, input: None, documents: 0, ordinal: 0 }
    }

    /// Returns the next piece; none at the end, or when the user wants to stop.
    pub(super) fn next(&mut self) -> Option<Piece<Entry>> {
        let source = self.sources.all.get(self.place)?;
        if interrupt::asked() {
            return None;
        }
        let mut piece = Piece {
            source: self.place,
            path: source.path().to_owned(),
            archive: source.archive.as_ref().map(|(number, _)| *number),
            entries: Vec::new(),
            error: None,
            progress: None,
            bytes_read: 0,
            payload_bytes: 0,
        };
        if source.is_finished {
            piece.bytes_read = source.size;
            // It may have been moved.
            piece.progress.clone_from(&source.archive);
            self.place += 1;
            return Some(piece);
        }
        if self.input.is_none() {
            self.sources.options.first_ordinal = self.ordinal;
            self.documents = source.archive.as_ref().map_or(0, |(_, archive)| archive.documents);
            match source.open(&self.sources.options) {
                Ok(input) => self.input = Some(input),
                Err(error) => {
                    piece.error = Some(chain(&error));
                    self.place += 1;
                    return Some(piece);
                }
            }
        }
        self.fill(&mut piece);
        Some(piece)
    }

    /// Reads entries until the piece is full or the input ends.
    fn fill(&mut self, piece: &mut Piece<Entry>) {
        let Some(input) = &mut self.input else { return };
        let (mut bodies, mut ended) = (0, false);
        while piece.entries.len() < ENTRIES_MAX && bodies < BODIES_MAX && !interrupt::asked() {
            match input.next() {
                Ok(Some(entry)) => {
                    match &entry.what {
                        What::Page(page) => {
                            bodies += page.body.len();
                            self.documents += 1;
                        }
                        What::Fingerprint { .. } => {
                            self.documents += 1;
                            self.ordinal += 1;
                        }
                        // A fingerprint under a bad id counts too.
                        What::Skipped { reason: Reason::BadId, .. } => self.ordinal += 1,
                        _ => {}
                    }
                    piece.entries.push(entry);
                }
                Ok(None) => {
                    ended = true;
                    break;
                }
                Err(error) => {
                    piece.error = Some(chain(&error));
                    break;
                }
            }
        }
        (piece.bytes_read, piece.payload_bytes) = (input.bytes_read(), input.payload_bytes());
        let resume = input.resume_point();
        piece.progress = self.sources.all[self.place].archive.as_ref().map(|(number, archive)| {
            let read = Archive {
                finished: ended,
                offset: resume.offset,
                inner: resume.inner,
                documents: self.documents,
                ..archive.clone()
            };
            // The archive is remembered in any case: its documents say where they stand in it.
            (*number, if self.sources.progress == Progress::Kept { read } else { archive.clone() })
        });
        if ended || piece.error.is_some() {
            self.input = None;
            self.place += 1;
        }
    }
}

/// Makes documents of entries.
pub(super) struct Sketcher {
    recipe: Recipe,
    greatest: u64,
}

impl Sketcher {
    /// Sketches as the database does.
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { recipe: database::recipe(settings)?, greatest: low_mask(settings.bits) })
    }

    /// Makes the entries of a piece ready.
    pub(super) fn make(&self, piece: Piece<Entry>) -> Piece<Made> {
        let archive = piece.archive;
        let entries = piece.entries.into_iter().map(|entry| self.entry(entry, archive)).collect();
        Piece {
            source: piece.source,
            path: piece.path,
            archive,
            entries,
            error: piece.error,
            progress: piece.progress,
            bytes_read: piece.bytes_read,
            payload_bytes: piece.payload_bytes,
        }
    }

    fn entry(&self, entry: Entry, archive: Option<u32>) -> Made {
        let position = entry.position;
        let made = match entry.what {
            What::Page(page) => self.page(&page, position, archive),
            What::Fingerprint { fingerprint, .. } if fingerprint > self.greatest => {
                let detail = format!("{fingerprint:016x} is wider than the database's fingerprints");
                let reason = Reason::BadFingerprint.as_str();
                return Made::Skipped(SkippedWhat { position, reason, detail });
            }
            What::Fingerprint { id, fingerprint, url } => {
                Document::bare(&id, Fingerprint(fingerprint)).map(|document| match url {
                    Some(url) => document.with_url(&url, &self.recipe),
                    None => document,
                })
            }
            What::Skipped { reason, detail } => {
                return Made::Skipped(SkippedWhat { position, reason: reason.as_str(), detail });
            }
            What::Other(kind) => return Made::Other(kind),
        };
        match made {
            Ok(document) => Made::Document(Box::new(document)),
            Err(error) => {
                let detail = chain(&error);
                Made::Skipped(SkippedWhat { position, reason: Reason::BadId.as_str(), detail })
            }
        }
    }

    fn page(&self, entry: &PageEntry, position: Position, archive: Option<u32>) -> nddb::Result<Document> {
        let page =
            Page { kind: entry.kind, charset: entry.charset.as_deref(), url: entry.url.as_deref(), body: &entry.body };
        let document = Document::from_page(&entry.id, &page, &self.recipe)?;
        let document = document.with_date(entry.date).truncated(entry.truncated);
        Ok(match archive {
            Some(archive) => document.with_source(archive, position.offset, position.inner, position.length),
            None => document,
        })
    }
}
