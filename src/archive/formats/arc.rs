//! ARC records, versions 1.0, 1.1 (equal to 1.0) and 2.0.
//!
//! A record is a line, followed by as many bytes as the line says. The line is `URL IP date type length`; version 2 has
//! the status, a checksum, a location, an offset and a file name before the length. The URL may contain spaces.

use std::io;
use std::ops::ControlFlow;

use super::warc::decimal;
use super::{InputFormat, Layout, text_start};
use crate::date::Date;
use crate::entries::EntryReader;
use crate::entry::{Entry, EntryContent, OtherKind, PageEntry, Reason, ResumePoint, is_text_id};
use crate::framing::{self, Ending, Marker};
use crate::headers::Headers;
use crate::options::{IdFrom, Options};
use crate::stream::Stream;
use crate::{http, sniff};

const MARKER: Marker = Marker { starts, find, keep };

/// Longest line that is accepted as a record line, in bytes.
const LINE_MAX: usize = 16 << 10;

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "arc",
    endings: &["arc"],
    looks_like,
    layout: Layout::Records(starts),
    read_as: |_, _| None,
    open: |stream, file| Ok(file.records(stream, Arc::default(), false)),
};

fn looks_like(head: &[u8]) -> bool {
    let head = text_start(head);
    head.starts_with(b"filedesc:") || starts(head) == Some(true)
}

/// Reader of ARC records.
#[derive(Default)]
struct Arc {
    http: Headers,
}

/// The fields of a record line.
struct RecordLine<'a> {
    url: &'a [u8],
    date: &'a [u8],
    media_type: &'a [u8],
    /// The length of the record; `None` if it is not a number.
    length: Option<u64>,
}

/// Parses a record line from both ends. The scheme identifies a URL; the IP address and the date identify a record
/// line.
fn parse(line: &[u8]) -> Option<RecordLine<'_>> {
    let line = line.trim_ascii_end();
    let scheme = line.iter().take(32).position(|&b| b == b':')?;
    let lettered = line[..scheme].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if scheme == 0 || !lettered || !line[0].is_ascii_alphabetic() {
        return None;
    }
    // The rightmost address and date, each between spaces.
    let mut end = line.len();
    while let Some(space) = memchr::memrchr(b' ', &line[..end]) {
        let date = &line[space + 1..end];
        if (12..=18).contains(&date.len())
            && date.iter().all(u8::is_ascii_digit)
            && let Some(before) = memchr::memrchr(b' ', &line[..space])
            && is_address(&line[before + 1..space])
            && end < line.len()
        {
            let rest = &line[end + 1..];
            let (media_type, tail) = rest.split_at(memchr::memchr(b' ', rest)?);
            let length = tail.rsplit(|&b| b == b' ').next().unwrap_or(tail);
            return Some(RecordLine { url: &line[..before], date, media_type, length: decimal(length) });
        }
        end = space;
    }
    None
}

fn is_address(word: &[u8]) -> bool {
    !word.is_empty()
        && word.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':'))
        && word.iter().any(|b| matches!(b, b'.' | b':'))
}

/// Returns whether bytes begin with a record line; `None` if they are too few to tell.
fn starts(bytes: &[u8]) -> Option<bool> {
    let within = &bytes[..bytes.len().min(LINE_MAX)];
    if within.first().is_some_and(|b| !b.is_ascii_alphabetic()) {
        return Some(false);
    }
    match memchr::memchr(b'\n', within) {
        Some(end) => Some(parse(&within[..end]).is_some()),
        None if within.len() == LINE_MAX => Some(false),
        None => None,
    }
}

fn find(bytes: &[u8]) -> Option<usize> {
    let mut ends = memchr::memchr_iter(b'\n', bytes);
    let mut from = ends.next()? + 1;
    for end in ends {
        if end - from <= LINE_MAX && parse(&bytes[from..end]).is_some_and(|line| line.length.is_some()) {
            return Some(from);
        }
        from = end + 1;
    }
    None
}

fn keep(bytes: &[u8]) -> usize {
    let last = memchr::memrchr(b'\n', bytes).map_or(0, |at| bytes.len() - at);
    if last > LINE_MAX { 0 } else { last }
}

impl EntryReader for Arc {
    fn has_records(&self) -> bool {
        true
    }

    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        match framing::begin(stream, MARKER)? {
            ControlFlow::Continue(point) => self.record(stream, options, point).map(Some),
            ControlFlow::Break(entry) => Ok(entry),
        }
    }
}

impl Arc {
    fn record(&mut self, stream: &mut Stream, options: &Options, point: ResumePoint) -> io::Result<Entry> {
        let header = memchr::memchr(b'\n', stream.window()).map_or(0, |end| end + 1);
        let head = stream.window()[..header].to_vec();
        let line = parse(&head);
        let Some((line, length)) = line.and_then(|line| line.length.map(|length| (line, length))) else {
            stream.consume(header - 1);
            let len = header as u64 - 1 + framing::resync(stream, MARKER)?;
            let detail = "no usable length in the record line".to_owned();
            return Ok(framing::unreadable(stream, point, len, Reason::BadLength, detail));
        };
        let extent = framing::extent(stream, header, length, options.limits.record, MARKER)?;
        let torn = framing::torn(stream, &extent, point);
        let is_torn = torn.is_some();
        let content = match torn {
            Some(content) => content,
            None => {
                let shown = extent.held.min(header.saturating_add(options.limits.record));
                let cut = shown < extent.held || !matches!(extent.ending, Ending::Whole | Ending::Torn { whole: true });
                let is_over = shown < extent.held || extent.ending == Ending::Over;
                self.content(&line, &stream.window()[header..shown], (cut, is_over), options)
            }
        };
        framing::finish(stream, MARKER, (point, header, length), &extent, (content, is_torn))
    }

    /// Makes the content of a record; `cut` tells whether it is incomplete, and `is_over` whether it is so because it is
    /// longer than the limit.
    fn content(
        &mut self,
        line: &RecordLine<'_>,
        content: &[u8],
        (cut, is_over): (bool, bool),
        options: &Options,
    ) -> EntryContent {
        if line.url.starts_with(b"filedesc:") {
            return EntryContent::Other(OtherKind::ArcHeader);
        }
        let page = match http::page(content, cut, Some(line.media_type), options, &mut self.http) {
            Ok(page) => page,
            Err(content) => return content,
        };
        let url = String::from_utf8_lossy(line.url).into_owned();
        let id = match options.id_from {
            IdFrom::Record | IdFrom::Path | IdFrom::Row => format!("arc:{}:{url}", String::from_utf8_lossy(line.date)),
            IdFrom::Url => url.clone(),
        };
        if !is_text_id(&id) {
            return EntryContent::bad_id(&id);
        }
        if sniff::is_binary(&page.body, page.kind) {
            return EntryContent::Other(OtherKind::Binary);
        }
        let Date { date, unread } = Date::of_bytes(line.date);
        EntryContent::Page(PageEntry {
            id,
            url: Some(url),
            date,
            unread_date: unread,
            kind: page.kind,
            charset: page.charset,
            is_cut: is_over || page.truncated && page.body.len() >= options.limits.record,
            body: page.body,
            truncated: page.truncated,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_lines_are_taken_apart_from_their_ends() {
        type Parts = Option<(&'static str, Option<u64>)>;
        let cases: [(&str, Parts); 9] = [
            ("http://a.b/ 1.2.3.4 20140216050221 text/html 1591", Some(("http://a.b/", Some(1591)))),
            ("http://a.b/x y 1.2.3.4 20140216050221 text/html 9\r", Some(("http://a.b/x y", Some(9)))),
            ("http://a.b/ ::1 20140216050221 text/html 200 SUM - 77 f.arc 12", Some(("http://a.b/", Some(12)))),
            ("filedesc://f.arc 0.0.0.0 20100106234911 text/plain 73", Some(("filedesc://f.arc", Some(73)))),
            ("dns:www.archive.org 68.87.76.178 20080430204825 text/dns 56", Some(("dns:www.archive.org", Some(56)))),
            ("http://a.b/ 1.2.3.4 20140216050221 text/html -1", Some(("http://a.b/", None))),
            ("http://a.b/ 1.2.3.4 20140216050221", None),
            ("HTTP/1.1 200 OK", None),
            ("Date: Sun, 16 Feb 2014 05:02:20 GMT", None),
        ];
        for (text, expected) in cases {
            let found =
                parse(text.as_bytes()).map(|line| (String::from_utf8_lossy(line.url).into_owned(), line.length));
            assert_eq!(found, expected.map(|(url, length)| (url.to_owned(), length)), "{text}");
        }
    }
}
