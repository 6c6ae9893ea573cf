//! Functions of tables of sketches: the keys of candidate pairs, and the decision about a pair. They are what a
//! database does, for joins that an engine of tables makes.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use nddb::Document;
use nddb::detect::PairOptions;
use nddb::detect::outcome::PairLoss;
use nddb::detect::steps::{Decided, candidate_keys, compared, decided};
use nddb::verdict::{Decision, methods::Hamming};
use nddb_jobs::fields::{OF_PAIR, PairLossValues, sentence, stored_cells, stored_columns};
use nddb_jobs::rows::{Cell, CellKind, Column, schema};
use pyo3::prelude::*;

use crate::arrow::{Arrays, Bytes, column};
use crate::config::named;
use crate::errors::{Fault, Result};
use crate::judging::{method as named_method, set_known, within};
use crate::recipe::Tables;
use crate::stream::Stream;
use crate::tables::RowSender;

/// The columns of keys.
const KEYS: [Column; 2] = [Column::new("id", CellKind::Text), Column::new("key", CellKind::Number)];

const NEARNESS: Column = Column::new("nearness", CellKind::Number);

/// Returns the keys that find candidate pairs: a Stream with the columns id and key.
///
/// `sketches` is a table with the column `sketch` of `Recipe.sketch_batch`. Two documents are a candidate pair of the
/// method if they share a key. `k` applies to hamming. Raises UnusableMethod for a method that compares texts.
///
/// >>> import pyarrow
/// >>> table = pyarrow.table({"id": ["a", "b"], "text": [fox, fox + " again"]})
/// >>> sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(table))
/// >>> keys = [row["key"] for row in nddb.candidate_keys(sketches, "model")]
/// >>> len(set(keys)) < len(keys)
/// True
#[pyfunction]
#[pyo3(name = "candidate_keys", signature = (sketches, method="model", *, k=3, recipe="main", complete=false))]
pub(crate) fn py_candidate_keys(
    sketches: &Bound<'_, PyAny>,
    method: &str,
    k: u8,
    recipe: &str,
    complete: bool,
) -> Result<Stream> {
    let (kinds, tables) = (named(recipe)?.keys(), Tables::new(sketches)?);
    let mut method = within(named_method(method)?, k);
    set_known(&mut method, complete, None)?;
    let empty = Document::bare("none", nddb::Fingerprint(0))?;
    // A method without keys is refused at once.
    candidate_keys(&empty, kinds, &*method)?;
    Ok(Stream::new(schema(&KEYS), move |sink| {
        let mut rows = RowSender::new(sink, &KEYS);
        for document in documents(tables.take()?) {
            let document = document?;
            for key in candidate_keys(&document, kinds, &*method)? {
                rows.row(&[Cell::id(document.id()), Cell::Number(key.cast_signed())])?;
            }
        }
        Ok(rows.send()?)
    }))
}

/// Decides pairs of documents, row by row, from two tables with the column `sketch`.
///
/// Returns a Stream with the columns a, b, near (None if unknown), rule, the scores of `pairs`, and nearness, by which
/// founders of clusters are chosen. `or_hamming` lets hamming decide the pairs that the method cannot. `losses` adds
/// the loss columns of `pairs`, computed from the words in the sketches. Raises UnusableMethod for a method that
/// compares texts, ValueError if one table is shorter.
///
/// >>> import pyarrow
/// >>> table = pyarrow.table({"id": ["a", "b"], "text": [fox, fox + " again"]})
/// >>> sketches = pyarrow.table(nddb.Recipe("main").sketch_batch(table))
/// >>> [row["near"] for row in nddb.decide(sketches[:1], sketches[1:])]
/// [True]
#[pyfunction]
#[pyo3(signature = (a, b, method="model", *, k=3, min_probability=None, or_hamming=false, losses=false))]
pub(crate) fn decide(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    method: &str,
    k: u8,
    min_probability: Option<f64>,
    or_hamming: bool,
    losses: bool,
) -> Result<Stream> {
    let mut method = within(named_method(method)?, k);
    set_known(&mut method, false, min_probability)?;
    let or_hamming = or_hamming.then(|| Hamming::within(k.into()));
    let options = PairOptions { or_hamming, ..PairOptions::new(method) };
    // A method of texts is refused at once.
    let empty = Document::bare("none", nddb::Fingerprint(0))?;
    decided(&options, &empty, &empty)?;
    let (a, b) = (Tables::new(a)?, Tables::new(b)?);
    let first = [("a", CellKind::Text), ("b", CellKind::Text), ("near", CellKind::Flag), ("rule", CellKind::Text)];
    let first = first.map(|(name, kind)| Column::new(name, kind));
    let columns: Vec<Column> =
        [&first[..], &stored_columns(), &[NEARNESS], if losses { &OF_PAIR } else { &[] }].concat();
    Ok(Stream::new(schema(&columns), move |sink| {
        let mut rows = RowSender::new(sink, &columns);
        let (mut left, mut right) = (documents(a.take()?), documents(b.take()?));
        loop {
            let (a, b) = match (left.next().transpose()?, right.next().transpose()?) {
                (Some(a), Some(b)) => (a, b),
                (None, None) => return Ok(rows.send()?),
                _ => return Err(Fault::value("one of the two tables has fewer rows")),
            };
            let decided = decided(&options, &a, &b)?;
            let (near, rule) = match decided.decision {
                Decision::Near(rule) => (Some(true), rule),
                Decision::Apart => (Some(false), ""),
                Decision::Unknown => (None, ""),
            };
            let Decided { measures, score, .. } = decided;
            let is_near = near == Some(true);
            let cells = [Cell::id(a.id()), Cell::id(b.id()), near.into(), is_near.then_some(rule).into()];
            // That of identical documents is the greatest number.
            let nearness = is_near.then(|| i64::try_from(score).unwrap_or(i64::MAX));
            let mut cells = [&cells[..], &stored_cells(Some(&measures)), &[nearness.into()]].concat();
            let lost = losses.then(|| lost(&a, &b));
            if let Some((losses, why)) = &lost {
                cells.extend(losses.cells());
                cells.push((&**why).into());
            }
            rows.row(&cells)?;
        }
    }))
}

/// What either of two documents loses, and why they are near.
fn lost(a: &Document, b: &Document) -> (PairLossValues, String) {
    compared(a, b, |pair| {
        let loss = PairLoss::of_stored(pair, [a, b].map(|of| of.record().words.as_deref()));
        (PairLossValues::of(&loss), sentence(&loss, pair))
    })
}

/// The documents of a table with a column `sketch`.
pub(crate) fn documents(arrays: Arrays) -> impl Iterator<Item = Result<Document>> {
    arrays.flat_map(|array| {
        let read = || -> Result<Vec<Result<Document>>> {
            let array = array.map_err(|error| Fault::value(error.to_string()))?;
            let table = array.as_struct_opt().ok_or_else(|| Fault::value("a table is wanted, and this is an array"))?;
            let sketches = Bytes::new("sketch", column(table, "sketch")?)?;
            let document = |row| {
                let bytes =
                    sketches.get(row).ok_or_else(|| Fault::value(format!("the sketch of row {row} is null")))?;
                Document::from_bytes(bytes).map_err(|error| Fault::value(format!("row {row} holds no sketch: {error}")))
            };
            Ok((0..table.len()).map(document).collect())
        };
        read().unwrap_or_else(|fault| vec![Err(fault)])
    })
}
