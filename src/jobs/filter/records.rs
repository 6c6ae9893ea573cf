//! Records of WARC and ARC files, passed on byte for byte.
//!
//! The library says where each record begins and ends; the bytes between are copied from a second reader of the same
//! file, in their compression. Where a compressed member holds several records, as in a file that was compressed as a
//! whole, the members cannot be copied: from there on each record is compressed anew, in a member of its own.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use flate2::write::GzEncoder;
use nddb_archive::{Entry, Input, Links, Options, Position};

use super::outs::Outs;
use super::related::{Decided, Waiting};
use super::selection::{FilterCounts, Selection};
use crate::error::{JobError, Result};
use crate::input;
use crate::packed::Packing;

/// Most bytes in which dictionaries are looked for: more than a record takes.
const APART_MAX: u64 = 256 << 20;

/// Frames of zstd, and the places of the dictionaries among them.
struct Frames {
    bytes: Vec<u8>,
    dictionaries: Vec<Range<usize>>,
}

/// A reader of a file from its beginning to its end.
pub(crate) struct Cursor<'a> {
    inner: Box<dyn Read + Send>,
    at: u64,
    path: &'a Path,
    packing: Packing,
}

impl<'a> Cursor<'a> {
    /// Begins to read a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn begin(path: &'a Path, packing: Packing) -> Result<Self> {
        Ok(Self { inner: input::open(path)?, at: 0, path, packing })
    }

    /// Passes on the records that are decided about; the last one ends at `end`.
    fn pass_all(&mut self, waiting: &mut Waiting, end: u64, outs: &mut Outs<'_>) -> Result<()> {
        while let Some(decided) = waiting.next(end) {
            self.pass_record(&decided, outs)?;
        }
        Ok(())
    }

    /// Passes on a record and what follows it up to the next one. Dictionaries, which later records need, go to all
    /// outputs.
    fn pass_record(&mut self, decided: &Decided, outs: &mut Outs<'_>) -> Result<()> {
        let Some(Frames { bytes, dictionaries }) = self.read_apart(decided.end)? else {
            return self.pass(decided.end, Some(&mut outs.one(decided.is_removed)));
        };
        let mut at = dictionaries.first().map_or(bytes.len(), |dictionary| dictionary.start);
        self.write(&bytes[..at], &mut outs.one(decided.is_removed))?;
        for dictionary in dictionaries {
            self.write(&bytes[at..dictionary.start], &mut outs.one(decided.is_removed))?;
            self.write(&bytes[dictionary.clone()], &mut outs.both())?;
            at = dictionary.end;
        }
        self.write(&bytes[at..], &mut outs.one(decided.is_removed))
    }

    /// Passes over a record, except for the dictionaries behind it, which later records need.
    ///
    /// # Errors
    /// As [`Cursor::pass`].
    pub(crate) fn pass_over(&mut self, to: u64, out: &mut dyn Write) -> Result<()> {
        let Some(Frames { bytes, dictionaries }) = self.read_apart(to)? else { return self.pass(to, None) };
        dictionaries.into_iter().try_for_each(|dictionary| self.write(&bytes[dictionary], out))
    }

    fn write(&self, bytes: &[u8], out: &mut dyn Write) -> Result<()> {
        out.write_all(bytes).map_err(|error| JobError::passing(self.path, error))
    }

    /// Reads up to an offset, and finds the dictionaries there; `None`, and nothing is read, if there can be none.
    fn read_apart(&mut self, to: u64) -> Result<Option<Frames>> {
        if self.packing != Packing::Zstd || to.saturating_sub(self.at) > APART_MAX {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.pass(to, Some(&mut bytes))?;
        let dictionaries = dictionaries(&bytes);
        Ok(Some(Frames { bytes, dictionaries }))
    }

    /// Copies everything up to an offset, or passes over it.
    ///
    /// # Errors
    /// The file cannot be read, or the output not written.
    pub(crate) fn pass(&mut self, to: u64, mut out: Option<&mut dyn Write>) -> Result<()> {
        let mut left = to.saturating_sub(self.at);
        let mut piece = vec![0; left.min(1 << 16) as usize];
        while left > 0 {
            let wanted = left.min(piece.len() as u64) as usize;
            let read = self.inner.read(&mut piece[..wanted]).map_err(|error| JobError::reading(self.path, &error))?;
            if read == 0 {
                return Err(JobError::input(format!("{}: ends before byte {to}", self.path.display())));
            }
            if let Some(out) = &mut out {
                out.write_all(&piece[..read]).map_err(|error| JobError::passing(self.path, error))?;
            }
            left -= read as u64;
            self.at += read as u64;
        }
        Ok(())
    }
}

/// Returns where frames with dictionaries are among frames of zstd.
fn dictionaries(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let len = match *rest {
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => 8 + u32::from_le_bytes([a, b, c, d]) as usize,
            _ => match zstd::zstd_safe::find_frame_compressed_size(rest) {
                Ok(len) => len.max(1),
                // Damage: what is behind it cannot be told apart.
                Err(_) => break,
            },
        };
        let end = at.saturating_add(len).min(bytes.len());
        if rest.starts_with(b"\x5d\x2a\x4d\x18") {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// A file of records.
pub(super) struct Records<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a Options,
    pub(super) packing: Packing,
}

impl Records<'_> {
    /// Passes the records on.
    pub(super) fn filter(
        &self,
        selection: &mut Selection,
        outs: &mut Outs<'_>,
        progress: &mut dyn FnMut(&FilterCounts) -> Result<()>,
    ) -> Result<FilterCounts> {
        let mut counts = FilterCounts::default();
        let mut input = Input::open(self.path, self.options)?;
        let mut cursor = Cursor::begin(self.path, self.packing)?;
        // A record ends where the next one begins, so its end is known only after the next one has been read.
        let mut last: Option<(Entry, Links)> = None;
        let mut waiting = Waiting::default();
        while let Some(entry) = input.next()? {
            let begin = entry.position;
            if self.packing != Packing::Plain && begin.inner > 0 {
                waiting.settle(&mut counts);
                let positions = last.iter().map(|(last, _)| last.position).chain([begin]).collect();
                let begin = last.map_or(begin.offset, |(last, _)| last.position.offset);
                cursor.pass_all(&mut waiting, begin, outs)?;
                cursor.pass(begin, Some(&mut outs.one(false)))?;
                let positions = Positions { known: positions, rest: input };
                self.filter_packed_whole(cursor, positions, selection, outs, &mut counts, progress)?;
                return Ok(counts);
            }
            match last.replace((entry, input.links())) {
                Some((last, links)) => {
                    waiting.push(&last, Some(last.position), links, self.options, selection, &mut counts);
                }
                // What stands before the first record belongs to none.
                None => {
                    let head = Decided { end: begin.offset, is_removed: false };
                    cursor.pass_record(&head, outs)?;
                }
            }
            cursor.pass_all(&mut waiting, begin.offset, outs)?;
            counts.bytes = cursor.at;
            if counts.records.is_multiple_of(1 << 8) {
                progress(&counts)?;
            }
        }
        let Some((last, links)) = last else {
            let copied = io::copy(&mut cursor.inner, outs.kept);
            counts.bytes = copied.map_err(|error| JobError::passing(self.path, error))?;
            return Ok(counts);
        };
        let begin = last.position.offset;
        waiting.push(&last, Some(last.position), links, self.options, selection, &mut counts);
        waiting.settle(&mut counts);
        let mut out = outs.one(false);
        while let Some(decided) = waiting.next(u64::MAX) {
            if decided.end == u64::MAX {
                out = outs.one(decided.is_removed);
                break;
            }
            cursor.pass_record(&decided, outs)?;
            out = outs.one(false);
        }
        debug_assert!(cursor.at >= begin, "only the last record is left");
        let rest = io::copy(&mut cursor.inner, &mut out);
        counts.bytes = cursor.at + rest.map_err(|error| JobError::passing(self.path, error))?;
        Ok(counts)
    }

    /// Passes on the records of the rest of a file whose members hold several records.
    fn filter_packed_whole(
        &self,
        cursor: Cursor<'_>,
        mut positions: Positions,
        selection: &mut Selection,
        outs: &mut Outs<'_>,
        counts: &mut FilterCounts,
        progress: &mut dyn FnMut(&FilterCounts) -> Result<()>,
    ) -> Result<()> {
        counts.repacked = true;
        let mut rest = input::open(self.path)?;
        io::copy(&mut (&mut rest).take(cursor.at), &mut io::sink())
            .map_err(|error| JobError::reading(self.path, &error))?;
        let name = self.path.with_extension("");
        let before = cursor.at;
        let unpacked = self.packing.unpack(rest).map_err(|error| JobError::reading(self.path, &error))?;
        let mut input = Input::from_reader(unpacked, &name.to_string_lossy(), self.options)?;
        let again = self.packing.unpack(cursor.inner).map_err(|error| JobError::reading(self.path, &error))?;
        let mut cursor = Cursor { inner: again, at: 0, path: self.path, packing: Packing::Plain };
        let mut waiting = Waiting::default();
        loop {
            let entry = input.next()?;
            match &entry {
                Some(entry) => {
                    let position = positions.next()?;
                    waiting.push(entry, position, input.links(), self.options, selection, counts);
                }
                None => waiting.settle(counts),
            }
            // Its end is known, other than that of a record among compressed members.
            let read = input.resume_point().offset;
            while let Some(decided) = waiting.next(read) {
                let Some(out) = outs.one(decided.is_removed).first.take() else {
                    cursor.pass(decided.end, None)?;
                    continue;
                };
                let passing = |error| JobError::passing(self.path, error);
                let mut member = Member::new(self.packing, out).map_err(passing)?;
                cursor.pass(decided.end, Some(member.writer()))?;
                member.finish().map_err(passing)?;
            }
            counts.bytes = before + cursor.at;
            if counts.records.is_multiple_of(1 << 8) {
                progress(counts)?;
            }
            if entry.is_none() {
                return Ok(());
            }
        }
    }
}

/// The positions of the rest of a file's records, as the library tells them of the compressed file.
struct Positions {
    known: VecDeque<Position>,
    rest: Input,
}

impl Positions {
    fn next(&mut self) -> Result<Option<Position>> {
        match self.known.pop_front() {
            Some(position) => Ok(Some(position)),
            None => Ok(self.rest.next()?.map(|entry| entry.position)),
        }
    }
}

/// A compressed member that is being written.
enum Member<'a> {
    Plain(&'a mut dyn Write),
    Gzip(GzEncoder<&'a mut dyn Write>),
    Zstd(zstd::Encoder<'static, &'a mut dyn Write>),
}

impl<'a> Member<'a> {
    fn new(packing: Packing, out: &'a mut dyn Write) -> io::Result<Self> {
        Ok(match packing {
            Packing::Plain => Self::Plain(out),
            Packing::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Packing::Zstd => Self::Zstd(zstd::Encoder::new(out, 0)?),
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(out) => out,
            Self::Zstd(out) => out,
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(out) => out.finish().map(|_| ()),
            Self::Zstd(out) => out.finish().map(|_| ()),
        }
    }
}
