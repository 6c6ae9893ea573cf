//! The rows of a row group, as entries.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use nddb_format::record::number_id;
use nddb_page::text::PageKind;
use parquet::file::metadata::ParquetMetaData;

use super::columns::{COLUMNS, Column, ColumnType, Columns, TextPart};
use super::cursor::{Cursor, Value};
use super::file::SharedFile;
use super::footer::{TOO_MANY_ROWS, Trouble, extent};
use crate::date::Date;
use crate::entry::{Entry, EntryContent, PageEntry, Position, Reason, SketchEntry, text_id};
use crate::formats::parse_hex;
use crate::limits::Limits;
use crate::parts;

/// How the rows of a file are read.
pub(super) struct Shape {
    pub(super) metadata: ParquetMetaData,
    /// For each row group the number of the row after its last.
    pub(super) ends: Vec<u64>,
    pub(super) columns: Columns,
    /// Prefix of ids, if there is no column of ids.
    pub(super) name: String,
    pub(super) limits: Limits,
    /// Bytes of the file.
    pub(super) size: u64,
}

/// A row: its entry, and the name of its batch if a column names batches; empty for none.
pub(super) struct TableRow {
    pub(super) entry: Entry,
    pub(super) batch: Option<String>,
    /// The number of the row that follows; after damage, the first row of the next row group.
    pub(super) next: u64,
}

/// Reader of the rows of a row group. Damage costs the rest of the rows.
pub(super) struct RowGroupRows {
    shape: Arc<Shape>,
    file: SharedFile,
    index: usize,
    /// The next row, and the end: the row after the last one.
    row: u64,
    end: u64,
    group: Option<OpenRowGroup>,
}

/// A row group that is being read.
struct OpenRowGroup {
    /// The columns, in the order of [`Columns::all`].
    cursors: [Option<Cursor>; COLUMNS],
    /// Those of the parts of the text: the text, and the roles of messages.
    parts: Vec<(Cursor, Option<Cursor>)>,
    /// The row at which the cursors are.
    row: u64,
}

impl RowGroupRows {
    /// Begins at a row, which is in the row group of this index.
    pub(super) fn new(shape: Arc<Shape>, file: &SharedFile, index: usize, row: u64) -> Self {
        let end = shape.ends[index];
        Self { shape, file: file.again(), index, row, end, group: None }
    }

    /// Returns the next row; after damage, an entry for the rest of the row group.
    pub(super) fn next(&mut self) -> io::Result<Option<TableRow>> {
        if self.row >= self.end {
            return Ok(None);
        }
        let (row, end) = (self.row, self.end);
        // A decoder may panic on damage that it does not foresee.
        let read = catch_unwind(AssertUnwindSafe(|| self.read())).unwrap_or_else(|_| {
            Err(Trouble { reason: Reason::DamagedMember, detail: "the decoder gave up".to_owned() })
        });
        match read {
            Ok(read) => {
                self.row += 1;
                Ok(Some(read))
            }
            Err(Trouble { reason, detail }) => {
                self.group = None;
                if let Some(failure) = self.file.take_failure() {
                    return Err(failure);
                }
                self.row = end;
                let detail = format!("rows {row} to {} of row group {}: {detail}", end - 1, self.index);
                let entry = Entry::skipped(Position { offset: row, inner: 0, length: 0 }, reason, detail);
                Ok(Some(TableRow { entry, batch: None, next: end }))
            }
        }
    }

    fn read(&mut self) -> Result<TableRow, Trouble> {
        let mut group = match self.group.take() {
            Some(group) => group,
            None => self.begin()?,
        };
        let skip = usize::try_from(self.row - group.row).unwrap_or(usize::MAX);
        let mut values = [const { None }; COLUMNS];
        for (cursor, value) in group.cursors.iter_mut().zip(&mut values) {
            if let Some(cursor) = cursor {
                if skip > 0 {
                    cursor.skip(skip)?;
                }
                *value = Some(cursor.next()?);
            }
        }
        let mut texts = Vec::new();
        for (part, (text, role)) in self.shape.columns.parts.iter().zip(&mut group.parts) {
            if skip > 0 {
                text.skip(skip)?;
                role.as_mut().map_or(Ok(()), |role| role.skip(skip))?;
            }
            texts.extend(text_of(part, text, role.as_mut())?);
        }
        let joined = (!texts.is_empty()).then(|| parts::join(texts));
        group.row = self.row + 1;
        let batch = values[6].as_ref().map(|name| match name {
            Value::Bytes(name) => String::from_utf8_lossy(name.data()).into_owned(),
            _ => String::new(),
        });
        let content = self.content(values, joined).unwrap_or_else(|content| content);
        let length = match &content {
            EntryContent::Page(page) => page.body.len() as u64,
            _ => 0,
        };
        self.group = Some(group);
        let entry = Entry { position: Position { offset: self.row, inner: 0, length }, content };
        Ok(TableRow { entry, batch, next: self.row + 1 })
    }

    fn begin(&self) -> Result<OpenRowGroup, Trouble> {
        let Shape { metadata, ends, columns, limits, size, .. } = &*self.shape;
        let group = metadata.row_group(self.index);
        let first = self.index.checked_sub(1).map_or(0, |before| ends[before]);
        let mut cursors = [const { None }; COLUMNS];
        let mut compressed = 0;
        for (column, cursor) in columns.all().into_iter().zip(&mut cursors) {
            let Some(Column { index, .. }) = column else { continue };
            compressed += extent(group, *index, *size)?;
            *cursor = Some(Cursor::open(&self.file, group, *index)?);
        }
        let mut parts = Vec::new();
        for part in &columns.parts {
            let (text, role) = match part {
                TextPart::One(column) => (column, None),
                TextPart::List { content, role, .. } => (content, role.as_ref()),
            };
            let mut open = |column: &Column| -> Result<Cursor, Trouble> {
                compressed += extent(group, column.index, *size)?;
                Ok(Cursor::open(&self.file, group, column.index)?)
            };
            parts.push((open(text)?, role.map(open).transpose()?));
        }
        if limits.are_too_many_rows(compressed, self.end - first) {
            let detail = TOO_MANY_ROWS.to_owned();
            return Err(Trouble { reason: Reason::RatioLimit, detail });
        }
        Ok(OpenRowGroup { cursors, parts, row: first })
    }

    /// Makes a document from the values of a row. As with JSON lines, the fingerprint is preferred to the page, and the
    /// page to the text.
    fn content(&self, values: [Option<Value>; COLUMNS], joined: Option<String>) -> Result<EntryContent, EntryContent> {
        let columns = &self.shape.columns;
        let [id, url, text, html, fp, date, _, sketch, recipe, archive] = values;
        if let (Some(sketch), Some(recipe)) = (sketch, recipe) {
            return sketch_of(&sketch, &recipe, archive.as_ref());
        }
        let id = match (&columns.id, id) {
            (Some(column), Some(value)) => id_of(column, &value)?,
            _ => text_id(format!("{}:{}", self.shape.name, self.row))?,
        };
        let url = match (&columns.url, &url) {
            (Some(column), Some(Value::Bytes(bytes))) => Some(utf8(column, bytes.data())?),
            _ => None,
        };
        if let (Some(column), Some(value @ (Value::Bytes(_) | Value::Number(_)))) = (&columns.fp, &fp) {
            let fingerprint = match value {
                Value::Number(number) => Some(number.cast_unsigned()),
                Value::Bytes(hex) => parse_hex(hex.data()),
                Value::Null | Value::Fraction(_) => None,
            };
            let fingerprint = fingerprint.ok_or_else(|| {
                skipped(Reason::BadFingerprint, format!("column {:?} is not 16 hex digits", column.name))
            })?;
            return Ok(EntryContent::Fingerprint { id, fingerprint, url });
        }
        let (is_utf8, kind, bytes) = match ((&columns.html, &html), (&columns.text, &text), &joined) {
            ((Some(column), Some(Value::Bytes(bytes))), ..) => {
                (column.kind == ColumnType::Text, PageKind::Html, bytes.data())
            }
            (_, (Some(column), Some(Value::Bytes(bytes))), _) => {
                (column.kind == ColumnType::Text, PageKind::Text, bytes.data())
            }
            (.., Some(joined)) => (true, PageKind::Text, joined.as_bytes()),
            _ => {
                let names = [&columns.text, &columns.html, &columns.fp].into_iter().flatten();
                let parts = columns.parts.iter().map(|part| match part {
                    TextPart::One(column) | TextPart::List { content: column, .. } => column,
                });
                let names: Vec<String> = names.chain(parts).map(|column| format!("{:?}", column.name)).collect();
                return Err(skipped(Reason::MissingField, format!("null in {}", names.join(", "))));
            }
        };
        let body = &bytes[..bytes.len().min(self.shape.limits.record)];
        let Date { date, unread } = date_of(columns.date.as_ref(), date);
        let is_cut = body.len() < bytes.len();
        Ok(EntryContent::Page(PageEntry {
            id,
            url,
            date,
            unread_date: unread,
            kind,
            charset: is_utf8.then(|| "utf-8".to_owned()),
            body: body.to_vec(),
            truncated: is_cut,
            is_cut,
        }))
    }
}

/// Reads a part of the text of a row; `None` for null, and if no message is of the only role.
fn text_of(part: &TextPart, text: &mut Cursor, role: Option<&mut Cursor>) -> Result<Option<String>, Trouble> {
    let as_text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let TextPart::List { only, .. } = part else {
        return Ok(match text.next()? {
            Value::Bytes(bytes) => Some(as_text(bytes.data())),
            _ => None,
        });
    };
    let texts = text.list()?;
    let mut roles = role.map_or(Ok(Vec::new()), Cursor::list)?.into_iter();
    let mut found = Vec::new();
    for text in texts {
        let role = roles.next().flatten().map(|role| as_text(role.data()));
        let Some(text) = text.map(|text| as_text(text.data())) else { continue };
        found.extend(parts::message(role.as_deref(), text, only.as_deref()));
    }
    Ok((!found.is_empty()).then(|| parts::join(found)))
}

/// The content of a row of a table of sketches.
fn sketch_of(sketch: &Value, recipe: &Value, archive: Option<&Value>) -> Result<EntryContent, EntryContent> {
    let (Value::Bytes(sketch), Value::Bytes(recipe)) = (sketch, recipe) else {
        return Err(skipped(Reason::MissingField, "null in \"sketch\" or \"recipe\"".to_owned()));
    };
    let archive = match archive {
        Some(Value::Bytes(path)) => Some(String::from_utf8_lossy(path.data()).into_owned()),
        _ => None,
    };
    Ok(EntryContent::Sketch(SketchEntry {
        sketch: sketch.data().to_vec(),
        recipe: String::from_utf8_lossy(recipe.data()).into_owned(),
        archive,
    }))
}

fn id_of(column: &Column, value: &Value) -> Result<String, EntryContent> {
    match value {
        Value::Null | Value::Fraction(_) => Err(skipped(Reason::MissingField, format!("null in {:?}", column.name))),
        Value::Number(number) => Ok(match column.kind {
            // Sign extended.
            ColumnType::Uint32 => number_id(*number as u32),
            ColumnType::Uint64 => number_id(number.cast_unsigned()),
            _ => number_id(number),
        }),
        Value::Bytes(bytes) => match (column.kind, <[u8; 16]>::try_from(bytes.data())) {
            (ColumnType::Uuid, Ok(bytes)) => {
                let hex = format!("{:032x}", u128::from_be_bytes(bytes));
                Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
            }
            _ => text_id(utf8(column, bytes.data())?),
        },
    }
}

fn utf8(column: &Column, bytes: &[u8]) -> Result<String, EntryContent> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| skipped(Reason::WrongType, format!("column {:?} is not UTF-8", column.name)))
}

fn date_of(column: Option<&Column>, value: Option<Value>) -> Date {
    let (Some(column), Some(value)) = (column, value) else { return Date::default() };
    match (column.kind, value) {
        (_, Value::Null) => Date::default(),
        (ColumnType::Time(parts), Value::Number(time)) => Date::known(time.div_euclid(parts)),
        (ColumnType::Days, Value::Number(days)) => Date::known(days.saturating_mul(86_400)),
        (_, Value::Number(number)) => Date::of_number(number),
        (_, Value::Fraction(number)) => Date::of_fraction(number),
        (_, Value::Bytes(text)) => Date::of_bytes(text.data()),
    }
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}
