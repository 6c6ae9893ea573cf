//! A Parquet file, written a row at a time.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use super::batch::RowBatch;
use super::cell::{Cell, Column};
use super::leaves;
use super::write;
use crate::error::{JobError, Result};
use crate::packed::PackedFile;

/// Maximum number of rows of a row group, and of bytes of their texts: they stay in memory until the group is written.
const ROWS_MAX: usize = 1 << 17;
const TEXT_MAX: usize = 64 << 20;

/// A Parquet file with the columns of a table. The same rows give the same bytes.
pub(super) struct TableFile {
    output: PackedFile,
    rows: RowBatch,
    /// Bytes of the texts of the rows.
    text: usize,
    writer: SerializedFileWriter<Vec<u8>>,
}

impl TableFile {
    /// Writes a table to an output.
    pub(super) fn new(output: PackedFile, columns: &[Column]) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("nddb ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let schema = leaves::schema(columns).map_err(encoding)?;
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).map_err(encoding)?;
        Ok(Self { output, rows: RowBatch::new(columns), text: 0, writer })
    }

    /// Appends a row, with a value for each column.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        self.rows.row(cells);
        let texts = cells.iter().map(|cell| match cell {
            Cell::Text(text) | Cell::Id { id: text, .. } => text.len(),
            _ => 0,
        });
        self.text += texts.sum::<usize>();
        if self.rows.rows() < ROWS_MAX && self.text < TEXT_MAX { Ok(()) } else { self.encode() }
    }

    /// Completes the file.
    pub(super) fn finish(mut self) -> Result<()> {
        self.encode()?;
        self.writer.finish().map_err(encoding)?;
        self.hand_over()?;
        self.output.finish()?;
        Ok(())
    }

    /// Encodes the rows as a row group, and writes the encoded bytes.
    fn encode(&mut self) -> Result<()> {
        if self.rows.rows() == 0 {
            return Ok(());
        }
        self.text = 0;
        let rows = self.rows.take().map_err(|error| ParquetError::General(error.to_string()));
        rows.and_then(|rows| leaves::write(&mut self.writer, &rows)).map_err(encoding)?;
        self.hand_over()
    }

    fn hand_over(&mut self) -> Result<()> {
        write(&mut self.output, &std::mem::take(self.writer.inner_mut()))
    }
}

fn encoding(error: ParquetError) -> JobError {
    JobError::input(format!("the table cannot be encoded: {error}"))
}
