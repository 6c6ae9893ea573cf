//! The measures of a pair as columns of tables: of pairs, and of the members of clusters.

use nddb::detect::{self, ColumnKind, Measures, Value};

use crate::columns::{Cell, Column, Kind};

/// Returns the columns of all measures.
pub(crate) fn columns() -> Vec<Column> {
    detect::columns().iter().map(column).collect()
}

/// Returns the columns of the measures that are computed from sketches.
pub fn stored_columns() -> Vec<Column> {
    detect::columns().iter().filter(|column| !column.of_texts).map(column).collect()
}

fn column(of: &detect::Column) -> Column {
    let kind = match of.kind {
        ColumnKind::Count => Kind::Number,
        ColumnKind::Share => Kind::Share,
        ColumnKind::Flag => Kind::Flag,
    };
    Column::new(of.name, kind)
}

/// Returns the cells of [`columns`]; without measures they are null.
pub(crate) fn cells(measures: Option<&Measures>) -> Vec<Cell<'static>> {
    match measures {
        Some(measures) => measures.each().map(|(_, value)| cell(value)).collect(),
        None => vec![Cell::Null; detect::columns().len()],
    }
}

/// Returns the cells of [`stored_columns`]; without measures they are null.
pub fn stored_cells(measures: Option<&Measures>) -> Vec<Cell<'static>> {
    let cells = cells(measures).into_iter().zip(detect::columns());
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
