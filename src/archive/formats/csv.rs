//! CSV, and TSV with a header: one document per row, by the names of the columns.
//!
//! Fields may be quoted according to RFC 4180, and may then contain line ends. The delimiter is the one that occurs
//! most often in the header: comma, tab or semicolon; or the one that a line `sep=;` before the header declares.

use std::io;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use nddb_page::text::PageKind;

use super::fingerprints::parse_hex;
use super::{InputFormat, Layout, Opened, Opening};
use crate::date::Date;
use crate::entries::EntryReader;
use crate::entry::{Entry, EntryContent, PageEntry, Reason, is_text_id};
use crate::error::ArchiveError;
use crate::layouts;
use crate::options::Options;
use crate::parts;
use crate::stream::{Fill, Stream, Tear};

/// Maximum number of columns.
const COLUMNS_MAX: usize = 4096;

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "csv",
    endings: &["csv"],
    looks_like: |_| false,
    layout: Layout::Lines,
    read_as: |_, _| None,
    open,
};

fn open(mut stream: Stream, file: &Opening<'_>) -> Result<Opened, ArchiveError> {
    let rows = Csv::open(&mut stream, file.options).map_err(|source| file.reading(source))?;
    let rows = rows.map_err(|why| file.unusable(why))?;
    let has_no_ids = rows.columns.id.is_none();
    Ok(file.records(stream, rows, has_no_ids))
}

/// Reader of rows.
struct Csv {
    reader: Reader,
    columns: Columns,
    /// Number of columns.
    width: usize,
    /// The fields of the last row, concatenated, and the end of each.
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// The bytes of the header, and then of each row if they are kept.
    raw: Vec<u8>,
    keeps_rows: bool,
    /// Whether bytes were lost before the next row, so that it may be the rest of a row.
    unsure: bool,
}

/// The numbers of the columns that make a document; among several columns of one kind, the preferred one comes first.
#[derive(Default)]
struct Columns {
    id: Option<usize>,
    text: Vec<usize>,
    html: Option<usize>,
    fp: Option<usize>,
    url: Vec<usize>,
    date: Vec<usize>,
}

/// The result of reading a row.
enum RowRead {
    Held,
    TooLong,
    Torn(Tear),
    End,
}

/// Reads the first line into the window, unless it is too long for a header.
fn fill_line(stream: &mut Stream, options: &Options) -> io::Result<()> {
    while !stream.window().contains(&b'\n') && stream.window().len() < options.limits.header {
        if stream.fill()? != Fill::More {
            break;
        }
    }
    Ok(())
}

fn first_line(window: &[u8]) -> &[u8] {
    window.split(|&b| b == b'\n').next().unwrap_or_default()
}

/// Returns the delimiter that a first line such as `sep=;` declares, as Excel writes and reads it.
fn declared_delimiter(line: &[u8]) -> Option<u8> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [name @ .., delimiter] if name.eq_ignore_ascii_case(b"sep=") && !delimiter.is_ascii_alphanumeric() => {
            Some(*delimiter)
        }
        _ => None,
    }
}

impl Csv {
    /// Reads the header. The inner error is a message that explains why no document can be made from the rows.
    fn open(stream: &mut Stream, options: &Options) -> io::Result<Result<Csv, String>> {
        fill_line(stream, options)?;
        let mut raw = Vec::new();
        if stream.window().starts_with(b"\xef\xbb\xbf") {
            raw.extend_from_slice(&stream.window()[..3]);
            stream.consume(3);
        }
        let line = first_line(stream.window());
        let declared = declared_delimiter(line);
        if declared.is_some() {
            let len = (line.len() + 1).min(stream.window().len());
            raw.extend_from_slice(&stream.window()[..len]);
            stream.consume(len);
            fill_line(stream, options)?;
        }
        let line = first_line(stream.window());
        let count = |delimiter: u8| line.iter().filter(|&&b| b == delimiter).count();
        let usual = [b';', b'\t', b','].into_iter().max_by_key(|&delimiter| count(delimiter));
        let delimiter = declared.or(usual).unwrap_or(b',');
        let mut csv = Csv {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            columns: Columns::default(),
            width: 0,
            fields: Vec::new(),
            ends: Vec::new(),
            raw,
            keeps_rows: true,
            unsure: false,
        };
        match csv.read(stream, options.limits.header)? {
            RowRead::Held => {}
            RowRead::TooLong => return Ok(Err("its first line is too long for a header of columns".to_owned())),
            RowRead::Torn(_) | RowRead::End => return Ok(Err("it ends inside the header of columns".to_owned())),
        }
        csv.keeps_rows = false;
        csv.width = csv.ends.len();
        let names: Vec<String> =
            (0..csv.width).map(|at| String::from_utf8_lossy(csv.field(at)).trim().to_owned()).collect();
        Ok(Columns::find(&names, options).map(|columns| Csv { columns, ..csv }))
    }

    fn document(&self, options: &Options) -> Result<EntryContent, EntryContent> {
        let columns = &self.columns;
        let value = |at: usize| String::from_utf8_lossy(self.field(at)).into_owned();
        let filled = |at: &usize| !self.field(*at).is_empty();
        let id = columns.id.filter(|_| !options.needs_no_ids()).map(value);
        if let Some(id) = id.as_deref().filter(|id| !is_text_id(id)) {
            return Err(EntryContent::bad_id(id));
        }
        let id = id.unwrap_or_default();
        let url = columns.url.iter().copied().find(filled).map(value);
        if let Some(fp) = columns.fp.filter(filled) {
            let fingerprint = parse_hex(self.field(fp)).ok_or_else(|| {
                skipped(Reason::BadFingerprint, format!("column {:?} is not 16 hex digits", options.fields.fp))
            })?;
            return Ok(EntryContent::Fingerprint { id, fingerprint, url });
        }
        let text = || {
            let mut all = columns.text.iter().copied().filter(filled);
            match layouts::is_joined(options) {
                true => Some(parts::join(all.map(value)).into_bytes()),
                false => all.next().or(columns.text.first().copied()).map(|at| self.field(at).to_vec()),
            }
        };
        let (kind, body) = match (columns.html.filter(filled), text()) {
            (Some(html), _) => (PageKind::Html, self.field(html).to_vec()),
            (None, Some(text)) => (PageKind::Text, text),
            (None, None) => {
                let names = &options.fields;
                let detail = format!("nothing in the columns {:?}, {:?} and {:?}", names.text, names.html, names.fp);
                return Err(skipped(Reason::MissingField, detail));
            }
        };
        let charset = std::str::from_utf8(&body).is_ok().then(|| "utf-8".to_owned());
        let dates = columns.date.iter().map(|&at| match value(at).parse() {
            Ok(number) => Date::of_number(number),
            Err(_) => Date::of_bytes(self.field(at)),
        });
        let Date { date, unread } = Date::first(dates);
        Ok(EntryContent::Page(PageEntry {
            id,
            url,
            date,
            unread_date: unread,
            kind,
            charset,
            body,
            truncated: false,
            is_cut: false,
        }))
    }

    fn field(&self, at: usize) -> &[u8] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.fields[begin..self.ends[at]]
    }

    /// Reads a row into the fields; a row that is too long is read as empty.
    fn read(&mut self, stream: &mut Stream, limit: usize) -> io::Result<RowRead> {
        self.reader.reset();
        let (mut len, mut count, mut is_too_long) = (0, 0, false);
        loop {
            if stream.window().is_empty() {
                match stream.fill()? {
                    Fill::Torn => {
                        if let Some(tear) = stream.mend() {
                            return Ok(RowRead::Torn(tear));
                        }
                    }
                    Fill::More | Fill::Full | Fill::End => {}
                }
            }
            self.fields.resize(self.fields.len().max(len + (4 << 10)), 0);
            self.ends.resize(self.ends.len().max(count + 64), 0);
            let (result, read, written, ended) =
                self.reader.read_record(stream.window(), &mut self.fields[len..], &mut self.ends[count..]);
            if self.keeps_rows {
                self.raw.extend_from_slice(&stream.window()[..read]);
            }
            stream.consume(read);
            (len, count) = (len + written, count + ended);
            // The excess is skipped without using memory.
            if len > limit || count > COLUMNS_MAX {
                is_too_long = true;
            }
            if is_too_long {
                (len, count) = (0, 0);
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len().min(limit + (4 << 10)), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len().min(COLUMNS_MAX), 0),
                ReadRecordResult::Record if is_too_long => return Ok(RowRead::TooLong),
                ReadRecordResult::Record => {
                    self.ends.truncate(count);
                    return Ok(RowRead::Held);
                }
                ReadRecordResult::End => return Ok(if is_too_long { RowRead::TooLong } else { RowRead::End }),
            }
        }
    }
}

impl EntryReader for Csv {
    fn keep_records(&mut self) {
        self.keeps_rows = true;
    }

    fn row(&self) -> Option<&[u8]> {
        Some(&self.raw)
    }

    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        self.raw.clear();
        let (point, begin) = (stream.point(), stream.offset());
        let row = self.read(stream, options.limits.record)?;
        let position = stream.position_since(point, stream.offset() - begin);
        let content = match row {
            RowRead::End => return Ok(None),
            RowRead::Torn(tear) => {
                self.unsure = true;
                return Ok(Some(tear.into_entry()));
            }
            RowRead::TooLong => {
                let limit = options.limits.record;
                skipped(
                    Reason::LineTooLong,
                    format!("row longer than {limit} bytes, by the limits max-record and memory-limit"),
                )
            }
            RowRead::Held if std::mem::take(&mut self.unsure) => {
                skipped(Reason::BadLine, "perhaps the rest of a damaged row".to_owned())
            }
            RowRead::Held if self.ends.len() != self.width => {
                let (found, width) = (self.ends.len(), self.width);
                skipped(Reason::BadLine, format!("a row of {found} fields below a header of {width}"))
            }
            RowRead::Held => self.document(options).unwrap_or_else(|content| content),
        };
        Ok(Some(Entry { position, content }))
    }
}

impl Columns {
    fn find(names: &[String], options: &Options) -> Result<Columns, String> {
        let there = || format!("its columns are {}", layouts::listed(names));
        let find = |name: &str| names.iter().position(|column| column == name);
        if let Some(name) = layouts::required(options).find(|name| find(name).is_none()) {
            return Err(format!("no column {name:?}; {}", there()));
        }
        let all = |candidates: &[&str]| candidates.iter().filter_map(|name| find(name)).collect::<Vec<_>>();
        let fields = &options.fields;
        let columns = Columns {
            id: find(&fields.id),
            text: all(&layouts::text(options)),
            html: find(&fields.html),
            fp: find(&fields.fp),
            url: all(&layouts::url(options)),
            date: all(&layouts::date(options)),
        };
        if columns.text.is_empty() && columns.html.is_none() && columns.fp.is_none() {
            return Err(layouts::no_column(options, &there()));
        }
        Ok(columns)
    }
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}
