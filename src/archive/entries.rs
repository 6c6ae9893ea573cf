//! The entries of an opened input: those of a table, or the records or lines of a stream, all of them or selected ones.

use std::io;

use super::entry::{Entry, EntryContent, Links, Position, Reason, ResumePoint, Revisited};
use super::options::Options;
use super::ranges::{ByteRange, Ranges};
use super::stream::Stream;
use super::whole::WholeRecord;

/// Bytes after a record of a plain file that are not part of it.
const LINE_ENDS: u64 = 4;

/// The entries of an opened input, and how far it was read.
pub(super) trait Entries: Send {
    /// Returns the next entry, or `None` at the end.
    fn next(&mut self, options: &Options) -> io::Result<Option<Entry>>;

    /// Returns the point where a later run resumes after the last entry.
    fn point(&self) -> ResumePoint;

    /// Goes to a resume point.
    fn go_to(&mut self, point: ResumePoint) -> io::Result<()>;

    /// Returns the number of bytes of the file read so far, and the number of decompressed bytes.
    fn bytes_read(&self) -> (u64, u64);

    /// Returns the size of the file in bytes, or 0 if it is not known.
    fn size(&self) -> u64;

    /// Returns whether [`Entries::go_to`] skips entries without reading them.
    fn skips(&self) -> bool {
        false
    }

    /// Returns the batch of the last entry, if a column is to name batches; empty for none.
    fn batch<'a>(&'a self, options: &Options) -> Option<&'a str> {
        options.batch_column.as_ref().map(|_| "")
    }

    /// Restricts the entries to the records in these ranges; returns whether that is possible.
    fn select(&mut self, ranges: Ranges) -> bool {
        let _ = ranges;
        false
    }

    /// Returns the reader, if the entries are in a stream.
    fn reader(&self) -> Option<&dyn EntryReader> {
        None
    }

    /// Keeps each record until the next one is read, if the reader can.
    fn keep_records(&mut self) {}

    /// Returns whether parts of the file can be read alone.
    fn splits(&self) -> bool {
        false
    }

    /// Returns where the first entry at this offset or later seems to begin, in a file that splits.
    fn find_start(&mut self, from: u64) -> io::Result<Option<u64>> {
        let _ = from;
        Ok(None)
    }

    /// Returns whether the entries read since the last call might be others where more memory is allowed, or more of
    /// the file was read before.
    fn take_doubt(&mut self) -> bool {
        false
    }
}

/// The reader of the records, lines or rows in a stream of bytes.
pub(super) trait EntryReader: Send {
    /// Returns the entry of the next record, or `None` at the end.
    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>>;

    /// Continues after the first entry, which an earlier run has read.
    fn resume(&mut self) {}

    /// Returns whether each record can be read alone, given where it is.
    fn has_records(&self) -> bool {
        false
    }

    /// Returns whether each line can be read alone.
    fn has_lines(&self) -> bool {
        false
    }

    /// Returns the identifying headers of the last record.
    fn links(&self) -> Links {
        Links::default()
    }

    /// Returns the page to which the last record refers, if that is a revisit record.
    fn revisited(&self) -> Revisited {
        Revisited::default()
    }

    /// Keeps each record until the next one is read.
    fn keep_records(&mut self) {}

    /// Returns the bytes of the last row, if records are kept.
    fn row(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the last record, if records are kept and the last entry was one.
    fn whole_record(&self) -> Option<&WholeRecord> {
        None
    }
}

/// The entries in a stream.
pub(super) struct Records {
    stream: Box<Stream>,
    reader: Box<dyn EntryReader>,
    /// The ranges that are read, if not the whole input is.
    selected: Option<Progress>,
}

/// Progress in selected ranges.
struct Progress {
    ranges: Ranges,
    /// Number of ranges that are read.
    read: usize,
    bytes: u64,
}

impl Records {
    pub(super) fn new(stream: Stream, reader: impl EntryReader + 'static) -> Self {
        Self { stream: Box::new(stream), reader: Box::new(reader), selected: None }
    }
}

impl Entries for Records {
    fn next(&mut self, options: &Options) -> io::Result<Option<Entry>> {
        let Self { stream, reader, selected } = self;
        if let Some(selected) = selected {
            return selected.next(stream, &mut **reader, options);
        }
        stream.begin_entry();
        reader.next(stream, options)
    }

    fn point(&self) -> ResumePoint {
        self.selected.as_ref().map_or_else(|| self.stream.point(), Progress::point)
    }

    fn go_to(&mut self, point: ResumePoint) -> io::Result<()> {
        if let Some(selected) = &mut self.selected {
            selected.read = selected.ranges.before(point.offset);
            return Ok(());
        }
        self.stream.go_to(point)?;
        if point != ResumePoint::default() {
            self.reader.resume();
        }
        Ok(())
    }

    fn bytes_read(&self) -> (u64, u64) {
        let read = self.selected.as_ref().map_or_else(|| self.stream.bytes_read(), |selected| selected.bytes);
        (read, self.stream.payload_bytes())
    }

    fn size(&self) -> u64 {
        self.stream.size()
    }

    fn select(&mut self, ranges: Ranges) -> bool {
        let can = self.reader.has_records();
        self.selected = can.then_some(Progress { ranges, read: 0, bytes: 0 });
        can
    }

    fn reader(&self) -> Option<&dyn EntryReader> {
        Some(&*self.reader)
    }

    fn keep_records(&mut self) {
        self.reader.keep_records();
    }

    fn splits(&self) -> bool {
        let Self { stream, reader, selected } = self;
        selected.is_none()
            && (reader.has_records() && stream.splits(false) || reader.has_lines() && stream.splits(true))
    }

    fn find_start(&mut self, from: u64) -> io::Result<Option<u64>> {
        self.stream.find_start(from)
    }

    fn take_doubt(&mut self) -> bool {
        self.stream.take_doubt()
    }
}

impl Progress {
    /// Reads the record of the next range.
    fn next(
        &mut self,
        stream: &mut Stream,
        reader: &mut dyn EntryReader,
        options: &Options,
    ) -> io::Result<Option<Entry>> {
        let Some(range @ ByteRange { offset, length }) = self.ranges.get(self.read) else { return Ok(None) };
        stream.go_to(ResumePoint { offset, inner: 0 })?;
        let entry = reader.next(stream, options)?;
        let next = stream.point();
        self.read += 1;
        self.bytes = self.bytes.saturating_add(length);
        // The size of a record in a plain file may or may not include the line ends after it.
        let is_whole = next.inner == 0 && next.offset.abs_diff(offset.saturating_add(length)) <= LINE_ENDS;
        let is_no_record = |reason| matches!(reason, Reason::Garbage | Reason::BadHeader | Reason::BadLength);
        Ok(Some(match entry {
            Some(Entry { position, content: EntryContent::Skipped { reason, detail } }) if !is_no_record(reason) => {
                Entry { position, content: EntryContent::Skipped { reason, detail } }
            }
            Some(entry) if is_whole && !matches!(entry.content, EntryContent::Skipped { .. }) => entry,
            _ => no_record(range),
        }))
    }

    /// Returns where the next range begins, or the last one ends.
    fn point(&self) -> ResumePoint {
        let end = |range: ByteRange| range.offset.saturating_add(range.length);
        let next = self.ranges.get(self.read).map(|range| range.offset);
        let last = || self.read.checked_sub(1).and_then(|last| self.ranges.get(last)).map_or(0, end);
        ResumePoint { offset: next.unwrap_or_else(last), inner: 0 }
    }
}

fn no_record(ByteRange { offset, length }: ByteRange) -> Entry {
    let position = Position { offset, inner: 0, length };
    let detail = format!("the index names {length} bytes that are no record of their own here: is it another archive?");
    Entry::skipped(position, Reason::NoRecord, detail)
}
