//! A Parquet file, written a row at a time.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use super::batch::RowBatch;
use super::cell::{Cell, Column};
use super::leaves;
use crate::failure::{Failure, Result};
use crate::output::Output;

/// Maximum number of rows of a row group, and of bytes of their texts: they stay in memory until the group is written.
const ROWS_MAX: usize = 1 << 17;
const TEXT_MAX: usize = 64 << 20;

/// A Parquet file with the columns of a table, written in callbacks of the library. If writing fails, the callback
/// stops the work, and `finish` returns the error. The same rows give the same bytes.
pub(crate) struct TableFile {
    output: Output,
    rows: RowBatch,
    /// Bytes of the texts of the rows.
    text: usize,
    writer: SerializedFileWriter<Vec<u8>>,
    failed: Option<Failure>,
}

impl TableFile {
    /// Writes a table to an output.
    pub(crate) fn new(output: Output, columns: &[Column]) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("nddb ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let schema = leaves::schema(columns).map_err(encoding)?;
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).map_err(encoding)?;
        Ok(Self { output, rows: RowBatch::new(columns), text: 0, writer, failed: None })
    }

    /// Appends a row, with a value for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> nddb::Result<()> {
        self.rows.row(cells);
        let texts = cells.iter().map(|cell| match cell {
            Cell::Text(text) | Cell::Id { id: text, .. } => text.len(),
            _ => 0,
        });
        self.text += texts.sum::<usize>();
        if self.rows.rows() < ROWS_MAX && self.text < TEXT_MAX { Ok(()) } else { self.encode() }
    }

    /// Completes the file; returns the outcome of the work, or the error of writing.
    pub(crate) fn finish<T>(mut self, outcome: Result<T>) -> Result<T> {
        let ended = outcome.and_then(|done| {
            self.encode()?;
            self.writer.finish().map_err(encoding)?;
            self.output.write(&std::mem::take(self.writer.inner_mut()))?;
            Ok(done)
        });
        match self.failed {
            Some(failure) => Err(failure),
            None => self.output.finish_after(ended),
        }
    }

    /// Encodes the rows as a row group, and writes the encoded bytes.
    fn encode(&mut self) -> nddb::Result<()> {
        if self.rows.rows() == 0 {
            return Ok(());
        }
        self.text = 0;
        let rows = self.rows.take().map_err(|error| ParquetError::General(error.to_string()));
        let encoded = rows.and_then(|rows| leaves::write(&mut self.writer, &rows)).map_err(encoding);
        encoded.and_then(|()| self.output.write(&std::mem::take(self.writer.inner_mut()))).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }
}

fn encoding(error: ParquetError) -> Failure {
    Failure::failed(format!("the table cannot be encoded: {error}"))
}
