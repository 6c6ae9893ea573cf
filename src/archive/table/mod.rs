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
use self::file::SharedFile;
use self::footer::metadata;
use self::groups::Groups;
pub(super) use self::ranges::each_range;
use self::rows::{Shape, TableRow};
use super::entries::Entries;
use super::entry::{Entry, EntryContent, ResumePoint};
use super::options::Options;
use super::source::ReadSeek;

/// Reader of the rows of a Parquet file.
pub(super) struct ParquetRows {
    shape: Arc<Shape>,
    groups: Groups,
    /// The next row.
    row: u64,
    payload: u64,
    /// The batch of the last row read, if a column names batches; empty for none.
    batch: Option<String>,
}

impl ParquetRows {
    /// Opens a file; `name` begins the ids of its rows if no column has ids. The inner error is a message that explains
    /// why the file cannot be read as a table of documents.
    pub(super) fn open(
        origin: Box<dyn ReadSeek>,
        size: u64,
        name: String,
        options: &Options,
    ) -> io::Result<Result<ParquetRows, String>> {
        let file = SharedFile::new(origin, size, &options.limits);
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
        Ok(Ok(ParquetRows { shape, groups, row: 0, payload: 0, batch: None }))
    }
}

impl Entries for ParquetRows {
    /// After damage, the next entry is one for the rest of the row group.
    fn next(&mut self, _: &Options) -> io::Result<Option<Entry>> {
        let Some(TableRow { entry, batch, next }) = self.groups.next(self.row)? else { return Ok(None) };
        self.row = next;
        self.batch = batch;
        if let EntryContent::Page(page) = &entry.content {
            self.payload += page.body.len() as u64;
        }
        Ok(Some(entry))
    }

    fn point(&self) -> ResumePoint {
        ResumePoint { offset: self.row, inner: 0 }
    }

    fn go_to(&mut self, point: ResumePoint) -> io::Result<()> {
        self.row = point.offset.min(self.shape.ends.last().copied().unwrap_or(0));
        Ok(())
    }

    fn skips(&self) -> bool {
        true
    }

    fn batch<'a>(&'a self, _: &Options) -> Option<&'a str> {
        self.batch.as_deref()
    }

    /// The bytes of the file are estimated from the share of rows.
    fn bytes_read(&self) -> (u64, u64) {
        let rows = self.shape.ends.last().copied().unwrap_or(0);
        let size = self.shape.size;
        let read = if self.row >= rows { size } else { (size as f64 * (self.row as f64 / rows as f64)) as u64 };
        (read, self.payload)
    }

    fn size(&self) -> u64 {
        self.shape.size
    }
}
