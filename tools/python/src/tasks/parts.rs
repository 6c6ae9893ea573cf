//! Passages in common, from the parts of documents.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use nddb::{Document, PassageLimits};
use nddb_dedup::{CommonPart, PartLists, PartPosting, part_candidates, part_postings, passages_of};
use nddb_jobs::answers::{PASSAGE_COLUMNS, PairInParts};
use nddb_jobs::rows::{Cell, CellKind, Column, schema};
use pyo3::prelude::*;

use super::columns::{Flags, Lists, Numbers, table};
use crate::arrow::{Bytes, column};
use crate::errors::{Fault, Result};
use crate::passages;
use crate::recipe::Tables;
use crate::sketches::documents;
use crate::stream::Stream;
use crate::tables::RowSender;

const NUMBER: CellKind = CellKind::Number;
const POSTINGS: [Column; 5] = [
    Column::new("key", NUMBER),
    Column::new("number", NUMBER),
    Column::new("fp", NUMBER),
    Column::new("at", NUMBER),
    Column::new("short", CellKind::Flag),
];
const COMMON: [Column; 5] = [
    Column::new("newer", NUMBER),
    Column::new("older", NUMBER),
    Column::new("key", NUMBER),
    Column::new("at", NUMBER),
    Column::new("short", CellKind::Flag),
];
/// Number of the columns of passages that need no text.
const KNOWN: usize = 10;

/// Returns the parts of documents: a Stream of key, number, fp, at, short with a row for each part of each row of a
/// table with the columns number and sketch.
///
/// `at` is the first place of the part in its document; `short` documents may have no second part. Raises ValueError
/// for a sketch without parts.
#[pyfunction]
pub(crate) fn part_keys(sketches: &Bound<'_, PyAny>) -> Result<Stream> {
    let tables = Tables::new(sketches)?;
    Ok(Stream::new(schema(&POSTINGS), move |sink| {
        let mut rows = RowSender::new(sink, &POSTINGS);
        for array in tables.take()? {
            let given = table(array)?;
            let numbers = Numbers::new(&given, "number")?;
            for (row, document) in documents(Box::new(std::iter::once(Ok(Arc::new(given.clone()) as _)))).enumerate() {
                let postings = part_postings(numbers.get(row)?, &document?).ok_or_else(|| {
                    Fault::value("a sketch has no parts: make the sketches with recipe=\"main-parts\"")
                })?;
                for PartPosting { part, number, fingerprint, at, is_short } in postings {
                    let [number, fp] = [number, fingerprint].map(|value| Cell::Number(value.cast_signed()));
                    rows.row(&[part.into(), number, fp, at.into(), is_short.into()])?;
                }
            }
        }
        Ok(rows.send()?)
    }))
}

/// Finds parts in common, in rows of `part_keys` sorted by key, then by number: a Stream of newer, older, key, at,
/// short.
///
/// Each document is paired with the oldest ones that have the part. A part that too many texts have has a row for each
/// of its documents in which `older` is `newer`; texts within `k` bits count once.
#[pyfunction]
#[pyo3(signature = (postings, *, k=3))]
pub(crate) fn pairs_by_part(postings: &Bound<'_, PyAny>, k: u8) -> Result<Stream> {
    let tables = Tables::new(postings)?;
    Ok(Stream::new(schema(&COMMON), move |sink| {
        let mut rows = RowSender::new(sink, &COMMON);
        let mut found = |common: CommonPart| {
            let [newer, older] = [common.newer, common.older].map(|number| Cell::Number(number.cast_signed()));
            rows.row(&[newer, older, common.part.into(), common.at.into(), common.is_short.into()])
        };
        let mut lists = PartLists::new(k, PassageLimits::default());
        for array in tables.take()? {
            let given = table(array)?;
            let [keys, numbers, fps, places] = ["key", "number", "fp", "at"].map(|name| Numbers::new(&given, name));
            let (keys, numbers, fps, places) = (keys?, numbers?, fps?, places?);
            let short = Flags::new("short", column(&given, "short")?)?;
            for row in 0..given.len() {
                let (part, number, fingerprint) = (keys.get(row)?, numbers.get(row)?, fps.get(row)?);
                let (at, is_short) = (place(&places, row)?, short.get(row));
                lists.push(PartPosting { part, number, fingerprint, at, is_short }, &mut found)?;
            }
        }
        lists.end(&mut found)?;
        Ok(rows.send()?)
    }))
}

fn place(numbers: &Numbers<'_>, row: usize) -> Result<u32> {
    u32::try_from(numbers.get(row)?).map_err(|_| Fault::value("a place of a part has more than 32 bits"))
}

/// Finds the pairs to compare in rows of `pairs_by_part` sorted by newer: a Stream of older, newer, frequent.
///
/// `frequent` are the parts of the newer document that begin no passage.
#[pyfunction]
#[pyo3(signature = (common, *, min_words=20))]
pub(crate) fn candidates_by_part(common: &Bound<'_, PyAny>, min_words: u32) -> Result<Stream> {
    let tables = Tables::new(common)?;
    let limits = PassageLimits { min_words, ..PassageLimits::default() };
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true)));
    let number = |name| Field::new(name, DataType::Int64, false);
    let columns = Arc::new(Schema::new(vec![number("older"), number("newer"), Field::new("frequent", list, false)]));
    Ok(Stream::new(columns.clone(), move |sink| {
        let mut found: Vec<CommonPart> = Vec::new();
        let (mut older, mut newer) = (Int64Builder::new(), Int64Builder::new());
        let mut frequent = ListBuilder::new(Int64Builder::new());
        let mut send = |common: &[CommonPart], ends: bool| -> Result<()> {
            let candidates = part_candidates(common, &limits);
            for (number, first) in candidates.older.iter().zip(common.iter().cycle()) {
                older.append_value(number.cast_signed());
                newer.append_value(first.newer.cast_signed());
                candidates.frequent.iter().for_each(|part| frequent.values().append_value(part.cast_signed()));
                frequent.append(true);
            }
            if ends || frequent.len() > 1 << 12 {
                let arrays: Vec<ArrayRef> =
                    vec![Arc::new(older.finish()), Arc::new(newer.finish()), Arc::new(frequent.finish())];
                sink.send(RecordBatch::try_new(columns.clone(), arrays))?;
            }
            Ok(())
        };
        for array in tables.take()? {
            let given = table(array)?;
            let [news, olds, keys, places] = ["newer", "older", "key", "at"].map(|name| Numbers::new(&given, name));
            let (news, olds, keys, places) = (news?, olds?, keys?, places?);
            let short = Flags::new("short", column(&given, "short")?)?;
            for row in 0..given.len() {
                let (newer, older, part) = (news.get(row)?, olds.get(row)?, keys.get(row)?);
                if found.first().is_some_and(|first| first.newer != newer) {
                    send(&found, false)?;
                    found.clear();
                }
                found.push(CommonPart { newer, older, part, at: place(&places, row)?, is_short: short.get(row) });
            }
        }
        send(&found, true)
    }))
}

/// Finds the passages of pairs: a Stream of newer, older, and the first ten columns of `Reader.passage_pairs`.
///
/// A pair is a row of newer, older, frequent and the sketches of both as sketch_newer and sketch_older.
#[pyfunction]
#[pyo3(signature = (pairs, *, min_words=20, min_containment=0.0))]
pub(crate) fn passages_of_pairs(pairs: &Bound<'_, PyAny>, min_words: u32, min_containment: f64) -> Result<Stream> {
    let (tables, how) = (Tables::new(pairs)?, passages::options(min_words, min_containment, false, false)?);
    let columns = [&[Column::new("newer", NUMBER), Column::new("older", NUMBER)], &PASSAGE_COLUMNS[..KNOWN]].concat();
    Ok(Stream::new(schema(&columns), move |sink| {
        let mut rows = RowSender::new(sink, &columns);
        for array in tables.take()? {
            let given = table(array)?;
            let (newer, older) = (Numbers::new(&given, "newer")?, Numbers::new(&given, "older")?);
            let frequent = Lists::new(&given, "frequent")?;
            let [of_newer, of_older] = ["sketch_newer", "sketch_older"].map(|name| sketches(&given, name));
            let (of_newer, of_older) = (of_newer?, of_older?);
            for row in 0..given.len() {
                let (b, a) = (document(&of_newer, row)?, document(&of_older, row)?);
                let found = passages_of(&b, &a, frequent.get(row)?, &how.limits());
                let words = b.record().parts.as_ref().map_or(0, |parts| parts.words);
                if !how.is_enough(&found, words) {
                    continue;
                }
                let numbers = [newer.get(row)?, older.get(row)?].map(|number| Cell::Number(number.cast_signed()));
                PairInParts::new(found, b.id(), words)
                    .rows(&mut |cells| rows.row(&[&numbers, &cells[..KNOWN]].concat()))?;
            }
        }
        Ok(rows.send()?)
    }))
}

fn sketches<'a>(table: &'a StructArray, name: &str) -> Result<Bytes<'a>> {
    Bytes::new(name, column(table, name)?)
}

fn document(sketches: &Bytes<'_>, row: usize) -> Result<Document> {
    let bytes = sketches.get(row).ok_or_else(|| Fault::value(format!("the sketch of row {row} is null")))?;
    Document::from_bytes(bytes).map_err(|error| Fault::value(format!("row {row} holds no sketch: {error}")))
}
