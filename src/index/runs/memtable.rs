//! The memtable: an index in memory of committed fingerprints that are in no run yet.
//!
//! By the pigeonhole principle, two fingerprints within k bits of each other are equal in one of k + 1 groups of
//! bits. Every fingerprint is chained under the value of each of its groups; a probe walks k + 1 chains of a few
//! entries. Equal fingerprints share one entry. Other keys of the documents have chains of their own.

use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use nddb_format::digest::mix;
use nddb_format::fingerprint::low_mask;
use nddb_format::scheme::K_MAX;

use crate::runs::contents::Contents;
use crate::runs::summaries::SummaryRows;

/// Maximum number of pairs of a key and a document before a flush: enough for some 16,000 documents with all sketches,
/// about 16 MB. Opening a database reads the records of as many documents.
const KEYS_MAX: usize = 400_000;
/// Maximum number of bytes of summaries before a flush; documents with long ids and addresses reach it.
const SUMMARIES_MAX: u64 = 32 << 20;
/// Number of chains of each group in an empty memtable, as a power of two. It is quadrupled whenever there are as many
/// fingerprints as chains, so that chains stay short.
const CHAIN_BITS: u32 = 12;
/// Maximum number of groups.
const GROUPS_MAX: usize = K_MAX as usize + 1;
/// Time to compare one fingerprint, in nanoseconds, if no group finds all matches.
const COMPARE_NS: f64 = 2.0;
const NONE: u32 = u32::MAX;

/// A document with a key.
#[derive(Clone, Copy, Debug)]
struct Link {
    key: u64,
    /// Index of the document.
    document: u32,
    /// The next link of the chain.
    next: u32,
}

/// Stored keys of documents (SPEC 8.6), in chains by the low bits of the key, because keys are hashes. The numbers of a
/// chain ascend.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// The first and the last link of each chain.
    ends: Vec<[u32; 2]>,
    links: Vec<Link>,
    /// The numbers of the documents with keys, ascending.
    documents: Vec<u64>,
}

impl Default for Keys {
    fn default() -> Self {
        Self { ends: vec![[NONE; 2]; 1 << CHAIN_BITS], links: Vec::new(), documents: Vec::new() }
    }
}

impl Keys {
    /// Makes room for more keys.
    fn reserve(&mut self, more: usize) {
        let len = self.links.len() + more;
        self.links.reserve(more);
        let mut chains = self.ends.len();
        while len > 2 * chains {
            chains *= 4;
        }
        if chains > self.ends.len() {
            self.ends = vec![[NONE; 2]; chains];
            (0..self.links.len()).for_each(|link| self.append(link));
        }
    }

    /// Adds a key of a document, perhaps repeated; numbers ascend.
    pub(crate) fn insert(&mut self, key: u64, number: u64) {
        self.reserve(1);
        let link = self.links.len();
        if self.documents.last() != Some(&number) {
            self.documents.push(number);
        }
        self.links.push(Link { key, document: self.documents.len() as u32 - 1, next: NONE });
        self.append(link);
    }

    /// Puts a link last in its chain.
    fn append(&mut self, link: usize) {
        self.links[link].next = NONE;
        let chain = self.chain(self.links[link].key);
        let [first, last] = &mut self.ends[chain];
        match self.links.get_mut(std::mem::replace(last, link as u32) as usize) {
            Some(last) => last.next = link as u32,
            None => *first = link as u32,
        }
    }

    fn chain(&self, key: u64) -> usize {
        key as usize & (self.ends.len() - 1)
    }

    /// Returns the numbers of a key, ascending.
    pub(crate) fn numbers(&self, key: u64) -> impl Iterator<Item = u64> {
        self.numbers_from(key, self.ends[self.chain(key)][0])
    }

    /// Returns the first link of each key, or the end of its chain. One step along each chain is made in turn, so that
    /// the processor waits for all of them at once.
    fn first_links(&self, keys: &[u64]) -> Vec<u32> {
        let mut links: Vec<u32> = keys.iter().map(|&key| self.ends[self.chain(key)][0]).collect();
        let mut goes_on = !self.links.is_empty();
        while goes_on {
            goes_on = false;
            for (at, &key) in links.iter_mut().zip(keys) {
                if let Some(link) = self.links.get(*at as usize).filter(|link| link.key != key) {
                    *at = link.next;
                    goes_on = true;
                }
            }
        }
        links
    }

    /// Returns the numbers of a key from a link of its chain on.
    fn numbers_from(&self, key: u64, mut at: u32) -> impl Iterator<Item = u64> {
        let mut before = None;
        std::iter::from_fn(move || {
            loop {
                let link = self.links.get(at as usize)?;
                at = link.next;
                if link.key == key && before.replace(link.document) != Some(link.document) {
                    return Some(self.documents[link.document as usize]);
                }
            }
        })
    }

    /// Returns all (key, number) pairs, numbers ascending.
    fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.links.iter().map(|link| (link.key, self.documents[link.document as usize]))
    }
}

/// Committed fingerprints that are in no run yet, and the keys of their documents.
#[derive(Clone, Debug)]
pub(crate) struct Memtable {
    /// Lowest bit and width of each of the k + 1 groups.
    groups: Vec<(u8, u8)>,
    /// Number of chains of each group, as a power of two; a narrow group has fewer.
    chain_bits: u32,
    /// For each group, the first entry of each chain.
    heads: Vec<Vec<u32>>,
    entries: Vec<MemoryEntry>,
    /// The numbers of each entry.
    numbers: Vec<Vec<u64>>,
    /// The entry of each fingerprint.
    entry_of: HashTable<u32>,
    keys: Keys,
    summaries: SummaryRows,
    rows: usize,
    /// The least number, and one more than the greatest.
    start: u64,
    end: u64,
}

/// A fingerprint stored next to its links, so that a step along a chain reads one place in memory.
#[derive(Clone, Copy, Debug)]
struct MemoryEntry {
    print: u64,
    /// The next entry of its chain in each group.
    next: [u32; GROUPS_MAX],
}

/// Returns the heads of empty chains.
fn heads_of(groups: &[(u8, u8)], chain_bits: u32) -> Vec<Vec<u32>> {
    groups.iter().map(|&(_, width)| vec![NONE; 1 << chain_bits.min(u32::from(width))]).collect()
}

impl Memtable {
    /// Returns an empty memtable for `bits`-bit fingerprints and distances up to `k`.
    pub(crate) fn new(bits: u8, k: u8) -> Self {
        let parts = (k + 1).min(bits);
        let mut groups = Vec::new();
        let mut low = 0;
        for part in 0..parts {
            let width = bits / parts + u8::from(part < bits % parts);
            groups.push((low, width));
            low += width;
        }
        Self::of_groups(groups)
    }

    fn of_groups(groups: Vec<(u8, u8)>) -> Self {
        Self {
            heads: heads_of(&groups, CHAIN_BITS),
            groups,
            chain_bits: CHAIN_BITS,
            entries: Vec::new(),
            numbers: Vec::new(),
            entry_of: HashTable::new(),
            keys: Keys::default(),
            summaries: SummaryRows::default(),
            rows: 0,
            start: u64::MAX,
            end: 0,
        }
    }

    /// Adds a document; numbers ascend.
    pub(crate) fn insert(&mut self, fingerprint: u64, number: u64) {
        self.rows += 1;
        self.start = self.start.min(number);
        self.end = number + 1;
        let Self { entry_of, entries, numbers, .. } = self;
        let is_print = |&entry: &u32| entries[entry as usize].print == fingerprint;
        let entry = entries.len();
        match entry_of.entry(mix(fingerprint), is_print, |&entry| mix(entries[entry as usize].print)) {
            Entry::Occupied(occupied) => return numbers[*occupied.get() as usize].push(number),
            Entry::Vacant(vacant) => _ = vacant.insert(entry as u32),
        }
        self.entries.push(MemoryEntry { print: fingerprint, next: [NONE; GROUPS_MAX] });
        self.numbers.push(vec![number]);
        // Chains beyond the number of values of a group would stay empty.
        let grows = self.groups.iter().any(|&(_, width)| u32::from(width) > self.chain_bits);
        if grows && entry == 1 << self.chain_bits {
            self.chain_bits += 2;
            self.heads = heads_of(&self.groups, self.chain_bits);
            (0..=entry).for_each(|entry| self.link(entry));
        } else {
            self.link(entry);
        }
    }

    /// Puts an entry first in its chains.
    fn link(&mut self, entry: usize) {
        for group in 0..self.groups.len() {
            let chain = self.chain(group, self.entries[entry].print);
            self.entries[entry].next[group] = std::mem::replace(&mut self.heads[group][chain], entry as u32);
        }
    }

    /// Adds keys of the document that was added last.
    pub(crate) fn insert_keys(&mut self, number: u64, keys: impl Iterator<Item = u64>) {
        keys.for_each(|key| self.keys.insert(key, number));
    }

    fn empty(&self) -> Self {
        Self::of_groups(self.groups.clone())
    }

    /// Returns the documents from `low` on.
    fn above(&self, low: u64) -> Self {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for (fingerprint, numbers) in self.entries() {
            rows.extend(numbers.iter().filter(|&&number| number >= low).map(|&number| (number, fingerprint)));
        }
        rows.sort_unstable();
        let mut above = self.empty();
        rows.into_iter().for_each(|(number, fingerprint)| above.insert(fingerprint, number));
        let keys = self.keys.pairs().filter(|&(_, number)| number >= low);
        keys.for_each(|(key, number)| above.keys.insert(key, number));
        let summaries = self.summaries.iter().filter(|&(number, _)| number >= low);
        summaries.for_each(|(number, summary)| above.summaries.push_bytes(number, summary));
        above
    }

    /// Returns the chain of a fingerprint in a group.
    fn chain(&self, group: usize, fingerprint: u64) -> usize {
        let (low, width) = self.groups[group];
        let value = fingerprint >> low & low_mask(width);
        let bits = self.chain_bits;
        if u32::from(width) <= bits { value as usize } else { (mix(value) >> (64 - bits)) as usize }
    }

    /// Returns whether any two fingerprints within `k` bits are equal in one of the groups.
    fn has_group_for(&self, k: u32) -> bool {
        (k as usize) < self.groups.len()
    }

    /// Calls `found` with each fingerprint within `k` bits and its numbers, each once.
    pub(crate) fn probe(&self, fingerprint: u64, k: u32, mut found: impl FnMut(u64, &[u64])) {
        if !self.has_group_for(k) {
            let near = self.entries().filter(|(print, _)| (print ^ fingerprint).count_ones() <= k);
            return near.for_each(|(print, numbers)| found(print, numbers));
        }
        if self.entries.is_empty() {
            return;
        }
        let mut at = [NONE; GROUPS_MAX];
        for (group, (at, heads)) in at.iter_mut().zip(&self.heads).enumerate() {
            *at = heads[self.chain(group, fingerprint)];
        }
        // One step along each chain in turn, so that the processor waits for all of them at once.
        while at != [NONE; GROUPS_MAX] {
            for (group, at) in at.iter_mut().enumerate() {
                let Some(entry) = self.entries.get(*at as usize) else { continue };
                let different = entry.print ^ fingerprint;
                // An entry that an earlier group has found is skipped.
                let is_first = || self.groups.iter().position(|&(low, width)| different >> low & low_mask(width) == 0);
                if different.count_ones() <= k && is_first() == Some(group) {
                    found(entry.print, &self.numbers[*at as usize]);
                }
                *at = entry.next[group];
            }
        }
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the number of pairs of a key and a document.
    pub(crate) fn keys_len(&self) -> usize {
        self.keys.links.len()
    }

    /// Returns the bytes of all summaries.
    pub(crate) fn summaries_size(&self) -> u64 {
        self.summaries.size()
    }

    /// Returns one more than the greatest number.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns all distinct fingerprints with their numbers, in no order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &[u64])> {
        self.entries.iter().map(|entry| entry.print).zip(self.numbers.iter().map(Vec::as_slice))
    }

    /// Returns the contents of a run of the documents that `keeps` selects.
    pub(crate) fn contents(&self, keeps: impl Fn(u64) -> bool) -> Contents<'static> {
        let (contents, summaries) = self.parts(keeps);
        contents.with_summaries(summaries)
    }

    /// Returns the contents of a run of the documents that `keeps` selects, and their summaries.
    fn parts(&self, keeps: impl Fn(u64) -> bool) -> (Contents<'static>, SummaryRows) {
        let entries =
            self.entries().flat_map(|(fingerprint, numbers)| numbers.iter().map(move |&number| (fingerprint, number)));
        let pairs = entries.filter(|&(_, number)| keeps(number)).collect();
        let keys = self.keys.pairs().filter(|&(_, number)| keeps(number)).map(|(key, number)| [key, number]).collect();
        let mut summaries = SummaryRows::default();
        let kept = self.summaries.iter().filter(|&(number, _)| keeps(number));
        kept.for_each(|(number, summary)| summaries.push_bytes(number, summary));
        (Contents { pairs, keys, ..Contents::default() }, summaries)
    }
}

/// The memtables of a state: one that takes new documents, and perhaps one that a flush has frozen, whose documents
/// are all older.
#[derive(Debug)]
pub(crate) struct Memtables {
    frozen: Option<Arc<Memtable>>,
    active: Memtable,
}

impl Memtables {
    /// Returns empty memtables for `bits`-bit fingerprints and distances up to `k`.
    pub(crate) fn new(bits: u8, k: u8) -> Self {
        Self { frozen: None, active: Memtable::new(bits, k) }
    }

    /// Makes room for more keys of documents.
    pub(crate) fn reserve_keys(&mut self, more: usize) {
        self.active.keys.reserve(more);
    }

    /// Adds a document; numbers ascend.
    pub(crate) fn insert(&mut self, fingerprint: u64, number: u64) {
        self.active.insert(fingerprint, number);
    }

    /// Adds keys of the document that was added last.
    pub(crate) fn insert_keys(&mut self, number: u64, keys: impl Iterator<Item = u64>) {
        self.active.insert_keys(number, keys);
    }

    /// Adds the encoded summary of the document that was added last.
    pub(crate) fn insert_summary(&mut self, number: u64, summary: &[u8]) {
        self.active.summaries.push_bytes(number, summary);
    }

    /// Returns the encoded summary of a document.
    pub(crate) fn summary(&self, number: u64) -> Option<&[u8]> {
        self.each().find_map(|memtable| memtable.summaries.get(number))
    }

    /// Returns whether the documents that are not frozen by a flush should be flushed: `rows_max` documents, or a few
    /// with much.
    pub(crate) fn is_full(&self, rows_max: usize) -> bool {
        self.active.len() >= rows_max
            || self.active.keys_len() >= KEYS_MAX
            || self.active.summaries_size() >= SUMMARIES_MAX
    }

    /// Looks up keys.
    pub(crate) fn sharing<'a>(&'a self, keys: &'a [u64]) -> FoundKeys<'a> {
        let of = |memtable: &'a Memtable| (&memtable.keys, memtable.keys.first_links(keys));
        FoundKeys { keys, found: self.each().map(of).collect() }
    }

    /// Freezes the documents so far, which take part in queries until [`Memtables::drop_below`] drops them. There is at
    /// most one frozen memtable: if there is one already, it is returned.
    pub(crate) fn freeze(&mut self) -> Arc<Memtable> {
        let Self { frozen, active } = self;
        frozen.get_or_insert_with(|| Arc::new(std::mem::replace(active, active.empty()))).clone()
    }

    /// Drops the documents below `low`.
    pub(crate) fn drop_below(&mut self, low: u64) {
        self.frozen.take_if(|frozen| frozen.end <= low);
        if self.active.start < low {
            self.active = if self.active.end <= low { self.active.empty() } else { self.active.above(low) };
        }
    }

    /// Calls `found` with each fingerprint within `k` bits and its numbers, of each memtable once.
    pub(crate) fn probe(&self, fingerprint: u64, k: u32, mut found: impl FnMut(u64, &[u64])) {
        for memtable in self.each() {
            memtable.probe(fingerprint, k, &mut found);
        }
    }

    /// Predicts the time of a probe in nanoseconds.
    pub(crate) fn predicted_ns(&self, k: u32) -> f64 {
        let compared =
            |memtable: &Memtable| if memtable.has_group_for(k) { 0.0 } else { memtable.entries.len() as f64 };
        COMPARE_NS * self.each().map(compared).sum::<f64>()
    }

    fn each(&self) -> impl Iterator<Item = &Memtable> {
        self.frozen.as_deref().into_iter().chain([&self.active])
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.each().map(Memtable::len).sum()
    }

    /// Returns the number of documents that are not frozen by a flush.
    pub(crate) fn active_len(&self) -> usize {
        self.active.len()
    }

    /// Returns the fingerprints of each memtable with their numbers, in no order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &[u64])> {
        self.each().flat_map(Memtable::entries)
    }

    /// Returns the contents of a run of the documents that `keeps` selects.
    pub(crate) fn contents(&self, keeps: impl Fn(u64) -> bool) -> Contents<'static> {
        let (mut all, mut summaries) = (Contents::default(), SummaryRows::default());
        for memtable in self.each() {
            let (contents, rows) = memtable.parts(&keeps);
            all.pairs.extend(contents.pairs);
            all.keys.extend(contents.keys);
            rows.iter().for_each(|(number, summary)| summaries.push_bytes(number, summary));
        }
        all.with_summaries(summaries)
    }
}

/// Keys that were looked up in memtables.
pub(crate) struct FoundKeys<'a> {
    keys: &'a [u64],
    /// The keys of each memtable, and the first link of each key that was looked up.
    found: Vec<(&'a Keys, Vec<u32>)>,
}

impl FoundKeys<'_> {
    /// Returns the numbers of the documents with the key at an index, ascending.
    pub(crate) fn numbers(&self, index: usize) -> impl Iterator<Item = u64> {
        self.found.iter().flat_map(move |(keys, links)| keys.numbers_from(self.keys[index], links[index]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::thresholds::Thresholds;

    #[test]
    fn documents_keys_and_bytes_of_summaries_fill_a_memtable() {
        let rows_max = Thresholds::USUAL.memtable;
        let fills = |summary: usize, keys: u64, most: u64| {
            let (mut memtables, summary) = (Memtables::new(64, 3), vec![0; summary]);
            (0..most).find(|&number| {
                memtables.insert(number, number);
                memtables.insert_keys(number, 0..keys);
                memtables.insert_summary(number, &summary);
                memtables.is_full(rows_max)
            })
        };
        assert_eq!(fills(4 << 10, 0, 10_000), Some((SUMMARIES_MAX >> 12) - 1));
        assert_eq!(fills(400, 25, 20_000), Some(KEYS_MAX as u64 / 25 - 1));
        assert_eq!(fills(80, 0, rows_max as u64), Some(rows_max as u64 - 1));
    }

    proptest! {
        #[test]
        fn keys_lead_to_their_documents(
            rows in prop::collection::vec(prop::collection::vec(0u64..400, 0..6), 0..200), frozen in 0usize..200,
            asked in prop::collection::vec(0u64..400, 0..30),
        ) {
            let mut memtables = Memtables::new(64, 3);
            for (number, keys) in (0..).zip(&rows) {
                if number == frozen as u64 {
                    memtables.freeze();
                }
                memtables.insert(number, number);
                memtables.insert_keys(number, keys.iter().copied());
            }
            // Keys that are in one chain, because they differ only in their higher bits.
            let asked: Vec<u64> = asked.into_iter().flat_map(|key| [key, key + (1 << 30)]).collect();
            let found = memtables.sharing(&asked);
            for (index, key) in asked.iter().enumerate() {
                let want: Vec<u64> = (0..).zip(&rows).filter(|(_, keys)| keys.contains(key)).map(|row| row.0).collect();
                prop_assert_eq!(found.numbers(index).collect::<Vec<_>>(), want);
            }
        }

        #[test]
        fn probing_finds_what_a_scan_finds(
            bits in 8u8..=64, k in 0u8..=7, prints in prop::collection::vec((any::<u64>(), 0u32..64), 0..300),
            query in any::<u64>(), flips in prop::collection::vec(0u8..64, 0..8),
        ) {
            let k = k.min(bits - 1);
            let prints: Vec<u64> = prints.into_iter().map(|(print, shift)| print >> shift & low_mask(bits)).collect();
            let mut memtable = Memtable { chain_bits: 3, ..Memtable::new(bits, k) };
            memtable.heads = heads_of(&memtable.groups, 3);
            for (number, &print) in (0..).zip(&prints) {
                memtable.insert(print, number);
            }
            let flipped = flips.iter().fold(0, |mask, flip| mask | 1 << (flip % bits));
            let near = prints.first().copied().unwrap_or(0) ^ flipped;
            for query in [query & low_mask(bits), near] {
                for k in 0..=u32::from(k) {
                    let mut found = Vec::new();
                    memtable.probe(query, k, |print, numbers| {
                        found.extend(numbers.iter().map(|&number| (number, print)));
                    });
                    found.sort_unstable();
                    let want: Vec<(u64, u64)> =
                        (0..).zip(prints.iter().copied()).filter(|(_, print)| (print ^ query).count_ones() <= k)
                            .collect();
                    prop_assert_eq!(found, want);
                }
            }
        }
    }
}
