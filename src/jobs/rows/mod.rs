//! Tables of rows and typed columns, written as lines of JSON, TSV or CSV, or as a Parquet file.

#[cfg(feature = "parquet")]
mod batch;
mod cell;
#[cfg(feature = "parquet")]
mod file;
mod ids;
#[cfg(feature = "parquet")]
mod leaves;

use std::io::Write;
use std::path::Path;

use nddb_archive::Format;
use nddb_format::record::ShownId;

#[cfg(feature = "parquet")]
pub use self::batch::{RowBatch, schema};
pub use self::cell::{Cell, CellKind, Column};
#[cfg(feature = "parquet")]
use self::file::TableFile;
pub use self::ids::{IdCells, write_id};
#[cfg(feature = "parquet")]
pub(crate) use self::leaves::{leaf, write_values};
use crate::error::{JobError, Result};
use crate::json::{self, Put};
use crate::output;
use crate::packed::PackedFile;
use crate::tsv;

nddb_format::named! {
    /// How rows are written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RowFormat {
        /// One JSON object per line, whose keys are the names of the columns.
        Jsonl = "jsonl",
        /// Values separated by tabs, without a header line; nulls are empty.
        Tsv = "tsv",
        /// Values separated by commas, quoted where they must be, below a header line; nulls are empty.
        Csv = "csv",
        /// A Parquet file, compressed with zstd.
        Parquet = "parquet",
    }
}

impl RowFormat {
    /// The formats that endings of names say.
    const ENDINGS: [(Format, Self); 4] = [
        (Format::Jsonl, Self::Jsonl),
        (Format::Tsv, Self::Tsv),
        (Format::Csv, Self::Csv),
        (Format::Parquet, Self::Parquet),
    ];

    /// Returns the format of a table: `given` by an option, else by the name of the file, else the `usual` one.
    ///
    /// # Errors
    /// As [`output::format_of`].
    pub fn of(path: Option<&Path>, given: Option<impl Into<Self>>, usual: Self) -> output::Result<Self> {
        let path = path.unwrap_or(Path::new("-"));
        output::format_of(path, given.map(Into::into), &Self::ENDINGS, usual)
    }
}

/// A table that is being written, also in callbacks of the library: if writing fails there, the callback stops the
/// work, and [`Rows::finish`] returns the error.
pub struct Rows {
    columns: Vec<Column>,
    to: To,
    failed: Option<JobError>,
}

#[allow(clippy::large_enum_variant, reason = "there is one for each output")]
enum To {
    Text {
        format: RowFormat,
        output: PackedFile,
        line: Vec<u8>,
    },
    #[cfg(feature = "parquet")]
    Table(Box<TableFile>),
}

impl Rows {
    /// Begins a table with these columns.
    ///
    /// # Errors
    /// A Parquet file, without the feature `parquet`.
    pub fn new(format: RowFormat, output: PackedFile, columns: Vec<Column>) -> Result<Self> {
        let to = match format {
            #[cfg(feature = "parquet")]
            RowFormat::Parquet => To::Table(Box::new(TableFile::new(output, &columns)?)),
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => {
                let why = "this nddb was compiled without Parquet: compile it with --features parquet";
                return Err(JobError::options(why));
            }
            text => {
                let mut output = output;
                if text == RowFormat::Csv {
                    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                    write(&mut output, format!("{}\n", names.join(",")).as_bytes())?;
                }
                To::Text { format: text, output, line: Vec::new() }
            }
        };
        Ok(Self { columns, to, failed: None })
    }

    /// Writes a line with the names of the columns first, where the format has no other names.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn with_names(mut self) -> Result<Self> {
        if let To::Text { format: RowFormat::Tsv, output, .. } = &mut self.to {
            let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
            write(output, format!("{}\n", names.join("\t")).as_bytes())?;
        }
        Ok(self)
    }

    /// Appends a row, with a value for each column.
    ///
    /// # Errors
    /// [`nddb_index::Error::Cancelled`] if it cannot be written: [`Rows::finish`] says why.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> nddb_index::Result<()> {
        let written = match &mut self.to {
            #[cfg(feature = "parquet")]
            To::Table(table) => table.row(cells),
            To::Text { format, output, line } => {
                line.clear();
                match format {
                    RowFormat::Jsonl => json_line(line, &self.columns, cells),
                    RowFormat::Csv => csv_line(line, cells),
                    _ => tsv_line(line, cells),
                }
                write(output, line)
            }
        };
        written.map_err(|error| {
            self.failed = Some(error);
            nddb_index::Error::Cancelled
        })
    }

    /// Completes the table; returns the outcome of the work, or the error of writing.
    ///
    /// # Errors
    /// The error of the work; the output cannot be written.
    pub fn finish<T, E: From<JobError>>(self, outcome: Result<T, E>) -> Result<T, E> {
        if let Some(failed) = self.failed {
            return Err(failed.into());
        }
        let done = outcome?;
        match self.to {
            #[cfg(feature = "parquet")]
            To::Table(table) => table.finish()?,
            To::Text { output, .. } => drop(output.finish().map_err(JobError::Output)?),
        }
        Ok(done)
    }
}

fn write(output: &mut PackedFile, bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).map_err(|error| output.failed(error).into())
}

fn json_line(out: &mut Vec<u8>, columns: &[Column], cells: &[Cell<'_>]) {
    for (index, (column, cell)) in columns.iter().zip(cells).enumerate() {
        out.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(column.name.as_bytes());
        out.extend_from_slice(b"\":");
        json_value(out, cell);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a value as JSON.
pub fn json_value(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Text(text) => json::serialized(out, text),
        Cell::Json(json) => out.extend_from_slice(json.as_bytes()),
        Cell::Id { id, .. } => json::Id(id).put(out),
        Cell::Print(_) => {
            out.push(b'"');
            tsv_value(out, cell);
            out.push(b'"');
        }
        cell => tsv_value(out, cell),
    }
}

fn tsv_line(out: &mut Vec<u8>, cells: &[Cell<'_>]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        tsv_value(out, cell);
    }
    out.push(b'\n');
}

/// A row by RFC 4180, with the line ends of Unix.
fn csv_line(out: &mut Vec<u8>, cells: &[Cell<'_>]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let text = match cell {
            Cell::Text(text) | Cell::Json(text) => (*text).to_owned(),
            Cell::Id { id, .. } => ShownId(id).to_string(),
            cell => {
                tsv_value(out, cell);
                continue;
            }
        };
        if text.contains([',', '"', '\n', '\r']) {
            out.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes());
        } else {
            out.extend_from_slice(text.as_bytes());
        }
    }
    out.push(b'\n');
}

/// Appends a value as a column of TSV.
pub fn tsv_value(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Null => {}
        Cell::Text(text) | Cell::Json(text) => tsv::write_text(out, text),
        Cell::Id { id, has_namesake } => tsv::write_id(out, id, *has_namesake),
        Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Cell::Print(fingerprint) => json::hex(out, *fingerprint),
        Cell::Share(share) => out.extend_from_slice(format!("{share:.6}").as_bytes()),
        Cell::Flag(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::Fingerprint;

    use super::*;

    #[test]
    fn a_row_is_a_line_of_json_or_of_tsv() {
        let kinds =
            [CellKind::Text, CellKind::Number, CellKind::Print, CellKind::Share, CellKind::Flag, CellKind::Text];
        let columns: Vec<Column> =
            ["a", "b", "c", "d", "e", "f"].into_iter().zip(kinds).map(|(name, kind)| Column::new(name, kind)).collect();
        let cells = ["x\t\"".into(), Cell::Number(-7), Fingerprint(255).into(), 0.5.into(), true.into(), Cell::Null];
        let mut line = Vec::new();
        json_line(&mut line, &columns, &cells);
        let want = r#"{"a":"x\t\"","b":-7,"c":"00000000000000ff","d":0.500000,"e":true,"f":null}"#;
        assert_eq!(String::from_utf8(line).expect("text"), format!("{want}\n"));
        let mut line = Vec::new();
        tsv_line(&mut line, &cells);
        assert_eq!(line, b"x\\t\"\t-7\t00000000000000ff\t0.500000\ttrue\t\n");
    }
}
