//! Commits: rows that become durable together.

use std::ops::Range as Numbers;

use nddb_format::keys;
use nddb_format::record::{self, Archive, Batch, Counters, Interval, Load, Print, Range, Settings};
use roaring::RoaringTreemap;
use rocksdb::{WriteBatch, WriteOptions};

use super::families::Family;
use super::intervals::Changes;
use super::open::Catalog;
use crate::disk::bugs::{Bug, bug};
use crate::disk::steps::step;
use crate::{Error, Result};

/// Rows to be written as one synced batch.
pub(crate) struct Commit<'a> {
    catalog: &'a Catalog,
    batch: WriteBatch,
    /// New intervals.
    intervals: Vec<Interval>,
    /// Numbers of intervals, ascending, that are no longer documents.
    gone: Vec<u64>,
}

impl Catalog {
    /// Begins a commit.
    pub(crate) fn begin(&self) -> Commit<'_> {
        Commit { catalog: self, batch: WriteBatch::default(), intervals: Vec::new(), gone: Vec::new() }
    }
}

impl Commit<'_> {
    fn put(&mut self, family: Family, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        self.batch.put_cf(self.catalog.family(family), key, value);
    }

    fn remove(&mut self, family: Family, key: impl AsRef<[u8]>) {
        self.batch.delete_cf(self.catalog.family(family), key);
    }

    /// Adds a document: its print, its record and its id.
    pub(crate) fn document(&mut self, number: u64, print: &Print, id: &str, record: &[u8]) {
        self.put(Family::Prints, record::number_key(number), print.encode());
        self.put(Family::Documents, record::number_key(number), record);
        self.put(Family::Ids, record::id_key(id, number), []);
    }

    /// Adds the rows of a document's keys.
    pub(crate) fn keys(&mut self, number: u64, keys: &DocumentKeys) {
        for (family, key) in keys.rows(number) {
            self.put(family, key, []);
        }
    }

    /// Adds the documents of an interval, whose prints are already stored.
    pub(crate) fn interval(&mut self, interval: Interval) {
        self.intervals.push(interval);
    }

    /// Removes the print, the record and the id of a document that no run contains; numbers ascend.
    pub(crate) fn purge(&mut self, number: u64, id: &str) {
        if self.catalog.intervals().covering(number).is_some() {
            self.gone.push(number);
            return;
        }
        self.remove(Family::Prints, record::number_key(number));
        self.remove(Family::Documents, record::number_key(number));
        self.remove(Family::Ids, record::id_key(id, number));
    }

    /// Like [`Commit::purge`], for numbers of an interval, some of which may be gone already.
    pub(crate) fn purge_of_interval(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.gone.extend(numbers);
    }

    /// Removes the rows of a document's keys.
    pub(crate) fn forget_keys(&mut self, number: u64, keys: &DocumentKeys) {
        for (family, key) in keys.rows(number) {
            self.remove(family, key);
        }
    }

    /// Removes the print of a number that has no other rows.
    pub(crate) fn forget_print(&mut self, number: u64) {
        // The number of an interval is gone, but its row has a group with prints of other numbers.
        if self.catalog.intervals().covering(number).is_some() {
            return;
        }
        self.remove(Family::Prints, record::number_key(number));
    }

    /// Marks documents as deleted.
    pub(crate) fn delete(&mut self, generation: u64, numbers: &RoaringTreemap) {
        for stretch in self.stretches(numbers) {
            let key = record::deleted_key(generation, stretch.start);
            self.put(Family::Deleted, key, record::encode_stretch(&stretch));
        }
    }

    /// Removes a row of deletions, by the first of its numbers.
    pub(crate) fn forget_deletion(&mut self, generation: u64, number: u64) {
        self.remove(Family::Deleted, record::deleted_key(generation, number));
    }

    /// Records that a pending batch replaces documents.
    pub(crate) fn replaced(&mut self, batch: u32, numbers: &RoaringTreemap) {
        for stretch in self.stretches(numbers) {
            let key = record::replaced_key(batch, stretch.start);
            self.put(Family::Batches, key, record::encode_stretch(&stretch));
        }
    }

    /// Returns numbers as stretches, one row each. In a database without intervals, every stretch is a single number,
    /// so readers of such databases need not support longer ones.
    fn stretches(&self, numbers: &RoaringTreemap) -> Vec<Numbers<u64>> {
        let joins = self.catalog.has_intervals();
        let mut all: Vec<Numbers<u64>> = Vec::new();
        for number in numbers {
            match all.last_mut().filter(|last| joins && last.end == number) {
                Some(last) => last.end += 1,
                None => all.push(number..number + 1),
            }
        }
        all
    }

    /// Removes a row of documents that a pending batch replaces, by the first of them.
    pub(crate) fn forget_replaced(&mut self, batch: u32, number: u64) {
        self.remove(Family::Batches, record::replaced_key(batch, number));
    }

    /// Writes a batch.
    pub(crate) fn batch(&mut self, name: &str, batch: &Batch) {
        self.put(Family::Batches, record::batch_key(name), batch.encode());
    }

    /// Writes a number range.
    pub(crate) fn range(&mut self, low: u64, range: &Range) {
        self.put(Family::Batches, record::range_key(low), range.encode());
    }

    /// Removes a number range.
    pub(crate) fn forget_range(&mut self, low: u64) {
        self.remove(Family::Batches, record::range_key(low));
    }

    /// Writes the numbers of a bulk load.
    pub(crate) fn load(&mut self, numbers: Numbers<u64>) {
        self.put(Family::Batches, record::load_key(numbers.start), Load { high: numbers.end }.encode());
    }

    /// Writes an archive's progress.
    pub(crate) fn archive(&mut self, number: u32, archive: &Archive) {
        self.put(Family::Sources, record::source_key(number), archive.encode());
    }

    /// Writes the settings.
    pub(crate) fn settings(&mut self, settings: &Settings) {
        self.put(Family::Meta, "settings", settings.encode());
    }

    /// Writes the counters.
    pub(crate) fn counters(&mut self, counters: &Counters) {
        self.put(Family::Meta, "counters", counters.encode());
    }

    /// Makes all rows durable, all or none.
    pub(crate) fn write(mut self) -> Result<()> {
        let changes = self.change_intervals();
        let mut options = WriteOptions::default();
        options.set_sync(!bug(Bug::LogNotSynced, &self.catalog.path));
        if bug(Bug::AcknowledgedBeforeCommit, &self.catalog.path) {
            options.set_sync(false);
            options.disable_wal(true);
        }
        self.catalog.dir.check_place()?;
        step("commit", &self.catalog.path).map_err(Error::io("commit to the catalog", &self.catalog.path))?;
        self.catalog.db.write_opt(self.batch, &options).map_err(self.catalog.failed("commit"))?;
        if let Some(changes) = changes {
            self.catalog.change_intervals(|intervals| intervals.apply(changes));
        }
        Ok(())
    }

    /// Writes the rows of intervals.
    fn change_intervals(&mut self) -> Option<Changes> {
        if self.intervals.is_empty() && self.gone.is_empty() {
            return None;
        }
        let changes = self.catalog.intervals().changes(std::mem::take(&mut self.intervals), &self.gone);
        changes.removed.iter().for_each(|&low| self.remove(Family::Batches, record::interval_key(low)));
        changes.groups.iter().for_each(|group| self.remove(Family::Prints, record::number_key(group.start)));
        changes.unmarked.iter().for_each(|&number| self.remove(Family::Batches, record::gone_key(number)));
        changes.gone.iter().for_each(|&number| self.put(Family::Batches, record::gone_key(number), []));
        changes.put.iter().for_each(|part| self.put(Family::Batches, record::interval_key(part.low), part.encode()));
        Some(changes)
    }
}

/// A key by which a document can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The digest of a token sequence.
    Digest([u8; 16]),
    /// A megashingle.
    Megashingle(u64),
    /// Index and bytes of a piece of the projection.
    Piece(u8, [u8; 4]),
}

impl Key {
    pub(crate) fn family(&self) -> Family {
        match self {
            Self::Digest(_) => Family::Digests,
            Self::Megashingle(_) => Family::Megashingles,
            Self::Piece(..) => Family::Pieces,
        }
    }

    /// Returns the prefix of its rows in the catalog, before the number.
    pub(crate) fn prefix(&self) -> Vec<u8> {
        let mut key = match *self {
            Self::Digest(digest) => record::digest_key(&digest, 0),
            Self::Megashingle(hash) => record::megashingle_key(hash, 0),
            Self::Piece(index, bytes) => record::piece_key(index, bytes, 0),
        };
        key.truncate(key.len() - size_of::<u64>());
        key
    }

    /// Returns the key as runs store it (SPEC 8.6).
    pub(crate) fn stored(&self) -> u64 {
        match *self {
            Self::Digest(digest) => keys::stored(keys::KeyKind::Digest, &digest),
            Self::Megashingle(hash) => keys::stored(keys::KeyKind::Megashingle, &hash.to_be_bytes()),
            Self::Piece(index, [a, b, c, d]) => keys::stored(keys::KeyKind::Piece, &[index, a, b, c, d]),
        }
    }
}

/// The keys by which a document can be found besides its fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentKeys {
    /// Megashingles of algorithm B.
    pub(crate) megashingles: Vec<u64>,
    /// Pieces of algorithm C, by index, if the recipe stores them.
    pub(crate) pieces: Vec<[u8; 4]>,
    /// Content digest.
    pub(crate) digest: Option<[u8; 16]>,
}

impl DocumentKeys {
    /// Returns the keys as runs store them (SPEC 8.6).
    pub(crate) fn stored(&self) -> impl Iterator<Item = u64> + '_ {
        let megashingles = self.megashingles.iter().map(|&hash| Key::Megashingle(hash));
        let pieces = (0u8..).zip(&self.pieces).map(|(index, &piece)| Key::Piece(index, piece));
        megashingles.chain(pieces).chain(self.digest.map(Key::Digest)).map(|key| key.stored())
    }

    /// Returns the rows of the keys, for document `number`.
    pub(crate) fn rows(&self, number: u64) -> impl Iterator<Item = (Family, Vec<u8>)> + '_ {
        let shingles =
            self.megashingles.iter().map(move |&hash| (Family::Megashingles, record::megashingle_key(hash, number)));
        let pieces = (0u8..)
            .zip(&self.pieces)
            .map(move |(index, &piece)| (Family::Pieces, record::piece_key(index, piece, number)));
        let digest = self.digest.iter().map(move |digest| (Family::Digests, record::digest_key(digest, number)));
        shingles.chain(pieces).chain(digest)
    }
}
