//! JSON lines: one object per line, with an id and a text, a page or a fingerprint.

mod fields;
mod repair;
mod survey;

use std::io;

use nddb_format::record::number_id;
use nddb_page::text::PageKind;

use self::fields::{LineFields, Names, Role, Value};
pub use self::repair::repaired_line;
use self::survey::survey;
use super::fingerprints::is_line;
use super::{InputFormat, Layout, Opened, Opening, parse_hex, text_start};
use crate::date::Date;
use crate::entries::EntryReader;
use crate::entry::{Entry, EntryContent, PageEntry, Reason, text_id};
use crate::error::ArchiveError;
use crate::layouts;
use crate::lines::{self, LineRead};
use crate::options::Options;
use crate::parts;
use crate::stream::Stream;

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "jsonl",
    endings: &["jsonl", "ndjson", "json"],
    looks_like,
    layout: Layout::Lines,
    read_as: |_, _| None,
    open,
};

fn looks_like(head: &[u8]) -> bool {
    let object = text_start(head).strip_prefix(b"{").filter(|_| !is_line(head));
    let next = object.and_then(|rest| rest.iter().find(|b| !b.is_ascii_whitespace()));
    matches!(next, Some(b'"' | b'}'))
}

fn open(mut stream: Stream, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    let ids = if file.is_read_again {
        HasIds::Known
    } else {
        let found = survey(&mut stream, file.options).map_err(|source| file.reading(source))?;
        found.map_err(|why| file.unusable(why))?
    };
    Ok(file.records(stream, Jsonl { ids }, ids == HasIds::Places))
}

/// Reader of lines of JSON. Empty lines are skipped.
struct Jsonl {
    ids: HasIds,
}

/// Whether lines have ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HasIds {
    /// Each line must have an id; a line without one is not a document.
    Needed,
    /// No line has an id: ids are the places of lines.
    Places,
    /// A loaded document is read again by its position, and its id is stored in the database.
    Known,
}

impl EntryReader for Jsonl {
    fn has_lines(&self) -> bool {
        true
    }

    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        loop {
            let point = stream.point();
            let len = match lines::next(stream, options.limits.record)? {
                LineRead::End => return Ok(None),
                LineRead::Trouble(entry) => return Ok(Some(entry)),
                LineRead::Held(len) => len,
            };
            let line = trimmed_line(&stream.window()[..len]);
            let content = (!line.is_empty()).then(|| document_of_line(line, options, self.ids));
            stream.consume(len);
            if let Some(content) = content {
                return Ok(Some(Entry { position: stream.position_since(point, len as u64), content }));
            }
        }
    }
}

/// Returns a line without a byte order mark, white space and zeros around it.
pub fn trimmed_line(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let is_text = |b: &u8| !b.is_ascii_whitespace() && *b != 0;
    let begin = line.iter().position(is_text).unwrap_or(line.len());
    let end = line.iter().rposition(is_text).map_or(begin, |last| last + 1);
    &line[begin..end]
}

/// Returns which of these columns of a table are read as fields of its rows, and whether these have ids.
///
/// # Errors
/// A message: a required column is absent, or there is none from which to make a document.
#[cfg(feature = "parquet")]
pub(super) fn wanted(columns: &[&str], options: &Options) -> Result<(Vec<usize>, HasIds), String> {
    let has = |name: &str| columns.iter().any(|column| is_field_of(name, column));
    let there = || format!("its columns are {}", layouts::listed(columns));
    if let Some(name) = layouts::required(options).find(|name| !has(name)) {
        return Err(format!("no column {name:?}; {}", there()));
    }
    let names = Names::of(options);
    if ![Role::Text, Role::Html, Role::Fingerprint].iter().any(|&role| names.of_role(role).any(has)) {
        return Err(layouts::no_column(options, &there()));
    }
    let is_batch = |column: &str| options.batch_column.as_deref() == Some(column);
    let is_read = |column: &str| names.all().any(|name| is_field_of(name, column)) || is_batch(column);
    let read = (0..columns.len()).filter(|&index| is_read(columns[index])).collect();
    let has_ids = options.needs_no_ids() || names.of_role(Role::Id).any(has);
    Ok((read, if has_ids { HasIds::Needed } else { HasIds::Places }))
}

/// Returns whether a field is a column of a row, or in it.
#[cfg(feature = "parquet")]
fn is_field_of(name: &str, column: &str) -> bool {
    name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Makes a document from a line. If there are several fields, the fingerprint is preferred to the page, and the page to
/// the text.
pub(super) fn document_of_line(line: &[u8], options: &Options, ids: HasIds) -> EntryContent {
    let names = Names::of(options);
    match read(&names, line) {
        Ok(found) => document(found, options, ids).unwrap_or_else(|content| content),
        Err(error) => skipped(Reason::BadJson, error.to_string()),
    }
}

/// Reads the fields of a line, after repairs if it is not JSON. If these do not help, the error is that of the original
/// line.
fn read<'a>(names: &'a Names<'_>, line: &[u8]) -> serde_json::Result<LineFields<'a>> {
    names.read(line).or_else(|error| match repaired_line(line) {
        Some(repaired) if repaired != line => names.read(&repaired).map_err(|_| error),
        _ => Err(error),
    })
}

fn document(mut found: LineFields<'_>, options: &Options, ids: HasIds) -> Result<EntryContent, EntryContent> {
    let names = &options.fields;
    let needs_id = ids == HasIds::Needed && !options.needs_no_ids();
    let value = found.take(Role::Id).next();
    let id = match value {
        _ if !needs_id => String::new(),
        Some((_, Value::Number(number))) => number_id(number),
        Some((name, value)) => text_id(text(name, value)?)?,
        None => return Err(skipped(Reason::MissingField, format!("no field {:?}", names.id))),
    };
    let url = preferred(&mut found, Role::Url, &names.url)?;
    let fingerprint = preferred(&mut found, Role::Fingerprint, &names.fp)?;
    if let Some(hex) = fingerprint {
        let fingerprint = parse_hex(hex.as_bytes())
            .ok_or_else(|| skipped(Reason::BadFingerprint, format!("field {:?} is not 16 hex digits", names.fp)))?;
        return Ok(EntryContent::Fingerprint { id, fingerprint, url });
    }
    let html = preferred(&mut found, Role::Html, &names.html)?;
    let plain = plain_text(&mut found, options)?;
    let (kind, body) = match (html, plain) {
        (Some(html), _) => (PageKind::Html, html),
        (None, Some(text)) => (PageKind::Text, text),
        (None, None) => {
            let detail = format!("none of the fields {:?}, {:?} and {:?}", names.text, names.html, names.fp);
            return Err(skipped(Reason::MissingField, detail));
        }
    };
    let Date { date, unread } = Date::first(found.take(Role::Date).map(|(_, value)| match value {
        Value::Text(text) => Date::of_bytes(text.as_bytes()),
        Value::Number(number) => number.parse().map_or_else(|_| Date::of_bytes(number.as_bytes()), Date::of_number),
        Value::Fraction(number) => Date::of_fraction(number),
        Value::Null => Date::default(),
        Value::Other(what) => Date::of_bytes(what.as_bytes()),
        Value::Parts(_) => Date::of_bytes(b"an array"),
    }));
    let charset = Some("utf-8".to_owned());
    // Replacing bytes that are not text makes the text longer.
    let whole = body.len();
    let mut body = body.into_bytes();
    body.truncate(options.limits.record);
    let truncated = body.len() < whole;
    Ok(EntryContent::Page(PageEntry {
        id,
        url,
        date,
        unread_date: unread,
        kind,
        charset,
        body,
        truncated,
        is_cut: truncated,
    }))
}

/// Returns the text of a role. A field with the name that the user gave must be text; fields with other names may hold
/// anything.
fn preferred(found: &mut LineFields<'_>, role: Role, own: &str) -> Result<Option<String>, EntryContent> {
    for (name, value) in found.take(role) {
        match value {
            Value::Text(text) => return Ok(Some(text)),
            value if name == own => return text(name, value).map(Some),
            _ => {}
        }
    }
    Ok(None)
}

/// Returns the text of a line: of the preferred field, or of several together.
fn plain_text(found: &mut LineFields<'_>, options: &Options) -> Result<Option<String>, EntryContent> {
    let is_joined = layouts::is_joined(options);
    let mut all = Vec::new();
    for (name, value) in found.take(Role::Text) {
        match value {
            Value::Text(text) | Value::Parts(text) => all.push(text),
            value if is_joined || name == options.fields.text => all.push(text(name, value)?),
            _ => continue,
        }
        if !is_joined {
            break;
        }
    }
    Ok((!all.is_empty()).then(|| parts::join(all)))
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}

fn text(name: &str, value: Value) -> Result<String, EntryContent> {
    let found = match value {
        Value::Text(text) => return Ok(text),
        Value::Null => "null",
        Value::Number(_) => "a number",
        Value::Fraction(_) => "a number with a fraction",
        Value::Parts(_) => "an array",
        Value::Other(found) => found,
    };
    Err(skipped(Reason::WrongType, format!("field {name:?} is {found}")))
}
