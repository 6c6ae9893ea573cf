//! Rows of a table, as lines of JSON, TSV or CSV, or as a Parquet file.

use std::io::{self, IsTerminal};
use std::path::Path;

use super::TableFile;
use super::cell::{Cell, Column};
use nddb::archive::Format;
use nddb_format::record::ShownId;
use nddb_jobs::output::{self, Destination};
use nddb_jobs::tsv;

use crate::failure::{Failure, Result};
use crate::json::{self, Put};
use crate::output::Output;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// One JSON object per line, whose keys are the names of the columns.
    Jsonl,
    /// Values separated by tabs, without a header line; nulls are empty.
    Tsv,
    /// Values separated by commas, quoted where they must be, below a header line; nulls are empty.
    Csv,
    Parquet,
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
    pub(crate) fn of(path: Option<&Path>, given: Option<impl Into<Self>>, usual: Self) -> Result<Self> {
        let path = path.unwrap_or(Path::new("-"));
        Ok(output::format_of(path, given.map(Into::into), &Self::ENDINGS, usual)?)
    }
}

/// A table that is being written, for callbacks of the library.
pub(crate) struct Rows {
    columns: Vec<Column>,
    to: To,
}

#[allow(clippy::large_enum_variant, reason = "there is one for each output")]
enum To {
    Text { format: RowFormat, output: Output, line: Vec<u8> },
    Table(Box<TableFile>),
}

impl Rows {
    /// Writes to the file of `-o`, or to stdout: a Parquet file not to a terminal, unless `-` says so.
    pub(crate) fn chosen(format: RowFormat, to: &Destination, columns: Vec<Column>) -> Result<Self> {
        match format {
            RowFormat::Parquet if is_terminal(to) => {
                Err(Failure::usage("refusing to write Parquet to a terminal; use -o FILE"))
            }
            RowFormat::Parquet => Self::table(Output::create(to)?, columns),
            text => {
                let mut output = Output::create(to)?;
                if text == RowFormat::Csv {
                    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                    output.line(&names.join(","))?;
                }
                Ok(Self { columns, to: To::Text { format: text, output, line: Vec::new() } })
            }
        }
    }

    /// Writes a Parquet file.
    pub(crate) fn table(output: Output, columns: Vec<Column>) -> Result<Self> {
        let to = To::Table(Box::new(TableFile::new(output, &columns)?));
        Ok(Self { columns, to })
    }

    /// Writes a line with the names of the columns first, where the format has no other names.
    pub(crate) fn with_names(mut self) -> Result<Self> {
        if let To::Text { format: RowFormat::Tsv, output, .. } = &mut self.to {
            let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
            output.line(&names.join("\t"))?;
        }
        Ok(self)
    }

    /// Appends a row, with a value for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> nddb::Result<()> {
        match &mut self.to {
            To::Table(table) => table.row(cells),
            To::Text { format, output, line } => {
                line.clear();
                match format {
                    RowFormat::Jsonl => json_line(line, &self.columns, cells),
                    RowFormat::Csv => csv_line(line, cells),
                    _ => tsv_line(line, cells),
                }
                output.emit(line)
            }
        }
    }

    /// Completes the table; returns the outcome of the work, or the error of writing.
    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        match self.to {
            To::Table(table) => table.finish(outcome),
            To::Text { output, .. } => output.finish_after(outcome),
        }
    }
}

/// Returns whether an output is the terminal, and no option names it.
fn is_terminal(to: &Destination) -> bool {
    to.is_stdout() && to.path() != Path::new("-") && io::stdout().is_terminal()
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
pub(crate) fn json_value(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Text(text) => json::serialized(out, text),
        Cell::Id { id, .. } => json::Id(id).put(out),
        Cell::Print(_) => {
            out.push(b'"');
            plain(out, cell);
            out.push(b'"');
        }
        cell => plain(out, cell),
    }
}

fn tsv_line(out: &mut Vec<u8>, cells: &[Cell<'_>]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        plain(out, cell);
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
            Cell::Text(text) => (*text).to_owned(),
            Cell::Id { id, .. } => ShownId(id).to_string(),
            cell => {
                plain(out, cell);
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
fn plain(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Null => {}
        Cell::Text(text) => tsv::write_text(out, text),
        Cell::Id { id, has_namesake } => tsv::write_id(out, id, *has_namesake),
        Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Cell::Print(fingerprint) => json::hex(out, *fingerprint),
        Cell::Share(share) => out.extend_from_slice(format!("{share:.6}").as_bytes()),
        Cell::Flag(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
    }
}

#[cfg(test)]
mod tests {
    use nddb::Fingerprint;

    use super::*;
    use crate::columns::Kind;

    #[test]
    fn a_row_is_a_line_of_json_or_of_tsv() {
        let kinds = [Kind::Text, Kind::Number, Kind::Print, Kind::Share, Kind::Flag, Kind::Text];
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
