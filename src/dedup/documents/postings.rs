//! Candidate pairs of documents that share a key, from rows sorted by key.

use std::collections::HashSet;

use nddb_index::{Error, Result};

use crate::candidates::posting_list::{Compare, PostingList};

/// A document in the list of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posting {
    /// The key.
    pub key: u64,
    /// Number of the document.
    pub number: u64,
    /// All keys of the document that other documents have, too, in ascending order.
    pub keys: Vec<u64>,
}

/// Greatest number of keys of a document.
const KEYS_MAX: usize = 32;

/// Receiver of the older and the newer document of a pair, and whether `nddb pairs` compares the two as well. For a key
/// that too many documents share, clusters compare more pairs than `nddb pairs`.
type PairVisitor<'a> = dyn FnMut(u64, u64, bool) -> Result<()> + 'a;

/// The posting lists of all keys, read one after the other.
#[derive(Debug)]
pub struct Postings {
    limit: usize,
    cut: HashSet<u64>,
    list: Vec<Posting>,
}

impl Postings {
    /// Returns empty lists. `cut` has the keys that more than `limit` documents share.
    pub fn new(limit: usize, cut: HashSet<u64>) -> Self {
        Self { limit: limit.max(1), cut, list: Vec::new() }
    }

    /// Adds the next row; rows are sorted by key, then by number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for more than 32 keys of a document; errors of `found`.
    pub fn push(&mut self, posting: Posting, found: &mut PairVisitor<'_>) -> Result<()> {
        if posting.keys.len() > KEYS_MAX {
            let (requested, limit) = (posting.keys.len() as u64, KEYS_MAX as u64);
            return Err(Error::OutOfRange { what: "the number of keys of a document", requested, limit });
        }
        if self.list.first().is_some_and(|first| first.key != posting.key) {
            self.end(found)?;
        }
        self.list.push(posting);
        // The first documents of a cut key are kept; each later document is compared with the first one only.
        if self.list.len() > self.limit && self.cut.contains(&self.list[0].key) {
            let later = self.list.pop();
            let two: Vec<&Posting> = self.list.first().into_iter().chain(&later).collect();
            self.pairs(&two, 1, found)?;
        }
        Ok(())
    }

    /// Ends the last list.
    ///
    /// # Errors
    /// Whatever `found` returns.
    pub fn end(&mut self, found: &mut PairVisitor<'_>) -> Result<()> {
        let list = std::mem::take(&mut self.list);
        self.pairs(&list.iter().collect::<Vec<_>>(), self.limit, found)
    }

    fn pairs(&self, list: &[&Posting], compared: usize, found: &mut PairVisitor<'_>) -> Result<()> {
        if list.len() < 2 {
            return Ok(());
        }
        let is_cut = self.cut.contains(&list[0].key);
        let mask = |posting: &&Posting| {
            let bits = (0..).zip(&posting.keys).filter(|(_, key)| self.cut.contains(key));
            bits.fold(0u32, |mask, (bit, _)| mask | 1 << bit)
        };
        let cuts: Vec<u32> = if self.cut.is_empty() { vec![0; list.len()] } else { list.iter().map(mask).collect() };
        let postings = PostingList { sketches: list, cuts: &cuts, is_cut, compared };
        postings.pairs(&ByKeys(list), &mut |a, b, _| found(list[a].number, list[b].number, !is_cut || a == 0))
    }
}

/// The comparison of documents by their keys.
struct ByKeys<'a, 'b>(&'a [&'b Posting]);

impl Compare<&Posting> for ByKeys<'_, '_> {
    fn index(&self, at: usize) -> u8 {
        let posting = self.0[at];
        posting.keys.partition_point(|&key| key < posting.key) as u8
    }

    fn shared(&self, a: &&Posting, b: &&Posting) -> u32 {
        let (mut mask, mut theirs) = (0, b.keys.iter().peekable());
        for (bit, key) in (0..).zip(&a.keys) {
            while theirs.next_if(|other| *other < key).is_some() {}
            mask |= u32::from(theirs.peek() == Some(&key)) << bit;
        }
        mask
    }

    fn passes(&self, _: &&Posting, _: &&Posting) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(limit: usize, cut: &[u64], documents: &[(u64, &[u64])]) -> Vec<(u64, u64, bool)> {
        let mut rows: Vec<Posting> = Vec::new();
        for &(number, keys) in documents {
            rows.extend(keys.iter().map(|&key| Posting { key, number, keys: keys.to_vec() }));
        }
        rows.sort_unstable_by_key(|row| (row.key, row.number));
        let mut postings = Postings::new(limit, cut.iter().copied().collect());
        let mut found = Vec::new();
        let mut push = |a, b, listed| {
            found.push((a, b, listed));
            Ok(())
        };
        rows.into_iter().for_each(|row| postings.push(row, &mut push).expect("pairs"));
        postings.end(&mut push).expect("pairs");
        found.sort_unstable();
        found
    }

    #[test]
    fn a_pair_counts_at_the_first_key_that_both_have() {
        let documents: [(u64, &[u64]); 4] = [(1, &[5, 7, 9]), (2, &[5, 7]), (3, &[7, 9]), (4, &[11])];
        assert_eq!(pairs(10, &[], &documents), [(1, 2, true), (1, 3, true), (2, 3, true)]);
    }

    #[test]
    fn a_key_that_is_cut_gives_pairs_with_its_first_document_and_for_clusters_those_of_the_first() {
        let documents: [(u64, &[u64]); 5] = [(1, &[5]), (2, &[5]), (3, &[5, 8]), (4, &[5, 8]), (5, &[5])];
        let found = pairs(3, &[5], &documents);
        // 3 and 4 share a key that is not cut; 2 and 3 are among the first three.
        let listed = [(1, 2, true), (1, 3, true), (1, 4, true), (1, 5, true), (3, 4, true)];
        let mut all = listed.to_vec();
        all.push((2, 3, false));
        all.sort_unstable();
        assert_eq!(found, all);
    }

    #[test]
    fn too_many_keys_are_refused() {
        let mut postings = Postings::new(3, HashSet::new());
        let posting = Posting { key: 0, number: 1, keys: (0..33).collect() };
        let refused = postings.push(posting, &mut |_, _, _| Ok(()));
        assert!(matches!(refused, Err(Error::OutOfRange { limit: 32, .. })), "{refused:?}");
    }
}
