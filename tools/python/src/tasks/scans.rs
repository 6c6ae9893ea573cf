//! Batch queries in parts: the ranges of a database, scans of them, and what they found as documents.

use std::path::{Path, PathBuf};

use nddb::scan::{Resolving, ScanRange, scan_segment};
use nddb::{BatchMatch, Fingerprint, Reader, Within};
use nddb_jobs::fields::match_columns;
use nddb_jobs::rows::{Cell, CellKind, Column, schema};
use pyo3::prelude::*;

use super::columns::{Numbers, table};
use crate::arrow;
use crate::errors::{Fault, Result};
use crate::recipe::Tables;
use crate::stream::Stream;
use crate::tables::RowSender;

/// The file of a range, its first block and the number of its blocks.
const RANGES: [Column; 3] = [
    Column::new("source", CellKind::Text),
    Column::new("first", CellKind::Number),
    Column::new("blocks", CellKind::Number),
];

/// Memory for what was found, of one task.
const MEMORY: u64 = 256 << 20;

/// Divides a database into parts for `scan`: a Stream of source, first, blocks.
///
/// A part is a range of at most 64 MB of the blocks of a segment. The last part is for documents that are in no run
/// yet; its source is the path of the database, and first and blocks are None.
#[pyfunction]
pub(crate) fn scan_ranges(py: Python<'_>, path: PathBuf) -> Result<Stream> {
    let path = std::path::absolute(path).map_err(PyErr::from)?;
    let ranges = py.detach(|| Ok::<_, Fault>(Reader::open(&path)?.view().scan_ranges()))?;
    Ok(Stream::new(schema(&RANGES), move |sink| {
        let mut rows = RowSender::new(sink, &RANGES);
        for ScanRange { segment, first, blocks } in &ranges {
            rows.row(&[text(segment)?.into(), (*first).into(), (*blocks).into()])?;
        }
        rows.row(&[text(&path)?.into(), None::<u64>.into(), None::<u64>.into()])?;
        Ok(rows.send()?)
    }))
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Fault::value(format!("{} is no UTF-8", path.display())))
}

/// Matches queries against one of the parts that `scan_ranges` lists: a Stream of query, fp, distance.
///
/// `queries` is an array as in `Reader.probe_batch`. All matches in the part are found, including those of deleted
/// documents, which `resolve` leaves out. Raises OutOfRange (also a ValueError) if `k` exceeds that of the database.
#[pyfunction]
#[pyo3(signature = (source, queries, k, *, first=None, blocks=None))]
pub(crate) fn scan(
    source: PathBuf,
    queries: &Bound<'_, PyAny>,
    k: u8,
    first: Option<u64>,
    blocks: Option<u64>,
) -> Result<Stream> {
    let numbers = arrow::Numbers::take(queries)?;
    let within = Within(k);
    Ok(Stream::new(schema(&match_columns(false)), move |sink| {
        let columns = match_columns(false);
        let mut rows = RowSender::new(sink, &columns);
        let queries: Vec<Fingerprint> = numbers.pieces().flatten().copied().collect();
        let mut emit =
            |query: u64, stored: Fingerprint, distance: u32| rows.row(&[query.into(), stored.into(), distance.into()]);
        match first.zip(blocks) {
            Some(range) => {
                scan_segment(&source, Some(range), &queries, within, &mut emit)?;
            }
            None => Reader::open(&source)?.view().scan_recent(&queries, within, &mut emit)?,
        }
        Ok(rows.send()?)
    }))
}

/// Resolves matches of `scan` to documents: a Stream of query, fp, distance, id, as from `Reader.probe_batch`.
///
/// `rows` is a table with the columns query, fp and distance, in any order; rows may be repeated. Deleted documents are
/// left out.
#[pyfunction]
pub(crate) fn resolve(path: PathBuf, rows: &Bound<'_, PyAny>) -> Result<Stream> {
    let tables = Tables::new(rows)?;
    Ok(Stream::new(schema(&match_columns(true)), move |sink| {
        let reader = Reader::open(&path)?;
        let mut resolving = Resolving::new(reader.view(), MEMORY);
        for array in tables.take()? {
            let given = table(array)?;
            let (queries, stored) = (Numbers::new(&given, "query")?, Numbers::new(&given, "fp")?);
            let distances = Numbers::new(&given, "distance")?;
            for row in 0..arrow_array::Array::len(&given) {
                let distance = u32::try_from(distances.get(row)?).unwrap_or(u32::MAX);
                resolving.push(queries.get(row)?, Fingerprint(stored.get(row)?), distance)?;
            }
        }
        let columns = match_columns(true);
        let mut rows = RowSender::new(sink, &columns);
        resolving.finish(&mut |found: BatchMatch| {
            rows.row(&[found.query.into(), found.fingerprint.into(), found.distance.into(), Cell::id(&found.id)])
        })?;
        Ok(rows.send()?)
    }))
}
