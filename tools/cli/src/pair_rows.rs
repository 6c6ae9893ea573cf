//! Pairs and groups as rows of a table.

use clap::ValueEnum;
use nddb::detect::{Collection, Line, Method};

use crate::columns::{Cell, Column, Kind, Rows, Target};
use crate::described::With;
use crate::failure::{Failure, Result};
use crate::pair_lines::Format;
use crate::stored_scores::{SAME, SCORES, same, scores};

/// How pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairFormat {
    /// One JSON object per line
    #[default]
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #
    Tsv,
    /// A Parquet file, compressed with zstd; a group is a row for each member but its founder
    Parquet,
}

impl PairFormat {
    /// Returns the format of lines; `None` of a table, of which nothing besides can be said.
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
const OF_TEXTS: [(&str, Kind); 3] = [("lcs", Kind::Share), ("lcs_containment", Kind::Share), ("cosine", Kind::Share)];
const VERDICT: (&str, Kind) = ("verdict", Kind::Text);

/// The columns of pairs and groups.
pub fn columns() -> Vec<Column> {
    let all = [&NAMES[..], &SCORES, &OF_TEXTS, &SAME, &[VERDICT]].concat();
    all.into_iter().map(|(name, kind)| Column::new(name, kind)).collect()
}

/// A table of one result.
pub(crate) struct PairRows<'a> {
    collection: &'a Collection,
    method: Method,
    rows: Rows,
}

impl<'a> PairRows<'a> {
    pub(crate) fn new(collection: &'a Collection, method: Method, target: Target) -> Result<Self> {
        Ok(Self { collection, method, rows: Rows::table(target, columns())? })
    }

    /// Appends a pair; of a group a row for each member but its founder, without scores.
    pub(crate) fn write(&mut self, line: &Line<'_>) -> nddb::Result<()> {
        rows(self.collection, self.method, line, &mut |cells| self.rows.row(cells))
    }

    /// Ends the table, and says how the work ended.
    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        self.rows.finish(outcome)
    }
}

/// Makes the rows of a pair or a group: of a group one for each member but its founder, without scores.
pub fn rows(
    collection: &Collection,
    method: Method,
    line: &Line<'_>,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb::Result<()>,
) -> nddb::Result<()> {
    match line {
        Line::Pair(pair) => {
            let (a, b) = (collection.id(pair.a).into(), collection.id(pair.b).into());
            let names = [a, b, Cell::Null, Cell::Null, method.name().into()];
            let evidence = &pair.evidence;
            let of_texts = [evidence.lcs_resemblance.into(), evidence.lcs_containment.into(), evidence.cosine.into()];
            let verdict = pair.verdict();
            let stored = Some(pair);
            emit(&[&names[..], &scores(stored), &of_texts, &same(stored), &[(&*verdict).into()]].concat())
        }
        Line::Group(group) => group.members.iter().filter(|&&member| member != group.founder).try_for_each(|&member| {
            let names = [
                collection.id(group.founder).into(),
                collection.id(member).into(),
                group.kind.name().into(),
                group.flagged.into(),
                method.name().into(),
            ];
            let unknown = [Cell::Null; SCORES.len() + OF_TEXTS.len() + SAME.len() + 1];
            emit(&[&names[..], &unknown].concat())
        }),
    }
}
