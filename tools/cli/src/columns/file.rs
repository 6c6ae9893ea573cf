//! A Parquet file, written a row at a time.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::cell::{Cell, Column, Kind};
use super::target::Target;
use crate::failure::{Failure, Result};

/// Rows that are encoded at once.
const BATCH: usize = 1 << 13;
/// Rows of a row group: what is written of it so far is in memory.
const ROW_GROUP: usize = 1 << 17;

/// A Parquet file with the columns of a table, for callbacks of the library: it stops the work when writing fails, and
/// says why afterwards. The same rows give the same bytes.
pub(crate) struct TableFile {
    target: Target,
    schema: SchemaRef,
    columns: Vec<Values>,
    rows: usize,
    writer: ArrowWriter<Vec<u8>>,
    failed: Option<Failure>,
}

/// The values of a column that are not encoded yet.
enum Values {
    Text(StringBuilder),
    Number(Int64Builder),
    Share(Float64Builder),
    Flag(BooleanBuilder),
}

impl TableFile {
    /// Writes a table to an output.
    pub(crate) fn new(target: Target, columns: &[Column]) -> Result<Self> {
        let fields = columns.iter().map(|column| Field::new(column.name, data_type(column.kind), true));
        let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(concat!("nddb ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties)).map_err(encoding)?;
        let columns = columns.iter().map(|column| Values::new(column.kind)).collect();
        Ok(Self { target, schema, columns, rows: 0, writer, failed: None })
    }

    /// Appends a row, with a value for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> nddb::Result<()> {
        assert_eq!(cells.len(), self.columns.len(), "a value for each column");
        for (values, cell) in self.columns.iter_mut().zip(cells) {
            values.append(cell);
        }
        self.rows += 1;
        if self.rows < BATCH { Ok(()) } else { self.encode() }
    }

    /// Ends the file, and says how the work ended.
    pub(crate) fn finish<T>(mut self, outcome: Result<T>) -> Result<T> {
        let ended = outcome.and_then(|done| {
            self.encode()?;
            self.writer.finish().map_err(encoding)?;
            self.target.write(&std::mem::take(self.writer.inner_mut()))?;
            Ok(done)
        });
        let done = match self.failed {
            Some(failure) => return Err(failure),
            None => ended?,
        };
        self.target.finish()?;
        Ok(done)
    }

    /// Encodes the rows that are not yet, and writes what is encoded.
    fn encode(&mut self) -> nddb::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let arrays: Vec<ArrayRef> = self.columns.iter_mut().map(Values::finish).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(ParquetError::from);
        let encoded = batch.and_then(|batch| self.writer.write(&batch)).map_err(encoding);
        encoded.and_then(|()| self.target.write(&std::mem::take(self.writer.inner_mut()))).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Values::Text(StringBuilder::new()),
            Kind::Number | Kind::Print => Values::Number(Int64Builder::new()),
            Kind::Share => Values::Share(Float64Builder::new()),
            Kind::Flag => Values::Flag(BooleanBuilder::new()),
        }
    }

    fn append(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Values::Text(values), Cell::Text(text)) => values.append_value(text),
            (Values::Number(values), Cell::Number(number)) => values.append_value(*number),
            (Values::Number(values), Cell::Print(fingerprint)) => values.append_value(fingerprint.0.cast_signed()),
            (Values::Share(values), Cell::Share(share)) => values.append_value(*share),
            (Values::Flag(values), Cell::Flag(flag)) => values.append_value(*flag),
            (Values::Text(values), Cell::Null) => values.append_null(),
            (Values::Number(values), Cell::Null) => values.append_null(),
            (Values::Share(values), Cell::Null) => values.append_null(),
            (Values::Flag(values), Cell::Null) => values.append_null(),
            (_, cell) => unreachable!("{cell:?} in a column of another kind"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Values::Text(values) => ArrayBuilder::finish(values),
            Values::Number(values) => ArrayBuilder::finish(values),
            Values::Share(values) => ArrayBuilder::finish(values),
            Values::Flag(values) => ArrayBuilder::finish(values),
        }
    }
}

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Number | Kind::Print => DataType::Int64,
        Kind::Share => DataType::Float64,
        Kind::Flag => DataType::Boolean,
    }
}

fn encoding(error: ParquetError) -> Failure {
    Failure::failed(format!("the table cannot be encoded: {error}"))
}
