//! Scans of all live documents in the catalog.

use nddb_format::record::{Archive, Print, Record};

use super::view::View;
use crate::catalog::Kept;
use crate::spill::parallel::each_in_order;
use crate::{Error, Result};

/// Documents read at a time.
const STRETCH: usize = 1 << 14;
/// Records that a thread reads at a time.
const RECORDS: usize = 1 << 10;

/// Documents with consecutive numbers, with their fingerprints; see [`View::stretches`].
pub struct Stretch(Vec<(u64, Print)>);

impl View<'_> {
    /// Visits all live documents in the order of their numbers; with `deleted`, also those deleted and not yet
    /// dropped by a compaction; the last argument of `visit` tells which.
    pub fn each_record(
        &self,
        deleted: bool,
        visit: &mut dyn FnMut(u64, Print, Record, bool) -> Result<()>,
    ) -> Result<()> {
        self.each_record_from(0, deleted, visit)
    }

    /// Like [`View::each_record`], from a number on.
    pub(crate) fn each_record_from(
        &self,
        first: u64,
        deleted: bool,
        visit: &mut dyn FnMut(u64, Print, Record, bool) -> Result<()>,
    ) -> Result<()> {
        let path = self.dir.catalog();
        self.each_kept_from(first, deleted, &mut |number, print, kept, deleted| {
            visit(number, print, kept.record(number).map_err(Error::format(&path))?, deleted)
        })
    }

    fn each_kept_from(
        &self,
        first: u64,
        deleted: bool,
        visit: &mut dyn FnMut(u64, Print, Kept<'_>, bool) -> Result<()>,
    ) -> Result<()> {
        self.stretches_from(first, STRETCH, &mut |stretch| self.each_kept_of(&stretch, deleted, visit))
    }

    /// Passes all documents to `visit` in stretches of up to `len` documents, in the order of their numbers, for
    /// [`View::each_kept_of`] on several threads.
    pub fn stretches(&self, len: usize, visit: &mut dyn FnMut(Stretch) -> Result<()>) -> Result<()> {
        self.stretches_from(0, len, visit)
    }

    fn stretches_from(&self, first: u64, len: usize, visit: &mut dyn FnMut(Stretch) -> Result<()>) -> Result<()> {
        let mut low = first;
        loop {
            let mut prints = Vec::with_capacity(len);
            self.catalog.prints(low, &mut |number, print| {
                if number < self.snapshot.seen {
                    prints.push((number, print));
                }
                Ok(number < self.snapshot.seen && prints.len() < len)
            })?;
            let Some(&(last, _)) = prints.last() else { return Ok(()) };
            low = last + 1;
            visit(Stretch(prints))?;
        }
    }

    /// Visits the documents of a stretch as [`View::each_record`] does, with the stored form of their records.
    pub fn each_kept_of(
        &self,
        stretch: &Stretch,
        deleted: bool,
        visit: &mut dyn FnMut(u64, Print, Kept<'_>, bool) -> Result<()>,
    ) -> Result<()> {
        let Stretch(prints) = stretch;
        let (Some(&(first, _)), Some(&(last, _))) = (prints.first(), prints.last()) else { return Ok(()) };
        let mut rest = prints.iter();
        self.catalog.all_kept(first, &mut |number, kept| {
            if number > last {
                return Ok(false);
            }
            // Rows of the two families are written and dropped together.
            let Some(&(_, print)) = rest.find(|(of, _)| *of >= number).filter(|(of, _)| *of == number) else {
                let what = format!("document {number} has a record and no fingerprint");
                return Err(Error::Inconsistent { path: self.dir.catalog(), what });
            };
            let live = self.snapshot.is_live(number);
            if live || deleted && !self.snapshot.is_hidden(number) {
                visit(number, print, kept, !live)?;
            }
            Ok(number < last)
        })
    }

    /// Passes the records of the documents with these numbers, ascending, to `visit`, whether live or deleted; a number
    /// without a document is left out. Reading many records in this order is much faster than looking each up by its
    /// id.
    ///
    /// # Errors
    /// Damage of the catalog; any error of `visit`.
    pub fn records(&self, numbers: &[u64], visit: &mut dyn FnMut(u64, Record) -> Result<()>) -> Result<()> {
        let path = self.dir.catalog();
        self.catalog.records(numbers, &mut |index, value| {
            visit(numbers[index], Record::decode(value).map_err(Error::format(&path))?)
        })
    }

    /// Like [`View::records`], on this number of threads: `visit` gets in order what `take` takes from the records.
    ///
    /// # Errors
    /// Errors of [`View::records`].
    pub fn records_on<T: Send>(
        &self,
        threads: usize,
        numbers: &[u64],
        take: impl Fn(Record) -> T + Sync,
        visit: &mut dyn FnMut(u64, T) -> Result<()>,
    ) -> Result<()> {
        each_in_order(
            threads,
            |give| numbers.chunks(RECORDS).try_for_each(give),
            || (),
            |(), numbers| {
                let mut read = Vec::with_capacity(numbers.len());
                self.records(numbers, &mut |number, record| {
                    read.push((number, take(record)));
                    Ok(())
                })?;
                Ok(read)
            },
            |read| read.into_iter().try_for_each(|(number, taken)| visit(number, taken)),
        )
    }

    /// Visits the ids and numbers of all live documents, by id bytewise; with `deleted`, also the last document of
    /// an id without a live one, if a compaction has not dropped it yet.
    pub fn each_id(&self, deleted: bool, visit: &mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()> {
        let mut id = String::new();
        let mut chosen: Option<(u64, bool)> = None;
        self.catalog.all_ids(&mut |next, number| {
            if next != id {
                if let Some((number, _)) = chosen.take() {
                    visit(&id, number)?;
                }
                id.clear();
                id.push_str(next);
            }
            let live = self.snapshot.is_live(number);
            let seen = number < self.snapshot.seen && (live || deleted && !self.snapshot.is_hidden(number));
            // Numbers of an id ascend.
            if seen && (live || chosen.is_none_or(|(_, live)| !live)) {
                chosen = Some((number, live));
            }
            Ok(true)
        })?;
        chosen.map_or(Ok(()), |(number, _)| visit(&id, number))
    }

    /// Returns all archives that documents were loaded from, with their progress, by number.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn archives(&self) -> Result<Vec<(u32, Archive)>> {
        self.catalog.archives()
    }
}
