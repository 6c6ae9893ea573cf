//! Reading the catalog.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::ops::Range as Numbers;
use std::sync::Arc;

use nddb_format::record::{self, Archive, Batch, Counters, Interval, Load, Print, Prints, Range, Record, Settings};
use roaring::RoaringTreemap;
use rocksdb::ReadOptions;

use super::families::Family;
use super::intervals::{Holding, Kept, encode_record, record_of};
use super::open::Catalog;
use super::recent::Recent;
use crate::{Error, Result};

/// Up to this many rows are looked up one by one, because preparing a multi-row look-up costs as much as one row.
const FEW: usize = 4;
/// From this many rows on, rows are read in order, because many are in the same block as the row before.
const CROWD: usize = 1 << 10;
/// Maximum number of records read together for later look-ups: far fewer than the cache holds.
const MANY: usize = 1 << 10;
/// Number of bytes that a scan reads ahead.
const READ_AHEAD: usize = 1 << 20;

/// Receives rows as key and value; returns `false` to end the scan.
type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<bool> + 'a;

/// Returns the options of reading from row to row.
fn in_order() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.set_total_order_seek(true);
    options.set_readahead_size(READ_AHEAD);
    options
}

impl Catalog {
    /// Visits the rows of a family from a key on, until `visit` returns `false`. Damage is an error: an iterator of
    /// RocksDB ends early at damage, and reports it only by its status.
    fn scan(&self, family: Family, from: &[u8], visit: &mut Visit<'_>) -> Result<()> {
        let mut rows = self.db.raw_iterator_cf_opt(self.family(family), in_order());
        rows.seek(from);
        while let Some((key, value)) = rows.item() {
            if !visit(key, value)? {
                return Ok(());
            }
            rows.next();
        }
        rows.status().map_err(self.failed("be read"))
    }

    /// Reads every row of every family, with its checksum, and calls `count` for each.
    pub(crate) fn every_row(&self, count: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        Family::ALL.into_iter().try_for_each(|family| self.scan(family, &[], &mut |_, _| count().map(|()| true)))
    }

    /// Reads every row in the ranges of keys of some sorted files, with its checksum.
    ///
    /// # Errors
    /// Damage of the files.
    pub(crate) fn read_files(&self, names: &BTreeSet<OsString>, count: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        for file in self.db.live_files().map_err(self.failed("list its files"))? {
            let family = Family::ALL.into_iter().find(|family| family.name() == file.column_family_name);
            let is_wanted = names.contains(OsStr::new(file.name.trim_start_matches('/')));
            if let (true, Some(family), Some(start), Some(end)) = (is_wanted, family, file.start_key, file.end_key) {
                self.scan(family, &start, &mut |key, _| count().map(|()| key <= &end[..]))?;
            }
        }
        Ok(())
    }

    /// Returns the value of a row that may have changed, by an iterator.
    fn current(&self, family: Family, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut found = None;
        self.scan(family, key, &mut |seen, value| {
            if seen == key {
                found = Some(value.to_vec());
            }
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns whether a family has rows.
    pub(crate) fn has_rows(&self, family: Family) -> Result<bool> {
        let mut any = false;
        self.scan(family, &[], &mut |_, _| {
            any = true;
            Ok(false)
        })?;
        Ok(any)
    }

    /// Returns the settings of the database.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let value = self.current(Family::Meta, b"settings")?;
        self.required(value, "settings").and_then(|value| Settings::decode(&value).map_err(self.corrupt()))
    }

    /// Returns the counters as of the last commit.
    pub(crate) fn counters(&self) -> Result<Counters> {
        let value = self.current(Family::Meta, b"counters")?;
        self.required(value, "counters").and_then(|value| Counters::decode(&value).map_err(self.corrupt()))
    }

    fn required(&self, value: Option<Vec<u8>>, what: &str) -> Result<Vec<u8>> {
        // If files are lost, a reader sees a catalog without their rows, which are stored nowhere else.
        let what = || format!("has no row '{what}': some of its files are lost");
        value.ok_or_else(|| Error::BeyondRepair { path: self.path.clone(), what: what() })
    }

    /// Visits the prints of all numbers from `low` on, in order.
    pub(crate) fn prints(&self, low: u64, visit: &mut dyn FnMut(u64, Print) -> Result<bool>) -> Result<()> {
        let intervals = self.intervals();
        let from = intervals.covering(low).map_or(low, |interval| interval.group_of(low));
        self.scan(Family::Prints, &record::number_key(from), &mut |key, value| {
            let first = record::number_of(key).map_err(self.corrupt())?;
            let group = match Prints::decode(first, value).map_err(self.corrupt())? {
                Prints::One(print) => return visit(first, print),
                Prints::Group(group) => group,
            };
            for (number, print) in (first..).zip(group.iter()) {
                if number >= low && !intervals.gone().contains(number) && !visit(number, print)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Returns the print of a number, if there is such a document.
    pub(crate) fn print(&self, number: u64) -> Result<Option<Print>> {
        let intervals = self.intervals();
        let first = match intervals.covering(number) {
            Some(_) if intervals.gone().contains(number) => return Ok(None),
            interval => interval.map_or(number, |interval| interval.group_of(number)),
        };
        let value = self.db.get_pinned_cf(self.family(Family::Prints), record::number_key(first));
        let Some(value) = value.map_err(self.failed("be read"))? else { return Ok(None) };
        Ok(match Prints::decode(first, &value).map_err(self.corrupt())? {
            Prints::One(print) => Some(print),
            Prints::Group(group) => group.get((number - first) as usize),
        })
    }

    /// Returns the record of a number, if there is such a document.
    pub(crate) fn record(&self, number: u64) -> Result<Option<Record>> {
        if let Some(interval) = self.intervals().of(number) {
            return Ok(Some(record_of(interval, number)));
        }
        let value = self.db.get_pinned_cf(self.family(Family::Documents), record::number_key(number));
        let value = value.map_err(self.failed("be read"))?;
        value.map(|value| Record::decode(&value).map_err(self.corrupt())).transpose()
    }

    /// Returns a document of the catalog, perhaps from the cache.
    pub(crate) fn recent(&self, number: u64) -> Result<Option<Arc<Recent>>> {
        match self.recent_records.get(number) {
            Some(recent) => Ok(Some(recent)),
            None => Ok(self.record(number)?.map(|record| self.recent_records.keep(number, record))),
        }
    }

    /// Reads the records of ascending numbers that are not cached, all together, for [`Catalog::recent`]: this costs
    /// half as much as reading them one by one.
    pub(crate) fn read_recent(&self, numbers: &[u64]) -> Result<()> {
        let is_missing = |number: &&u64| self.recent_records.get(**number).is_none();
        let missing: Vec<u64> = numbers.iter().take(MANY).filter(is_missing).copied().collect();
        self.records(&missing, &mut |index, value| {
            self.recent_records.keep(missing[index], Record::decode(value).map_err(self.corrupt())?);
            Ok(())
        })
    }

    /// Returns the print of a document whose record has been read; it is read at most once.
    pub(crate) fn print_of(&self, number: u64, recent: &Recent) -> Result<Option<Print>> {
        if let Some(&print) = recent.print.get() {
            return Ok(Some(print));
        }
        let print = self.print(number)?;
        Ok(print.map(|print| *recent.print.get_or_init(|| print)))
    }

    /// Passes the encoded records of ascending `numbers` to `visit`, with their indexes among them; numbers without
    /// a record are left out.
    pub(crate) fn records(&self, numbers: &[u64], visit: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let intervals = self.intervals();
        if intervals.is_empty() {
            return self.record_rows(numbers, visit);
        }
        let (mut first, mut value) = (0, Vec::new());
        for stretch in numbers.chunk_by(|&a, &b| intervals.covering(a).is_some() == intervals.covering(b).is_some()) {
            if intervals.covering(stretch[0]).is_none() {
                self.record_rows(stretch, &mut |index, value| visit(first + index, value))?;
            } else {
                for (index, &number) in (first..).zip(stretch) {
                    let Some(interval) = intervals.of(number) else { continue };
                    encode_record(interval, number, &mut value);
                    visit(index, &value)?;
                }
            }
            first += stretch.len();
        }
        Ok(())
    }

    /// Like [`Catalog::records`], for documents with rows of their own.
    fn record_rows(&self, numbers: &[u64], visit: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        if numbers.len() <= FEW {
            for (index, &number) in numbers.iter().enumerate() {
                let row = self.db.get_pinned_cf(self.family(Family::Documents), record::number_key(number));
                if let Some(value) = row.map_err(self.failed("be read"))? {
                    visit(index, &value)?;
                }
            }
            return Ok(());
        }
        if numbers.len() >= CROWD {
            return self.records_in_order(ReadOptions::default(), numbers.iter().copied(), visit);
        }
        let keys: Vec<[u8; 8]> = numbers.iter().map(|&number| record::number_key(number)).collect();
        let rows = self.db.batched_multi_get_cf(self.family(Family::Documents), &keys, true);
        for (index, row) in rows.into_iter().enumerate() {
            if let Some(value) = row.map_err(self.failed("be read"))? {
                visit(index, &value)?;
            }
        }
        Ok(())
    }

    /// Like [`Catalog::records`], for numbers that are mostly neighbours and not in intervals: reads from row to row,
    /// which costs half as much as looking each up.
    pub(crate) fn neighboring_records(
        &self,
        numbers: impl IntoIterator<Item = u64>,
        visit: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.records_in_order(in_order(), numbers, visit)
    }

    fn records_in_order(
        &self,
        options: ReadOptions,
        numbers: impl IntoIterator<Item = u64>,
        visit: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut rows = self.db.raw_iterator_cf_opt(self.family(Family::Documents), options);
        for (index, number) in numbers.into_iter().enumerate() {
            let key = record::number_key(number);
            if rows.valid() {
                rows.next();
            }
            if rows.key() != Some(&key) {
                rows.seek(key);
            }
            match rows.item() {
                Some((found, value)) if found == key => visit(index, value)?,
                _ => rows.status().map_err(self.failed("be read"))?,
            }
        }
        Ok(())
    }

    /// Visits the encoded records of all numbers from `low` on, in order.
    pub(crate) fn all_records(&self, low: u64, visit: &mut dyn FnMut(u64, &[u8]) -> Result<bool>) -> Result<()> {
        let mut encoded = Vec::new();
        self.all_kept(low, &mut |number, kept| match kept {
            Kept::Row(value) => visit(number, value),
            Kept::Interval(interval) => {
                encode_record(interval, number, &mut encoded);
                visit(number, &encoded)
            }
        })
    }

    /// Visits the stored records (rows or intervals) of all numbers from `low` on, in order.
    pub(crate) fn all_kept(&self, low: u64, visit: &mut dyn FnMut(u64, Kept<'_>) -> Result<bool>) -> Result<()> {
        let intervals = self.intervals();
        let mut implied = intervals.documents(low).peekable();
        let mut goes_on = true;
        let mut visit_below = |end: u64, visit: &mut dyn FnMut(u64, Kept<'_>) -> Result<bool>| {
            while let Some((interval, number)) = implied.next_if(|(_, number)| *number < end) {
                if !visit(number, Kept::Interval(interval))? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        self.scan(Family::Documents, &record::number_key(low), &mut |key, value| {
            let number = record::number_of(key).map_err(self.corrupt())?;
            goes_on = visit_below(number, visit)? && visit(number, Kept::Row(value))?;
            Ok(goes_on)
        })?;
        if goes_on { visit_below(u64::MAX, visit).map(drop) } else { Ok(()) }
    }

    /// Visits all ids with their numbers, in bytewise order.
    pub(crate) fn all_ids(&self, visit: &mut dyn FnMut(&str, u64) -> Result<bool>) -> Result<()> {
        let intervals = self.intervals();
        let (mut implied, mut goes_on) = (intervals.by_id(), true);
        let mut visit_before = |end: Option<(&str, u64)>, visit: &mut dyn FnMut(&str, u64) -> Result<bool>| {
            while let Some((id, number)) = implied.peek().filter(|&next| end.is_none_or(|end| next < end)) {
                if !visit(id, number)? {
                    return Ok(false);
                }
                implied.advance();
            }
            Ok(true)
        };
        self.scan(Family::Ids, &[], &mut |key, _| {
            let (id, number) = record::id_of(key).map_err(self.corrupt())?;
            goes_on = visit_before(Some((id, number)), visit)? && visit(id, number)?;
            Ok(goes_on)
        })?;
        if goes_on { visit_before(None, visit).map(drop) } else { Ok(()) }
    }

    /// Returns whether there is an id, live or not, whose first byte is in this range.
    pub(crate) fn has_id_beginning(&self, first: Numbers<u8>) -> Result<bool> {
        let mut has_row = false;
        self.scan(Family::Ids, &[first.start], &mut |key, _| {
            has_row = key.first().is_some_and(|byte| first.contains(byte));
            Ok(false)
        })?;
        Ok(has_row || self.intervals().any_id_beginning(&first))
    }

    /// Returns which documents may have ids of this prefix and these ordinals, which have equally many digits;
    /// intervals whose documents are all deleted are left out.
    pub(crate) fn holding(
        &self,
        prefix: &str,
        ordinals: &Numbers<u64>,
        are_deleted: &dyn Fn(Numbers<u64>) -> bool,
    ) -> Result<Holding> {
        let last = format!("{prefix}{}", ordinals.end - 1);
        let end = record::id_key(&last, u64::MAX);
        let mut has_rows = false;
        self.scan(Family::Ids, format!("{prefix}{}", ordinals.start).as_bytes(), &mut |key, _| {
            has_rows = key <= &end[..];
            Ok(false)
        })?;
        Ok(if has_rows { Holding::Some } else { self.intervals().holding(prefix, ordinals, are_deleted) })
    }

    /// Visits all rows of a family whose keys end in a number, as (prefix, number).
    pub(crate) fn all_keys(&self, family: Family, visit: &mut dyn FnMut(&[u8], u64) -> Result<bool>) -> Result<()> {
        self.scan(family, &[], &mut |key, _| {
            let number = record::trailing_number(key).map_err(self.corrupt())?;
            visit(&key[..key.len() - 8], number)
        })
    }

    /// Returns whether there is a document with this number.
    pub(crate) fn is_there(&self, number: u64) -> Result<bool> {
        match self.is_of_interval(number) {
            true => Ok(self.intervals().of(number).is_some()),
            false => Ok(self.print(number)?.is_some()),
        }
    }

    /// Returns whether a number belongs to an interval, so that its document has no record of its own.
    pub(crate) fn is_of_interval(&self, number: u64) -> bool {
        self.end_of_interval(number).is_some()
    }

    /// Returns the end of the interval to which a number belongs.
    pub(crate) fn end_of_interval(&self, number: u64) -> Option<u64> {
        self.intervals().covering(number).map(|interval| interval.high)
    }

    /// Returns whether documents have rows of intervals instead of their own.
    pub(crate) fn has_intervals(&self) -> bool {
        !self.intervals().is_empty()
    }

    /// Returns the intervals according to their rows.
    pub(super) fn interval_rows(&self) -> Result<Vec<Interval>> {
        let mut intervals = Vec::new();
        self.scan(Family::Batches, &[3], &mut |key, value| {
            let Some(low) = record::interval_low_of(key) else { return Ok(false) };
            intervals.push(Interval::decode(low, value).map_err(self.corrupt())?);
            Ok(true)
        })?;
        Ok(intervals)
    }

    /// Returns the numbers of intervals that are no longer documents.
    pub(super) fn gone(&self) -> Result<RoaringTreemap> {
        let mut gone = RoaringTreemap::new();
        self.scan(Family::Batches, &[4], &mut |key, _| {
            let number = record::gone_of(key);
            gone.extend(number);
            Ok(number.is_some())
        })?;
        Ok(gone)
    }

    /// Returns the folder of the catalog.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Visits the deletions of manifest generations above `folded`, as (generation, numbers).
    pub(crate) fn deletions(&self, folded: u64, visit: &mut dyn FnMut(u64, Numbers<u64>)) -> Result<()> {
        self.scan(Family::Deleted, &record::number_key(folded.saturating_add(1)), &mut |key, value| {
            let (generation, number) = record::deleted_of(key).map_err(self.corrupt())?;
            visit(generation, record::decode_stretch(number, value).map_err(self.corrupt())?);
            Ok(true)
        })
    }

    /// Visits the rows of deletions from a manifest generation and a number on, up to generation `folded`, as
    /// (generation, first number), until `visit` returns `false`.
    pub(crate) fn folded_deletions(
        &self,
        from: (u64, u64),
        folded: u64,
        visit: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        self.scan(Family::Deleted, &record::deleted_key(from.0, from.1), &mut |key, _| {
            let (generation, number) = record::deleted_of(key).map_err(self.corrupt())?;
            Ok(generation <= folded && visit(generation, number))
        })
    }

    /// Returns all batches by name.
    pub(crate) fn batches(&self) -> Result<Vec<(String, Batch)>> {
        let mut batches = Vec::new();
        self.scan(Family::Batches, &[0], &mut |key, value| {
            let Some(name) = record::batch_name_of(key) else { return Ok(false) };
            batches.push((name.to_owned(), Batch::decode(value).map_err(self.corrupt())?));
            Ok(true)
        })?;
        Ok(batches)
    }

    /// Returns all number ranges, as (low, range), ascending.
    pub(crate) fn ranges(&self) -> Result<Vec<(u64, Range)>> {
        let mut ranges = Vec::new();
        self.scan(Family::Batches, &[1], &mut |key, value| {
            let Some(low) = record::range_low_of(key) else { return Ok(false) };
            ranges.push((low, Range::decode(value).map_err(self.corrupt())?));
            Ok(true)
        })?;
        Ok(ranges)
    }

    /// Returns the numbers of each bulk load, ascending.
    pub(crate) fn loads(&self) -> Result<Vec<Numbers<u64>>> {
        let mut loads = Vec::new();
        self.scan(Family::Batches, &[5], &mut |key, value| {
            let Some(low) = record::load_low_of(key) else { return Ok(false) };
            loads.push(low..Load::decode(value).map_err(self.corrupt())?.high);
            Ok(true)
        })?;
        Ok(loads)
    }

    /// Visits the documents that pending batches replace, as (batch, numbers), until `visit` returns `false`, beginning
    /// with a batch and a number. No skipped row reaches beyond that number.
    pub(crate) fn all_replaced(
        &self,
        from: (u32, u64),
        visit: &mut dyn FnMut(u32, Numbers<u64>) -> Result<bool>,
    ) -> Result<()> {
        self.scan(Family::Batches, &record::replaced_key(from.0, from.1), &mut |key, value| {
            let Some((owner, number)) = record::replaced_of(key) else { return Ok(false) };
            visit(owner, record::decode_stretch(number, value).map_err(self.corrupt())?)
        })
    }

    /// Visits the documents that a pending batch replaces, until `visit` returns `false`, beginning with the rows from
    /// a number on.
    pub(crate) fn replaced(
        &self,
        batch: u32,
        from: u64,
        visit: &mut dyn FnMut(Numbers<u64>) -> Result<bool>,
    ) -> Result<()> {
        self.all_replaced((batch, from), &mut |owner, numbers| Ok(owner == batch && visit(numbers)?))
    }

    /// Returns an archive with its progress.
    pub(crate) fn archive(&self, number: u32) -> Result<Option<Archive>> {
        let value = self.current(Family::Sources, &record::source_key(number))?;
        value.map(|value| Archive::decode(&value).map_err(self.corrupt())).transpose()
    }

    /// Returns all archives with their progress, by number.
    pub(crate) fn archives(&self) -> Result<Vec<(u32, Archive)>> {
        let mut archives = Vec::new();
        self.scan(Family::Sources, &[], &mut |key, value| {
            let number = record::source_of(key).map_err(self.corrupt())?;
            archives.push((number, Archive::decode(value).map_err(self.corrupt())?));
            Ok(true)
        })?;
        Ok(archives)
    }
}
