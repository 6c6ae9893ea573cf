//! A chunk of a bulk load: encoded records end to end, and their prints.

use nddb_format::record::{Print, Record};

use super::NONE;
use crate::sketch::Recipe;

/// Bytes of a bare record before its id: version, flags, length.
const ID_OFFSET: usize = 7;
/// What a document costs besides its record while its chunk is sorted and written, in bytes.
const OVERHEAD: u64 = 110;
/// What the keys of a document with sketches cost in addition: megashingles and digest.
const KEYS_OVERHEAD: u64 = 280;
/// What the pieces of its projection cost in addition.
const PIECES_OVERHEAD: u64 = 12 * 16;
/// What the bands of its min-values cost in addition.
const BANDS_OVERHEAD: u64 = 21 * 16;

/// What the keys of a document with sketches cost while its chunk is written, in bytes.
pub(super) fn keys_size(recipe: Option<&Recipe>) -> u64 {
    let also = |has: fn(&Recipe) -> bool, size: u64| if recipe.is_some_and(has) { size } else { 0 };
    KEYS_OVERHEAD + also(Recipe::has_pieces, PIECES_OVERHEAD) + also(Recipe::has_bands, BANDS_OVERHEAD)
}

/// Documents in the order they came.
#[derive(Default)]
pub(super) struct Chunk {
    records: Vec<u8>,
    ends: Vec<usize>,
    prints: Vec<u64>,
    unprinted: Vec<bool>,
    dropped: Vec<bool>,
    with_keys: u64,
    /// Numbers of their own, or none at all.
    numbers: Vec<u64>,
}

impl Chunk {
    /// Appends a document; either all of a chunk have numbers of their own, or none.
    pub(super) fn push(&mut self, print: Print, record: &Record, number: Option<u64>) {
        self.numbers.extend(number);
        record.encode_into(&mut self.records);
        self.ends.push(self.records.len());
        self.prints.push(print.fingerprint);
        self.unprinted.push(print.unprinted);
        self.dropped.push(false);
        self.with_keys += u64::from(record.digest.is_some() || record.supershingles.is_some());
    }

    /// Number of documents, dropped ones included.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of each document, `NONE` for those left out, and one more than the greatest: in the
    /// order they came, from `low` on, unless they have their own.
    pub(super) fn numbers(&self, low: u64) -> (Vec<u64>, u64) {
        let mut high = self.numbers.last().map_or(low, |last| last + 1);
        let numbers: Vec<u64> = (0..self.len())
            .map(|index| {
                if !self.is_kept(index) {
                    return NONE;
                }
                self.numbers.get(index).copied().unwrap_or_else(|| {
                    high += 1;
                    high - 1
                })
            })
            .collect();
        (numbers, high)
    }

    /// Bytes that the chunk needs until it is written, if the keys of each document with sketches take so many.
    pub(super) fn size(&self, keys: u64) -> u64 {
        self.records.len() as u64 + self.len() as u64 * OVERHEAD + self.with_keys * keys
    }

    /// The encoded record of a document.
    pub(super) fn record(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.records[start..self.ends[index]]
    }

    /// The id of a document.
    pub(super) fn id(&self, index: usize) -> &str {
        Record::head_of(self.record(index)).map_or("", |head| head.id)
    }

    /// The same as bytes, without checking again that they are text.
    fn id_bytes(&self, index: usize) -> &[u8] {
        let record = self.record(index);
        let size = u32::from_le_bytes([record[3], record[4], record[5], record[6]]) as usize;
        &record[ID_OFFSET..ID_OFFSET + size]
    }

    /// Whether nothing but the id is known of a document.
    pub(super) fn is_bare(&self, index: usize) -> bool {
        self.record(index).len() == ID_OFFSET + self.id_bytes(index).len()
    }

    /// The print of a document.
    pub(super) fn print(&self, index: usize) -> Print {
        Print { fingerprint: self.prints[index], unprinted: self.unprinted[index] }
    }

    /// Leaves a document out.
    pub(super) fn drop_document(&mut self, index: usize) {
        self.dropped[index] = true;
    }

    /// Whether a document is to be stored.
    pub(super) fn is_kept(&self, index: usize) -> bool {
        !self.dropped[index]
    }

    /// All documents by id bytewise, those with equal ids in the order they came.
    pub(super) fn sorted_by_id(&self) -> Vec<u32> {
        // Most ids differ in their first bytes or are short: comparing a number decides.
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

    /// Of documents with equal ids keeps the last; returns how many were left out.
    pub(super) fn keep_last(&mut self, by_id: &mut Vec<u32>) -> u64 {
        for place in 1..by_id.len() {
            let (earlier, later) = (by_id[place - 1] as usize, by_id[place] as usize);
            if self.id_bytes(earlier) == self.id_bytes(later) {
                self.dropped[earlier] = true;
            }
        }
        let before = by_id.len();
        by_id.retain(|&index| !self.dropped[index as usize]);
        (before - by_id.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_equal_ids_is_kept_and_ids_sort_bytewise() {
        let mut chunk = Chunk::default();
        let ids = ["b", "a", "b", "aaaaaaaab", "aaaaaaaa", "é", "a", "b"];
        for (place, id) in (0..).zip(ids) {
            let print = Print { fingerprint: place, unprinted: place == 1 };
            chunk.push(print, &Record { id: id.into(), ..Record::default() }, None);
        }
        let mut order = chunk.sorted_by_id();
        assert_eq!(order, [1, 6, 4, 3, 0, 2, 7, 5]);
        assert_eq!(chunk.keep_last(&mut order), 3);
        assert_eq!(order, [6, 4, 3, 7, 5]);
        assert_eq!(chunk.id(3), "aaaaaaaab");
        assert_eq!(chunk.numbers(40), (vec![NONE, NONE, NONE, 40, 41, 42, 43, 44], 45));
        assert!(chunk.is_bare(3) && !chunk.is_kept(0) && chunk.is_kept(7));
    }
}
