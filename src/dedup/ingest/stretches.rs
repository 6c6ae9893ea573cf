//! Stretches of large files, which are read by those who sketch their pages.
//!
//! A stretch reaches from one offset where a compressed member or a line seems to begin to another one. The pieces that
//! its reader finds are stored if reading had come to exactly their beginning. What is missing between them, where it
//! met damage or a huge record, or began amid one, the [`Order`] reads. So the entries are those of a file that is
//! read from its beginning to its end, whatever it contains; and pieces and stretches depend on the files alone.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nddb_archive::{ArchiveError, Entry, Input, Options, ResumePoint};
use nddb_format::record::Archive;

use super::budget;
use super::documents::{Maker, Prepared};
use super::pieces::{Files, Piece};

/// Approximate bytes of a stretch.
const STRETCH: u64 = 128 << 10;
/// Bytes of the largest stretch; where no entry begins for so long, nothing is divided.
const STRETCH_MAX: u64 = 4 << 20;
/// Bytes of the largest record that is read with others.
const RECORD_MAX: usize = 1 << 20;
/// Bytes of the documents of a stretch: it ends with the piece that exceeds them, and so within [`DONE_MAX`]. A larger
/// record is read alone if its document has room.
const MADE_MAX: usize = 3 << 20;
pub(super) const DONE_MAX: usize = MADE_MAX + (2 << 20);
/// Bytes of memory that a stretch takes until its documents are stored: the reader's window while it grows, a piece,
/// the documents, and what sketching a small page takes.
pub(super) const MEMORY: u64 = 10 << 20;

/// The end of any input.
const END: ResumePoint = ResumePoint { offset: u64::MAX, inner: 0 };

/// A piece that was read, or a part of a file to be read.
pub(super) enum Task {
    Piece(Box<Piece<Entry>>),
    Stretch(InputStretch),
}

/// A part of an input.
pub(super) struct InputStretch {
    pub(super) source: usize,
    pub(super) from: ResumePoint,
    /// The offset where the next one begins; the greatest number for the end of the file.
    pub(super) to: u64,
}

/// The result of a task: pieces with their documents, and the resume point up to which the [`Order`] reads entries that
/// no piece has.
pub(super) struct Done {
    source: usize,
    to: ResumePoint,
    pieces: Vec<Piece<Prepared>>,
}

#[cfg(test)]
impl Done {
    pub(super) fn memory(&self) -> usize {
        self.pieces.iter().map(made).sum()
    }

    /// Returns the documents of an input that were made where they were read.
    pub(super) fn documents(&self, source: usize) -> u64 {
        self.pieces.iter().filter(|piece| piece.source == source).map(|piece| piece.documents).sum()
    }
}

/// Returns the bytes of the documents of a piece.
fn made(piece: &Piece<Prepared>) -> usize {
    piece.entries.iter().map(Prepared::memory).sum()
}

impl Task {
    /// Returns the bytes of memory that it takes, which are never 0: by them it is known whether all is stored.
    pub(super) fn memory(&self) -> u64 {
        match self {
            Self::Piece(piece) => piece.memory().max(1),
            Self::Stretch(_) => MEMORY,
        }
    }

    /// Makes the documents.
    pub(super) fn work(self, files: &Files<'_>, opened: &OpenInputs, maker: &Maker) -> Done {
        match self {
            Self::Piece(piece) => {
                let is_end = piece.is_last || piece.error.is_some();
                let (source, to) = (piece.source, if is_end { END } else { piece.to });
                Done { source, to, pieces: vec![piece.map(|entry, archive| maker.make(entry, archive))] }
            }
            Self::Stretch(stretch) => {
                let to = ResumePoint { offset: stretch.to, inner: 0 };
                Done { source: stretch.source, to, pieces: read(files, opened, &stretch, maker) }
            }
        }
    }
}

/// Returns whether an input has stretches from this point on.
pub(super) fn divides(input: &Input, from: ResumePoint) -> bool {
    input.splits() && from.inner == 0 && input.size() >= from.offset + 2 * STRETCH
}

/// Returns where the stretch from this point ends, and whether it is one.
pub(super) fn next(input: &mut Input, from: ResumePoint) -> Result<(u64, bool), ArchiveError> {
    let end = from.offset.saturating_add(STRETCH);
    let to = if end >= input.size() { None } else { input.find_start(end)? };
    let size = to.unwrap_or_else(|| input.size()).saturating_sub(from.offset);
    Ok((to.unwrap_or(u64::MAX), from.inner == 0 && size <= STRETCH_MAX))
}

/// Inputs that readers of stretches have opened, for those who come later.
#[derive(Default)]
pub(super) struct OpenInputs(Mutex<Vec<(usize, Input)>>);

impl OpenInputs {
    fn all(&self) -> MutexGuard<'_, Vec<(usize, Input)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the input of a stretch, at its beginning.
    fn take(&self, files: &Files<'_>, stretch: &InputStretch) -> Option<Input> {
        let mut opened = self.all();
        opened.retain(|(source, _)| *source >= stretch.source);
        // One that has come there need not look for it.
        let is_next =
            |(source, input): &(usize, Input)| *source == stretch.source && input.resume_point() == stretch.from;
        let found = opened.iter().position(is_next);
        let found = found.or_else(|| opened.iter().position(|(source, _)| *source == stretch.source));
        let found = found.map(|index| opened.swap_remove(index).1);
        drop(opened);
        let mut input = found.or_else(|| Self::open(files, stretch.source, RECORD_MAX))?;
        if input.resume_point() != stretch.from {
            input.go_to(stretch.from).ok()?;
        }
        input.take_doubt();
        Some(input)
    }

    /// Opens an input that has stretches also where records are smaller.
    fn open(files: &Files<'_>, source: usize, record_max: usize) -> Option<Input> {
        let options = &files.sources.options;
        let mut limits = options.limits.clone();
        limits.record = limits.record.min(record_max);
        let opened = files.sources.all[source].open(&Options { limits, ..options.clone() });
        opened.ok().filter(Input::splits)
    }
}

/// Reads a stretch, and makes its documents. An error of the input is found again by the [`Order`].
fn read(files: &Files<'_>, opened: &OpenInputs, stretch: &InputStretch, maker: &Maker) -> Vec<Piece<Prepared>> {
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    let Some(mut input) = opened.take(files, stretch) else { return pieces };
    while input.resume_point().offset < stretch.to && bytes < MADE_MAX {
        let mut piece = files.piece(stretch.source, input.resume_point());
        let payload = input.payload_bytes();
        files.fill(&mut piece, &mut input, &mut None, (stretch.to, true));
        let (left, at, has_ended) = (piece.to, input.resume_point(), piece.is_last);
        let size = input.payload_bytes().saturating_sub(payload + piece.payload_bytes);
        // After an entry that is left to the order, reading begins anew, as it does there.
        if piece.error.is_some() || (files.stop)() || at != piece.to && (at.inner > 0 || input.go_to(at).is_err()) {
            return pieces;
        }
        let piece = files.make(piece, maker);
        bytes += made(&piece);
        pieces.push(piece);
        if at != left
            && let Some(max) = room(size, bytes)
            && let Some(piece) = alone(files, stretch.source, [left, at], max, maker)
        {
            bytes += made(&piece);
            pieces.push(piece);
        }
        if has_ended {
            return pieces;
        }
    }
    opened.all().push((stretch.source, input));
    pieces
}

/// Returns the bytes that the record and the page may have of an entry that was left, given the bytes that were skipped
/// and those of the documents before it. A small record may be that of a compressed page.
fn room(size: u64, made: usize) -> Option<usize> {
    let max = usize::try_from(size).ok()?;
    let max = if max > RECORD_MAX { max } else { 2 * RECORD_MAX };
    (made + max <= DONE_MAX).then_some(max)
}

/// Reads a large record and makes its document, unless it is another one without this limit. Its memory, that of a
/// window that grows included, is taken before, and nothing is waited for while it is held.
fn alone(
    files: &Files<'_>,
    source: usize,
    [from, to]: [ResumePoint; 2],
    max: usize,
    maker: &Maker,
) -> Option<Piece<Prepared>> {
    files.large.take(budget::needed([max]) + 3 * max as u64).spend(|| {
        let mut input = OpenInputs::open(files, source, max)?;
        input.go_to(from).ok()?;
        input.take_doubt();
        let mut piece = files.piece(source, from);
        files.fill(&mut piece, &mut input, &mut None, (to.offset, true));
        let is_whole = piece.to == to && piece.error.is_none();
        is_whole.then(|| piece.map(|entry, archive| maker.make(entry, archive)))
    })
}

/// The order of the inputs: passes on the pieces that begin where the one before them ended, and reads what is missing
/// between them.
pub(super) struct Order<'a> {
    files: &'a Files<'a>,
    maker: &'a Maker,
    /// The input whose end has not come, or the next one, and where its next piece begins.
    source: usize,
    at: Option<ResumePoint>,
    documents: u64,
    input: Option<Input>,
}

impl<'a> Order<'a> {
    pub(super) fn new(files: &'a Files<'a>, maker: &'a Maker) -> Self {
        Self { files, maker, source: 0, at: None, documents: 0, input: None }
    }

    /// Takes the next piece, or those of the next stretch; `store` gets those of all inputs in order, with the progress
    /// of the archive.
    pub(super) fn take<E>(
        &mut self,
        Done { source, to, pieces }: Done,
        store: &mut impl FnMut(Piece<Prepared>, Option<(u32, Archive)>) -> Result<(), E>,
    ) -> Result<(), E> {
        for piece in pieces {
            if !piece.is_first {
                self.complete(source, piece.from, store)?;
            }
            // Only a load that is stopped leaves an input before its end.
            if source == self.source && self.at.unwrap_or(piece.from) == piece.from {
                self.pass_on(piece, store)?;
            }
        }
        self.complete(source, to, store)
    }

    /// Reads an input to this point, unless it has ended or the load is stopped.
    fn complete<E>(
        &mut self,
        source: usize,
        to: ResumePoint,
        store: &mut impl FnMut(Piece<Prepared>, Option<(u32, Archive)>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(at) = self.at.filter(|&at| source == self.source && at < to)
            && !(self.files.stop)()
        {
            let mut piece = self.files.piece(self.source, at);
            let source = &self.files.sources.all[self.source];
            let opened = match self.input.take() {
                Some(input) => Ok(input),
                None => source.open(&self.files.sources.options),
            };
            let ready = opened.and_then(|mut input| {
                if input.resume_point() != at {
                    input.go_to(at)?;
                }
                Ok(input)
            });
            match ready {
                Ok(mut input) => {
                    let to = to.offset.max(at.offset + 1);
                    self.files.fill(&mut piece, &mut input, &mut None, (to, false));
                    self.input = Some(input);
                }
                Err(error) => piece.error = Some(error),
            }
            self.pass_on(self.files.make(piece, self.maker), store)?;
        }
        Ok(())
    }

    /// Returns whether all inputs were read to their ends.
    pub(super) fn is_at_end(&self) -> bool {
        self.at.is_none() && self.files.sources.all[self.source..].iter().all(|source| source.is_finished)
    }

    fn pass_on<E>(
        &mut self,
        piece: Piece<Prepared>,
        store: &mut impl FnMut(Piece<Prepared>, Option<(u32, Archive)>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.documents = self.at.map_or(piece.resumed.unwrap_or(0), |_| self.documents) + piece.documents;
        self.files.ordinal.fetch_add(piece.ordinals, Ordering::SeqCst);
        let source = &self.files.sources.all[self.source];
        let was_opened = !piece.is_passed_over && (!piece.is_first || piece.error.is_none());
        let progress =
            source.archive.as_ref().filter(|_| was_opened || piece.is_passed_over).map(|(number, archive)| {
                let read = Archive {
                    finished: piece.is_last,
                    offset: piece.to.offset,
                    inner: piece.to.inner,
                    documents: self.documents,
                    ..archive.clone()
                };
                // The archive is stored in any case: its documents refer to it, and it may have been moved.
                let unread = || Archive { documents: self.documents, ..archive.clone() };
                (
                    *number,
                    match (piece.is_passed_over, self.files.sources.keeps_progress) {
                        (true, _) => archive.clone(),
                        (false, true) => read,
                        (false, false) => unread(),
                    },
                )
            });
        self.at = Some(piece.to);
        if piece.is_last || piece.error.is_some() {
            (self.at, self.input) = (None, None);
            self.source += 1;
        }
        store(piece, progress)
    }
}
