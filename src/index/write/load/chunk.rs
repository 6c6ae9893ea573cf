//! A chunk of a bulk load: encoded records in one buffer, their prints, and the keys by which documents are found.

use std::ops::Range;
use std::path::Path;

use nddb_format::document_keys::KeyKinds;
use nddb_format::record::{Print, Record};

use super::Repeat;
use crate::catalog::DocumentKeys;
use crate::document::Document;
use crate::keys::summary_of;
use crate::runs::summaries::SummarySink;
use crate::{Error, Result};

/// Number of a document that is not stored.
pub(super) const NONE: u64 = u64::MAX;
/// Bytes of a bare record before its id: version, flags, length.
const ID_OFFSET: usize = 7;
/// Memory per document, besides its record, while its chunk is sorted and written.
const OVERHEAD: u64 = 110;

/// Maximum number of documents: their indexes have 32 bits.
const LEN_MAX: usize = u32::MAX as usize;

/// Returns whether a chunk of `len` documents that takes `size` bytes of memory is written before it gets another one.
pub(super) fn is_full(len: usize, size: u64, limit: u64) -> bool {
    size >= limit || len >= LEN_MAX
}

/// The keys of a document, as its run stores them, or as the catalog does without a print.
pub struct LoadKeys(Keys);

enum Keys {
    Run(Vec<u64>),
    Catalog(DocumentKeys),
}

impl LoadKeys {
    pub(crate) fn of(document: &Document, kinds: KeyKinds) -> Self {
        let keys = document.keys(kinds);
        Self(if document.unprinted { Keys::Catalog(keys) } else { Keys::Run(keys.stored().collect()) })
    }

    /// Returns the bytes of memory that they take, about.
    pub fn memory(&self) -> usize {
        match &self.0 {
            Keys::Run(keys) => size_of_val(&**keys),
            Keys::Catalog(keys) => size_of_val(&*keys.megashingles) + size_of_val(&*keys.pieces),
        }
    }
}

/// Documents in input order. The keys of a document are computed before its record is encoded. They have the index of
/// the document instead of its number, which is known only when the chunk is written. Keys of printed documents go to
/// the run, those of others to the catalog.
#[derive(Default)]
pub(crate) struct Chunk {
    records: Vec<u8>,
    ends: Vec<usize>,
    prints: Vec<u64>,
    unprinted: Vec<bool>,
    dropped: Vec<bool>,
    keys: Vec<(u64, u32)>,
    megashingles: Vec<(u64, u32)>,
    /// For each piece: its index among the pieces of its document followed by the piece itself, and the index of the
    /// document.
    pieces: Vec<([u8; 5], u32)>,
    digests: Vec<([u8; 16], u32)>,
    /// The documents from an index on belong to a batch, or to none.
    batches: Vec<(usize, Option<u32>)>,
    /// The documents from an index on came from an input.
    inputs: Vec<(usize, u32)>,
}

impl Chunk {
    /// Appends a document of an input.
    pub(crate) fn push(&mut self, print: Print, record: &Record, keys: LoadKeys, input: u32) {
        if self.batches.last().is_none_or(|(_, batch)| *batch != record.batch) {
            self.batches.push((self.len(), record.batch));
        }
        if self.inputs.last().is_none_or(|(_, last)| *last != input) {
            self.inputs.push((self.len(), input));
        }
        let index = self.len() as u32;
        match keys.0 {
            Keys::Run(keys) => self.keys.extend(keys.into_iter().map(|key| (key, index))),
            Keys::Catalog(keys) => {
                self.megashingles.extend(keys.megashingles.iter().map(|&hash| (hash, index)));
                let pieces = (0u8..).zip(&keys.pieces);
                self.pieces.extend(pieces.map(|(piece, &[a, b, c, d])| ([piece, a, b, c, d], index)));
                self.digests.extend(keys.digest.map(|digest| (digest, index)));
            }
        }
        record.encode_into(&mut self.records);
        self.ends.push(self.records.len());
        self.prints.push(print.fingerprint);
        self.unprinted.push(print.unprinted);
        self.dropped.push(false);
    }

    /// Returns the number of documents, dropped ones included.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of each document (`NONE` for dropped ones), and one more than the greatest of them. Numbers
    /// are given in input order from `low` on, without gaps.
    pub(crate) fn numbers(&self, low: u64) -> (Vec<u64>, u64) {
        let mut high = low;
        let numbers: Vec<u64> = (0..self.len())
            .map(|index| {
                if !self.is_kept(index) {
                    return NONE;
                }
                high += 1;
                high - 1
            })
            .collect();
        (numbers, high)
    }

    /// Returns the numbers that belong to batches, ascending, with their batches.
    pub(crate) fn labels(&self, numbers: &[u64]) -> Vec<(Range<u64>, u32)> {
        let ends = self.batches.iter().skip(1).map(|(start, _)| *start).chain([self.len()]);
        let label = |(&(start, batch), end): (&(usize, Option<u32>), usize)| {
            let mut kept = numbers[start..end].iter().copied().filter(|&number| number != NONE);
            let low = kept.next()?;
            Some((low..kept.next_back().unwrap_or(low) + 1, batch?))
        };
        self.batches.iter().zip(ends).filter_map(label).collect()
    }

    /// Returns the bytes that the chunk needs until it is written.
    pub(crate) fn size(&self) -> u64 {
        let rows = size_of_val(&*self.megashingles) + size_of_val(&*self.pieces) + size_of_val(&*self.digests);
        let keys = size_of_val(&*self.keys) + rows;
        (self.records.len() + keys) as u64 + self.len() as u64 * OVERHEAD
    }

    /// Takes the keys of the kept printed documents, as \[key, number\] in no particular order.
    pub(crate) fn take_keys(&mut self, numbers: &[u64]) -> Vec<[u64; 2]> {
        let keys = std::mem::take(&mut self.keys).into_iter();
        keys.map(|(key, index)| [key, numbers[index as usize]]).filter(|&[_, number]| number != NONE).collect()
    }

    /// Takes the megashingles and bands of the kept documents without a print, as (hash, number) in strictly ascending
    /// order.
    pub(crate) fn take_megashingles(&mut self, numbers: &[u64]) -> impl Iterator<Item = (u64, u64)> {
        let mut rows = numbered(std::mem::take(&mut self.megashingles), numbers);
        let mut last = None;
        std::iter::from_fn(move || {
            let next = rows.by_ref().find(|&row| last != Some(row));
            last = next;
            next
        })
    }

    /// Takes the pieces of the kept documents without a print, as (index and piece, number) in ascending order.
    pub(crate) fn take_pieces(&mut self, numbers: &[u64]) -> impl Iterator<Item = ([u8; 5], u64)> {
        numbered(std::mem::take(&mut self.pieces), numbers)
    }

    /// Takes the digests of the kept documents without a print, as (digest, number) in ascending order.
    pub(crate) fn take_digests(&mut self, numbers: &[u64]) -> impl Iterator<Item = ([u8; 16], u64)> {
        numbered(std::mem::take(&mut self.digests), numbers)
    }

    /// Passes the encoded summary of each kept printed document with its number to `sink`, in ascending order.
    ///
    /// # Errors
    /// Errors of `sink`; a record that cannot be read is reported as an error of the database at `path`.
    pub(crate) fn each_summary(
        &self,
        numbers: &[u64],
        (path, kinds): (&Path, KeyKinds),
        sink: &mut SummarySink<'_>,
    ) -> Result<()> {
        let mut summary = Vec::new();
        for (index, &number) in numbers.iter().enumerate() {
            if number != NONE && !self.unprinted[index] {
                let record = Record::decode(self.record(index)).map_err(Error::format(path))?;
                summary.clear();
                summary_of(self.prints[index], &record, kinds).encode_into(&mut summary);
                sink(number, &summary)?;
            }
        }
        Ok(())
    }

    /// Returns an upper bound of the bytes of all summaries: each has a fingerprint that its record lacks.
    pub(crate) fn summaries_size(&self) -> u64 {
        (self.records.len() + self.len() * size_of::<u64>()) as u64
    }

    /// Returns the encoded record of a document.
    pub(crate) fn record(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.records[start..self.ends[index]]
    }

    /// Returns the id of a document.
    pub(crate) fn id(&self, index: usize) -> &str {
        Record::head_of(self.record(index)).map_or("", |head| head.id)
    }

    /// Returns the id of a document as bytes, without UTF-8 validation.
    fn id_bytes(&self, index: usize) -> &[u8] {
        let record = self.record(index);
        let size = u32::from_le_bytes([record[3], record[4], record[5], record[6]]) as usize;
        &record[ID_OFFSET..ID_OFFSET + size]
    }

    /// Returns the print of a document.
    pub(crate) fn print(&self, index: usize) -> Print {
        Print { fingerprint: self.prints[index], unprinted: self.unprinted[index] }
    }

    /// Drops a document.
    pub(crate) fn drop_document(&mut self, index: usize) {
        self.dropped[index] = true;
    }

    /// Returns whether a document is kept.
    pub(crate) fn is_kept(&self, index: usize) -> bool {
        !self.dropped[index]
    }

    /// Returns all documents by id bytewise, those with equal ids in input order.
    pub(crate) fn sorted_by_id(&self) -> Vec<u32> {
        // Most ids differ in their first bytes or are short, so comparing one integer decides.
        let head = |index: usize| {
            let id = self.id_bytes(index);
            let mut head = [0; 8];
            let size = id.len().min(8);
            head[..size].copy_from_slice(&id[..size]);
            u64::from_be_bytes(head)
        };
        let mut order: Vec<(u64, u32)> = (0..self.len()).map(|index| (head(index), index as u32)).collect();
        order.sort_unstable_by(|a, b| {
            let rest = |index: u32| self.id_bytes(index as usize);
            a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1))).then(a.1.cmp(&b.1))
        });
        order.into_iter().map(|(_, index)| index).collect()
    }

    /// Returns a document in the form of a repeated id.
    pub(super) fn repeat(&self, index: usize) -> Repeat {
        let after = self.inputs.partition_point(|(start, _)| *start <= index);
        let input = after.checked_sub(1).map_or(0, |last| self.inputs[last].1);
        Repeat { id: self.id(index).to_owned(), input }
    }

    /// Keeps the last of documents with equal ids. Returns each dropped document with the next one of its id.
    pub(crate) fn keep_last(&mut self, by_id: &mut Vec<u32>) -> Vec<(usize, usize)> {
        let mut repeated = Vec::new();
        for index in 1..by_id.len() {
            let (earlier, later) = (by_id[index - 1] as usize, by_id[index] as usize);
            if self.id_bytes(earlier) == self.id_bytes(later) {
                self.dropped[earlier] = true;
                repeated.push((earlier, later));
            }
        }
        by_id.retain(|&index| !self.dropped[index as usize]);
        repeated
    }
}

/// Returns the keys of kept documents in ascending order with the documents' numbers, which ascend with their
/// indexes.
fn numbered<K: Copy + Ord>(mut keys: Vec<(K, u32)>, numbers: &[u64]) -> impl Iterator<Item = (K, u64)> {
    keys.sort_unstable();
    let number = |(key, index): (K, u32)| (key, numbers[index as usize]);
    keys.into_iter().map(number).filter(|&(_, number)| number != NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ascend_with_the_numbers_of_the_documents_that_are_kept() {
        let mut chunk = Chunk::default();
        for (index, id) in (0u64..).zip(["a", "b", "a", "c"]) {
            let keys = DocumentKeys {
                megashingles: vec![9 - index, 5, 5],
                pieces: vec![[index as u8; 4], [7; 4]],
                digest: Some([(index / 2) as u8; 16]),
            };
            let record = Record { id: id.into(), ..Record::default() };
            chunk.push(Print { fingerprint: index, unprinted: true }, &record, LoadKeys(Keys::Catalog(keys)), 0);
        }
        let mut by_id = chunk.sorted_by_id();
        chunk.keep_last(&mut by_id);
        let (numbers, _) = chunk.numbers(100);
        assert_eq!(numbers, [NONE, 100, 101, 102]);
        let megashingles: Vec<_> = chunk.take_megashingles(&numbers).collect();
        assert_eq!(megashingles, [(5, 100), (5, 101), (5, 102), (6, 102), (7, 101), (8, 100)]);
        let pieces: Vec<_> = chunk.take_pieces(&numbers).collect();
        let piece = |index: u8, byte: u8| [index, byte, byte, byte, byte];
        let first = [(piece(0, 1), 100), (piece(0, 2), 101), (piece(0, 3), 102)];
        assert_eq!(pieces, [&first[..], &[(piece(1, 7), 100), (piece(1, 7), 101), (piece(1, 7), 102)]].concat());
        let digests: Vec<_> = chunk.take_digests(&numbers).collect();
        assert_eq!(digests, [([0; 16], 100), ([1; 16], 101), ([1; 16], 102)]);
    }

    #[test]
    fn a_chunk_is_full_before_its_indexes_do_not_fit() {
        assert_eq!([(9, 99), (9, 100), (LEN_MAX, 99)].map(|(len, size)| is_full(len, size, 100)), [false, true, true]);
        assert!(u32::try_from(LEN_MAX).is_ok());
    }

    #[test]
    fn numbers_have_no_gaps_and_those_of_a_batch_are_labelled() {
        let mut chunk = Chunk::default();
        for (id, batch) in [("a", None), ("b", Some(7)), ("c", Some(7)), ("d", Some(8)), ("e", Some(9)), ("f", None)] {
            let record = Record { id: id.into(), batch, ..Record::default() };
            chunk.push(Print { fingerprint: 1, unprinted: false }, &record, LoadKeys(Keys::Run(Vec::new())), 0);
        }
        [1, 3].into_iter().for_each(|index| chunk.drop_document(index));
        let (numbers, high) = chunk.numbers(50);
        assert_eq!((&numbers[..], high), (&[50, NONE, 51, NONE, 52, 53][..], 54));
        assert_eq!(chunk.labels(&numbers), [(51..52, 7), (52..53, 9)]);
        (0..6).for_each(|index| chunk.drop_document(index));
        let (numbers, high) = chunk.numbers(50);
        assert_eq!((high, chunk.labels(&numbers)), (50, Vec::new()));
    }

    #[test]
    fn the_last_of_equal_ids_is_kept_and_ids_sort_bytewise() {
        let mut chunk = Chunk::default();
        let ids = ["b", "a", "b", "aaaaaaaab", "aaaaaaaa", "é", "a", "b"];
        for (index, id) in (0..).zip(ids) {
            let print = Print { fingerprint: index, unprinted: index == 1 };
            let record = Record { id: id.into(), ..Record::default() };
            chunk.push(print, &record, LoadKeys(Keys::Run(Vec::new())), index as u32 / 2);
        }
        let mut order = chunk.sorted_by_id();
        assert_eq!(order, [1, 6, 4, 3, 0, 2, 7, 5]);
        assert_eq!(chunk.keep_last(&mut order), [(1, 6), (0, 2), (2, 7)]);
        assert_eq!(chunk.repeat(2), Repeat { id: "b".into(), input: 1 });
        assert_eq!(chunk.repeat(7), Repeat { id: "b".into(), input: 3 });
        assert_eq!(order, [6, 4, 3, 7, 5]);
        assert_eq!(chunk.id(3), "aaaaaaaab");
        assert_eq!(chunk.numbers(40), (vec![NONE, NONE, NONE, 40, 41, 42, 43, 44], 45));
        assert!(!chunk.is_kept(0) && chunk.is_kept(7));
    }
}
