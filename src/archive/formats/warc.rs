//! WARC records, 0.17 to 1.1, and WET, which has the same format.

use std::io;
use std::ops::ControlFlow;

use nddb_page::text::PageKind;

use super::{InputFormat, Layout, text_start};
use crate::date::{self, Date};
use crate::entries::EntryReader;
use crate::entry::{Entry, EntryContent, Links, OtherKind, PageEntry, Reason, ResumePoint, Revisited, is_text_id};
use crate::framing::{self, Ending, Marker};
use crate::headers::{self, Headers};
use crate::options::{IdFrom, Options};
use crate::stream::{Fill, Stream};
use crate::whole::WholeRecord;
use crate::{http, sniff};

const MARKER: Marker = Marker { starts, find, keep };

const MAGIC: &[u8] = b"WARC/";

pub(super) const WARC: InputFormat = InputFormat {
    name: "warc",
    endings: &["warc", "wet", "wacz"],
    looks_like: |head| starts(text_start(head)) == Some(true),
    layout: Layout::Records(starts),
    read_as: |_, _| None,
    open: |stream, file| Ok(file.records(stream, Warc::default(), false)),
};

/// WET differs from WARC in the kind of its records, which either name reads.
pub(super) const WET: InputFormat = InputFormat { name: "wet", endings: &[], ..WARC };

/// Reader of WARC records.
#[derive(Default)]
struct Warc {
    headers: Headers,
    http: Headers,
    /// The last record, if records are kept.
    kept: Option<Kept>,
}

/// A kept record.
#[derive(Default)]
struct Kept {
    record: WholeRecord,
    /// Whether it is the last entry's.
    is_last: bool,
}

/// Returns whether bytes begin a record: `WARC/`, case-insensitively, and a digit; `None` if they are too few to
/// tell.
fn starts(bytes: &[u8]) -> Option<bool> {
    let (magic, rest) = bytes.split_at(bytes.len().min(MAGIC.len()));
    if !magic.eq_ignore_ascii_case(&MAGIC[..magic.len()]) {
        return Some(false);
    }
    rest.first().map(u8::is_ascii_digit)
}

/// Finds a line that begins a record.
fn find(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(bytes.get(from..)?, b"\nWARC/").map(|at| from + at + 1) {
        if bytes.get(at + MAGIC.len()).is_some_and(u8::is_ascii_digit) {
            return Some(at);
        }
        from = at;
    }
    None
}

fn keep(bytes: &[u8]) -> usize {
    bytes.len().min(MAGIC.len() + 1)
}

impl EntryReader for Warc {
    fn has_records(&self) -> bool {
        true
    }

    fn links(&self) -> Links {
        let headers = &self.headers;
        let of = headers.uris("warc-concurrent-to").chain(headers.uris("warc-refers-to"));
        Links { id: headers.uri("warc-record-id"), url: headers.uri("warc-target-uri"), of: of.collect() }
    }

    fn revisited(&self) -> Revisited {
        let headers = &self.headers;
        Revisited {
            id: headers.uri("warc-refers-to"),
            url: headers.uri("warc-refers-to-target-uri").or_else(|| headers.uri("warc-target-uri")),
            date: headers.get("warc-refers-to-date").and_then(date::parse),
        }
    }

    fn keep_records(&mut self) {
        self.kept.get_or_insert_default();
    }

    fn whole_record(&self) -> Option<&WholeRecord> {
        self.kept.as_ref().filter(|kept| kept.is_last).map(|kept| &kept.record)
    }

    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        if let Some(kept) = &mut self.kept {
            kept.is_last = false;
        }
        match framing::begin(stream, MARKER)? {
            ControlFlow::Continue(point) => self.record(stream, options, point).map(Some),
            ControlFlow::Break(entry) => Ok(entry),
        }
    }
}

impl Warc {
    fn record(&mut self, stream: &mut Stream, options: &Options, point: ResumePoint) -> io::Result<Entry> {
        let limits = &options.limits;
        let header = loop {
            match headers::extent(stream.window(), limits, |line| starts(line) == Some(true)) {
                headers::Extent::Len(len) => break len,
                headers::Extent::TooLong => {
                    return self.broken(stream, point, Reason::HeaderTooLong, "record header beyond the limits");
                }
                headers::Extent::Foreign => {
                    return self.broken(stream, point, Reason::BadHeader, "another record begins inside the header");
                }
                headers::Extent::Open => {}
            }
            match stream.fill()? {
                Fill::More => {}
                Fill::End | Fill::Full => {
                    return self.broken(stream, point, Reason::CutOff, "the file ends inside a record header");
                }
                Fill::Torn => {
                    let len = stream.window().len();
                    stream.consume(len);
                    return Ok(match stream.mend() {
                        Some(tear) => tear.into_entry(),
                        None => Entry::skipped(stream.position_since(point, len as u64), Reason::DamagedMember, ""),
                    });
                }
            }
        };
        self.headers.parse(&stream.window()[..header]);
        let Some(length) = self.headers.get("content-length").and_then(decimal) else {
            return self.broken(stream, point, Reason::BadLength, "no usable Content-Length");
        };
        let extent = framing::extent(stream, header, length, limits.record, MARKER)?;
        let torn = framing::torn(stream, &extent, point);
        let is_torn = torn.is_some();
        let content = match torn {
            Some(content) => content,
            None => {
                let cut = !matches!(extent.ending, Ending::Whole | Ending::Torn { whole: true });
                if let Some(kept) = &mut self.kept {
                    kept.record.fill(&stream.window()[..extent.held], header, &self.headers, !cut);
                    kept.is_last = true;
                }
                let is_over = extent.ending == Ending::Over;
                self.content(stream.window(), header, extent.held, (cut, is_over), options)
            }
        };
        framing::finish(stream, MARKER, (point, header, length), &extent, (content, is_torn))
    }

    /// Reports a record that cannot be read, and resumes at the next one that begins in or after it.
    fn broken(&mut self, stream: &mut Stream, point: ResumePoint, reason: Reason, rule: &str) -> io::Result<Entry> {
        stream.consume(MAGIC.len());
        let len = framing::resync(stream, MARKER)? + MAGIC.len() as u64;
        Ok(framing::unreadable(stream, point, len, reason, rule.to_owned()))
    }

    /// Makes the content of a record; `cut` tells whether it is incomplete, and `is_over` whether it is so because it is
    /// longer than the limit.
    fn content(
        &mut self,
        window: &[u8],
        header: usize,
        held: usize,
        (cut, is_over): (bool, bool),
        options: &Options,
    ) -> EntryContent {
        let headers = &self.headers;
        let Some(kind) = headers.get("warc-type") else {
            return EntryContent::Skipped { reason: Reason::BadHeader, detail: "no WARC-Type".to_owned() };
        };
        let is = |name: &str| kind.eq_ignore_ascii_case(name.as_bytes());
        let content = &window[header.min(held)..held.min(header.saturating_add(options.limits.record))];
        let is_over = is_over || content.len() + header < held;
        let cut = cut || is_over;
        let other = EntryContent::Other(other_kind(kind));
        let url = headers.uri("warc-target-uri");
        let own_id = || headers.uri("warc-record-id");
        if (is("response") || is("resource")) && is_part(headers) {
            return EntryContent::Other(OtherKind::Resource);
        }
        let is_http = || content.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
        let (kind, charset, body, truncated, id) = if is("response") || is("resource") && is_http() {
            match http::page(content, cut, None, options, &mut self.http) {
                Ok(page) => (page.kind, page.charset, page.body, page.truncated, own_id()),
                // A page that was stored without its HTTP header.
                Err(EntryContent::Other(OtherKind::NotHttp)) => match bare(headers, content) {
                    Some((kind, charset)) => (kind, charset, content.to_vec(), cut, own_id()),
                    None => return EntryContent::Other(OtherKind::NotHttp),
                },
                Err(content) => return content,
            }
        } else if is("resource") {
            match bare(headers, content).filter(|_| url.as_deref().is_some_and(is_address)) {
                Some((kind, charset)) => (kind, charset, content.to_vec(), cut, own_id()),
                None => return other,
            }
        } else if is("conversion") {
            match bare(headers, content) {
                // WET: the text of a page, identified by the id of the record with the page.
                Some((PageKind::Text, charset)) => {
                    let id = headers.uri("warc-refers-to").or_else(own_id);
                    (PageKind::Text, charset.or_else(|| Some("utf-8".to_owned())), content.to_vec(), cut, id)
                }
                Some((kind, charset)) => (kind, charset, content.to_vec(), cut, own_id()),
                None => return other,
            }
        } else {
            return other;
        };
        let id = match options.id_from {
            IdFrom::Record | IdFrom::Path | IdFrom::Row => id,
            IdFrom::Url => url.clone(),
        };
        let date = headers.get("warc-date");
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| match &url {
            Some(url) => format!("warc:{}:{url}", String::from_utf8_lossy(date.unwrap_or_default())),
            None => String::new(),
        });
        if !is_text_id(&id) {
            return EntryContent::bad_id(&id);
        }
        if sniff::is_binary(&body, kind) {
            return EntryContent::Other(OtherKind::Binary);
        }
        let is_cut = is_over || truncated && body.len() >= options.limits.record;
        let Date { date, unread } = date.map_or_else(Date::default, Date::of_bytes);
        let truncated =
            truncated || headers.get("warc-truncated").is_some() || headers.get("warc-segment-number").is_some();
        EntryContent::Page(PageEntry { id, url, date, unread_date: unread, kind, charset, body, truncated, is_cut })
    }
}

/// Returns the kind of page of a record without an HTTP header, and its charset, both from its media type; `None` if it
/// is not a page. Without a type, a body that begins like HTML is HTML.
fn bare(headers: &Headers, content: &[u8]) -> Option<(PageKind, Option<String>)> {
    match headers.get("content-type") {
        Some(value) => Some((http::page_kind(http::media_type(value))?, http::charset(value))),
        None => sniff::looks_like_html(content).then_some((PageKind::Html, None)),
    }
}

/// Returns whether a browser fetched the record as a part of a page, by the field of Browsertrix: an image, a script,
/// or what a script fetched.
fn is_part(headers: &Headers) -> bool {
    const PARTS: [&str; 15] = [
        "stylesheet",
        "image",
        "media",
        "font",
        "script",
        "texttrack",
        "xhr",
        "fetch",
        "eventsource",
        "websocket",
        "manifest",
        "ping",
        "cspviolationreport",
        "preflight",
        "signedexchange",
    ];
    let part = headers.get("warc-resource-type").unwrap_or_default();
    PARTS.iter().any(|name| part.eq_ignore_ascii_case(name.as_bytes()))
}

/// Returns whether a URI is the address of a resource that was fetched or read. Crawlers store logs, settings and texts
/// of pages under other schemes, such as `metadata:` and `urn:`.
fn is_address(uri: &str) -> bool {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    ["http", "https", "ftp", "ftps", "file"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

fn other_kind(kind: &[u8]) -> OtherKind {
    const KINDS: [(&str, OtherKind); 7] = [
        ("warcinfo", OtherKind::Warcinfo),
        ("request", OtherKind::Request),
        ("metadata", OtherKind::Metadata),
        ("revisit", OtherKind::Revisit),
        ("resource", OtherKind::Resource),
        ("continuation", OtherKind::Continuation),
        ("conversion", OtherKind::Conversion),
    ];
    let known = KINDS.iter().find(|(name, _)| kind.eq_ignore_ascii_case(name.as_bytes()));
    known.map_or(OtherKind::Unknown, |(_, kind)| *kind)
}

/// Parses a decimal number of digits only.
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
