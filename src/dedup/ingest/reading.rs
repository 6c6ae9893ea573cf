//! The reader of the inputs: it reads pieces, and divides large files into stretches, which other threads read.

use std::sync::atomic::Ordering;

use nddb_archive::{Entry, Input, ResumePoint};

use super::pieces::Files;
use super::stretches::{self, InputStretch, Task};

/// Reads all inputs, piece by piece, or divides them into stretches.
pub(super) struct Reading<'a> {
    files: &'a Files<'a>,
    /// Index of the current input.
    index: usize,
    input: Option<Input>,
    held: Option<(Entry, ResumePoint)>,
    /// Where reading goes on.
    at: ResumePoint,
    /// The offset where the next stretch begins; up to there the input is read here.
    to: u64,
}

impl<'a> Reading<'a> {
    /// Begins with the first input.
    pub(super) fn new(files: &'a Files<'a>) -> Self {
        Self { files, index: 0, input: None, held: None, at: ResumePoint::default(), to: u64::MAX }
    }

    /// Returns the next piece or stretch; `None` at the end, or when the caller stops the load. `caught_up` waits until
    /// all before is stored.
    pub(super) fn next(&mut self, caught_up: impl Fn()) -> Option<Task> {
        let source = self.files.sources.all.get(self.index)?;
        if (self.files.stop)() {
            return None;
        }
        let mut piece = self.files.piece(self.index, self.at);
        if source.is_finished {
            (piece.is_first, piece.is_last, piece.is_passed_over) = (true, true, true);
            piece.bytes_read = source.size;
            self.index += 1;
            return Some(Task::Piece(piece.into()));
        }
        if self.input.is_none() {
            piece.is_first = true;
            piece.resumed = source.documents_before();
            let mut options = self.files.sources.options.clone();
            if source.is_raw(&options) {
                caught_up();
                options.first_ordinal = self.files.ordinal.load(Ordering::SeqCst);
            }
            let input = match source.open(&options) {
                Ok(input) => self.input.insert(input),
                Err(error) => {
                    piece.error = Some(error);
                    self.index += 1;
                    return Some(Task::Piece(piece.into()));
                }
            };
            self.at = input.resume_point();
            (piece.from, piece.to, piece.payload_bytes) = (self.at, self.at, input.payload_bytes());
            self.to = if stretches::divides(input, self.at) { self.at.offset } else { u64::MAX };
            if self.to < u64::MAX {
                return Some(Task::Piece(piece.into()));
            }
        }
        let input = self.input.as_mut()?;
        if self.at.offset >= self.to {
            match stretches::next(input, self.at) {
                Ok((to, true)) => {
                    let stretch = InputStretch { source: self.index, from: self.at, to };
                    self.at = ResumePoint { offset: to, inner: 0 };
                    self.to = to;
                    if to == u64::MAX {
                        self.end();
                    }
                    return Some(Task::Stretch(stretch));
                }
                // No part of it is read alone. An error comes again.
                Ok((to, false)) => self.to = to,
                Err(_) => self.to = u64::MAX,
            }
            if let Err(error) = input.go_to(self.at) {
                (piece.from, piece.error) = (self.at, Some(error));
                self.end();
                return Some(Task::Piece(piece.into()));
            }
        }
        piece.from = self.at;
        piece.to = self.at;
        let payload = piece.payload_bytes;
        self.files.fill(&mut piece, input, &mut self.held, (self.to, false));
        piece.payload_bytes += payload;
        self.at = piece.to;
        if piece.is_last || piece.error.is_some() {
            self.end();
        }
        Some(Task::Piece(piece.into()))
    }

    /// Goes to the next input.
    fn end(&mut self) {
        (self.input, self.at) = (None, ResumePoint::default());
        self.index += 1;
    }
}
