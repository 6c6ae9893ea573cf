//! Rows of Parquet files, with their schema, nested columns and metadata.
//!
//! The library reads the ids of a row group, as `load` does; then each column is read and passed on by itself, as it is
//! stored: with its levels, without knowing what it means. So a row is removed exactly if the document that was loaded
//! from it is, and a file of any types stays what it was.

mod fates;
mod schema;
mod split;

use std::io;
use std::path::Path;
use std::sync::Arc;

use nddb_archive::{Input, Options, text_fields};
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnDescPtr;

use self::fates::{Fates, Progress, RowIds};
use self::split::{Failed, Outputs};
use super::notes::{FilterField, Notes};
use super::selection::{FilterCounts, Selection};
use crate::error::{Advice, JobError, Result, chain};
use crate::input;
use crate::packed::PackedFile;
use crate::rows::{Column, RowBatch, write_values};

/// A Parquet file, by its name as the user gave it.
pub(super) struct ParquetFile<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a Options,
    pub(super) fields: &'a [FilterField],
}

impl ParquetFile<'_> {
    /// FilterCounts the ids of all rows.
    pub(super) fn count(&self, selection: &mut Selection, progress: Progress<'_>) -> Result<()> {
        RowIds::of(Input::open(self.path, self.options)?).count(selection, progress)
    }

    /// Reads the texts of the rows that are kept, of which some is cut when they are passed on.
    pub(super) fn read_texts(&self, selection: &mut Selection, progress: Progress<'_>) -> Result<()> {
        let file = input::random_access(self.path)?;
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|error| self.failed(&error))?;
        let (options, _) = self.with_text(&metadata)?;
        RowIds::of(Input::open(self.path, &options)?).count(selection, progress)
    }

    /// Returns the options by which texts are read that are cut, and the column of these texts: the preferred one.
    fn with_text(&self, metadata: &ParquetMetaData) -> Result<(Options, usize)> {
        let columns = metadata.file_metadata().schema_descr().columns();
        let place = |name: &str| {
            let is_text = |column: &ColumnDescPtr| {
                let is_flat = column.max_rep_level() == 0 && column.physical_type() == Type::BYTE_ARRAY;
                is_flat && column.path().string() == name
            };
            Some((name.to_owned(), columns.iter().position(is_text)?))
        };
        let Some((name, column)) = text_fields(self.options).into_iter().find_map(place) else {
            let message = format!("{}: has no column of texts that can be cut", self.path.display());
            return Err(JobError::input(message));
        };
        let mut options = self.options.clone();
        options.required.push(name.clone());
        options.fields.text = name;
        Ok((options, column))
    }

    /// Passes the rows on to `kept` or `removed`. A row group stays one.
    pub(super) fn filter(
        &self,
        selection: &mut Selection,
        kept: &mut PackedFile,
        removed: Option<&mut PackedFile>,
        progress: Progress<'_>,
    ) -> Result<FilterCounts> {
        let failed = |error: ParquetError| self.failed(&error);
        let file = Arc::new(input::random_access(self.path)?);
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&*file).map_err(failed)?;
        let columns: Vec<Column> = self.fields.iter().map(|field| field.column()).collect();
        if let Some(name) = schema::taken(&metadata, &columns) {
            let message = format!("{}: has a column '{name}' already", self.path.display());
            return Err(JobError::input(message).advise(Advice::LeaveOut));
        }
        let root = schema::with_columns(&metadata, &columns).map_err(failed)?;
        let properties = Arc::new(Self::properties(&metadata, &columns));
        let writer = |out| {
            let writer = SerializedFileWriter::new(out, root.clone(), properties.clone());
            writer.map_err(|error| self.unwritten(error))
        };
        let mut outputs: Outputs<_> = [Some(writer(kept)?), removed.map(writer).transpose()?];
        let cut = selection.cutter.is_some().then(|| self.with_text(&metadata)).transpose()?;
        let options = cut.as_ref().map_or(self.options, |(options, _)| options);
        let cut = cut.as_ref().map(|(_, column)| *column);
        let mut ids = RowIds::of(Input::open(self.path, options)?);
        let mut counts = FilterCounts::default();
        for group in metadata.row_groups() {
            let rows = u64::try_from(group.num_rows()).unwrap_or(0);
            let fates = ids.fates(rows, selection, !self.fields.is_empty(), &mut counts, progress)?;
            self.split(&file, group, (&fates, &selection.notes, cut), &mut outputs, &mut || progress(&counts))?;
        }
        for writer in outputs.into_iter().flatten() {
            writer.close().map_err(|error| self.unwritten(error))?;
        }
        counts.bytes = input::size(self.path);
        Ok(counts)
    }

    /// Passes the columns of a row group on, one after the other.
    fn split(
        &self,
        file: &Arc<impl ChunkReader + 'static>,
        group: &RowGroupMetaData,
        (fates, notes, cut): (&Fates, &Notes, Option<usize>),
        outputs: &mut Outputs<SerializedFileWriter<&mut PackedFile>>,
        progress: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let unwritten = |error| self.unwritten(error);
        let mut groups: Outputs<SerializedRowGroupWriter<'_, _>> = [None, None];
        for ((group, output), rows) in groups.iter_mut().zip(outputs).zip(fates.rows()) {
            // A row group without rows is left out.
            if let (Some(output), true) = (output, rows > 0) {
                *group = Some(output.next_row_group().map_err(unwritten)?);
            }
        }
        for column in 0..group.num_columns() {
            let values = values(file, group, column).map_err(|error| self.failed(&error))?;
            let mut writers = next(&mut groups).map_err(unwritten)?;
            let description = group.column(column).column_descr();
            split::split(values, description, fates, cut == Some(column), &mut writers).map_err(
                |failed| match failed {
                    Failed::Reading(error) => self.failed(&error),
                    Failed::Writing(error) => self.unwritten(error),
                },
            )?;
            close(writers).map_err(unwritten)?;
            progress()?;
        }
        for &field in self.fields {
            let writers = next(&mut groups).map_err(unwritten)?;
            for (are_removed, writer) in [false, true].into_iter().zip(writers) {
                if let Some(writer) = writer {
                    write_added(field, notes, fates, are_removed, writer).map_err(unwritten)?;
                }
            }
        }
        for group in groups.into_iter().flatten() {
            group.close().map_err(unwritten)?;
        }
        Ok(())
    }

    /// How the outputs are written: as the input is compressed, with its metadata.
    fn properties(metadata: &ParquetMetaData, columns: &[Column]) -> WriterProperties {
        let first = metadata.row_groups().first().and_then(|group| group.columns().first());
        let compression = first.map_or(Compression::ZSTD(ZstdLevel::default()), |column| column.compression());
        let pairs = schema::pairs(metadata, columns);
        WriterProperties::builder().set_compression(compression).set_key_value_metadata(Some(pairs)).build()
    }

    fn failed(&self, error: &dyn std::error::Error) -> JobError {
        JobError::input(format!("{}: {}", self.path.display(), chain(error)))
    }

    fn unwritten(&self, error: ParquetError) -> JobError {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(source) => JobError::passing(self.path, *source),
                Err(source) => self.failed(&*source),
            },
            error => self.failed(&error),
        }
    }
}

/// Opens a column of a row group.
fn values(
    file: &Arc<impl ChunkReader + 'static>,
    group: &RowGroupMetaData,
    column: usize,
) -> Result<ColumnReader, ParquetError> {
    let chunk = group.column(column);
    let pages = SerializedPageReader::new(file.clone(), chunk, usize::try_from(group.num_rows())?, None)?;
    Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
}

/// Begins the next column of each output.
fn next<'a>(
    groups: &'a mut Outputs<SerializedRowGroupWriter<'_, &mut PackedFile>>,
) -> Result<Outputs<SerializedColumnWriter<'a>>, ParquetError> {
    let mut writers = [None, None];
    for (writer, group) in writers.iter_mut().zip(groups) {
        if let Some(group) = group {
            *writer = group.next_column()?;
        }
    }
    Ok(writers)
}

fn close(writers: Outputs<SerializedColumnWriter<'_>>) -> Result<(), ParquetError> {
    writers.into_iter().flatten().try_for_each(SerializedColumnWriter::close)
}

/// Writes a column that is added, for the rows of a row group that are removed, or kept.
fn write_added(
    field: FilterField,
    notes: &Notes,
    fates: &Fates,
    are_removed: bool,
    writer: SerializedColumnWriter<'_>,
) -> parquet::errors::Result<()> {
    let mut rows = RowBatch::new(&[field.column()]);
    fates.notes(are_removed).for_each(|note| rows.row(&[notes.cell(field, note)]));
    let rows = rows.take().map_err(|error| ParquetError::General(error.to_string()))?;
    write_values(rows.column(0), writer)
}
