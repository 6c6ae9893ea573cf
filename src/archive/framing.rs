//! The extent of a record: its declared length, unless the bytes at its end show that the length is wrong.
//!
//! A length is accepted if the end of the file, another record or another compressed member follows the record.
//! Otherwise the record ends where another record begins inside it, so a wrong length costs no other record.

use std::io;
use std::ops::ControlFlow;

use super::entry::{Entry, EntryContent, Reason, ResumePoint};
use super::stream::{Fill, Stream, Tear};

/// Maximum number of bytes between records that are examined before a length is believed.
const PADDING: usize = 64;

/// Returns whether a byte between records is padding: a line end, or a blank or zero as some writers add.
fn is_padding(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | 0)
}

/// The recognition of records of a format.
#[derive(Clone, Copy)]
pub(super) struct Marker {
    /// Returns whether bytes begin a record; `None` if they are too few to tell.
    pub(super) starts: fn(&[u8]) -> Option<bool>,
    /// Finds the first line that begins a record, after the first line end.
    pub(super) find: fn(&[u8]) -> Option<usize>,
    /// Returns the number of bytes at the end of an unsuccessful search that may begin a record.
    pub(super) keep: fn(&[u8]) -> usize,
}

/// How a record ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// At its declared length.
    Whole,
    /// At its declared length, although no record follows.
    Doubtful,
    /// Before its declared length: at the next record, or at the end of the file.
    Short,
    /// At a tear in the stream.
    Torn {
        /// Whether all bytes of the record are there, and only the end of its member is missing.
        whole: bool,
    },
    /// Beyond the size limit: the window does not hold all of the record.
    Over,
}

/// The bytes of the record in the window, header included, and how the record ends.
pub(super) struct Extent {
    pub(super) held: usize,
    pub(super) ending: Ending,
}

/// Reads a record into the window, as far as the limit allows.
pub(super) fn extent(
    stream: &mut Stream,
    header: usize,
    content: u64,
    limit: usize,
    marker: Marker,
) -> io::Result<Extent> {
    let claimed = content.saturating_add(header as u64);
    let want = header.saturating_add(content.min(limit as u64) as usize);
    loop {
        if let Some(held) = next_member(stream, header as u64, claimed, marker) {
            return Ok(Extent { held, ending: Ending::Short });
        }
        if stream.window().len() >= want || stream.fill()? != Fill::More {
            break;
        }
    }
    let len = stream.window().len();
    let beyond_the_file = stream.remaining().is_some_and(|left| claimed > left);
    if content > limit as u64 && len >= want && !beyond_the_file {
        return Ok(Extent { held: want, ending: Ending::Over });
    }
    if len as u64 >= claimed {
        return whole(stream, header, claimed as usize, marker);
    }
    if let Some(inside) = (marker.find)(&stream.window()[header..]) {
        return Ok(Extent { held: header + inside, ending: Ending::Short });
    }
    let ending = if stream.tear().is_some() { Ending::Torn { whole: false } } else { Ending::Short };
    Ok(Extent { held: len.min(want), ending })
}

/// Returns the offset in the record of a compressed member that begins another record.
fn next_member(stream: &Stream, header: u64, claimed: u64, marker: Marker) -> Option<usize> {
    stream
        .members_between(header, claimed)
        .find(|&at| stream.window().get(at..).is_some_and(|rest| (marker.starts)(rest) == Some(true)))
}

/// Decides from the bytes after a complete record how the record ends.
fn whole(stream: &mut Stream, header: usize, claimed: usize, marker: Marker) -> io::Result<Extent> {
    let ending = loop {
        let after = &stream.window()[claimed..];
        let padding = after.iter().take(PADDING).take_while(|&&b| is_padding(b)).count();
        let reach = claimed as u64 + padding as u64;
        if padding == PADDING || stream.members_between(claimed as u64, reach + 1).next().is_some() {
            break Ending::Whole;
        }
        match (marker.starts)(&after[padding..]) {
            Some(true) => break Ending::Whole,
            Some(false) => break Ending::Doubtful,
            None => {}
        }
        let nothing = after.len() == padding;
        match stream.fill()? {
            Fill::More => {}
            Fill::End if nothing => break Ending::Whole,
            Fill::Torn if nothing => break Ending::Torn { whole: true },
            Fill::Full => break Ending::Whole,
            Fill::End | Fill::Torn => break Ending::Doubtful,
        }
    };
    // The first line of a record that begins inside may reach beyond the end.
    if ending == Ending::Doubtful
        && let Some(inside) = (marker.find)(&stream.window()[header..]).filter(|inside| header + inside < claimed)
    {
        return Ok(Extent { held: header + inside, ending: Ending::Short });
    }
    Ok(Extent { held: claimed, ending })
}

/// After a record was skipped window by window: returns whether the stream is at the end of a record.
fn ended_well(stream: &mut Stream, marker: Marker) -> io::Result<bool> {
    skip_padding(stream)?;
    loop {
        if stream.window().is_empty() {
            return Ok(stream.tear().is_none());
        }
        match (marker.starts)(stream.window()) {
            Some(answer) => return Ok(answer),
            None if stream.fill()? != Fill::More => return Ok(false),
            None => {}
        }
    }
}

/// Skips line ends, blanks and zeros between records.
fn skip_padding(stream: &mut Stream) -> io::Result<Fill> {
    loop {
        let window = stream.window();
        let padding = window.iter().take_while(|&&b| is_padding(b)).count();
        let more = padding < window.len();
        stream.consume(padding);
        if more {
            return Ok(Fill::More);
        }
        let fill = stream.fill()?;
        if fill != Fill::More {
            return Ok(fill);
        }
    }
}

/// Goes to the next record and returns where it begins. `Break` has the entry for bytes that are no record, or nothing
/// at the end.
pub(super) fn begin(stream: &mut Stream, marker: Marker) -> io::Result<ControlFlow<Option<Entry>, ResumePoint>> {
    match skip_padding(stream)? {
        Fill::End => return Ok(ControlFlow::Break(None)),
        Fill::Torn => return Ok(ControlFlow::Break(stream.mend().map(Tear::into_entry))),
        Fill::More | Fill::Full => {}
    }
    let point = stream.point();
    while (marker.starts)(stream.window()).is_none() && stream.fill()? == Fill::More {}
    if (marker.starts)(stream.window()) == Some(true) {
        return Ok(ControlFlow::Continue(point));
    }
    let len = resync(stream, marker)?;
    let detail = format!("{len} bytes that are no record");
    Ok(ControlFlow::Break(Some(unreadable(stream, point, len, Reason::Garbage, detail))))
}

/// Returns what is told of a record that a tear in the stream makes unreadable.
pub(super) fn torn(stream: &Stream, extent: &Extent, point: ResumePoint) -> Option<EntryContent> {
    let Ending::Torn { whole } = extent.ending else { return None };
    stream.tear().filter(|tear| tear.costs_record(point, whole)).map(Tear::content)
}

/// Ends a record, given where it began, the size of its header and its declared length: goes to the next record, and
/// returns its entry.
pub(super) fn finish(
    stream: &mut Stream,
    marker: Marker,
    (point, header, length): (ResumePoint, usize, u64),
    extent: &Extent,
    (content, is_torn): (EntryContent, bool),
) -> io::Result<Entry> {
    let begin = stream.offset();
    stream.consume(extent.held);
    let mut len = extent.held as u64;
    if is_torn || extent.ending == (Ending::Torn { whole: false }) {
        stream.mend();
    } else if extent.ending == Ending::Over {
        let left = length.saturating_add(header as u64).saturating_sub(len);
        let skipped = stream.skip(left)?;
        let well = skipped == left && ended_well(stream, marker)?;
        len += skipped;
        if !well && !stream.is_given_up() && stream.rewind(point, begin)? {
            // The length was wrong: continue with the next record inside the claimed extent.
            stream.skip(header as u64 - 1)?;
            len = header as u64 - 1 + resync(stream, marker)?;
        }
    }
    skip_padding(stream)?;
    Ok(Entry { position: stream.position_since(point, len), content })
}

/// Returns an entry for bytes that could not be read. If they were decoded from a damaged member before the damage
/// became apparent, both are reported as one entry.
pub(super) fn unreadable(stream: &mut Stream, point: ResumePoint, len: u64, reason: Reason, detail: String) -> Entry {
    if stream.window().is_empty()
        && stream.tear().is_some_and(Tear::is_inside)
        && let Some(tear) = stream.mend()
    {
        return tear.into_entry();
    }
    Entry::skipped(stream.position_since(point, len), reason, detail)
}

/// Skips to the next record, the end, or a tear; returns the number of bytes skipped.
///
/// Bytes at the window's start do not count as a record.
pub(super) fn resync(stream: &mut Stream, marker: Marker) -> io::Result<u64> {
    let begin = stream.offset();
    loop {
        let window = stream.window();
        let line = (marker.find)(window);
        let reach = line.unwrap_or(window.len()) as u64;
        let first = u64::from(stream.offset() == begin);
        let member = stream.members_between(first, reach).find(|&at| (marker.starts)(&window[at..]) == Some(true));
        if let Some(found) = member.or(line) {
            stream.consume(found);
            return Ok(stream.offset() - begin);
        }
        let keep = (marker.keep)(window);
        stream.consume(window.len() - keep);
        if stream.fill()? != Fill::More {
            stream.consume(stream.window().len());
            return Ok(stream.offset() - begin);
        }
    }
}
