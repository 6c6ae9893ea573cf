//! Bare fingerprints: lines of id, tab, hex, and raw numbers.

use std::io;

use super::{Format, InputFormat, Layout, text_start};
use crate::entries::EntryReader;
use crate::entry::{Entry, EntryContent, Reason, is_text_id};
use crate::layouts;
use crate::lines::{self, LineRead};
use crate::options::Options;
use crate::stream::{Fill, Stream};

/// The longest valid line: an id, a tab, 16 digits and a line end.
const TSV_LINE_MAX: usize = 4096 + 1 + 16 + 2;

pub(super) const TSV: InputFormat = InputFormat {
    name: "tsv",
    endings: &["tsv"],
    looks_like: is_line,
    layout: Layout::Lines,
    read_as: |head, options| is_tab_header(head, options).then_some(Format::Csv),
    open: |stream, file| Ok(file.records(stream, Tsv::default(), false)),
};

pub(super) const U64LE: InputFormat = InputFormat {
    name: "u64le",
    endings: &["u64le", "u64"],
    looks_like: |_| false,
    layout: Layout::Numbers,
    read_as: |_, _| None,
    open: |mut stream, file| {
        stream.count_from_the_start();
        Ok(file.records(stream, U64le, false))
    },
};

/// Returns whether a file begins with a line of an id and a fingerprint.
pub(super) fn is_line(head: &[u8]) -> bool {
    let head = text_start(head);
    parse_line(&head[..memchr::memchr(b'\n', head).unwrap_or(head.len())]).is_ok()
}

/// Reader of lines of id, tab, 16 hex digits. Empty lines are skipped.
#[derive(Default)]
struct Tsv {
    /// Whether damage lost the preceding line, so that the next line may be its rest.
    unsure: bool,
}

impl EntryReader for Tsv {
    fn next(&mut self, stream: &mut Stream, _: &Options) -> io::Result<Option<Entry>> {
        loop {
            let point = stream.point();
            let len = match lines::next(stream, TSV_LINE_MAX)? {
                LineRead::End => return Ok(None),
                LineRead::Trouble(entry) => {
                    let is_damage = |reason: &Reason| *reason != Reason::LineTooLong;
                    let damage = matches!(&entry.content, EntryContent::Skipped { reason, .. } if is_damage(reason));
                    self.unsure = damage;
                    return Ok(Some(entry));
                }
                LineRead::Held(len) => len,
            };
            let line = &stream.window()[..len];
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let content = if line.is_empty() {
                None
            } else if self.unsure {
                Some(EntryContent::Skipped {
                    reason: Reason::BadLine,
                    detail: "perhaps the rest of a damaged line".to_owned(),
                })
            } else {
                Some(fingerprint(line))
            };
            self.unsure = false;
            stream.consume(len);
            if let Some(content) = content {
                return Ok(Some(Entry { position: stream.position_since(point, len as u64), content }));
            }
        }
    }
}

/// Returns whether the first line of a file is a header of columns separated by tabs. It is if it is no line of id and
/// fingerprint, and either names a column that makes documents, or no line of id and fingerprint follows.
fn is_tab_header(head: &[u8], options: &Options) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    let mut makes_documents = layouts::text(options);
    makes_documents.extend([&*options.fields.html, &*options.fields.fp]);
    let is_named = |field: &[u8]| makes_documents.iter().any(|name| name.as_bytes() == field.trim_ascii());
    let is_header = line.contains(&b'\t') && parse_line(line).is_err();
    is_header && (line.split(|&b| b == b'\t').any(is_named) || lines.take(100).all(|line| parse_line(line).is_err()))
}

fn fingerprint(line: &[u8]) -> EntryContent {
    match parse_line(line) {
        Ok((id, fingerprint)) => {
            if is_text_id(id) {
                EntryContent::Fingerprint { id: id.to_owned(), fingerprint, url: None }
            } else {
                EntryContent::bad_id(id)
            }
        }
        Err((reason, rule)) => EntryContent::Skipped { reason, detail: rule.to_owned() },
    }
}

/// Parses a line of id, tab, hex.
pub(super) fn parse_line(line: &[u8]) -> Result<(&str, u64), (Reason, &'static str)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let tab = memchr::memchr(b'\t', line).ok_or((Reason::BadLine, "no tab in the line"))?;
    let (id, hex) = (&line[..tab], &line[tab + 1..]);
    let fingerprint = parse_hex(hex).ok_or((Reason::BadFingerprint, "no 16 hex digits after the tab"))?;
    let id = std::str::from_utf8(id).map_err(|_| (Reason::BadId, "the id is not UTF-8"))?;
    Ok((id, fingerprint))
}

/// Parses 16 hex digits, most significant first, of either case.
pub(crate) fn parse_hex(text: &[u8]) -> Option<u64> {
    if text.len() != 16 || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

/// Reader of fingerprints of eight bytes, least significant first. Their ids are their ordinals.
struct U64le;

impl EntryReader for U64le {
    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        while stream.window().len() < 8 && stream.fill()? == Fill::More {}
        let point = stream.point();
        // In a plain file the offset in the stream is the offset in the file; in a compressed one it counts
        // decompressed bytes.
        let ordinal = options.first_ordinal.saturating_add(stream.offset() / 8);
        let Some(&bytes) = stream.window().first_chunk::<8>() else {
            let len = stream.window().len();
            if len == 0 {
                return Ok(stream.mend().map(crate::stream::Tear::into_entry));
            }
            stream.consume(len);
            let detail = format!("{len} bytes after the last fingerprint of 8");
            return Ok(Some(Entry::skipped(stream.position_since(point, len as u64), Reason::TrailingBytes, detail)));
        };
        stream.consume(8);
        let (id, fingerprint) = (ordinal.to_string(), u64::from_le_bytes(bytes));
        let content = EntryContent::Fingerprint { id, fingerprint, url: None };
        Ok(Some(Entry { position: stream.position_since(point, 8), content }))
    }
}
