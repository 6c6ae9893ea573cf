//! Columns of Arrow as columns of Parquet. All are flat and may have nulls.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type as Number};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::cell::{CellKind, Column};

/// Number of values per call of the writer.
const BATCH: usize = 1 << 12;

/// Returns the schema of a file with these columns.
pub(super) fn schema(columns: &[Column]) -> Result<TypePtr> {
    let fields: Result<Vec<TypePtr>> = columns.iter().map(|column| leaf(column).map(Arc::new)).collect();
    Type::group_type_builder("schema").with_fields(fields?).build().map(Arc::new)
}

/// Returns the type of a column.
pub(crate) fn leaf(column: &Column) -> Result<Type> {
    let physical = match column.kind {
        CellKind::Text => Physical::BYTE_ARRAY,
        CellKind::Number | CellKind::Print => Physical::INT64,
        CellKind::Share => Physical::DOUBLE,
        CellKind::Flag => Physical::BOOLEAN,
    };
    let built = Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL);
    if column.kind == CellKind::Text {
        built.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8).build()
    } else {
        built.build()
    }
}

/// Writes rows as a row group.
pub(super) fn write<W: Write + Send>(file: &mut SerializedFileWriter<W>, rows: &RecordBatch) -> Result<()> {
    let mut group = file.next_row_group()?;
    for column in rows.columns() {
        let writer = group.next_column()?.ok_or_else(|| missing("a column of the schema"))?;
        write_values(column, writer)?;
    }
    group.close().map(|_| ())
}

/// Writes the values of a column, and closes it.
pub(crate) fn write_values(column: &dyn Array, mut writer: SerializedColumnWriter<'_>) -> Result<()> {
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        leaves::<Number>(column, |row| numbers.value(row), &mut writer)?;
    } else if let Some(shares) = column.as_primitive_opt::<Float64Type>() {
        leaves::<DoubleType>(column, |row| shares.value(row), &mut writer)?;
    } else if let Some(flags) = column.as_boolean_opt() {
        leaves::<BoolType>(column, |row| flags.value(row), &mut writer)?;
    } else {
        let texts = column.as_string_opt::<i32>().ok_or_else(|| missing("the type of a column"))?;
        // The texts share one piece of memory with the values.
        let bytes = Bytes::from_owner(texts.values().clone());
        let ends = texts.value_offsets();
        let value = |row: usize| ByteArray::from(bytes.slice(ends[row] as usize..ends[row + 1] as usize));
        leaves::<ByteArrayType>(column, value, &mut writer)?;
    }
    writer.close()
}

fn leaves<T: DataType>(
    column: &dyn Array,
    value: impl Fn(usize) -> T::T,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<()> {
    let (mut levels, mut values) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    for first in (0..column.len()).step_by(BATCH) {
        levels.clear();
        values.clear();
        for row in first..column.len().min(first + BATCH) {
            levels.push(i16::from(column.is_valid(row)));
            if column.is_valid(row) {
                values.push(value(row));
            }
        }
        writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    }
    Ok(())
}

fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} is missing"))
}
