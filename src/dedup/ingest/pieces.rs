//! Pieces of the inputs: read by one thread, sketched by many, stored by one, in order.

use std::path::PathBuf;

use nddb_archive::{ArchiveError, Entry, EntryContent, Input, OtherKind, Reason, ResumePoint};
use nddb_format::record::Archive;

use super::budget::{self, Allowed};
use super::resume::Sources;
use super::revisits::Revisits;

/// Greatest number of entries of a piece.
const ENTRIES_MAX: usize = 256;
/// Approximate bytes of the pages of a piece.
pub(super) const BODIES_MAX: usize = 1 << 20;

/// Returns the bytes of an entry, whether it is still to be sketched or not.
pub(super) fn size(entry: &Entry) -> usize {
    match &entry.content {
        EntryContent::Page(page) => page.body.len(),
        EntryContent::Sketch(entry) => entry.sketch.len(),
        _ => 0,
    }
}

/// Consecutive entries of one input.
pub(super) struct Piece<T> {
    /// Index of the input.
    pub(super) source: usize,
    /// Path of the input.
    pub(super) path: PathBuf,
    /// Number of the archive.
    archive: Option<u32>,
    /// The entries.
    pub(super) entries: Vec<T>,
    /// The revisit records among them.
    pub(super) revisits: Revisits,
    /// The error that ended the input.
    pub(super) error: Option<ArchiveError>,
    /// The archive and its progress with this piece.
    pub(super) progress: Option<(u32, Archive)>,
    /// The batch of the entries, if the input names batches; empty for none.
    pub(super) batch: Option<String>,
    /// Whether an earlier load has read all of the input.
    pub(super) is_passed_over: bool,
    /// If the input is resumed here, the number of its documents that an earlier load has read.
    pub(super) resumed: Option<u64>,
    /// Number of bytes of the file read so far.
    pub(super) bytes_read: u64,
    /// Number of decompressed bytes so far.
    pub(super) payload_bytes: u64,
}

impl Piece<Entry> {
    /// Returns the bytes of memory that the entries take until they are mapped.
    pub(super) fn memory(&self) -> u64 {
        budget::needed(self.entries.iter().map(size))
    }

    /// Maps each entry with the archive's number.
    pub(super) fn map<T>(self, make: impl Fn(Entry, Option<u32>) -> T) -> Piece<T> {
        let archive = self.archive;
        Piece {
            source: self.source,
            path: self.path,
            archive,
            entries: self.entries.into_iter().map(|entry| make(entry, archive)).collect(),
            revisits: self.revisits,
            error: self.error,
            progress: self.progress,
            batch: self.batch,
            is_passed_over: self.is_passed_over,
            resumed: self.resumed,
            bytes_read: self.bytes_read,
            payload_bytes: self.payload_bytes,
        }
    }
}

/// Reads all inputs, piece by piece.
pub(super) struct Reading<'a> {
    sources: Sources,
    allowed: Allowed,
    stop: &'a (dyn Fn() -> bool + Sync),
    /// Index of the current input.
    index: usize,
    input: Option<Input>,
    /// An entry that was read but belongs to a batch other than that of the entries before it, and the resume point
    /// before it.
    held: Option<(Entry, ResumePoint)>,
    /// Number of documents of the current input, for its archive.
    documents: u64,
    /// Number of fingerprints so far, over all inputs: the ids of raw fingerprints.
    ordinal: u64,
}

impl<'a> Reading<'a> {
    /// Begins with the first input; `stop` returns whether the caller wants to end the load.
    pub(super) fn new(sources: Sources, allowed: Allowed, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { sources, allowed, stop, index: 0, input: None, held: None, documents: 0, ordinal: 0 }
    }

    /// Returns the next piece; `None` at the end, or when the caller stops the load.
    pub(super) fn next(&mut self) -> Option<Piece<Entry>> {
        let source = self.sources.all.get(self.index)?;
        if (self.stop)() {
            return None;
        }
        let mut piece = Piece {
            source: self.index,
            path: source.path().to_owned(),
            archive: source.archive.as_ref().map(|(number, _)| *number),
            entries: Vec::new(),
            revisits: Revisits::default(),
            error: None,
            progress: None,
            batch: None,
            is_passed_over: source.is_finished,
            resumed: None,
            bytes_read: 0,
            payload_bytes: 0,
        };
        if piece.is_passed_over {
            piece.bytes_read = source.size;
            // The archive may have been moved.
            piece.progress.clone_from(&source.archive);
            self.index += 1;
            return Some(piece);
        }
        if self.input.is_none() {
            self.sources.options.first_ordinal = self.ordinal;
            piece.resumed = source.documents_before();
            self.documents = piece.resumed.unwrap_or(0);
            match source.open(&self.sources.options) {
                Ok(input) => self.input = Some(input),
                Err(error) => {
                    piece.error = Some(error);
                    self.index += 1;
                    return Some(piece);
                }
            }
        }
        self.fill(&mut piece);
        Some(piece)
    }

    /// Returns the path of an input.
    pub(super) fn path(&self, input: u32) -> Option<PathBuf> {
        self.sources.all.get(input as usize).map(|source| source.path().to_owned())
    }

    /// Returns whether nothing is left to read.
    pub(super) fn is_at_end(&self) -> bool {
        self.input.is_none() && self.sources.all[self.index..].iter().all(|source| source.is_finished)
    }

    /// Reads entries until the piece is full or the input ends.
    fn fill(&mut self, piece: &mut Piece<Entry>) {
        let Some(input) = &mut self.input else { return };
        let (mut bodies, mut ended) = (0, false);
        let mut resume = self.held.as_ref().map_or_else(|| input.resume_point(), |(_, before)| *before);
        while piece.entries.len() < ENTRIES_MAX && bodies < BODIES_MAX && !(self.stop)() {
            let before = input.resume_point();
            let next = match self.held.take() {
                Some((entry, _)) => Ok(Some(entry)),
                None => input.next(),
            };
            match next {
                Ok(Some(entry)) => {
                    let entry = self.allowed.cut(entry);
                    if piece.entries.is_empty() {
                        piece.batch = input.batch().map(str::to_owned);
                    } else if piece.batch.as_deref() != input.batch() {
                        self.held = Some((entry, before));
                        resume = before;
                        break;
                    }
                    resume = input.resume_point();
                    bodies += size(&entry);
                    match &entry.content {
                        EntryContent::Page(_) | EntryContent::Sketch(_) => self.documents += 1,
                        EntryContent::Fingerprint { .. } => {
                            self.documents += 1;
                            self.ordinal += 1;
                        }
                        // A fingerprint with a bad id counts too.
                        EntryContent::Skipped { reason: Reason::BadId, .. } => self.ordinal += 1,
                        EntryContent::Other(OtherKind::Revisit) => {
                            piece.revisits.add(&input.revisited(), &self.sources.options);
                        }
                        _ => {}
                    }
                    piece.entries.push(entry);
                }
                Ok(None) => {
                    resume = input.resume_point();
                    ended = true;
                    break;
                }
                Err(error) => {
                    resume = input.resume_point();
                    piece.error = Some(error);
                    break;
                }
            }
        }
        (piece.bytes_read, piece.payload_bytes) = (input.bytes_read(), input.payload_bytes());
        piece.progress = self.sources.all[self.index].archive.as_ref().map(|(number, archive)| {
            let read = Archive {
                finished: ended,
                offset: resume.offset,
                inner: resume.inner,
                documents: self.documents,
                ..archive.clone()
            };
            // The archive is stored in any case: its documents refer to it.
            let unread = || Archive { documents: self.documents, ..archive.clone() };
            (*number, if self.sources.keeps_progress { read } else { unread() })
        });
        if ended || piece.error.is_some() {
            self.input = None;
            self.index += 1;
        }
    }
}
