//! The values of a column of a row group, one after the other.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

use super::file::SharedFile;
use super::pages::Pages;

/// A value of a column.
pub(super) enum Value {
    Null,
    /// A slice of its page, which is not copied.
    Bytes(ByteArray),
    Number(i64),
    Fraction(f64),
}

/// A position among the values of a column in a row group.
pub(super) struct Cursor {
    reader: TypedReader,
    /// The definition levels of the values read, and their repetition levels if the column is in a list.
    level: Vec<i16>,
    repeated: Vec<i16>,
    /// The definition level of a value that is not null.
    max: i16,
}

enum TypedReader {
    Bytes(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Fixed(ColumnReaderImpl<FixedLenByteArrayType>, Vec<parquet::data_type::FixedLenByteArray>),
    Int32(ColumnReaderImpl<Int32Type>, Vec<i32>),
    Int64(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Double(ColumnReaderImpl<DoubleType>, Vec<f64>),
    Int96(ColumnReaderImpl<Int96Type>, Vec<Int96>),
}

impl Cursor {
    /// Begins a column, given by its index among all leaves of the schema, at the first row of a row group.
    pub(super) fn open(file: &SharedFile, group: &RowGroupMetaData, column: usize) -> Result<Cursor> {
        let chunk = group.column(column);
        let descriptor = chunk.column_descr_ptr();
        let rows = usize::try_from(group.num_rows())?;
        let inner = SerializedPageReader::new(Arc::new(file.clone()), chunk, rows, None)?;
        let max = descriptor.max_def_level();
        let pages = Pages { inner, levels: max, is_list: descriptor.max_rep_level() > 0 };
        let reader = match get_column_reader(descriptor, Box::new(pages)) {
            ColumnReader::ByteArrayColumnReader(reader) => TypedReader::Bytes(reader, Vec::new()),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => TypedReader::Fixed(reader, Vec::new()),
            ColumnReader::Int32ColumnReader(reader) => TypedReader::Int32(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => TypedReader::Int64(reader, Vec::new()),
            ColumnReader::DoubleColumnReader(reader) => TypedReader::Double(reader, Vec::new()),
            ColumnReader::Int96ColumnReader(reader) => TypedReader::Int96(reader, Vec::new()),
            _ => return Err(ParquetError::General("a column of an unsupported type".to_owned())),
        };
        Ok(Cursor { reader, level: Vec::new(), repeated: Vec::new(), max })
    }

    /// Returns the next list of texts, which may be null.
    pub(super) fn list(&mut self) -> Result<Vec<Option<ByteArray>>> {
        let Self { reader: TypedReader::Bytes(reader, values), level, repeated, max } = self else {
            return Err(ParquetError::General("a list of another type".to_owned()));
        };
        level.clear();
        repeated.clear();
        values.clear();
        let (rows, ..) = reader.read_records(1, Some(level), Some(repeated), values)?;
        if rows == 0 {
            return Err(too_few());
        }
        let mut values = values.drain(..);
        Ok(level.iter().map(|level| if level == max { values.next() } else { None }).collect())
    }

    /// Returns the next value.
    pub(super) fn next(&mut self) -> Result<Value> {
        let level = &mut self.level;
        Ok(match &mut self.reader {
            TypedReader::Bytes(reader, value) => one(reader, level, value)?.map_or(Value::Null, Value::Bytes),
            TypedReader::Fixed(reader, value) => {
                one(reader, level, value)?.map_or(Value::Null, |value| Value::Bytes(value.into()))
            }
            TypedReader::Int32(reader, value) => {
                one(reader, level, value)?.map_or(Value::Null, |value| Value::Number(value.into()))
            }
            TypedReader::Int64(reader, value) => one(reader, level, value)?.map_or(Value::Null, Value::Number),
            TypedReader::Double(reader, value) => one(reader, level, value)?.map_or(Value::Null, Value::Fraction),
            TypedReader::Int96(reader, value) => {
                one(reader, level, value)?.map_or(Value::Null, |time| Value::Number(time.to_seconds()))
            }
        })
    }

    /// Skips values; pages that are skipped as a whole are not decompressed.
    pub(super) fn skip(&mut self, rows: usize) -> Result<()> {
        let skipped = match &mut self.reader {
            TypedReader::Bytes(reader, _) => reader.skip_records(rows)?,
            TypedReader::Fixed(reader, _) => reader.skip_records(rows)?,
            TypedReader::Int32(reader, _) => reader.skip_records(rows)?,
            TypedReader::Int64(reader, _) => reader.skip_records(rows)?,
            TypedReader::Double(reader, _) => reader.skip_records(rows)?,
            TypedReader::Int96(reader, _) => reader.skip_records(rows)?,
        };
        if skipped == rows { Ok(()) } else { Err(too_few()) }
    }
}

/// Reads one value, `None` for null. Reading one at a time holds only one page of each column.
fn one<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    level: &mut Vec<i16>,
    value: &mut Vec<T::T>,
) -> Result<Option<T::T>> {
    level.clear();
    value.clear();
    let (rows, ..) = reader.read_records(1, Some(level), None, value)?;
    if rows == 0 {
        return Err(too_few());
    }
    Ok(value.pop())
}

fn too_few() -> ParquetError {
    ParquetError::General("a column ends before the last row of its row group".to_owned())
}
