//! Parquet files: a document a row, as a page, a text, a fingerprint or a sketch.
//!
//! The position of a row is its number in the file, from 0. The file is read row by row, so that memory holds one page
//! of each column that is read. Damage costs the rest of the row group that it is in.

mod columns;
mod cursor;
mod delta;
mod file;
mod footer;
mod pages;
mod ranges;
mod thrift;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::file::metadata::ParquetMetaData;

use self::columns::{COLUMNS, Column, Columns, Kind};
use self::cursor::{Cursor, Value};
use self::file::File;
use self::footer::{Trouble, extent, metadata};
pub(super) use self::ranges::each_range;
use super::date;
use super::entry::{Entry, EntryContent, PageEntry, Position, Reason, SketchEntry, valid_id};
use super::limits::Limits;
use super::options::Options;
use super::raw;
use super::source::ReadSeek;
use crate::text::PageKind;

/// Reader of the rows of a Parquet file.
pub(super) struct Table {
    file: File,
    size: u64,
    metadata: ParquetMetaData,
    /// For each row group the number of the row behind its last.
    ends: Vec<u64>,
    columns: Columns,
    /// Prefix of ids, if there is no column of ids.
    name: String,
    limits: Limits,
    group: Option<Group>,
    /// The next row.
    row: u64,
    payload: u64,
    /// The batch of the last row read, if a column names batches; empty for none.
    batch: Option<String>,
}

/// A row group that is being read.
struct Group {
    index: usize,
    /// The columns, in the order of [`Columns::all`].
    cursors: [Option<Cursor>; COLUMNS],
    /// The row that the cursors are at.
    row: u64,
    /// Bytes of the columns in the file, and of the pages so far.
    compressed: u64,
    payload: u64,
}

impl Table {
    /// Opens a file; `name` begins the ids of its rows where no column has them. The inner error says in words why
    /// the file cannot be read as a table of documents.
    pub(super) fn open(
        origin: Box<dyn ReadSeek>,
        size: u64,
        name: String,
        options: &Options,
    ) -> io::Result<Result<Table, String>> {
        let file = File::new(origin, size, &options.limits);
        let metadata = match metadata(&file, size, &options.limits)? {
            Ok(metadata) => metadata,
            Err(why) => return Ok(Err(why)),
        };
        let columns = match Columns::find(
            metadata.file_metadata().schema_descr(),
            &options.fields,
            &options.required,
            options.batch_column.as_deref(),
        ) {
            Ok(columns) => columns,
            Err(why) => return Ok(Err(why)),
        };
        let (mut ends, mut rows) = (Vec::with_capacity(metadata.num_row_groups()), 0_u64);
        for group in metadata.row_groups() {
            match u64::try_from(group.num_rows()).ok().and_then(|len| rows.checked_add(len)) {
                Some(end) => rows = end,
                None => return Ok(Err("its metadata is damaged: an impossible number of rows".to_owned())),
            }
            ends.push(rows);
        }
        let limits = options.limits.clone();
        Ok(Ok(Table {
            file,
            size,
            metadata,
            ends,
            columns,
            name,
            limits,
            group: None,
            row: 0,
            payload: 0,
            batch: None,
        }))
    }

    /// Returns the entry of the next row; of damage, one for the rest of the row group.
    pub(super) fn next(&mut self) -> io::Result<Option<Entry>> {
        let index = self.ends.partition_point(|&end| end <= self.row);
        let Some(&end) = self.ends.get(index) else { return Ok(None) };
        let row = self.row;
        // A decoder may panic on damage that it does not foresee.
        let read = catch_unwind(AssertUnwindSafe(|| self.read(index))).unwrap_or_else(|_| {
            Err(Trouble { reason: Reason::DamagedMember, detail: "the decoder gave up".to_owned() })
        });
        match read {
            Ok(entry) => {
                self.row += 1;
                Ok(Some(entry))
            }
            Err(Trouble { reason, detail }) => {
                self.group = None;
                if let Some(failure) = self.file.take_failure() {
                    return Err(failure);
                }
                self.row = end;
                let detail = format!("rows {row} to {} of row group {index}: {detail}", end - 1);
                Ok(Some(Entry::skipped(Position { offset: row, inner: 0, length: 0 }, reason, detail)))
            }
        }
    }

    /// Goes to a row, or the end.
    pub(super) fn go_to(&mut self, row: u64) {
        self.row = row.min(self.ends.last().copied().unwrap_or(0));
    }

    /// Returns the number of the next row.
    pub(super) fn row(&self) -> u64 {
        self.row
    }

    /// Returns the batch of the last row read, if a column names batches; empty for none.
    pub(super) fn batch(&self) -> Option<&str> {
        self.batch.as_deref()
    }

    /// Returns the bytes of the file read so far, by the share of its rows.
    pub(super) fn bytes_read(&self) -> u64 {
        let rows = self.ends.last().copied().unwrap_or(0);
        if self.row >= rows { self.size } else { (self.size as f64 * (self.row as f64 / rows as f64)) as u64 }
    }

    pub(super) fn payload_bytes(&self) -> u64 {
        self.payload
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Reads the next row, which is in this row group.
    fn read(&mut self, index: usize) -> Result<Entry, Trouble> {
        let first = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut group = match self.group.take() {
            Some(group) if group.index == index && group.row <= self.row => group,
            _ => self.begin(index, first)?,
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
        group.row = self.row + 1;
        self.batch = values[6].as_ref().map(|name| match name {
            Value::Bytes(name) => String::from_utf8_lossy(name.data()).into_owned(),
            _ => String::new(),
        });
        let content = self.content(values).unwrap_or_else(|content| content);
        let length = match &content {
            EntryContent::Page(page) => page.body.len() as u64,
            _ => 0,
        };
        group.payload += length;
        self.payload += length;
        if self.limits.is_bomb(group.compressed, group.payload) {
            let detail = "more bytes of text than the ratio limit allows".to_owned();
            return Err(Trouble { reason: Reason::RatioLimit, detail });
        }
        self.group = Some(group);
        Ok(Entry { position: Position { offset: self.row, inner: 0, length }, content })
    }

    fn begin(&self, index: usize, first: u64) -> Result<Group, Trouble> {
        let group = self.metadata.row_group(index);
        let mut cursors = [const { None }; COLUMNS];
        let mut compressed = 0;
        for (column, cursor) in self.columns.all().into_iter().zip(&mut cursors) {
            let Some(Column { index, .. }) = column else { continue };
            compressed += extent(group, *index, self.size)?;
            *cursor = Some(Cursor::open(&self.file, group, *index)?);
        }
        if self.limits.is_bomb(compressed, self.ends[index] - first) {
            let detail = "more rows than its size allows".to_owned();
            return Err(Trouble { reason: Reason::RatioLimit, detail });
        }
        Ok(Group { index, cursors, row: first, compressed, payload: 0 })
    }

    /// Makes a document of the values of a row. As of JSON lines, the fingerprint is preferred to the page, and the
    /// page to the text.
    fn content(&self, values: [Option<Value>; COLUMNS]) -> Result<EntryContent, EntryContent> {
        let columns = &self.columns;
        let [id, url, text, html, fp, date, _, sketch, recipe, archive] = values;
        if let (Some(sketch), Some(recipe)) = (sketch, recipe) {
            return sketch_of(&sketch, &recipe, archive.as_ref());
        }
        let id = match (&columns.id, id) {
            (Some(column), Some(value)) => id_of(column, &value)?,
            _ => format!("{}:{}", self.name, self.row),
        };
        if !valid_id(&id) {
            return Err(EntryContent::bad_id(&id));
        }
        let url = match (&columns.url, &url) {
            (Some(column), Some(Value::Bytes(bytes))) => Some(utf8(column, bytes.data())?),
            _ => None,
        };
        if let (Some(column), Some(value @ (Value::Bytes(_) | Value::Number(_)))) = (&columns.fp, &fp) {
            let fingerprint = match value {
                Value::Number(number) => Some(number.cast_unsigned()),
                Value::Bytes(hex) => raw::parse_hex(hex.data()),
                Value::Null => None,
            };
            let fingerprint = fingerprint.ok_or_else(|| {
                skipped(Reason::BadFingerprint, format!("column {:?} is not 16 hex digits", column.name))
            })?;
            return Ok(EntryContent::Fingerprint { id, fingerprint, url });
        }
        let (column, kind, bytes) = match ((&columns.html, &html), (&columns.text, &text)) {
            ((Some(column), Some(Value::Bytes(bytes))), _) => (column, PageKind::Html, bytes),
            (_, (Some(column), Some(Value::Bytes(bytes)))) => (column, PageKind::Text, bytes),
            _ => {
                let names = [&columns.text, &columns.html, &columns.fp].into_iter().flatten();
                let names: Vec<String> = names.map(|column| format!("{:?}", column.name)).collect();
                return Err(skipped(Reason::MissingField, format!("null in {}", names.join(", "))));
            }
        };
        let body = &bytes.data()[..bytes.data().len().min(self.limits.record)];
        Ok(EntryContent::Page(PageEntry {
            id,
            url,
            date: date_of(columns.date.as_ref(), date),
            kind,
            charset: (column.kind == Kind::Text).then(|| "utf-8".to_owned()),
            body: body.to_vec(),
            truncated: body.len() < bytes.data().len(),
        }))
    }
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
        Value::Null => Err(skipped(Reason::MissingField, format!("null in {:?}", column.name))),
        Value::Number(number) => Ok(match column.kind {
            // Sign extended.
            Kind::Uint32 => (*number as u32).to_string(),
            Kind::Uint64 => number.cast_unsigned().to_string(),
            _ => number.to_string(),
        }),
        Value::Bytes(bytes) => match (column.kind, <[u8; 16]>::try_from(bytes.data())) {
            (Kind::Uuid, Ok(bytes)) => {
                let hex = format!("{:032x}", u128::from_be_bytes(bytes));
                Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
            }
            _ => utf8(column, bytes.data()),
        },
    }
}

fn utf8(column: &Column, bytes: &[u8]) -> Result<String, EntryContent> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| skipped(Reason::WrongType, format!("column {:?} is not UTF-8", column.name)))
}

fn date_of(column: Option<&Column>, value: Option<Value>) -> Option<i64> {
    match (column?.kind, value?) {
        (Kind::Time(parts), Value::Number(time)) => Some(time.div_euclid(parts)),
        (_, Value::Bytes(text)) => date::parse(text.data()),
        _ => None,
    }
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}
