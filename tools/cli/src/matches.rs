//! The options for matches of fingerprints as rows.

use std::path::PathBuf;

use clap::ValueEnum;
use nddb::View;
use nddb_jobs::fields::match_columns;
use nddb_jobs::rows::{IdCells, RowFormat, Rows};

use crate::args::Global;
use crate::failure::Result;
use crate::output;

/// Default memory for queries and their matches.
pub const MEMORY: u64 = 1 << 30;

/// How the rows of a table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// One JSON object per line
    Jsonl,
    /// Columns separated by tabs
    Tsv,
    /// Columns separated by commas, below a line with their names
    Csv,
    /// A Parquet file, compressed with zstd; fingerprints are signed 64-bit integers
    Parquet,
}

impl From<TableFormat> for RowFormat {
    fn from(format: TableFormat) -> Self {
        match format {
            TableFormat::Jsonl => RowFormat::Jsonl,
            TableFormat::Tsv => RowFormat::Tsv,
            TableFormat::Csv => RowFormat::Csv,
            TableFormat::Parquet => RowFormat::Parquet,
        }
    }
}

/// The options for the output of matches.
#[derive(Debug, clap::Args)]
pub struct MatchOutput {
    /// How to write matches [default: as the name of --output ends, else tsv]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl MatchOutput {
    /// Returns the ids of a database as cells.
    pub fn ids<'a>(&self, view: View<'a>) -> Result<IdCells<'a>> {
        Ok(IdCells::new(view, self.format()?)?)
    }

    fn format(&self) -> Result<RowFormat> {
        Ok(RowFormat::of(self.output.as_deref(), self.format, RowFormat::Tsv)?)
    }

    /// Begins the rows.
    pub fn rows(&self, with_id: bool, global: &Global) -> Result<Rows> {
        let format = self.format()?;
        let to = global.output("-o", self.output.as_deref())?;
        output::rows(format, &to, match_columns(with_id))
    }
}
