//! Columns that are added.

use nddb::ShownId;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedColumnWriter;

use super::fates::Fates;
use crate::commands::filter::rows::Column;

/// Values that are written at once.
const BATCH: usize = 1024;

/// Writes a column that is added, for the rows of a row group that are removed, or kept.
pub(super) fn write(
    column: Column,
    fates: &Fates,
    are_removed: bool,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<()> {
    let clusters = fates.clusters(are_removed);
    match column {
        Column::ClusterId => {
            let values = clusters.map(|cluster| cluster.map(|cluster| ByteArray::from(ShownId(&cluster.id).as_str())));
            batches(values, |values| {
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<ByteArray> = values.iter().flatten().cloned().collect();
                writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).map(|_| ())
            })
        }
        Column::ClusterSize => {
            let size = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
            let values = clusters.map(|cluster| cluster.map_or(1, |cluster| size(cluster.size)));
            batches(values, |values| writer.typed::<Int64Type>().write_batch(values, None, None).map(|_| ()))
        }
        Column::Kept => {
            let values = clusters.map(|_| !are_removed);
            batches(values, |values| writer.typed::<BoolType>().write_batch(values, None, None).map(|_| ()))
        }
    }
}

/// Passes values on, some at once.
fn batches<T>(mut values: impl Iterator<Item = T>, mut write: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
    loop {
        let batch: Vec<T> = values.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        write(&batch)?;
    }
}
