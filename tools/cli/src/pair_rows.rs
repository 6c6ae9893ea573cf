//! Pairs and groups as rows of a table.

use clap::ValueEnum;
use nddb::detect::{Collection, Group, Line, Method, Pair};

use crate::columns::{Cell, Column, Kind, Rows, Target};
use crate::described::With;
use crate::failure::{Failure, Result};
use crate::pair_lines::Format;

/// How pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairFormat {
    /// A JSON object a line
    #[default]
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups stand behind a #
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

const COLUMNS: [(&str, Kind); 17] = [
    ("a", Kind::Text),
    ("b", Kind::Text),
    ("group", Kind::Text),
    ("flagged", Kind::Flag),
    ("method", Kind::Text),
    ("distance", Kind::Number),
    ("b_sim", Kind::Number),
    ("c_sim", Kind::Number),
    ("agreement", Kind::Number),
    ("probability", Kind::Share),
    ("resemblance", Kind::Share),
    ("lcs", Kind::Share),
    ("lcs_containment", Kind::Share),
    ("cosine", Kind::Share),
    ("same_site", Kind::Flag),
    ("same_heading", Kind::Flag),
    ("verdict", Kind::Text),
];

/// A table of one result.
pub(crate) struct PairRows<'a> {
    collection: &'a Collection,
    method: Method,
    rows: Rows,
}

impl<'a> PairRows<'a> {
    pub(crate) fn new(collection: &'a Collection, method: Method, target: Target) -> Result<Self> {
        let columns = COLUMNS.map(|(name, kind)| Column::new(name, kind)).to_vec();
        Ok(Self { collection, method, rows: Rows::table(target, columns)? })
    }

    /// Appends a pair; of a group a row for each member but its founder, without scores.
    pub(crate) fn write(&mut self, line: &Line<'_>) -> nddb::Result<()> {
        match line {
            Line::Pair(pair) => self.pair(pair),
            Line::Group(group) => self.group(group),
        }
    }

    /// Ends the table, and says how the work ended.
    pub(crate) fn finish<T>(self, outcome: Result<T>) -> Result<T> {
        self.rows.finish(outcome)
    }

    fn pair(&mut self, pair: &Pair) -> nddb::Result<()> {
        let evidence = &pair.evidence;
        self.rows.row(&[
            self.collection.id(pair.a).into(),
            self.collection.id(pair.b).into(),
            Cell::Null,
            Cell::Null,
            self.method.name().into(),
            evidence.distance.into(),
            evidence.b_similarity.into(),
            evidence.c_similarity.into(),
            evidence.agreement.into(),
            pair.probability.into(),
            evidence.likely_resemblance().into(),
            evidence.lcs_resemblance.into(),
            evidence.lcs_containment.into(),
            evidence.cosine.into(),
            evidence.same_site.into(),
            evidence.same_heading.into(),
            (&*pair.verdict()).into(),
        ])
    }

    fn group(&mut self, group: &Group<'_>) -> nddb::Result<()> {
        for &member in group.members.iter().filter(|&&member| member != group.founder) {
            let mut cells = [Cell::Null; COLUMNS.len()];
            cells[..5].copy_from_slice(&[
                self.collection.id(group.founder).into(),
                self.collection.id(member).into(),
                group.kind.name().into(),
                group.flagged.into(),
                self.method.name().into(),
            ]);
            self.rows.row(&cells)?;
        }
        Ok(())
    }
}
