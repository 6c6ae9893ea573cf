//! The measures of a pair: as columns of tables of pairs and of the members of clusters, and as fields of JSON of a
//! match.

use crate::json::Put;
use crate::rows::{Cell, CellKind, Column};
use nddb_dedup::NearDuplicate;
use nddb_verdict::{self as verdict, ColumnKind, Measures, Value};
use serde_json::{Map, Value as Json, json};

/// Returns the columns of all measures.
pub(super) fn columns() -> Vec<Column> {
    verdict::columns().iter().map(column).collect()
}

/// Returns the columns of the measures that are computed from sketches.
pub fn stored_columns() -> Vec<Column> {
    verdict::columns().iter().filter(|column| !column.of_texts).map(column).collect()
}

fn column(of: &verdict::Column) -> Column {
    let kind = match of.kind {
        ColumnKind::Count => CellKind::Number,
        ColumnKind::Share => CellKind::Share,
        ColumnKind::Flag => CellKind::Flag,
    };
    Column::new(of.name, kind)
}

/// Returns the cells of [`columns`]; without measures they are null.
pub(super) fn cells(measures: Option<&Measures>) -> Vec<Cell<'static>> {
    match measures {
        Some(measures) => measures.each().map(|(_, value)| cell(value)).collect(),
        None => vec![Cell::Null; verdict::columns().len()],
    }
}

/// Returns the cells of [`stored_columns`]; without measures they are null.
pub fn stored_cells(measures: Option<&Measures>) -> Vec<Cell<'static>> {
    let cells = cells(measures).into_iter().zip(verdict::columns());
    cells.filter(|(_, column)| !column.of_texts).map(|(cell, _)| cell).collect()
}

fn cell(value: Option<Value>) -> Cell<'static> {
    match value {
        None => Cell::Null,
        Some(Value::Count(count)) => count.into(),
        Some(Value::Share(share)) => share.into(),
        Some(Value::Flag(flag)) => flag.into(),
    }
}

/// A measure of a match; null if unknown.
#[derive(Clone, Copy)]
pub struct MeasureValue(Option<Value>);

impl From<MeasureValue> for Json {
    fn from(MeasureValue(value): MeasureValue) -> Self {
        match value {
            None => Json::Null,
            Some(Value::Count(count)) => count.into(),
            Some(Value::Share(share)) => share.into(),
            Some(Value::Flag(flag)) => flag.into(),
        }
    }
}

impl Put for MeasureValue {
    fn put(&self, out: &mut Vec<u8>) {
        match self.0 {
            None => None::<u32>.put(out),
            Some(Value::Count(count)) => Some(count).put(out),
            Some(Value::Share(share)) => Some(share).put(out),
            Some(Value::Flag(flag)) => Some(flag).put(out),
        }
    }
}

/// Measures that are not printed as scores: the distance has its own field before the address, and the first measure of
/// the compared texts suffices.
const NO_SCORES: [&str; 3] = ["distance", "lcs_containment", "cosine"];

/// The scores of a match, each with its name.
pub fn scores(measures: &Measures) -> impl Iterator<Item = (&'static str, MeasureValue)> + '_ {
    // Scores have six decimals, as in pair lines.
    let rounded = |value| match value {
        Some(Value::Share(share)) => Some(Value::Share((share * 1e6).round() / 1e6)),
        value => value,
    };
    let scores = measures.each().filter(|(column, _)| !NO_SCORES.contains(&column.name));
    scores.map(move |(column, value)| (column.name, MeasureValue(rounded(value))))
}

/// Adds the scores of a match without its distance, and the rule that decided; unknown ones are null.
pub fn add_evidence(object: &mut Map<String, Json>, alike: Option<&NearDuplicate>) {
    let unknown = Measures::default();
    for (name, score) in scores(alike.map_or(&unknown, |alike| &alike.measures)) {
        object.insert(name.into(), score.into());
    }
    object.insert("rule".into(), json!(alike.map(NearDuplicate::verdict)));
}
