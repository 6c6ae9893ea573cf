//! Matches of fingerprints as rows.

use clap::ValueEnum;

use crate::columns::{Column, Kind, RowFormat};

/// How matches are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MatchFormat {
    /// Columns between tabs
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

/// The columns of matches.
pub fn columns(with_id: bool) -> Vec<Column> {
    let columns = [("query", Kind::Number), ("fp", Kind::Print), ("distance", Kind::Number), ("id", Kind::Text)];
    columns.into_iter().take(if with_id { 4 } else { 3 }).map(|(name, kind)| Column::new(name, kind)).collect()
}
