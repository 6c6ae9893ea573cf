//! Matches of fingerprints as rows.

use std::path::PathBuf;

use clap::ValueEnum;
use nddb::{BatchMatch, View};

use crate::args::Global;
use crate::columns::{Column, Kind, RowFormat, Rows};
use crate::failure::Result;
use crate::ids::Cells;

/// Default memory for queries and their matches.
pub(crate) const MEMORY: u64 = 1 << 30;

/// How to write matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MatchFormat {
    /// Columns separated by tabs
    #[default]
    Tsv,
    /// A Parquet file, compressed with zstd
    Parquet,
}

impl From<MatchFormat> for RowFormat {
    fn from(format: MatchFormat) -> Self {
        match format {
            MatchFormat::Tsv => RowFormat::Tsv,
            MatchFormat::Parquet => RowFormat::Parquet,
        }
    }
}

/// The options for the output of matches.
#[derive(Debug, clap::Args)]
pub(crate) struct MatchOutput {
    /// How to write matches
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: MatchFormat,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl MatchOutput {
    /// Returns the ids of a database as cells.
    pub(crate) fn ids<'a>(&self, view: View<'a>) -> Result<Cells<'a>> {
        Ok(Cells::new(view, self.format.into())?)
    }

    /// Begins the rows.
    pub(crate) fn rows(&self, with_id: bool, global: &Global) -> Result<Rows> {
        let to = global.output("-o", self.output.as_deref())?;
        Rows::chosen(self.format.into(), &to, columns(with_id))
    }
}

/// Writes a match with its id.
pub(crate) fn write_match(rows: &mut Rows, ids: &Cells<'_>, found: BatchMatch<'_>) -> nddb::Result<()> {
    rows.row(&[found.query.into(), found.fingerprint.into(), found.distance.into(), ids.cell(found.id)?])
}

/// The columns of matches.
pub fn columns(with_id: bool) -> Vec<Column> {
    let columns = [("query", Kind::Number), ("fp", Kind::Print), ("distance", Kind::Number), ("id", Kind::Text)];
    columns.into_iter().take(if with_id { 4 } else { 3 }).map(|(name, kind)| Column::new(name, kind)).collect()
}
