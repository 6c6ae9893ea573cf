//! Pieces of the inputs: sketched by many threads, stored by one, in order. They are read by one thread, or those of
//! [stretches](super::stretches) by the threads that sketch them.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use nddb_archive::{ArchiveError, Entry, EntryContent, Input, OtherKind, Reason, ResumePoint};

use super::budget::{self, Allowed, Budget};
use super::documents::{Maker, Prepared};
use super::resume::Sources;
use super::revisits::Revisits;

/// Greatest number of entries of a piece.
const ENTRIES_MAX: usize = 256;
/// Approximate bytes of the pages of a piece.
pub(super) const BODIES_MAX: usize = 1 << 20;

/// Bytes of the largest page of a stretch for which the stretch's own memory suffices.
const SMALL: usize = 128 << 10;

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
    /// Where the piece begins, and where reading goes on after it.
    pub(super) from: ResumePoint,
    pub(super) to: ResumePoint,
    /// Whether it is the first one of the input.
    pub(super) is_first: bool,
    /// Whether the input ends here.
    pub(super) is_last: bool,
    /// Number of its documents, and of the fingerprints whose ids are numbers.
    pub(super) documents: u64,
    pub(super) ordinals: u64,
    /// The batch of the entries, if the input names batches; empty for none.
    pub(super) batch: Option<String>,
    /// Whether an earlier load has read all of the input.
    pub(super) is_passed_over: bool,
    /// If the input is resumed here, the number of its documents that an earlier load has read.
    pub(super) resumed: Option<u64>,
    /// Number of bytes of the file read so far.
    pub(super) bytes_read: u64,
    /// Number of decompressed bytes of the piece.
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
            from: self.from,
            to: self.to,
            is_first: self.is_first,
            is_last: self.is_last,
            documents: self.documents,
            ordinals: self.ordinals,
            batch: self.batch,
            is_passed_over: self.is_passed_over,
            resumed: self.resumed,
            bytes_read: self.bytes_read,
            payload_bytes: self.payload_bytes,
        }
    }
}

/// The inputs of a load, for all who read them.
pub(super) struct Files<'a> {
    pub(super) sources: Sources,
    pub(super) allowed: Allowed,
    /// The memory of sketching large pages that no piece has counted. Whoever has some of it waits for nothing.
    pub(super) large: Budget,
    /// Returns whether the caller wants to end the load.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// Number of fingerprints so far, over all inputs: the ids of raw fingerprints.
    pub(super) ordinal: AtomicU64,
}

impl Files<'_> {
    /// Returns a piece without entries.
    pub(super) fn piece(&self, source: usize, from: ResumePoint) -> Piece<Entry> {
        let of = &self.sources.all[source];
        Piece {
            source,
            path: of.path().to_owned(),
            archive: of.archive.as_ref().map(|(number, _)| *number),
            entries: Vec::new(),
            revisits: Revisits::default(),
            error: None,
            from,
            to: from,
            is_first: false,
            is_last: false,
            documents: 0,
            ordinals: 0,
            batch: None,
            is_passed_over: false,
            resumed: None,
            bytes_read: 0,
            payload_bytes: 0,
        }
    }

    /// Reads entries until the piece is full, the input ends, or reading has come to the offset `to`. `held` is an
    /// entry that was read but belongs to another batch than those before it, and the resume point before it. A piece
    /// of a stretch ends before an entry that might be another one if it were read with more memory.
    pub(super) fn fill(
        &self,
        piece: &mut Piece<Entry>,
        input: &mut Input,
        held: &mut Option<(Entry, ResumePoint)>,
        (to, of_stretch): (u64, bool),
    ) {
        let mut bodies = 0;
        let payload = input.payload_bytes();
        let is_full = |piece: &Piece<Entry>, bodies| piece.entries.len() >= ENTRIES_MAX || bodies >= BODIES_MAX;
        while !is_full(piece, bodies) && piece.to.offset < to && !(self.stop)() {
            let before = input.resume_point();
            let next = match held.take() {
                Some((entry, _)) => Ok(Some(entry)),
                None => input.next(),
            };
            let entry = match next {
                Ok(Some(entry)) => entry,
                Ok(None) => {
                    (piece.to, piece.is_last) = (input.resume_point(), true);
                    break;
                }
                Err(error) => {
                    piece.to = input.resume_point();
                    piece.error = Some(error);
                    break;
                }
            };
            if of_stretch && (input.take_doubt() || is_doubtful(&entry)) {
                break;
            }
            let entry = self.allowed.cut(entry);
            if piece.entries.is_empty() {
                piece.batch = input.batch().map(str::to_owned);
            } else if piece.batch.as_deref() != input.batch() {
                *held = Some((entry, before));
                piece.to = before;
                break;
            }
            piece.to = input.resume_point();
            piece.payload_bytes = input.payload_bytes().saturating_sub(payload);
            bodies += size(&entry);
            match &entry.content {
                EntryContent::Page(_) | EntryContent::Sketch(_) => piece.documents += 1,
                EntryContent::Fingerprint { .. } => {
                    piece.documents += 1;
                    piece.ordinals += 1;
                }
                // A fingerprint with a bad id counts too.
                EntryContent::Skipped { reason: Reason::BadId, .. } => piece.ordinals += 1,
                EntryContent::Other(OtherKind::Revisit) => {
                    piece.revisits.add(&input.revisited(), &self.sources.options);
                }
                _ => {}
            }
            piece.entries.push(entry);
        }
        if !of_stretch || piece.is_last {
            piece.payload_bytes = input.payload_bytes().saturating_sub(payload);
        }
        let has_ended = piece.is_last || !of_stretch && to == u64::MAX;
        piece.bytes_read = if has_ended { input.bytes_read() } else { piece.to.offset };
    }

    /// Makes the documents of a piece whose memory is not counted yet.
    pub(super) fn make(&self, piece: Piece<Entry>, maker: &Maker) -> Piece<Prepared> {
        piece.map(|entry, archive| match size(&entry) {
            ..=SMALL => maker.make(entry, archive),
            size => self.large.take(budget::needed([size])).spend(|| maker.make(entry, archive)),
        })
    }

    /// Returns the path of an input.
    pub(super) fn path(&self, input: u32) -> Option<PathBuf> {
        self.sources.all.get(input as usize).map(|source| source.path().to_owned())
    }
}

/// Returns whether an entry might be another one where larger records are allowed.
fn is_doubtful(entry: &Entry) -> bool {
    match &entry.content {
        EntryContent::Page(page) => page.is_cut,
        EntryContent::Skipped { reason, .. } => *reason == Reason::LineTooLong,
        _ => false,
    }
}
