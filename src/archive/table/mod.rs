//! Parquet files: one document per row, as a page, a text, a fingerprint or a sketch.
//!
//! The position of a row is its number in the file, from 0. Row groups are read row by row, several at the same time,
//! so that memory holds one page of each of their columns, and a few rows. Damage costs the rest of its row group.

mod columns;
mod cursor;
mod delta;
mod file;
mod footer;
mod groups;
mod pages;
mod ranges;
mod rows;
mod thrift;

use std::io;
use std::sync::Arc;

use self::columns::Columns;
use self::file::File;
use self::footer::metadata;
use self::groups::Groups;
pub(super) use self::ranges::each_range;
use self::rows::{Row, Shape};
use super::entry::{Entry, EntryContent};
use super::options::Options;
use super::source::ReadSeek;

/// Reader of the rows of a Parquet file.
pub(super) struct Table {
    shape: Arc<Shape>,
    groups: Groups,
    /// The next row.
    row: u64,
    payload: u64,
    /// The batch of the last row read, if a column names batches; empty for none.
    batch: Option<String>,
}

impl Table {
    /// Opens a file; `name` begins the ids of its rows if no column has ids. The inner error is a message that explains
    /// why the file cannot be read as a table of documents.
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
        let columns = match Columns::find(metadata.file_metadata().schema_descr(), options) {
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
        let shape = Arc::new(Shape { metadata, ends, columns, name, limits, size });
        let groups = Groups::new(shape.clone(), file, options.readers);
        Ok(Ok(Table { shape, groups, row: 0, payload: 0, batch: None }))
    }

    /// Returns the entry of the next row; after damage, one entry for the rest of the row group.
    pub(super) fn next(&mut self) -> io::Result<Option<Entry>> {
        let Some(Row { entry, batch, next }) = self.groups.next(self.row)? else { return Ok(None) };
        self.row = next;
        self.batch = batch;
        if let EntryContent::Page(page) = &entry.content {
            self.payload += page.body.len() as u64;
        }
        Ok(Some(entry))
    }

    /// Goes to a row, or the end.
    pub(super) fn go_to(&mut self, row: u64) {
        self.row = row.min(self.shape.ends.last().copied().unwrap_or(0));
    }

    /// Returns the number of the next row.
    pub(super) fn row(&self) -> u64 {
        self.row
    }

    /// Returns the batch of the last row read, if a column names batches; empty for none.
    pub(super) fn batch(&self) -> Option<&str> {
        self.batch.as_deref()
    }

    /// Returns the number of bytes of the file read so far, estimated from the share of rows.
    pub(super) fn bytes_read(&self) -> u64 {
        let rows = self.shape.ends.last().copied().unwrap_or(0);
        if self.row >= rows {
            self.shape.size
        } else {
            (self.shape.size as f64 * (self.row as f64 / rows as f64)) as u64
        }
    }

    pub(super) fn payload_bytes(&self) -> u64 {
        self.payload
    }

    pub(super) fn size(&self) -> u64 {
        self.shape.size
    }
}
