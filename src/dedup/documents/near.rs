//! Pairs of fingerprints within k bits, by tables (Manku et al. 2007, 3.1). A fingerprint is cut into groups of bits;
//! if two fingerprints differ in at most k bits, at most k groups differ. There is one table for each choice of the
//! groups that are equal.

use nddb_index::{Error, Result};
use nddb_page::sketch::mix::split_mix;

/// Greatest number of tables.
const TABLES_MAX: usize = 4096;

/// Tables of fingerprints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearTables {
    /// For each table, the mask of the bits that must be equal.
    masks: Vec<u64>,
    within: u32,
}

/// A document with a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Number of the document.
    pub number: u64,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// Whether pairs with this document are wanted. A pair is left out if neither document is wanted.
    pub wanted: bool,
}

impl NearTables {
    /// Returns the tables for fingerprints within `within` bits, cut into this number of groups. More groups need more
    /// tables, but make the keys longer, so that fewer documents share one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `groups` is greater than `within` and at most 64, and there are at most 4,096
    /// tables.
    pub fn new(within: u8, groups: u8) -> Result<Self> {
        let (k, n) = (u32::from(within), u64::from(groups));
        let range = |what, requested, limit| Err(Error::OutOfRange { what, requested, limit });
        if groups > 64 {
            return range("the number of groups", n, 64);
        }
        if within >= groups {
            return range("k", k.into(), n.saturating_sub(1));
        }
        let group = |index: u64| {
            let (low, high) = (64 * index / n, 64 * (index + 1) / n);
            (u64::MAX >> (64 - (high - low))) << low
        };
        // Each choice of the groups that may differ, in lexicographic order.
        let mut masks = Vec::new();
        let mut chosen: Vec<u64> = (0..k.into()).collect();
        loop {
            masks.push(chosen.iter().fold(u64::MAX, |mask, &index| mask & !group(index)));
            if masks.len() > TABLES_MAX {
                return range("the number of tables", masks.len() as u64, TABLES_MAX as u64);
            }
            let last = (0..chosen.len()).rev().find(|&at| chosen[at] + ((chosen.len() - at) as u64) < n);
            let Some(last) = last else { return Ok(Self { masks, within: k }) };
            let next = chosen[last] + 1;
            for (at, index) in chosen[last..].iter_mut().zip(next..) {
                *at = index;
            }
        }
    }

    /// Returns the number of tables.
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Returns `false`: there is always a table.
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// Returns the key of a fingerprint in each table.
    pub fn keys(&self, fingerprint: u64) -> impl Iterator<Item = u64> + '_ {
        (0..).zip(&self.masks).map(move |(table, mask)| split_mix(fingerprint & mask, table))
    }

    /// Passes on the pairs within k bits of documents that share this key. A pair that shares keys of several tables is
    /// passed on at the first of these tables only.
    ///
    /// # Errors
    /// Whatever `found` returns.
    pub fn pairs(
        &self,
        key: u64,
        documents: &[Printed],
        found: &mut dyn FnMut(&Printed, &Printed) -> Result<()>,
    ) -> Result<()> {
        let Some(first) = documents.first() else { return Ok(()) };
        let Some(table) = self.keys(first.fingerprint).position(|theirs| theirs == key) else { return Ok(()) };
        for (at, a) in documents.iter().enumerate() {
            for b in &documents[at + 1..] {
                let differ = a.fingerprint ^ b.fingerprint;
                let near = differ.count_ones() <= self.within && (a.wanted || b.wanted);
                if near && self.masks.iter().position(|mask| differ & mask == 0) == Some(table) {
                    found(a, b)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn each_pair_within_k_bits_is_found_in_one_table() {
        for (within, groups, tables) in [(0, 1, 1), (1, 4, 4), (2, 5, 10), (3, 4, 4), (3, 6, 20), (3, 7, 35)] {
            let near = NearTables::new(within, groups).expect("tables");
            assert_eq!(near.len(), tables);
            let mut documents = Vec::new();
            for number in 0..400_u64 {
                let base = split_mix(number / 8, 7);
                let flipped = (0..number % 5).fold(0, |mask, at| mask | 1 << (split_mix(number * 8 + at, 9) % 64));
                let wanted = number % 3 != 0;
                documents.push(Printed { number, fingerprint: base ^ flipped, wanted });
            }
            let mut lists: BTreeMap<u64, Vec<Printed>> = BTreeMap::new();
            for document in &documents {
                near.keys(document.fingerprint).for_each(|key| lists.entry(key).or_default().push(*document));
            }
            let mut found = Vec::new();
            for (key, list) in &lists {
                let mut push = |a: &Printed, b: &Printed| {
                    found.push((a.number, b.number));
                    Ok(())
                };
                near.pairs(*key, list, &mut push).expect("pairs");
            }
            let mut expected = BTreeSet::new();
            for (at, a) in documents.iter().enumerate() {
                for b in &documents[at + 1..] {
                    let near = (a.fingerprint ^ b.fingerprint).count_ones() <= u32::from(within);
                    if near && (a.wanted || b.wanted) {
                        expected.insert((a.number, b.number));
                    }
                }
            }
            assert_eq!(found.len(), expected.len(), "none twice, within {within} of {groups}");
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
            assert!(expected.len() > 10, "within {within}");
        }
        assert!(NearTables::new(3, 3).is_err() && NearTables::new(3, 65).is_err() && NearTables::new(7, 60).is_err());
    }
}
