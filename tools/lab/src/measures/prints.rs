//! Distribution of fingerprint values (Manku et al. 2007, 4.2, Figure 2).

use std::cmp::Reverse;

use nddb_dedup::{Collection, Resources};
use nddb_format::Fingerprint;
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::sort::Sorter;
use nddb_index::{Progress, Result};

/// Number of buckets of equal width into which the space of values is divided.
pub const BUCKETS: usize = 128;
/// Number of most frequent fingerprints that are listed.
const NAMED: usize = 10;

/// The distribution of fingerprints over their values: uniform, or in clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prints {
    /// Bits of a fingerprint.
    pub bits: u8,
    /// Live documents with a fingerprint.
    pub documents: u64,
    /// Different fingerprints among them.
    pub distinct: u64,
    /// "The distribution of bit-positions of the leading 1-bit in XOR's of successive fingerprints" (Manku et al. 2007,
    /// 4.2, Figure 2a): successive among the distinct fingerprints in ascending order; counts by position, 0 is the
    /// lowest bit.
    pub leading: Vec<u64>,
    /// "The distribution of fingerprints in 128 buckets; bucket boundaries are defined by dividing the
    /// space of 2^f fingerprints into 128 equi-sized contiguous intervals" (Figure 2b): documents in each.
    pub documents_in: [u64; BUCKETS],
    /// Different fingerprints in each bucket.
    pub distinct_in: [u64; BUCKETS],
    /// The fingerprints that most documents share (at least two), by descending number of documents, then by value.
    pub hottest: Vec<Hot>,
}

/// A fingerprint that several documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hot {
    /// The fingerprint.
    pub fingerprint: Fingerprint,
    /// Number of documents that have it.
    pub documents: u64,
    /// The ordinal of the document that was stored first.
    pub example: u32,
}

/// Measures the fingerprints of the live documents of a collection. Fingerprints have `bits` bits, at least 7.
///
/// # Errors
/// Errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn prints(
    collection: &Collection,
    bits: u8,
    resources: &Resources,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Prints> {
    let ticker = Ticker::new(watch);
    ticker.start("fingerprints", None, "documents")?;
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 2);
    for ordinal in 0..collection.len() {
        if let Some(fingerprint) = collection.row(ordinal).fingerprint {
            sorter.push([fingerprint.0, ordinal.into()])?;
        }
    }
    let mut prints = Prints {
        bits,
        documents: 0,
        distinct: 0,
        leading: vec![0; bits.into()],
        documents_in: [0; BUCKETS],
        distinct_in: [0; BUCKETS],
        hottest: Vec::new(),
    };
    let mut current: Option<Hot> = None;
    sorter.finish().each(&mut |rows| {
        for &[value, ordinal] in rows {
            match &mut current {
                Some(hot) if hot.fingerprint.0 == value => hot.documents += 1,
                _ => {
                    let next = Hot { fingerprint: Fingerprint(value), documents: 1, example: ordinal as u32 };
                    if let Some(before) = current.replace(next) {
                        prints.take(before);
                        prints.leading[(before.fingerprint.0 ^ value).ilog2() as usize] += 1;
                    }
                }
            }
        }
        ticker.add(rows.len() as u64)
    })?;
    current.into_iter().for_each(|last| prints.take(last));
    Ok(prints)
}

impl Prints {
    /// Adds a fingerprint with its number of documents.
    fn take(&mut self, hot: Hot) {
        let bucket = (hot.fingerprint.0 >> (u32::from(self.bits) - BUCKETS.ilog2())) as usize;
        self.documents += hot.documents;
        self.distinct += 1;
        self.documents_in[bucket] += hot.documents;
        self.distinct_in[bucket] += 1;
        if hot.documents > 1 {
            // Fingerprints come in ascending order, so among equal counts the lesser one stays in front.
            let index = self.hottest.partition_point(|other| Reverse(other.documents) <= Reverse(hot.documents));
            self.hottest.insert(index, hot);
            self.hottest.truncate(NAMED);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nddb_dedup::support::{collection, database, pages};

    use super::*;

    /// Computes every figure by its definition, over all documents at once.
    #[test]
    fn it_counts_what_the_plain_definition_counts() {
        for seed in [1, 2] {
            let (folder, mut pages) = (tempfile::tempdir().expect("a folder"), pages(500, seed));
            pages.iter_mut().take(9).for_each(|page| page.fingerprint = Some(u64::MAX));
            let reader = database(folder.path(), &pages).expect("a database");
            let resources = Resources { memory_limit: 0, ..Resources::default() };
            let all = collection(&reader, &resources);
            let found = prints(&all, 64, &resources, &mut |_| true).expect("measured");
            let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
            pages.iter().filter_map(|page| page.fingerprint).for_each(|print| *counts.entry(print).or_default() += 1);
            assert_eq!((found.documents, found.distinct), (counts.values().sum(), counts.len() as u64));
            let values: Vec<u64> = counts.keys().copied().collect();
            for position in 0..64 {
                let leads = |pair: &&[u64]| (pair[0] ^ pair[1]) >> position == 1;
                assert_eq!(found.leading[position], values.windows(2).filter(leads).count() as u64, "seed {seed}");
            }
            for bucket in 0..BUCKETS {
                let (low, width) = (bucket as u128 * (1 << 57), 1u128 << 57);
                let inside = counts.iter().filter(|(print, _)| (low..low + width).contains(&u128::from(**print)));
                let (distinct, documents) = inside.fold((0, 0), |sum, (_, count)| (sum.0 + 1, sum.1 + count));
                assert_eq!((found.distinct_in[bucket], found.documents_in[bucket]), (distinct, documents));
            }
            let mut hottest: Vec<(u64, u64)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
            hottest.sort_by_key(|&(print, count)| (Reverse(count), print));
            hottest.truncate(NAMED);
            assert_eq!(found.hottest.iter().map(|hot| (hot.fingerprint.0, hot.documents)).collect::<Vec<_>>(), hottest);
            for hot in &found.hottest {
                let first = pages.iter().position(|page| page.fingerprint == Some(hot.fingerprint.0));
                assert_eq!(all.id(hot.example), pages[first.expect("one has it")].id);
            }
        }
    }

    #[test]
    fn no_document_gives_zeros() {
        let folder = tempfile::tempdir().expect("a folder");
        let reader = database(folder.path(), &[]).expect("a database");
        let resources = Resources::default();
        let found = prints(&collection(&reader, &resources), 64, &resources, &mut |_| true).expect("measured");
        assert_eq!((found.documents, found.distinct, found.hottest.len()), (0, 0, 0));
        assert_eq!(found.leading, [0; 64]);
    }
}
