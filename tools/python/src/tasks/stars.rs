//! The founders of stars.

use arrow_array::Array;
use nddb::detect::steps::{Choose, Stars};
use nddb_jobs::rows::{CellKind, Column, schema};
use pyo3::prelude::*;

use super::columns::{Numbers, table};
use crate::errors::Result;
use crate::recipe::Tables;
use crate::stream::Stream;
use crate::tables::RowSender;

/// Number of the document, and of the founder that it joined.
const COLUMNS: [Column; 2] = [Column::new("number", CellKind::Number), Column::new("founder", CellKind::Number)];

/// Assigns leaders of classes to founders, in one pass over all pairs of leaders: a Stream of number, founder.
///
/// `pairs` has the columns newer, older and nearness, and is sorted by newer, then by older. Memory holds a bit for
/// each document that joined another. Leaders that are not in the result are founders.
#[pyfunction]
pub(crate) fn stars(pairs: &Bound<'_, PyAny>) -> Result<Stream> {
    let tables = Tables::new(pairs)?;
    Ok(Stream::new(schema(&COLUMNS), move |sink| {
        let (mut rows, mut stars) = (RowSender::new(sink, &COLUMNS), Stars::default());
        for array in tables.take()? {
            let given = table(array)?;
            let (newer, older) = (Numbers::new(&given, "newer")?, Numbers::new(&given, "older")?);
            let nearness = Numbers::new(&given, "nearness")?;
            for row in 0..given.len() {
                if let Some((number, founder)) = stars.push(newer.get(row)?, older.get(row)?, nearness.get(row)?) {
                    rows.row(&[number.into(), founder.into()])?;
                }
            }
        }
        if let Some((number, founder)) = stars.end() {
            rows.row(&[number.into(), founder.into()])?;
        }
        Ok(rows.send()?)
    }))
}

/// Assigns documents to founders, for classes whose leader joined a founder: a Stream of number, founder.
///
/// `rows` has the members of classes, and the founders near to their leader. Its columns are leader, number, nearness
/// (None for members) and joined (for members: the founder that the leader joined). It is sorted by leader and number.
#[pyfunction]
pub(crate) fn choose(rows: &Bound<'_, PyAny>) -> Result<Stream> {
    let tables = Tables::new(rows)?;
    Ok(Stream::new(schema(&COLUMNS), move |sink| {
        let (mut rows, mut choose) = (RowSender::new(sink, &COLUMNS), Choose::default());
        for array in tables.take()? {
            let given = table(array)?;
            let (leaders, numbers) = (Numbers::new(&given, "leader")?, Numbers::new(&given, "number")?);
            let (nearness, joined) = (Numbers::new(&given, "nearness")?, Numbers::new(&given, "joined")?);
            for row in 0..given.len() {
                let (leader, number) = (leaders.get(row)?, numbers.get(row)?);
                match nearness.optional(row) {
                    Some(nearness) => choose.founder(leader, number, nearness),
                    None => {
                        let founder = choose.member(leader, joined.get(row)?);
                        rows.row(&[number.into(), founder.into()])?;
                    }
                }
            }
        }
        Ok(rows.send()?)
    }))
}
