//! Columns that are added.

use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;

use super::fates::Fates;
use crate::filter::notes::{FilterField, Notes};
use crate::rows::{RowBatch, write_values};

/// Writes a column that is added, for the rows of a row group that are removed, or kept.
pub(super) fn write(
    field: FilterField,
    notes: &Notes,
    fates: &Fates,
    are_removed: bool,
    writer: SerializedColumnWriter<'_>,
) -> Result<()> {
    let mut rows = RowBatch::new(&[field.column()]);
    fates.notes(are_removed).for_each(|note| rows.row(&[notes.cell(field, note)]));
    let rows = rows.take().map_err(|error| ParquetError::General(error.to_string()))?;
    write_values(rows.column(0), writer)
}
