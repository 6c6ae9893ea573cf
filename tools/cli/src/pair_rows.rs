//! Pairs and groups as rows of a table.

use clap::ValueEnum;
use nddb::detect::{Collection, Line};

use crate::columns::{Cell, Column, Kind, Rows};
use crate::described::With;
use crate::failure::{Failure, Result};
use crate::losses;
use crate::pair_lines::{Format, Losses};
use crate::stored_scores;

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
    pub(crate) fn lines(self, with: &[With]) -> Result<Option<Format>> {
        match self {
            Self::Jsonl => Ok(Some(Format::Jsonl)),
            Self::Tsv => Ok(Some(Format::Tsv)),
            Self::Parquet if with.is_empty() => Ok(None),
            Self::Parquet => Err(Failure::usage(
                "--with is of lines: join the table with that of nddb export --columns id,url,tokens --format parquet",
            )),
        }
    }
}

const NAMES: [(&str, Kind); 5] =
    [("a", Kind::Text), ("b", Kind::Text), ("group", Kind::Text), ("flagged", Kind::Flag), ("method", Kind::Text)];
const VERDICT: Column = Column::new("verdict", Kind::Text);
const NO_LOSSES: [Cell<'static>; losses::OF_PAIR.len()] = [Cell::Null; losses::OF_PAIR.len()];

/// The columns of pairs and groups.
pub fn columns() -> Vec<Column> {
    let names = NAMES.map(|(name, kind)| Column::new(name, kind));
    [names.to_vec(), stored_scores::columns(), vec![VERDICT], losses::OF_PAIR.to_vec()].concat()
}

/// A table of one result.
pub(crate) struct PairRows<'a> {
    collection: &'a Collection,
    method: &'static str,
    rows: Rows,
}

impl<'a> PairRows<'a> {
    pub(crate) fn new(collection: &'a Collection, method: &'static str, rows: Rows) -> Self {
        Self { collection, method, rows }
    }

    /// Appends the row of a pair; for a group, a row without scores for each member except its founder.
    pub(crate) fn write(&mut self, line: &Line<'_>) -> nddb::Result<()> {
        rows(self.collection, self.method, line, &mut |cells| self.rows.row(cells))
    }

    /// Completes the table; returns the outcome of the work, or the error of writing.
    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        self.rows.finish(outcome)
    }
}

/// Makes the row of a pair; for a group, a row without scores for each member except its founder.
pub fn rows(
    collection: &Collection,
    method: &str,
    line: &Line<'_>,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb::Result<()>,
) -> nddb::Result<()> {
    match line {
        Line::Pair(pair) => {
            let (a, b) = (Cell::id(collection.id(pair.a)), Cell::id(collection.id(pair.b)));
            let names = [a, b, Cell::Null, Cell::Null, method.into()];
            let losses = Losses::of(collection, pair);
            let losses = losses.as_ref().map_or_else(|| NO_LOSSES.to_vec(), Losses::cells);
            let scores = stored_scores::cells(Some(&pair.measures));
            emit(&[&names[..], &scores, &[(&*pair.verdict()).into()], &losses].concat())
        }
        Line::Group(group) => group.members.iter().filter(|&&member| member != group.founder).try_for_each(|&member| {
            let names = [
                Cell::id(collection.id(group.founder)),
                Cell::id(collection.id(member)),
                group.kind.name().into(),
                group.flagged.into(),
                method.into(),
            ];
            emit(&[&names[..], &stored_scores::cells(None), &[Cell::Null], &NO_LOSSES].concat())
        }),
    }
}
