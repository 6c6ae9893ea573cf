//! A Parquet file, written a row at a time.

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::batch::RowBatch;
use super::cell::{Cell, Column};
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
    rows: RowBatch,
    writer: ArrowWriter<Vec<u8>>,
    failed: Option<Failure>,
}

impl TableFile {
    /// Writes a table to an output.
    pub(crate) fn new(target: Target, columns: &[Column]) -> Result<Self> {
        let rows = RowBatch::new(columns);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(concat!("nddb ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).map_err(encoding)?;
        Ok(Self { target, rows, writer, failed: None })
    }

    /// Appends a row, with a value for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> nddb::Result<()> {
        self.rows.row(cells);
        if self.rows.rows() < BATCH { Ok(()) } else { self.encode() }
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
        if self.rows.rows() == 0 {
            return Ok(());
        }
        let batch = self.rows.take().map_err(ParquetError::from);
        let encoded = batch.and_then(|batch| self.writer.write(&batch)).map_err(encoding);
        encoded.and_then(|()| self.target.write(&std::mem::take(self.writer.inner_mut()))).map_err(|failure| {
            self.failed = Some(failure);
            nddb::Error::Cancelled
        })
    }
}

fn encoding(error: ParquetError) -> Failure {
    Failure::failed(format!("the table cannot be encoded: {error}"))
}
