//! Candidate pairs by shared keys: one external sort of (key, document), then the posting list of each key.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nddb_index::Result;
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::sort::{Sorted, Sorter};

use super::context::{Context, Take};
use super::keyed::KeyMaker;
use super::posting_list::{Compare, PostingList};
use super::repeats::Repeats;
use crate::pair::Cut;

/// Documents whose keys are made at a time.
const STRETCH: u32 = if cfg!(test) { 16 } else { 1 << 12 };
/// Rows of keys that are read at a time.
const ROWS: usize = if cfg!(test) { 16 } else { 1 << 12 };
/// Comparisons of a posting list that are made at a time.
const COMPARISONS: usize = if cfg!(test) { 16 } else { 1 << 17 };

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
    let (mut stars, buckets) = (Vec::new(), Buckets { context, keyed, limit, cut: &cut });
    each_in_order(
        context.resources.threads,
        |give| sorted.stretches(ROWS, |a, b| a[0] != b[0], &mut |rows| buckets.parts(rows, give)),
        || (),
        |(), part| buckets.pairs(&part),
        |BucketPairs { pairs, cuts, rows }| {
            stars.extend(cuts);
            pairs.into_iter().try_for_each(|(a, b, near)| found(a, b, near))?;
            context.ticker.add(rows)
        },
    )?;
    stars.sort_unstable();
    Ok(stars)
}

/// Passes the leaders that have the sketch from which the keys are made to `work`, in stretches on several threads, and
/// the results in order to `consume`.
fn each_stretch<K: KeyMaker, O: Send>(
    context: &Context<'_>,
    keyed: K,
    work: impl Fn(&mut dyn Iterator<Item = (u32, K::Sketch)>) -> O + Sync,
    mut consume: impl FnMut(O) -> Result<()>,
) -> Result<()> {
    let (collection, classes) = (context.collection, context.classes);
    let keyed_in = |ordinals: Range<u32>| {
        let leaders = ordinals.filter(move |&ordinal| classes.leader(ordinal) == ordinal);
        let known = leaders.filter(move |&ordinal| keyed.is_known(&collection.row(ordinal)));
        known.map(move |ordinal| (ordinal, keyed.sketch(collection, ordinal)))
    };
    each_in_order(
        context.resources.threads,
        |give| {
            let mut starts = (0..collection.len()).step_by(STRETCH as usize);
            starts.try_for_each(|start| give(start..collection.len().min(start.saturating_add(STRETCH))))
        },
        || (),
        |(), ordinals: Range<u32>| Ok((ordinals.len() as u64, work(&mut keyed_in(ordinals)))),
        |(len, made)| {
            consume(made)?;
            context.ticker.add(len)
        },
    )
}

/// Returns the keys that several documents may share, as rows of (key, index and ordinal), sorted.
fn sort<K: KeyMaker>(context: &Context<'_>, keyed: K) -> Result<Sorted<2>> {
    let (collection, resources) = (context.collection, context.resources);
    let len = u64::from(collection.len());
    let repeats = Repeats::new(len * u64::from(keyed.indexes()), resources.memory_limit);
    context.ticker.start("count keys", Some(len), "documents")?;
    let count = |sketches: &mut dyn Iterator<Item = (u32, K::Sketch)>| {
        let mut parts = Vec::new();
        for (_, sketch) in sketches {
            keyed.parts(&sketch, &mut parts);
            parts.iter().for_each(|&part| repeats.note(part));
        }
    };
    each_stretch(context, keyed, count, |()| Ok(()))?;
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 2).on(resources.threads);
    context.ticker.start("sort keys", Some(len), "documents")?;
    let make = |sketches: &mut dyn Iterator<Item = (u32, K::Sketch)>| {
        let (mut parts, mut rows) = (Vec::new(), Vec::new());
        for (ordinal, sketch) in sketches {
            keyed.parts(&sketch, &mut parts);
            let mask = keyed.possible(&|part| repeats.may_repeat(parts[part]));
            keyed.keys(&sketch, mask, |index, key| rows.push([key, u64::from(index) << 32 | u64::from(ordinal)]));
        }
        rows
    };
    each_stretch(context, keyed, make, |rows| sorter.extend(&rows))?;
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
}

/// The rows of one or more keys, or a part of the pairs of one key that many documents share.
enum BucketPart<S> {
    Lists(Vec<[u64; 2]>),
    OfList(Arc<List<S>>, Range<usize>),
}

/// A posting list whose sketches are read by the thread that needs them first.
struct List<S> {
    rows: Vec<[u64; 2]>,
    sketches: OnceLock<(Vec<S>, Vec<u32>)>,
}

/// What a part gives: pairs with whether they are candidates, keys that are cut, and the number of rows read.
struct BucketPairs {
    pairs: Vec<(u32, u32, bool)>,
    cuts: Vec<Cut>,
    rows: u64,
}

fn ordinal(row: &[u64; 2]) -> u32 {
    row[1] as u32
}

impl<K: KeyMaker> Buckets<'_, '_, K> {
    /// Passes on the rows of whole keys as parts whose pairs fit in memory.
    fn parts(&self, rows: Vec<[u64; 2]>, give: &mut dyn FnMut(BucketPart<K::Sketch>) -> Result<()>) -> Result<()> {
        let comparisons = |list: &[[u64; 2]]| list.len() * list.len();
        let is_long = |list: &[[u64; 2]]| comparisons(list) > COMPARISONS;
        if !rows.chunk_by(|a, b| a[0] == b[0]).any(is_long) {
            return give(BucketPart::Lists(rows));
        }
        let mut short = Vec::new();
        for list in rows.chunk_by(|a, b| a[0] == b[0]) {
            if !is_long(list) {
                short.extend_from_slice(list);
                continue;
            }
            if !short.is_empty() {
                give(BucketPart::Lists(std::mem::take(&mut short)))?;
            }
            let (len, list) = (list.len(), List { rows: list.to_vec(), sketches: OnceLock::new() });
            let (list, step) = (Arc::new(list), (COMPARISONS / len).max(1));
            let end = if self.cut.contains(&list.rows[0][0]) { len.min(self.compared()) } else { len };
            for start in (0..end).step_by(step) {
                give(BucketPart::OfList(Arc::clone(&list), start..end.min(start + step)))?;
            }
        }
        if short.is_empty() { Ok(()) } else { give(BucketPart::Lists(short)) }
    }

    /// Returns the number of documents with a key that is cut that are all compared with each other.
    fn compared(&self) -> usize {
        if self.context.stable { self.limit } else { 1 }
    }

    /// Returns the pairs of a part.
    fn pairs(&self, part: &BucketPart<K::Sketch>) -> Result<BucketPairs> {
        let mut found = BucketPairs { pairs: Vec::new(), cuts: Vec::new(), rows: 0 };
        match part {
            BucketPart::Lists(rows) => {
                for list in rows.chunk_by(|a, b| a[0] == b[0]).filter(|list| list.len() > 1) {
                    self.bucket(list, &self.sketches(list), 0..list.len(), &mut found)?;
                }
                found.rows = rows.len() as u64;
            }
            BucketPart::OfList(list, places) => {
                let sketches = list.sketches.get_or_init(|| self.sketches(&list.rows));
                self.bucket(&list.rows, sketches, places.clone(), &mut found)?;
                found.rows = places.len() as u64;
            }
        }
        Ok(found)
    }

    /// Returns the sketches of a posting list, and for each the mask of the indexes whose keys more than `limit`
    /// documents share.
    fn sketches(&self, rows: &[[u64; 2]]) -> (Vec<K::Sketch>, Vec<u32>) {
        let collection = self.context.collection;
        let sketches: Vec<K::Sketch> = rows.iter().map(|row| self.keyed.sketch(collection, ordinal(row))).collect();
        let mut cuts = vec![0; rows.len()];
        if !self.cut.is_empty() {
            for (sketch, cuts) in sketches.iter().zip(&mut cuts) {
                self.keyed.keys(sketch, u32::MAX, |index, key| *cuts |= u32::from(self.cut.contains(&key)) << index);
            }
        }
        (sketches, cuts)
    }

    /// Adds the pairs of one key whose first document has a place in this range.
    fn bucket(
        &self,
        rows: &[[u64; 2]],
        (sketches, cuts): &(Vec<K::Sketch>, Vec<u32>),
        places: Range<usize>,
        found: &mut BucketPairs,
    ) -> Result<()> {
        let (key, index) = (rows[0][0], (rows[0][1] >> 32) as u8);
        let is_cut = self.cut.contains(&key);
        if is_cut && places.start == 0 {
            found.cuts.push(Cut { founder: ordinal(&rows[0]), len: rows.len() as u64, index });
        }
        let list = PostingList { sketches, cuts, is_cut, compared: self.compared() };
        list.pairs_of(places, &At { keyed: self.keyed, index }, &mut |at, other, near| {
            found.pairs.push((ordinal(&rows[at]), ordinal(&rows[other]), near));
            Ok(())
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
