//! A file's content as one stream of bytes, whatever it is packed in.
//!
//! The stream is seen through a window that grows to hold a whole record. Where a member or frame begins, a *mark*
//! remembers its offset in the file, so that every byte of the stream has an offset there. Where a member is damaged the
//! stream has a *tear*: reading stops there until it is mended, and goes on at the next member that begins a record.

use std::collections::VecDeque;
use std::io;

use super::codec::{Begin, Progress};
use super::entry::{Position, Reason, ResumePoint};
use super::gzip::{self, Gzip};
use super::limits::Limits;
use super::source::{LOOK, Source};
use super::zstandard::{self, Zstd};

/// Decoded at a time: output that stays in the second-level cache.
const CHUNK: usize = 256 << 10;
/// A window of this size is kept; a larger one is given back when it is empty.
const WINDOW_KEPT: usize = 8 << 20;
/// Beyond so many, members begin without a mark: what stands in them is counted relative to an earlier one.
const MARKS_MAX: usize = 1 << 16;
/// Bytes that may be read again after damage, beside twice what has been read.
const REREAD_FREE: u64 = 64 << 20;
/// Bytes of a member that show whether it begins a record.
const TRIAL: usize = 2 << 10;
const TRIAL_INPUT: usize = 16 << 10;

/// What the file is packed in.
pub(super) enum Codec {
    Plain,
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

/// An offset at which the stream is broken.
pub(super) struct Tear {
    pub(super) reason: Reason,
    pub(super) detail: &'static str,
    /// The damaged member, and the bytes from there to where reading goes on.
    pub(super) position: Position,
    /// Whether the damage is in the member that was being decoded, not in how the next one begins.
    inside: bool,
    /// Whether a later member begins a record: if so, the file was not just cut off.
    pub(super) followed: bool,
}

/// What a call of [`Stream::fill`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    More,
    End,
    Torn,
    /// The window is as large as it may become.
    Full,
}

/// Keeps reading linear: what is read again after damage is bounded by what has been read.
#[derive(Default)]
struct Again {
    sum: u64,
    reached: u64,
}

impl Again {
    /// Whether `cost` bytes before `here` may be read again; if so they are counted.
    fn allows(&mut self, cost: u64, here: u64) -> bool {
        self.reached = self.reached.max(here);
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
    accept: fn(&[u8]) -> bool,
    window: Vec<u8>,
    start: usize,
    end: usize,
    window_max: usize,
    /// The stream's offset of the window's first byte. In a plain file this is the file's offset.
    offset: u64,
    marks: VecDeque<Mark>,
    marks_max: usize,
    tear: Option<Tear>,
    ended: bool,
    inside: bool,
    member_offset: u64,
    member_len: u64,
    payload: u64,
    /// Bytes of the file decoded again after a damaged member.
    members_again: Again,
    /// Bytes of the stream read again after a record with a wrong length.
    records_again: Again,
}

impl Stream {
    /// `accept` says whether the decoded start of a member begins a record: asked after damage only.
    pub(super) fn new(source: Source, codec: Codec, limits: &Limits, accept: fn(&[u8]) -> bool) -> Stream {
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
            member_len: 0,
            payload: 0,
            members_again: Again::default(),
            records_again: Again::default(),
        }
    }

    pub(super) fn set_accept(&mut self, accept: fn(&[u8]) -> bool) {
        self.accept = accept;
    }

    /// Gives every position as a distance from the first member, for content that must be counted from its start.
    pub(super) fn count_from_the_start(&mut self) {
        self.marks.truncate(1);
        self.marks_max = 1;
    }

    /// The bytes that are there to be looked at.
    pub(super) fn window(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// The stream's offset of the window's first byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn size(&self) -> u64 {
        self.source.size().unwrap_or(0)
    }

    /// Bytes of the file behind the window's reading end.
    pub(super) fn bytes_read(&self) -> u64 {
        match self.codec {
            Codec::Plain => self.offset,
            _ => self.source.offset(),
        }
    }

    /// Bytes that the file's members have become so far.
    pub(super) fn payload_bytes(&self) -> u64 {
        self.payload
    }

    /// Bytes of the stream that follow the window's start, where that is known without reading them.
    pub(super) fn remaining(&self) -> Option<u64> {
        match self.codec {
            Codec::Plain => self.source.size().map(|size| size.saturating_sub(self.offset)),
            _ => None,
        }
    }

    /// Where the window's first byte stands in the file.
    pub(super) fn point(&self) -> ResumePoint {
        match (&self.codec, self.marks.front()) {
            (Codec::Plain, _) => ResumePoint { offset: self.offset, inner: 0 },
            (_, Some(mark)) => ResumePoint { offset: mark.offset, inner: self.offset - mark.decoded },
            (_, None) => ResumePoint { offset: self.source.offset(), inner: 0 },
        }
    }

    /// The position of what stood at `point` and ended, with `len` bytes, at the window's start or before padding.
    pub(super) fn position_since(&self, point: ResumePoint, len: u64) -> Position {
        let now = self.point();
        let alone = !matches!(self.codec, Codec::Plain) && point.inner == 0 && now.inner == 0;
        let length = if alone { now.offset - point.offset.min(now.offset) } else { len };
        Position { offset: point.offset, inner: point.inner, length }
    }

    /// Distances from the window's start to the members that begin in `from..to` of it.
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
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.window.len() > WINDOW_KEPT {
                self.window.truncate(2 * CHUNK);
                self.window.shrink_to_fit();
            }
        }
    }

    /// Consumes everything up to the next tear or `len` bytes; returns how many.
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

    /// The tear that the window ends at, when no byte is left to decode before it.
    pub(super) fn tear(&self) -> Option<&Tear> {
        self.tear.as_ref()
    }

    /// Forgets the tear, so that reading goes on behind it.
    pub(super) fn mend(&mut self) -> Option<Tear> {
        let tear = self.tear.take()?;
        self.mark(self.source.offset());
        Some(tear)
    }

    /// Decodes a little more.
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
                self.ended = len == 0;
                return Ok(if len == 0 { Fill::End } else { Fill::More });
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
                        self.member_len = 0;
                    }
                    Begin::End => {
                        self.mark(self.source.offset());
                        self.ended = true;
                        return Ok(Fill::End);
                    }
                    Begin::Garbage => return self.tear_at(Reason::Garbage, "bytes that are no compressed member"),
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
                    let input = self.source.offset() - self.member_offset;
                    if self.limits.is_bomb(input, self.member_len) {
                        return self.tear_at(Reason::RatioLimit, "more decompressed bytes than the ratio limit allows");
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

    fn produced(&mut self, len: usize) {
        self.end += len;
        self.member_len += len as u64;
        self.payload += len as u64;
    }

    /// Makes room for a step of decoding.
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
        self.end < self.window.len()
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

    /// Records a tear and looks for the member to go on with.
    fn tear_at(&mut self, reason: Reason, detail: &'static str) -> io::Result<Fill> {
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

    /// Goes back in the file, as long as not too much has been read twice.
    fn step_back(&mut self, to: u64) -> io::Result<bool> {
        let here = self.source.offset();
        Ok(self.members_again.allows(here - to, here) && self.source.seek(to)?)
    }

    /// Goes forward to the next member that decodes and begins a record.
    fn find_member(&mut self) -> io::Result<bool> {
        let mut scratch = [0; TRIAL];
        loop {
            let have = self.source.fill(LOOK)?;
            if have == 0 {
                return Ok(false);
            }
            // A candidate near the end of what is available waits for more, unless there is no more.
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

    /// Goes to a position in the file. Returns false, and stays, when too much would be read twice.
    pub(super) fn rewind(&mut self, point: ResumePoint, stream_offset: u64) -> io::Result<bool> {
        let here = self.offset + (self.end - self.start) as u64;
        let cost = here.saturating_sub(stream_offset).saturating_add(point.inner);
        if !self.records_again.allows(cost, here) || !self.source.seek(point.offset)? {
            return Ok(false);
        }
        self.restart(point, stream_offset)?;
        Ok(true)
    }

    /// Goes to a position in the file that an earlier run left.
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
    /// Whether a record that begins at `point` and runs into the tear is lost.
    ///
    /// A record that was cut off with the file is not, as far as it goes. Nor is one that is all there and is followed
    /// by rubbish, or lies somewhere in a member that holds many, where the damage is not known to be in it.
    pub(super) fn costs_record(&self, point: ResumePoint, whole: bool) -> bool {
        match self.reason {
            Reason::CutOff => self.followed && !whole,
            Reason::Garbage => !whole,
            _ => !whole || self.inside && point.inner == 0,
        }
    }

    /// Whether the damage is inside a member, so that what was decoded before it is suspect.
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
