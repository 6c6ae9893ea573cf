//! The ranges of archives in a table that is an index of them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::file::metadata::RowGroupMetaData;

use super::columns::{self, Column, ColumnType};
use super::cursor::{Cursor, Value};
use super::file::SharedFile;
use super::footer::{TOO_MANY_ROWS, Trouble, extent, metadata};
use crate::entry::Reason;
use crate::limits::Limits;
use crate::ranges::ByteRange;
use crate::source::ReadSeek;

/// The columns of Common Crawl's index: the archive, and the offset and size of a record in it.
const COLUMNS: [&str; 3] = ["warc_filename", "warc_record_offset", "warc_record_length"];

/// Passes the range of each row to `visit`. The inner error is a message that explains why the file cannot be read as
/// an index or cannot be read to its end.
pub(crate) fn each_range(
    origin: Box<dyn ReadSeek>,
    size: u64,
    limits: &Limits,
    visit: &mut dyn FnMut(&str, ByteRange),
) -> io::Result<Result<(), String>> {
    let file = SharedFile::new(origin, size, limits);
    let metadata = match metadata(&file, size, limits)? {
        Ok(metadata) => metadata,
        Err(why) => return Ok(Err(why)),
    };
    let schema = metadata.file_metadata().schema_descr();
    let mut found = Vec::with_capacity(COLUMNS.len());
    for (name, is_text) in COLUMNS.into_iter().zip([true, false, false]) {
        match columns::column(schema, name) {
            Some(Ok(column)) if is_text == matches!(column.kind, ColumnType::Text | ColumnType::Bytes) => {
                found.push(column)
            }
            Some(_) => return Ok(Err(format!("column {name:?} has an unsuitable type"))),
            None => return Ok(Err(format!("no column {name:?}; {}", columns::listed(schema)))),
        }
    }
    let mut before = 0;
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let read = catch_unwind(AssertUnwindSafe(|| each_of_group(&file, size, limits, group, &found, before, visit)));
        match read {
            Ok(Ok(rows)) => before += rows,
            Ok(Err(Trouble { detail, .. })) => {
                return match file.take_failure() {
                    Some(failure) => Err(failure),
                    None => Ok(Err(format!("row group {index}: {detail}"))),
                };
            }
            Err(_) => return Ok(Err(format!("row group {index}: the decoder gave up"))),
        }
    }
    Ok(Ok(()))
}

/// Reads a row group whose first row has the number `first`; returns its rows.
fn each_of_group(
    file: &SharedFile,
    size: u64,
    limits: &Limits,
    group: &RowGroupMetaData,
    columns: &[Column],
    first: u64,
    visit: &mut dyn FnMut(&str, ByteRange),
) -> Result<u64, Trouble> {
    let trouble = |detail: String| Trouble { reason: Reason::DamagedMember, detail };
    let rows = u64::try_from(group.num_rows()).map_err(|_| trouble("an impossible number of rows".to_owned()))?;
    let mut compressed = 0;
    let mut cursors = Vec::with_capacity(columns.len());
    for column in columns {
        compressed += extent(group, column.index, size)?;
        cursors.push(Cursor::open(file, group, column.index)?);
    }
    if limits.are_too_many_rows(compressed, rows) {
        return Err(trouble(TOO_MANY_ROWS.to_owned()));
    }
    for row in first..first.saturating_add(rows) {
        let mut values = [const { Value::Null }; 3];
        for (cursor, value) in cursors.iter_mut().zip(&mut values) {
            *value = cursor.next()?;
        }
        let [Value::Bytes(name), Value::Number(offset), Value::Number(length)] = &values else {
            return Err(trouble(format!("row {row} has a null in one of {}", COLUMNS.join(", "))));
        };
        let name = std::str::from_utf8(name.data());
        let range = u64::try_from(*offset).ok().zip(u64::try_from(*length).ok());
        let (Ok(name), Some((offset, length))) = (name, range) else {
            return Err(trouble(format!("row {row} has no range: {offset}, {length}")));
        };
        visit(name, ByteRange { offset, length });
    }
    Ok(rows)
}
