//! Candidate pairs from rows that are sorted by key.

use std::collections::HashSet;

use arrow_array::Array;
use nddb::detect::options::GROUP_LIMIT;
use nddb::detect::steps::{NearTables, Posting, Postings, Printed};
use nddb_jobs::rows::{Cell, CellKind, Column, schema};
use pyo3::prelude::*;

use super::columns::{Flags, Lists, Numbers, table};
use crate::arrow::{Numbers as Keys, optional};
use crate::errors::Result;
use crate::recipe::Tables;
use crate::stream::Stream;
use crate::tables::RowSender;

const OLDER: Column = Column::new("older", CellKind::Number);
const NEWER: Column = Column::new("newer", CellKind::Number);
const LISTED: Column = Column::new("listed", CellKind::Flag);

/// Finds candidate pairs in rows of (key, number, keys), sorted by key and number: a Stream of older, newer, listed.
///
/// `keys` lists, ascending, all keys that a document shares with others; a pair is found at its first common key. `cut`
/// is an array of the keys that more than `group_limit` documents have. Each of these documents is compared with the
/// oldest one; the first `group_limit` are also compared with each other. `listed` is False for pairs that `clusters`
/// needs and `pairs` does not list. A pair may occur more than once.
#[pyfunction]
#[pyo3(signature = (postings, *, cut=None, group_limit=None))]
pub(crate) fn pairs_by_key(
    postings: &Bound<'_, PyAny>,
    cut: Option<&Bound<'_, PyAny>>,
    group_limit: Option<usize>,
) -> Result<Stream> {
    let tables = Tables::new(postings)?;
    let limit = group_limit.unwrap_or(GROUP_LIMIT);
    let cut: HashSet<u64> = match cut {
        Some(keys) => Keys::take(keys)?.pieces().flatten().map(|key| key.0).collect(),
        None => HashSet::new(),
    };
    let columns = [OLDER, NEWER, LISTED];
    Ok(Stream::new(schema(&columns), move |sink| {
        let mut rows = RowSender::new(sink, &columns);
        let mut found = |older: u64, newer: u64, listed: bool| rows.row(&[older.into(), newer.into(), listed.into()]);
        let mut lists = Postings::new(limit, cut.clone());
        for array in tables.take()? {
            let given = table(array)?;
            let (keys, numbers) = (Numbers::new(&given, "key")?, Numbers::new(&given, "number")?);
            let all = Lists::new(&given, "keys")?;
            for row in 0..given.len() {
                let mut keys_of = all.get(row)?;
                keys_of.sort_unstable();
                let posting = Posting { key: keys.get(row)?, number: numbers.get(row)?, keys: keys_of };
                lists.push(posting, &mut found)?;
            }
        }
        lists.end(&mut found)?;
        Ok(rows.send()?)
    }))
}

/// Finds pairs within k bits in rows of (key, number, fp), sorted by key: a Stream of older, newer, each pair once.
///
/// Keys are those of `properties` for the same number of `groups`. With a column `wanted`, finds only pairs that have a
/// document for which it is true.
#[pyfunction]
#[pyo3(signature = (postings, *, k=3, groups=4))]
pub(crate) fn pairs_by_fingerprint(postings: &Bound<'_, PyAny>, k: u8, groups: u8) -> Result<Stream> {
    let tables = Tables::new(postings)?;
    let near = NearTables::new(k, groups)?;
    let columns = [OLDER, NEWER];
    Ok(Stream::new(schema(&columns), move |sink| {
        let mut rows = RowSender::new(sink, &columns);
        let mut found = |a: &Printed, b: &Printed| {
            let cells: [Cell<'_>; 2] = [a.number.min(b.number).into(), a.number.max(b.number).into()];
            rows.row(&cells)
        };
        let (mut last, mut list) = (0, Vec::new());
        for array in tables.take()? {
            let given = table(array)?;
            let (keys, numbers) = (Numbers::new(&given, "key")?, Numbers::new(&given, "number")?);
            let prints = Numbers::new(&given, "fp")?;
            let wanted = optional(&given, Some("wanted")).map(|column| Flags::new("wanted", column)).transpose()?;
            for row in 0..given.len() {
                let key = keys.get(row)?;
                if key != last {
                    near.pairs(last, &list, &mut found)?;
                    list.clear();
                    last = key;
                }
                let wanted = wanted.as_ref().is_none_or(|wanted| wanted.get(row));
                list.push(Printed { number: numbers.get(row)?, fingerprint: prints.get(row)?, wanted });
            }
        }
        near.pairs(last, &list, &mut found)?;
        Ok(rows.send()?)
    }))
}
