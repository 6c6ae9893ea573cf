//! Options of lists of fields: how pairs are written, and what lines say of documents besides their ids.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nddb_jobs::fields::{DescribedField, LineFormat};

use crate::failure::{Failure, Result};

/// Reads one of the fields of a list of the library; `of` returns its name and its help.
pub(crate) fn listed<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    of: fn(T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|&field| PossibleValue::new(of(field).0).help(of(field).1));
    PossibleValuesParser::new(values)
        .try_map(move |name| all.iter().copied().find(|&field| of(field).0 == name).ok_or("no such field"))
}

/// How pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairFormat {
    /// One JSON object per line
    #[default]
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #
    Tsv,
    /// A Parquet file, compressed with zstd; a group has a row for each member except its founder
    Parquet,
}

impl PairFormat {
    /// Returns the format of lines; `None` for a Parquet table, which has no optional columns.
    pub(crate) fn lines(self, with: &[DescribedField]) -> Result<Option<LineFormat>> {
        match self {
            Self::Jsonl => Ok(Some(LineFormat::Jsonl)),
            Self::Tsv => Ok(Some(LineFormat::Tsv)),
            Self::Parquet if with.is_empty() => Ok(None),
            Self::Parquet => Err(Failure::usage(
                "--with is of lines: join the table with that of nddb export --columns id,url,tokens --format parquet",
            )),
        }
    }
}

/// The option `--with`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WithArgs {
    /// Add columns for each document: url, title, tokens; titles are read again from the archives
    #[arg(long, value_parser = fields(), value_delimiter = ',', value_name = "WHAT", hide_possible_values = true)]
    with: Vec<DescribedField>,
}

impl WithArgs {
    /// Returns the wanted columns, each once.
    pub(crate) fn wanted(&self) -> Vec<DescribedField> {
        let mut with = self.with.clone();
        with.sort_unstable();
        with.dedup();
        with
    }
}

/// Reads the fields of `--with`.
fn fields() -> impl TypedValueParser<Value = DescribedField> {
    listed(&DescribedField::ALL, |field| (field.name(), field.help()))
}
