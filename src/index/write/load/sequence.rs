//! Documents of a load that may become an interval: bare fingerprints with consecutive ids (SPEC 9.8).

use std::ops::Range;

use nddb_format::Fingerprint;
use nddb_format::record::{Interval, ORDINAL_END, Record, splits};

use crate::document::Document;

/// Minimum number of documents for an interval; fewer are stored with rows of their own.
pub(super) const LEN_MIN: usize = 4096;
/// Memory per document while its interval is sorted and written.
const OVERHEAD: u64 = 64;

/// Consecutive documents of the input that have only a fingerprint, and whose ids consist of a common prefix and
/// consecutive ordinals.
pub(super) struct Sequence {
    /// The id of the first: the prefix, and its ordinal.
    first: String,
    /// Bytes of the prefix.
    prefix: usize,
    ordinal: u64,
    batch: Option<u32>,
    /// The input of the first document.
    input: u32,
    fingerprints: Vec<u64>,
    /// The digits of the next ordinal.
    next: Vec<u8>,
}

impl Sequence {
    /// Returns a sequence that begins with a document of a batch and an input; `None` if no id can follow.
    pub(super) fn begin(id: String, fingerprint: Fingerprint, batch: Option<u32>, input: u32) -> Option<Self> {
        let (prefix, ordinal) = splits(&id).next().map(|(prefix, ordinal)| (prefix.len(), ordinal))?;
        Some(Self {
            first: id,
            prefix,
            ordinal,
            batch,
            input,
            fingerprints: vec![fingerprint.0],
            next: (ordinal + 1).to_string().into_bytes(),
        })
    }

    /// Takes a document if it is the next one. Returns whether it is.
    pub(super) fn take(&mut self, id: &str, fingerprint: Fingerprint, batch: Option<u32>) -> bool {
        let len = self.fingerprints.len() as u64;
        let is_next = id.as_bytes().strip_prefix(self.prefix().as_bytes()) == Some(&self.next)
            && batch == self.batch
            && self.ordinal + len < ORDINAL_END;
        if is_next {
            self.fingerprints.push(fingerprint.0);
            count_on(&mut self.next);
        }
        is_next
    }

    pub(super) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Returns the memory that it needs until it is written.
    pub(super) fn size(&self) -> u64 {
        self.len() as u64 * OVERHEAD
    }

    /// Returns the fingerprints.
    pub(super) fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// Returns the input of the first document.
    pub(super) fn input(&self) -> u32 {
        self.input
    }

    /// Returns the id of a document.
    pub(super) fn id(&self, index: usize) -> String {
        match index {
            0 => self.first.clone(),
            _ => format!("{}{}", self.prefix(), self.ordinal + index as u64),
        }
    }

    /// Returns a document.
    pub(super) fn document(&self, index: usize) -> Document {
        Document {
            fingerprint: Fingerprint(self.fingerprints[index]),
            unprinted: false,
            sketched: false,
            record: Record { id: self.id(index), batch: self.batch, ..Record::default() },
        }
    }

    /// Returns the prefix of the ids.
    pub(super) fn prefix(&self) -> &str {
        &self.first[..self.prefix]
    }

    /// Returns the ordinals of documents.
    pub(super) fn ordinals(&self, indexes: &Range<usize>) -> Range<u64> {
        self.ordinal + indexes.start as u64..self.ordinal + indexes.end as u64
    }

    /// Returns all documents in stretches of up to `most`, each with ordinals of one length.
    pub(super) fn stretches(&self, most: usize) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let ordinal = self.ordinal + start as u64;
            let longer = 10u64.checked_pow(ordinal.max(1).ilog10() + 1).unwrap_or(ORDINAL_END);
            let end = (longer - ordinal).min(most as u64).min((self.len() - start) as u64) as usize + start;
            let stretch = start..end;
            start = end;
            (!stretch.is_empty()).then_some(stretch)
        })
    }

    /// Returns the batch of its documents.
    pub(super) fn batch(&self) -> Option<u32> {
        self.batch
    }

    /// Returns the interval of documents with numbers from `low` on.
    pub(super) fn interval(&self, indexes: &Range<usize>, low: u64) -> Interval {
        Interval {
            low,
            high: low + indexes.len() as u64,
            ordinal: self.ordinal + indexes.start as u64,
            batch: self.batch.unwrap_or(0),
            prefix: self.prefix().into(),
        }
    }
}

/// Adds one to a number of decimal digits.
fn count_on(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(id: &str) -> Option<Sequence> {
        Sequence::begin(id.into(), Fingerprint(7), None, 0)
    }

    fn take(sequence: &mut Sequence, id: &str) -> bool {
        sequence.take(id, Fingerprint(8), None)
    }

    #[test]
    fn a_sequence_takes_the_documents_whose_ids_count_on() {
        let mut sequence = begin("x08").expect("an ordinal");
        for (id, is_next) in
            [("x09", true), ("x10", false), ("x010", true), ("x012", false), ("x011", true), ("", false)]
        {
            assert_eq!(take(&mut sequence, id), is_next, "{id}");
        }
        assert!(!sequence.take("x012", Fingerprint(7), Some(3)));
        assert!(take(&mut sequence, "x012"));
        let ids: Vec<String> = (0..sequence.len()).map(|index| sequence.id(index)).collect();
        assert_eq!(ids, ["x08", "x09", "x010", "x011", "x012"]);
        assert_eq!(
            (sequence.interval(&(1..3), 40).id(41), sequence.document(1).fingerprint()),
            ("x010".into(), Fingerprint(8))
        );
        assert!(begin("x").is_none() && begin("").is_none());
    }

    #[test]
    fn stretches_have_ordinals_of_one_length() {
        let mut sequence = begin("5").expect("an ordinal");
        (6..130).for_each(|id| assert!(take(&mut sequence, &id.to_string())));
        let stretches: Vec<Range<u64>> = sequence.stretches(40).map(|stretch| sequence.ordinals(&stretch)).collect();
        assert_eq!(stretches, [5..10, 10..50, 50..90, 90..100, 100..130]);
        let mut last = begin("9999999999999999998").expect("an ordinal");
        assert!(take(&mut last, "9999999999999999999") && !take(&mut last, "10000000000000000000"));
        assert!(last.stretches(9).eq(std::iter::once(0..2)));
    }
}
