//! Pairs and groups as rows of a table.

use nddb_dedup::{Collection, Line};

use super::pair_lines::Losses;
use super::{losses, measures};
use crate::rows::{Cell, CellKind, Column};

const NAMES: [(&str, CellKind); 5] = [
    ("a", CellKind::Text),
    ("b", CellKind::Text),
    ("group", CellKind::Text),
    ("flagged", CellKind::Flag),
    ("method", CellKind::Text),
];
const VERDICT: Column = Column::new("verdict", CellKind::Text);
const NO_LOSSES: [Cell<'static>; losses::OF_PAIR.len()] = [Cell::Null; losses::OF_PAIR.len()];

/// The columns of pairs and groups.
pub fn pair_columns() -> Vec<Column> {
    let names = NAMES.map(|(name, kind)| Column::new(name, kind));
    [names.to_vec(), measures::columns(), vec![VERDICT], losses::OF_PAIR.to_vec()].concat()
}

/// Makes the row of a pair; for a group, a row without scores for each member except its founder.
///
/// # Errors
/// Errors of `emit`.
pub fn pair_rows(
    collection: &Collection,
    method: &str,
    line: &Line,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    match line {
        Line::Pair(pair) => {
            let (a, b) = (Cell::id(collection.id(pair.a)), Cell::id(collection.id(pair.b)));
            let names = [a, b, Cell::Null, Cell::Null, method.into()];
            let losses = Losses::of(collection, pair);
            let losses = losses.as_ref().map_or_else(|| NO_LOSSES.to_vec(), Losses::cells);
            let scores = measures::cells(Some(&pair.measures));
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
            emit(&[&names[..], &measures::cells(None), &[Cell::Null], &NO_LOSSES].concat())
        }),
    }
}
