//! Candidate pairs by shared keys: one external sort of (key, document), then the posting list of each key.

use std::collections::HashSet;

use nddb_index::Result;
use nddb_index::spill::sort::{Sorted, Sorter};

use super::context::{Context, Take};
use super::keyed::KeyMaker;
use super::posting_list::{Compare, PostingList};
use super::repeats::Repeats;
use crate::pair::Cut;

/// Documents between two reports of progress.
const REPORT: u32 = 1 << 14;

/// Passes each pair of leaders that share a key to `found`, together with whether the pair is a candidate; a pair is
/// rarely passed twice. If more than `limit` leaders share a key, only the pairs with the oldest of these leaders are
/// passed (a star), and the key is returned.
pub(crate) fn pairs<K: KeyMaker>(
    context: &Context<'_>,
    keyed: K,
    limit: usize,
    found: &mut Take<'_>,
) -> Result<Vec<Cut>> {
    let sorted = sort(context, keyed)?;
    let cut = cut(&sorted, limit)?;
    let mut buckets =
        Buckets { context, keyed, limit, cut: &cut, sketches: Vec::new(), cuts: Vec::new(), stars: Vec::new() };
    let mut bucket: Vec<[u64; 2]> = Vec::new();
    let mut end = |bucket: &mut Vec<[u64; 2]>| {
        let outcome = if bucket.len() > 1 { buckets.bucket(bucket, found) } else { Ok(()) };
        bucket.clear();
        outcome
    };
    sorted.each(&mut |rows| {
        for row in rows {
            if bucket.first().is_some_and(|first| first[0] != row[0]) {
                end(&mut bucket)?;
            }
            bucket.push(*row);
        }
        context.ticker.add(rows.len() as u64)
    })?;
    end(&mut bucket)?;
    buckets.stars.sort_unstable();
    Ok(buckets.stars)
}

/// Returns the leaders that have the sketch from which the keys are made.
fn keyed_leaders<'a, K: KeyMaker + 'a>(context: &'a Context<'_>, keyed: K) -> impl Iterator<Item = u32> + 'a {
    let collection = context.collection;
    context.classes.leaders().filter(move |&ordinal| keyed.is_known(&collection.row(ordinal)))
}

/// Returns the keys that several documents may share, as rows of (key, index and ordinal), sorted.
fn sort<K: KeyMaker>(context: &Context<'_>, keyed: K) -> Result<Sorted<2>> {
    let (collection, resources) = (context.collection, context.resources);
    let len = u64::from(collection.len());
    let mut parts = Vec::new();
    let mut repeats = Repeats::new(len * u64::from(keyed.indexes()), resources.memory_limit);
    context.ticker.start("count keys", Some(len), "documents")?;
    for ordinal in keyed_leaders(context, keyed) {
        keyed.parts(&keyed.sketch(collection, ordinal), &mut parts);
        parts.iter().for_each(|&part| repeats.note(part));
        context.tick(ordinal, REPORT)?;
    }
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 2);
    context.ticker.start("sort keys", Some(len), "documents")?;
    for ordinal in keyed_leaders(context, keyed) {
        let sketch = keyed.sketch(collection, ordinal);
        keyed.parts(&sketch, &mut parts);
        let mask = keyed.possible(&|part| repeats.may_repeat(parts[part]));
        let mut outcome = Ok(());
        keyed.keys(&sketch, mask, |index, key| {
            if outcome.is_ok() {
                outcome = sorter.push([key, u64::from(index) << 32 | u64::from(ordinal)]);
            }
        });
        outcome?;
        context.tick(ordinal, REPORT)?;
    }
    context.ticker.start("candidates", None, "keys")?;
    Ok(sorter.finish())
}

/// Returns the keys that more than `limit` documents share.
fn cut(sorted: &Sorted<2>, limit: usize) -> Result<HashSet<u64>> {
    let mut cut = HashSet::new();
    if limit == usize::MAX {
        return Ok(cut);
    }
    let (mut last, mut len) = (0, 0);
    sorted.each(&mut |rows| {
        for &[key, _] in rows {
            len = if key == last { len + 1 } else { 1 };
            last = key;
            if len == limit + 1 {
                cut.insert(key);
            }
        }
        Ok(())
    })?;
    Ok(cut)
}

struct Buckets<'a, 'b, K: KeyMaker> {
    context: &'a Context<'b>,
    keyed: K,
    limit: usize,
    cut: &'a HashSet<u64>,
    sketches: Vec<K::Sketch>,
    /// For each sketch, the mask of the indexes whose keys more than `limit` documents share.
    cuts: Vec<u32>,
    stars: Vec<Cut>,
}

impl<K: KeyMaker> Buckets<'_, '_, K> {
    /// Visits the posting list of one key.
    fn bucket(&mut self, rows: &[[u64; 2]], found: &mut Take<'_>) -> Result<()> {
        let ordinal = |row: &[u64; 2]| row[1] as u32;
        let (key, index) = (rows[0][0], (rows[0][1] >> 32) as u8);
        let collection = self.context.collection;
        self.sketches.clear();
        self.sketches.extend(rows.iter().map(|row| self.keyed.sketch(collection, ordinal(row))));
        self.cuts.clear();
        self.cuts.resize(rows.len(), 0);
        if !self.cut.is_empty() {
            for (sketch, cuts) in self.sketches.iter().zip(&mut self.cuts) {
                self.keyed.keys(sketch, u32::MAX, |index, key| *cuts |= u32::from(self.cut.contains(&key)) << index);
            }
        }
        let is_cut = self.cut.contains(&key);
        if is_cut {
            self.stars.push(Cut { founder: ordinal(&rows[0]), len: rows.len() as u64, index });
        }
        let compared = if self.context.stable { self.limit } else { 1 };
        let list = PostingList { sketches: &self.sketches, cuts: &self.cuts, is_cut, compared };
        list.pairs(&At { keyed: self.keyed, index }, &mut |at, other, near| {
            found(ordinal(&rows[at]), ordinal(&rows[other]), near)
        })
    }
}

/// Compares sketches by their keys, in the posting list of a key with this index.
struct At<K> {
    keyed: K,
    index: u8,
}

impl<K: KeyMaker> Compare<K::Sketch> for At<K> {
    fn index(&self, _: usize) -> u8 {
        self.index
    }

    #[inline]
    fn shared(&self, a: &K::Sketch, b: &K::Sketch) -> u32 {
        self.keyed.shared(a, b)
    }

    #[inline]
    fn passes(&self, a: &K::Sketch, b: &K::Sketch) -> bool {
        self.keyed.passes(a, b)
    }
}
