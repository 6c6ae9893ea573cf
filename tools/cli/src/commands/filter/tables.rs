//! Rows of Parquet files, with their schema, nested columns and metadata.
//!
//! The library reads the ids, as `load` does, while batches of whole rows are read beside it: so a row is removed
//! exactly if the document that was loaded from it is.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use nddb::archive::{EntryContent, Input, Options};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;

use super::rows::Column;
use super::selection::{Counts, Selection};
use crate::failure::{Failure, Result};
use crate::inputs;
use crate::output::Published;

/// Rows that are held at once.
const BATCH: usize = 1024;
/// Bytes of a row group that are held at most.
const GROUP_SIZE: usize = 64 << 20;
/// The metadata in which Arrow keeps its own schema: writers make it anew.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// A Parquet file, by its name as the user gave it.
pub(super) struct Table<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a Options,
    pub(super) columns: &'a [Column],
}

/// An id of a row, if there is one, and whether the row is removed.
type Verdict = (Option<String>, bool);

impl Table<'_> {
    /// Passes the rows on to `kept` or `removed`.
    pub(super) fn filter(
        &self,
        selection: &mut Selection,
        kept: &mut Published,
        removed: Option<&mut Published>,
        progress: &mut dyn FnMut(&Counts) -> Result<()>,
    ) -> Result<Counts> {
        let failed = |error: ParquetError| self.failed(&error);
        let builder = ParquetRecordBatchReaderBuilder::try_new(inputs::table(self.path)?).map_err(failed)?;
        let metadata = builder.metadata().clone();
        let schema = self.schema(builder.schema())?;
        let properties = properties(&metadata);
        let unwritten = |error: ParquetError| match &error {
            ParquetError::External(source) => match source.downcast_ref::<io::Error>() {
                Some(source) => Failure::unwritten(source),
                None => failed(error),
            },
            _ => failed(error),
        };
        let writer = |out| ArrowWriter::try_new(out, schema.clone(), Some(properties.clone())).map_err(unwritten);
        let (mut kept, mut removed) = (writer(kept)?, removed.map(writer).transpose()?);
        let mut ids = Ids { input: Input::open(self.path, self.options)?, next: None, row: 0 };
        let mut counts = Counts::default();
        for batch in builder.with_batch_size(BATCH).build().map_err(failed)? {
            let batch = batch.map_err(|error| self.failed(&error))?;
            let mut verdicts = VecDeque::with_capacity(batch.num_rows());
            for _ in 0..batch.num_rows() {
                let id = ids.next()?;
                let is_removed = id.as_ref().is_some_and(|id| selection.takes(id));
                match id {
                    Some(_) => counts.add(is_removed),
                    None => counts.without_id += 1,
                }
                verdicts.push_back((id, is_removed));
            }
            let batch = self.with_columns(&schema, &batch, &verdicts, selection)?;
            let select = |batch: &RecordBatch, which: bool| {
                let mask: BooleanArray = verdicts.iter().map(|(_, is_removed)| Some(*is_removed == which)).collect();
                filter_record_batch(batch, &mask).map_err(|error| self.failed(&error))
            };
            write(&mut kept, &select(&batch, false)?).map_err(unwritten)?;
            if let Some(removed) = &mut removed {
                write(removed, &select(&batch, true)?).map_err(unwritten)?;
            }
            counts.bytes = ids.input.bytes_read();
            progress(&counts)?;
        }
        kept.close().map_err(unwritten)?;
        removed.map_or(Ok(()), |removed| removed.close().map(|_| ())).map_err(unwritten)?;
        counts.bytes = inputs::size(self.path);
        Ok(counts)
    }

    fn failed(&self, error: &dyn std::error::Error) -> Failure {
        Failure::failed(format!("{}: {}", self.path.display(), crate::failure::chain(error)))
    }

    /// The schema of the outputs.
    fn schema(&self, schema: &SchemaRef) -> Result<SchemaRef> {
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        for column in self.columns {
            let name = column.name();
            if schema.field_with_name(name).is_ok() {
                let path = self.path.display();
                let message = format!("{path}: has a column '{name}' already: leave it out of --with");
                return Err(Failure::failed(message));
            }
            let (kind, is_nullable) = match column {
                Column::ClusterId => (DataType::Utf8, true),
                Column::ClusterSize => (DataType::Int64, false),
                Column::Kept => (DataType::Boolean, false),
            };
            fields.push(Arc::new(Field::new(name, kind, is_nullable)));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
    }

    /// Adds the columns that are asked for.
    fn with_columns(
        &self,
        schema: &SchemaRef,
        batch: &RecordBatch,
        verdicts: &VecDeque<Verdict>,
        selection: &Selection,
    ) -> Result<RecordBatch> {
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        let clusters = || verdicts.iter().map(|(id, _)| id.as_ref().and_then(|id| selection.cluster_of(id)));
        for column in self.columns {
            columns.push(match column {
                Column::ClusterId => {
                    Arc::new(clusters().map(|cluster| cluster.map(|cluster| &cluster.id)).collect::<StringArray>())
                }
                Column::ClusterSize => {
                    let size = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
                    Arc::new(Int64Array::from_iter_values(clusters().map(|it| it.map_or(1, |it| size(it.size)))))
                }
                Column::Kept => {
                    Arc::new(verdicts.iter().map(|(_, is_removed)| Some(!is_removed)).collect::<BooleanArray>())
                }
            });
        }
        RecordBatch::try_new(schema.clone(), columns).map_err(|error| self.failed(&error))
    }
}

/// The ids of the rows, in order.
struct Ids {
    input: Input,
    /// The next row that makes a document, with its id.
    next: Option<(u64, Option<String>)>,
    row: u64,
}

impl Ids {
    /// Returns the id of the next row; none of a row that is no document.
    fn next(&mut self) -> Result<Option<String>> {
        let row = self.row;
        self.row += 1;
        loop {
            match &mut self.next {
                Some((of, id)) if *of == row => return Ok(id.take()),
                Some((of, _)) if *of > row => return Ok(None),
                _ => (),
            }
            let Some(entry) = self.input.next()? else {
                self.next = Some((u64::MAX, None));
                continue;
            };
            let id = match entry.content {
                EntryContent::Page(page) => Some(page.id),
                EntryContent::Fingerprint { id, .. } => Some(id),
                EntryContent::Sketch(entry) => {
                    nddb::Document::from_bytes(&entry.sketch).ok().map(|document| document.id().to_owned())
                }
                _ => None,
            };
            self.next = Some((entry.position.offset, id));
        }
    }
}

/// How the outputs are written: as the input is compressed, with its metadata.
fn properties(metadata: &ParquetMetaData) -> WriterProperties {
    let first = metadata.row_groups().first().and_then(|group| group.columns().first());
    let compression = first.map_or(Compression::ZSTD(ZstdLevel::default()), |column| column.compression());
    let pairs = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let pairs = pairs.into_iter().filter(|pair| pair.key != ARROW_SCHEMA).collect();
    WriterProperties::builder().set_compression(compression).set_key_value_metadata(Some(pairs)).build()
}

/// Writes rows; ends a row group that has become large.
fn write(writer: &mut ArrowWriter<&mut Published>, batch: &RecordBatch) -> parquet::errors::Result<()> {
    writer.write(batch)?;
    if writer.in_progress_size() > GROUP_SIZE { writer.flush() } else { Ok(()) }
}
