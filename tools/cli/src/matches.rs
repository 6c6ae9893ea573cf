//! The options for matches of fingerprints as rows.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use nddb::View;
use nddb_jobs::fields::match_columns;
use nddb_jobs::rows::{IdCells, RowFormat, Rows};

use crate::args::Global;
use crate::described::listed;
use crate::failure::Result;
use crate::output;

/// Default memory for queries and their matches.
pub const MEMORY: u64 = 1 << 30;

/// Reads how the rows of a table are written.
pub(crate) fn table_format() -> impl TypedValueParser<Value = RowFormat> {
    listed(&RowFormat::ALL, |format| {
        let help = match format {
            RowFormat::Jsonl => "One JSON object per line",
            RowFormat::Tsv => "Columns separated by tabs",
            RowFormat::Csv => "Columns separated by commas, below a line with their names",
            RowFormat::Parquet => "A Parquet file, compressed with zstd; fingerprints are signed 64-bit integers",
        };
        (format.name(), help)
    })
}

/// The options for the output of matches.
#[derive(Debug, clap::Args)]
pub struct MatchOutput {
    /// How to write matches [default: as the name of --output ends, else tsv]
    #[arg(long, value_parser = table_format(), value_name = "FORMAT")]
    format: Option<RowFormat>,
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
