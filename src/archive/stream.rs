//! A file's content as one stream of bytes, whatever its compression.
//!
//! The stream is read through a window that grows to hold a whole record. For each member or frame a *mark* records
//! its offset in the file, so that every byte of the stream has an offset there. A damaged member makes a *tear* in
//! the stream: reading stops there until the tear is mended, and resumes at the next member that begins a record.

use std::collections::VecDeque;
use std::io;

use super::codec::{Begin, Progress};
use super::entry::{Position, Reason, ResumePoint};
use super::gzip::{self, Gzip};
use super::limits::Limits;
use super::source::{LOOK, Source};
use super::zstandard::{self, Zstd};

/// Bytes decoded at a time: output that stays in the second-level cache.
const CHUNK: usize = 256 << 10;
/// Largest window that is kept; a larger one is freed when it is empty.
const WINDOW_KEPT: usize = 8 << 20;
/// Maximum number of marks: later members have none, and positions in them are relative to an earlier member.
const MARKS_MAX: usize = 1 << 16;
/// Number of bytes that may be read again after damage, in addition to twice the bytes read.
const REREAD_FREE: u64 = 64 << 20;
/// Number of bytes of a member from which it is decided whether it begins a record.
const TRIAL: usize = 2 << 10;
const TRIAL_INPUT: usize = 16 << 10;

/// Message: the reason why the rest of a member is not read.
const TOO_MUCH: &str =
    "too many bytes beyond the size of a record decompress from too few (limits max-record and max-ratio)";

/// The compression of the file.
pub(super) enum Codec {
    Plain,
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

/// An offset where the stream is broken.
pub(super) struct Tear {
    pub(super) reason: Reason,
    pub(super) detail: &'static str,
    /// The damaged member; its length reaches to the place where reading resumes.
    pub(super) position: Position,
    /// Whether the damage is in the member that was being decoded, not in the beginning of the next one.
    inside: bool,
    /// Whether a later member begins a record, so that the file was not just truncated.
    pub(super) followed: bool,
}

/// Tells whether the decoded start of a member, after damage, is one at which reading continues.
pub(super) type Accept = Box<dyn Fn(&[u8]) -> bool + Send>;

/// The result of [`Stream::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    More,
    End,
    Torn,
    /// The window has its greatest size.
    Full,
}

/// Bounds the bytes read again after damage by the bytes read, so that reading stays linear.
#[derive(Default)]
struct RereadBudget {
    sum: u64,
    reached: u64,
}

impl RereadBudget {
    /// Returns whether `cost` bytes before `offset` may be read again, and counts them if so.
    fn allows(&mut self, cost: u64, offset: u64) -> bool {
        self.reached = self.reached.max(offset);
        let sum = self.sum.saturating_add(cost);
        let allowed = sum <= REREAD_FREE.saturating_add(self.reached.saturating_mul(2));
        if allowed {
            self.sum = sum;
        }
        allowed
    }
}

#[derive(Clone, Copy)]
struct Mark {
    decoded: u64,
    offset: u64,
}

pub(super) struct Stream {
    source: Source,
    codec: Codec,
    limits: Limits,
    accept: Accept,
    window: Vec<u8>,
    start: usize,
    end: usize,
    window_max: usize,
    /// Offset in the stream of the window's first byte. In a plain file this is the file's offset.
    offset: u64,
    marks: VecDeque<Mark>,
    marks_max: usize,
    tear: Option<Tear>,
    ended: bool,
    inside: bool,
    member_offset: u64,
    payload: u64,
    /// Offset in the stream of the entry that is being read; `wasted` counts decoded bytes before it that were not
    /// used.
    entry: u64,
    wasted: u64,
    /// Bytes of the file decoded again after a damaged member.
    member_rereads: RereadBudget,
    /// Bytes of the stream read again after a record with a wrong length.
    record_rereads: RereadBudget,
    is_doubtful: bool,
}

impl Stream {
    /// Returns a stream. `accept` tells whether the decoded start of a member begins a record; it is called only after
    /// damage.
    pub(super) fn new(source: Source, codec: Codec, limits: &Limits, accept: Accept) -> Stream {
        let window_max = limits.record.saturating_add(2 * limits.header).saturating_add(2 * CHUNK);
        let offset = if matches!(codec, Codec::Plain) { source.offset() } else { 0 };
        Stream {
            source,
            codec,
            limits: limits.clone(),
            accept,
            window: vec![0; 2 * CHUNK],
            start: 0,
            end: 0,
            window_max,
            offset,
            marks: VecDeque::new(),
            marks_max: MARKS_MAX,
            tear: None,
            ended: false,
            inside: false,
            member_offset: 0,
            payload: 0,
            entry: offset,
            wasted: 0,
            member_rereads: RereadBudget::default(),
            record_rereads: RereadBudget::default(),
            is_doubtful: false,
        }
    }

    /// Returns whether reading may begin at a member, or at a line if there are no members.
    pub(super) fn splits(&self, are_lines: bool) -> bool {
        let is_apt = match self.codec {
            Codec::Plain => are_lines,
            Codec::Gzip(_) => !are_lines,
            Codec::Zstd(_) => false,
        };
        is_apt && self.source.size().is_some() && self.source.packed().is_none()
    }

    /// Returns where the first record, or line after one that is not blank, begins in a file that splits, at this
    /// offset or later. Reading goes on after [`Stream::go_to`] only.
    pub(super) fn find_start(&mut self, from: u64) -> io::Result<Option<u64>> {
        self.source.seek(from)?;
        if !matches!(self.codec, Codec::Plain) {
            return Ok(self.find_member()?.then(|| self.source.offset()));
        }
        while self.source.fill(LOOK)? > 0 {
            let bytes = self.source.available();
            let mut ends = memchr::memchr_iter(b'\n', bytes);
            if let Some(end) = ends.find(|&at| at > 0 && !bytes[at - 1].is_ascii_whitespace()) {
                return Ok(Some(self.source.offset() + end as u64 + 1));
            }
            let len = bytes.len();
            self.source.consume(len);
        }
        Ok(None)
    }

    /// Returns whether the last entry is longer than a record may be, or damage or the size of the window affected the
    /// entries that were read since the last call.
    pub(super) fn take_doubt(&mut self) -> bool {
        std::mem::take(&mut self.is_doubtful) || self.offset.saturating_sub(self.entry) > self.limits.record as u64
    }

    pub(super) fn set_accept(&mut self, accept: Accept) {
        self.accept = accept;
    }

    /// Makes every position relative to the first member, for content that must be counted from its start.
    pub(super) fn count_from_the_start(&mut self) {
        self.marks.truncate(1);
        self.marks_max = 1;
    }

    /// Returns the bytes in the window.
    pub(super) fn window(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// Returns the offset in the stream of the window's first byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn size(&self) -> u64 {
        self.source.packed().map_or_else(|| self.source.size().unwrap_or(0), |(_, size)| size)
    }

    /// Returns the number of bytes of the file that were read into the window.
    pub(super) fn bytes_read(&self) -> u64 {
        match (&self.codec, self.source.packed()) {
            (_, Some((read, _))) => read,
            (Codec::Plain, None) => self.offset,
            (_, None) => self.source.offset(),
        }
    }

    /// Returns whether too many decompressed bytes of a file that is compressed as a whole were wasted.
    fn is_bomb(&self) -> bool {
        let wasted = self.wasted + self.beyond(self.end - self.start);
        wasted > self.wasted && self.source.packed().is_some_and(|(read, _)| self.limits.is_bomb(read, wasted))
    }

    /// Returns the number of decompressed bytes of the file's members up to the window.
    pub(super) fn payload_bytes(&self) -> u64 {
        self.payload - (self.end - self.start) as u64
    }

    /// Returns the bytes of the stream from the window's start to its end, if known without reading them.
    pub(super) fn remaining(&self) -> Option<u64> {
        match self.codec {
            Codec::Plain => self.source.size().map(|size| size.saturating_sub(self.offset)),
            _ => None,
        }
    }

    /// Returns the point in the file of the window's first byte.
    pub(super) fn point(&self) -> ResumePoint {
        match (&self.codec, self.marks.front()) {
            (Codec::Plain, _) => ResumePoint { offset: self.offset, inner: 0 },
            (_, Some(mark)) => ResumePoint { offset: mark.offset, inner: self.offset - mark.decoded },
            (_, None) => ResumePoint { offset: self.source.offset(), inner: 0 },
        }
    }

    /// Returns the position of a record of `len` bytes that began at `point` and ended at the window's start or
    /// before padding.
    pub(super) fn position_since(&self, point: ResumePoint, len: u64) -> Position {
        let now = self.point();
        let alone = !matches!(self.codec, Codec::Plain) && point.inner == 0 && now.inner == 0;
        let length = if alone { now.offset - point.offset.min(now.offset) } else { len };
        Position { offset: point.offset, inner: point.inner, length }
    }

    /// Returns the distances from the window's start to the members that begin in `from..to` of the window.
    pub(super) fn members_between(&self, from: u64, to: u64) -> impl Iterator<Item = usize> + '_ {
        let known = self.marks.iter().map(|mark| mark.decoded);
        known
            .skip_while(move |&at| at < self.offset + from)
            .take_while(move |&at| at < self.offset.saturating_add(to))
            .map(move |at| (at - self.offset) as usize)
    }

    pub(super) fn consume(&mut self, len: usize) {
        debug_assert!(len <= self.end - self.start, "more consumed than there is");
        let len = len.min(self.end - self.start);
        self.start += len;
        self.offset += len as u64;
        while self.marks.get(1).is_some_and(|mark| mark.decoded <= self.offset) {
            self.marks.pop_front();
        }
        let held = self.end - self.start;
        if held == 0 {
            self.start = 0;
            self.end = 0;
        }
        // The bytes after a long record, or after a part of it, need no such window.
        if self.window.len() > WINDOW_KEPT && held <= CHUNK {
            self.window.copy_within(self.start..self.end, 0);
            self.window.truncate(2 * CHUNK);
            self.window.shrink_to_fit();
            self.start = 0;
            self.end = held;
        }
    }

    /// Consumes everything up to the next tear or `len` bytes; returns the number of bytes.
    pub(super) fn skip(&mut self, len: u64) -> io::Result<u64> {
        let mut left = len;
        loop {
            let step = left.min(self.window().len() as u64);
            self.consume(step as usize);
            left -= step;
            if left == 0 {
                return Ok(len);
            }
            if let (Codec::Plain, Some(remaining)) = (&self.codec, self.remaining())
                && left > CHUNK as u64
                && left < remaining
                && self.source.seek(self.offset + left)?
            {
                self.offset += left;
                self.payload += left;
                return Ok(len);
            }
            if self.fill()? != Fill::More {
                return Ok(len - left);
            }
        }
    }

    /// Returns the tear at the end of the window, if no byte is left to decode before it.
    pub(super) fn tear(&self) -> Option<&Tear> {
        self.tear.as_ref()
    }

    /// Returns whether the rest of a member is not read because too many decompressed bytes would be wasted.
    pub(super) fn is_given_up(&self) -> bool {
        self.tear.as_ref().is_some_and(|tear| tear.reason == Reason::RatioLimit)
    }

    /// Takes the tear away, so that reading resumes after it.
    pub(super) fn mend(&mut self) -> Option<Tear> {
        let tear = self.tear.take()?;
        self.mark(self.source.offset());
        Some(tear)
    }

    /// Decodes one more chunk.
    pub(super) fn fill(&mut self) -> io::Result<Fill> {
        if self.tear.is_some() {
            return Ok(Fill::Torn);
        }
        if self.ended {
            return Ok(Fill::End);
        }
        if !self.make_room() {
            return Ok(Fill::Full);
        }
        loop {
            let room = (self.window.len() - self.end).min(CHUNK);
            let out = &mut self.window[self.end..self.end + room];
            if let Codec::Plain = self.codec {
                let len = self.source.read(out)?;
                self.produced(len);
                if len > 0 {
                    return if self.is_bomb() { self.tear_at(Reason::RatioLimit, TOO_MUCH) } else { Ok(Fill::More) };
                }
                if let Some(fault) = self.source.take_fault() {
                    return self.tear_at(fault.reason, fault.detail);
                }
                self.ended = true;
                return Ok(Fill::End);
            }
            if !self.inside {
                let begin = match &mut self.codec {
                    Codec::Gzip(gzip) => gzip.begin(&mut self.source)?,
                    Codec::Zstd(zstd) => zstd.begin(&mut self.source)?,
                    Codec::Plain => Begin::End,
                };
                match begin {
                    Begin::Started(offset) => {
                        self.mark(offset);
                        self.inside = true;
                    }
                    Begin::End => {
                        self.mark(self.source.offset());
                        self.ended = true;
                        return Ok(Fill::End);
                    }
                    Begin::Garbage => {
                        return self.tear_at(Reason::Garbage, "bytes that belong to no compressed member");
                    }
                    Begin::Fault(fault) => return self.tear_at(fault.reason, fault.detail),
                }
                continue;
            }
            let step = match &mut self.codec {
                Codec::Gzip(gzip) => gzip.decode(&mut self.source, out)?,
                Codec::Zstd(zstd) => zstd.decode(&mut self.source, out)?,
                Codec::Plain => Ok(Progress { produced: 0, ended: true }),
            };
            match step {
                Ok(Progress { produced, ended }) => {
                    self.produced(produced);
                    let wasted = self.wasted + self.beyond(self.end - self.start);
                    if self.limits.is_bomb(self.source.offset(), wasted) && wasted > self.wasted {
                        return self.tear_at(Reason::RatioLimit, TOO_MUCH);
                    }
                    self.inside = !ended;
                    if produced > 0 {
                        return Ok(Fill::More);
                    }
                }
                Err(fault) => {
                    self.produced(fault.produced);
                    return self.tear_at(fault.reason, fault.detail);
                }
            }
        }
    }

    /// Begins an entry at the window's start.
    pub(super) fn begin_entry(&mut self) {
        self.wasted += self.beyond(0);
        self.entry = self.offset;
    }

    /// Returns the number of bytes of the entry, up to this distance from the window's start, that exceed what any
    /// entry needs.
    fn beyond(&self, held: usize) -> u64 {
        (self.offset + held as u64).saturating_sub(self.entry).saturating_sub(self.window_max as u64)
    }

    fn produced(&mut self, len: usize) {
        self.end += len;
        self.payload += len as u64;
    }

    /// Makes room in the window for a decoding step.
    fn make_room(&mut self) -> bool {
        let held = self.end - self.start;
        if self.window.len() - self.end >= CHUNK / 2 {
            return true;
        }
        if held > self.window.len() / 2 && self.window.len() < self.window_max {
            let len = (2 * self.window.len()).min(self.window_max);
            let mut grown = Vec::with_capacity(len);
            grown.extend_from_slice(&self.window[self.start..self.end]);
            grown.resize(len, 0);
            self.window = grown;
        } else {
            self.window.copy_within(self.start..self.end, 0);
        }
        self.start = 0;
        self.end = held;
        self.is_doubtful |= held == self.window.len();
        held < self.window.len()
    }

    fn mark(&mut self, offset: u64) {
        let decoded = self.offset + (self.end - self.start) as u64;
        self.member_offset = offset;
        let full = self.marks.len() >= self.marks_max;
        match self.marks.back_mut() {
            Some(last) if last.decoded == decoded => last.offset = offset,
            _ if full => {}
            _ => self.marks.push_back(Mark { decoded, offset }),
        }
        while self.marks.get(1).is_some_and(|mark| mark.decoded <= self.offset) {
            self.marks.pop_front();
        }
    }

    /// Records a tear and searches for the member at which to resume.
    fn tear_at(&mut self, reason: Reason, detail: &'static str) -> io::Result<Fill> {
        self.is_doubtful = true;
        let here = self.source.offset();
        let member = if self.inside { self.member_offset } else { here };
        let from = if reason == Reason::RatioLimit { here } else { member + 1 };
        let inside = std::mem::take(&mut self.inside);
        if from < here {
            self.step_back(from)?;
        } else {
            self.source.consume((from - here) as usize);
        }
        let followed = self.find_member()?;
        let position = Position { offset: member, inner: 0, length: self.source.offset().saturating_sub(member) };
        self.tear = Some(Tear { reason, detail, position, inside, followed });
        Ok(Fill::Torn)
    }

    /// Seeks back in the file, unless too much has been read twice.
    fn step_back(&mut self, to: u64) -> io::Result<bool> {
        let here = self.source.offset();
        Ok(self.member_rereads.allows(here - to, here) && self.source.seek(to)?)
    }

    /// Seeks forward to the next member that decodes and begins a record.
    fn find_member(&mut self) -> io::Result<bool> {
        let mut scratch = [0; TRIAL];
        loop {
            let have = self.source.fill(LOOK)?;
            if have == 0 {
                return Ok(false);
            }
            // A candidate near the end of the available bytes waits for more, unless there are no more.
            let last = if have < LOOK { have } else { have - TRIAL_INPUT };
            let available = self.source.available();
            let mut found = None;
            let first = match self.codec {
                Codec::Gzip(_) => gzip::MAGIC[0],
                _ => zstandard::MAGIC[0],
            };
            for at in memchr::memchr_iter(first, &available[..last]) {
                let bytes = &available[at..available.len().min(at + TRIAL_INPUT)];
                let filled = match &mut self.codec {
                    Codec::Gzip(gzip) if bytes.starts_with(&gzip::MAGIC) => gzip.trial(bytes, &mut scratch),
                    Codec::Zstd(zstd) if bytes.starts_with(&zstandard::MAGIC) => zstd.trial(bytes, &mut scratch),
                    _ => None,
                };
                if filled.is_some_and(|len| (self.accept)(&scratch[..len])) {
                    found = Some(at);
                    break;
                }
            }
            self.source.consume(found.unwrap_or(last));
            if found.is_some() {
                return Ok(true);
            }
        }
    }

    /// Seeks to a position in the file. Returns false, and stays, if too much would be read twice.
    pub(super) fn rewind(&mut self, point: ResumePoint, stream_offset: u64) -> io::Result<bool> {
        self.is_doubtful = true;
        let here = self.offset + (self.end - self.start) as u64;
        let cost = here.saturating_sub(stream_offset).saturating_add(point.inner);
        if !self.record_rereads.allows(cost, here) || !self.source.seek(point.offset)? {
            return Ok(false);
        }
        self.restart(point, stream_offset)?;
        Ok(true)
    }

    /// Seeks to the resume point of an earlier run.
    pub(super) fn go_to(&mut self, point: ResumePoint) -> io::Result<()> {
        if let Some(size) = self.source.size()
            && point.offset > size
        {
            self.source.seek(size)?;
            let end = ResumePoint { offset: size, inner: 0 };
            return self.restart(end, if matches!(self.codec, Codec::Plain) { size } else { 0 });
        }
        self.source.seek(point.offset)?;
        let stream_offset = if matches!(self.codec, Codec::Plain) { point.offset } else { point.inner };
        self.restart(point, stream_offset)
    }

    fn restart(&mut self, point: ResumePoint, stream_offset: u64) -> io::Result<()> {
        self.start = 0;
        self.end = 0;
        self.marks.clear();
        self.tear = None;
        self.ended = false;
        self.inside = false;
        self.entry = stream_offset;
        match self.codec {
            Codec::Plain => {
                self.offset = stream_offset;
                Ok(())
            }
            _ => {
                self.offset = stream_offset.saturating_sub(point.inner);
                self.skip(point.inner).map(|_| ())
            }
        }
    }
}

impl Tear {
    /// Returns whether a record that begins at `point` and runs into the tear is lost.
    ///
    /// If the file is truncated, the part of its last record is kept. A record is also kept if it is complete and
    /// followed by garbage, or if it is in a member of many records and the damage is not known to be inside the
    /// record.
    pub(super) fn costs_record(&self, point: ResumePoint, whole: bool) -> bool {
        match self.reason {
            Reason::CutOff => self.followed && !whole,
            Reason::Garbage => !whole,
            _ => !whole || self.inside && point.inner == 0,
        }
    }

    /// Returns whether the damage is inside a member, so that the bytes decoded before it are suspect.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    pub(super) fn content(&self) -> super::EntryContent {
        super::EntryContent::Skipped { reason: self.reason, detail: self.detail.to_owned() }
    }

    pub(super) fn into_entry(self) -> super::Entry {
        super::Entry { position: self.position, content: self.content() }
    }
}
