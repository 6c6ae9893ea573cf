//! Cursors over the numbers of ids and of keys: look-ups that are cheapest in ascending order.

use std::sync::Arc;

use nddb_format::record;
use rocksdb::{DBRawIterator, ReadOptions};

use super::families::Family;
use super::intervals::Intervals;
use super::open::Catalog;
use crate::Result;

/// Maximum number of steps from row to row before the cursor seeks.
const STEPS: usize = 4;

impl Catalog {
    /// Returns a cursor that looks up ids; cheapest in ascending order.
    pub(crate) fn ids(&self) -> IdCursor<'_> {
        IdCursor {
            catalog: self,
            intervals: self.intervals(),
            rows: self.db.raw_iterator_cf(self.family(Family::Ids)),
            key: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Returns a cursor that looks up numbers by the prefixes of their keys; cheapest in ascending order.
    pub(crate) fn keys(&self, family: Family) -> KeyCursor<'_> {
        let mut options = ReadOptions::default();
        options.set_prefix_same_as_start(true);
        KeyCursor { catalog: self, rows: self.db.raw_iterator_cf_opt(self.family(family), options) }
    }
}

/// A cursor over the numbers of ids.
pub(crate) struct IdCursor<'a> {
    catalog: &'a Catalog,
    intervals: Arc<Intervals>,
    rows: DBRawIterator<'a>,
    /// Prefix of the row keys of the id that is looked up: the id and a NUL.
    key: Vec<u8>,
    /// Prefix of the row keys of the id that was looked up before; empty at first. The iterator stands at the first row
    /// after that prefix.
    before: Vec<u8>,
}

impl IdCursor<'_> {
    /// Returns the greatest number of this id that `live` accepts.
    pub(crate) fn find(&mut self, id: &str, live: impl Fn(u64) -> bool) -> Result<Option<u64>> {
        let mut numbers = Vec::new();
        self.all(id, &mut numbers)?;
        Ok(numbers.into_iter().rev().find(|&number| live(number)))
    }

    /// Fills `numbers` with all numbers of this id, ascending.
    pub(crate) fn all(&mut self, id: &str, numbers: &mut Vec<u64>) -> Result<()> {
        numbers.clear();
        std::mem::swap(&mut self.key, &mut self.before);
        self.key.clear();
        self.key.extend_from_slice(id.as_bytes());
        self.key.push(0);
        self.move_on();
        while let Some(key) = self.rows.key().filter(|key| key.starts_with(&self.key)) {
            numbers.push(record::trailing_number(key).map_err(self.catalog.corrupt())?);
            self.rows.next();
        }
        self.rows.status().map_err(self.catalog.failed("be read"))?;
        self.intervals.numbers(id, numbers);
        numbers.sort_unstable();
        Ok(())
    }

    /// Moves to the first row of the id, or of a later one. If ids ascend, it is the current row or shortly after it.
    fn move_on(&mut self) {
        let mut is_near = !self.before.is_empty() && self.before < self.key;
        let mut steps = 0;
        while is_near && self.rows.key().is_some_and(|key| *key < self.key[..]) {
            is_near = steps < STEPS;
            steps += 1;
            if is_near {
                self.rows.next();
            }
        }
        if !is_near {
            self.rows.seek(&self.key);
        }
    }
}

/// A cursor over the numbers of keys of a family.
pub(crate) struct KeyCursor<'a> {
    catalog: &'a Catalog,
    rows: DBRawIterator<'a>,
}

impl KeyCursor<'_> {
    /// Visits the numbers of the keys that consist of `prefix` and a number, ascending, until `visit` returns `false`.
    pub(crate) fn numbers(&mut self, prefix: &[u8], visit: &mut dyn FnMut(u64) -> bool) -> Result<()> {
        self.rows.seek(prefix);
        while let Some(key) = self.rows.key().filter(|key| key.starts_with(prefix)) {
            if !visit(record::trailing_number(key).map_err(self.catalog.corrupt())?) {
                break;
            }
            self.rows.next();
        }
        self.rows.status().map_err(self.catalog.failed("be read"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nddb_test_support::Random;

    use crate::{Config, Document, Fingerprint, Writer};

    /// Cursors that look up ids in any order against a map, over rows in and out of sorted files, some of them removed.
    #[test]
    fn a_cursor_finds_the_numbers_of_ids_in_any_order() {
        let (folder, mut random) = (tempfile::tempdir().expect("a folder"), Random::seeded("ids"));
        let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("a database");
        let id = |index: u64| format!("{:x}{}", index % 16, "a".repeat((index / 16) as usize));
        let mut numbers = BTreeMap::<String, Vec<u64>>::new();
        for round in 0..6 {
            for _ in 0..40 {
                // Ids that are prefixes of others, and stored ids between the ids looked up.
                let (id, number) = (id(random.below(200)), writer.counters().next_number);
                writer.insert(Document::bare(&id, Fingerprint(number)).expect("an id")).expect("taken");
                writer.commit().expect("durable");
                numbers.entry(id).or_default().push(number);
            }
            if round % 2 == 0 {
                writer.flush().expect("flushed");
                if let Some(plan) = writer.plan_full_compaction() {
                    writer.compact(&plan).expect("compacted");
                }
                writer.commit().expect("purged");
            }
            let catalog = writer.catalog();
            let mut stored = BTreeMap::<String, Vec<u64>>::new();
            catalog
                .all_ids(&mut |id, number| {
                    stored.entry(id.into()).or_default().push(number);
                    Ok(true)
                })
                .expect("read");
            assert!(stored.iter().all(|(id, left)| numbers[id].ends_with(left)));
            let mut asked: Vec<String> = (0..300).map(|_| id(random.below(220))).collect();
            asked[..200].sort();
            let (mut cursor, mut found) = (catalog.ids(), Vec::new());
            for id in &asked {
                cursor.all(id, &mut found).expect("read");
                assert_eq!(found, stored.get(id).cloned().unwrap_or_default(), "{id}");
            }
        }
    }
}
