//! Counts of pairs that are too many to be listed.
//!
//! A million copies of one page make 5 * 10^11 pairs. Evaluation needs their number, a sample of them, and whether
//! certain pairs are among them; none of this needs a list.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use nddb_dedup::{
    CLASSES, Classes, Collection, Judge, Judged, Members, PairJob, PairOptions, PairSummary, Reach, TEXT, Verified,
    pairs_of, share_key,
};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::text::Headings;

/// Greatest number of pairs between two classes, or within one, that are listed one by one.
pub(crate) const LISTED: u64 = 1 << 10;
/// Greatest number of pairs of kinds that are decided between two classes, or within one.
const DECIDED: u64 = 1 << 14;

/// Pairs that a method returns.
pub(crate) enum Counted<'a> {
    /// One pair, by ordinals.
    Pair(u32, u32),
    /// A block of many pairs.
    PairBlock(PairBlock<'a>),
}

/// A block of pairs: each document of one list with each of another, or all pairs within one list.
pub(crate) struct PairBlock<'a> {
    pub(crate) a: &'a [u32],
    /// Empty for the pairs within the first list.
    pub(crate) b: &'a [u32],
    /// Indexes of the requested pairs that are in the block, or would be if every pair were decided.
    pub(crate) asked: &'a [usize],
}

impl PairBlock<'_> {
    /// Number of pairs.
    pub(crate) fn pairs(&self) -> u64 {
        if self.b.is_empty() { pairs_of(self.a.len()) } else { self.a.len() as u64 * self.b.len() as u64 }
    }

    /// The pair that two random numbers select.
    pub(crate) fn draw(&self, random: [u64; 2]) -> (u32, u32) {
        // The upper half of the product is practically uniform for lists of documents.
        let below = |number: u64, bound: usize| ((u128::from(number) * bound as u128) >> 64) as usize;
        let first = below(random[0], self.a.len());
        if self.b.is_empty() {
            let second = below(random[1], self.a.len() - 1);
            return (self.a[first], self.a[second + usize::from(second >= first)]);
        }
        (self.a[first], self.b[below(random[1], self.b.len())])
    }
}

/// Finds the pairs that `expand` gives and passes them to `emit`, most of them as blocks. For the pairs in `asked`, the
/// result tells whether they are among them. The time depends on the numbers of documents and of pairs of classes, not
/// on the number of pairs of documents.
///
/// The result for an asked pair is that of `expand`. The pair is decided by its own evidence in three cases: both
/// documents are in one class, a source found their two classes, or they share a key that too many documents share. The
/// number of pairs is that of `expand`, too, with two exceptions. If too many documents share a key, only pairs with
/// the oldest of them are counted. The members of a class are divided into *kinds* that a decision may distinguish: by
/// site for split and min-hash, by text for methods that compare texts.
/// If more than [`DECIDED`] pairs of kinds would have to be decided between two classes, only the documents near the
/// founder of the other class are counted.
///
/// # Errors
/// Errors of [`super`].
pub(crate) fn count(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    asked: &[(u32, u32)],
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
) -> Result<PairSummary> {
    count_beyond(LISTED, view, collection, options, asked, watch, emit)
}

fn count_beyond(
    listed: u64,
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    asked: &[(u32, u32)],
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
) -> Result<PairSummary> {
    let options = PairOptions { expand: true, ..options.clone() };
    let found = PairJob::new(view, collection, &options, Reach::few(listed), watch)?;
    let mut left: BTreeSet<(u32, u32)> = asked.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    let mut summary = found.summary(collection, &options);
    let ticker = Ticker::new(watch);
    found.decide(collection, &options, &ticker, &mut summary, &mut |pair| {
        left.remove(&(pair.a.min(pair.b), pair.a.max(pair.b)));
        emit(Counted::Pair(pair.a, pair.b))
    })?;
    let mut pair_counts = BlockCounter::new(&found, collection, &options, asked, listed);
    ticker.start("count", None, "blocks")?;
    let (mut many, mut last) = (0, None);
    found.unlisted.each(&mut |rows| {
        for &row in rows {
            if last.replace(row) == Some(row) {
                continue;
            }
            pair_counts.at(row, &mut summary, &mut |counted| {
                match &counted {
                    Counted::Pair(a, b) => {
                        many += 1;
                        left.remove(&(*a.min(b), *a.max(b)));
                    }
                    Counted::PairBlock(block) => {
                        many += block.pairs();
                        block.asked.iter().map(|&index| asked[index]).for_each(|(a, b)| {
                            left.remove(&(a.min(b), a.max(b)));
                        });
                    }
                }
                emit(counted)
            })?;
        }
        ticker.add(rows.len() as u64)
    })?;
    summary.pairs += many;
    if !found.cuts.is_empty() {
        let mut judge = found.judge(collection, &options);
        for (a, b) in left {
            if share_key(collection, &options, a, b) && matches!(judge.pair(a, b)?, Judged::Near(_)) {
                summary.pairs += 1;
                emit(Counted::Pair(a, b))?;
            }
        }
    }
    Ok(summary)
}

/// Counts the pairs of homes with too many pairs to be listed. The home of a pair is the common class of its documents,
/// else their common text, else the pair of their classes.
struct BlockCounter<'a> {
    found: &'a PairJob,
    collection: &'a Collection,
    options: &'a PairOptions,
    judge: Judge<'a>,
    members: Members,
    texts: Members,
    /// Texts whose documents are in several classes.
    spread: FixedBitSet,
    kinds: HashMap<u32, Rc<Kinds>>,
    asked: &'a [(u32, u32)],
    /// The indexes of asked pairs by their homes.
    homes: HashMap<[u64; 2], Vec<usize>>,
    listed: u64,
}

/// The members of a class, divided into kinds that a decision may distinguish.
struct Kinds {
    members: Vec<u32>,
    /// The end of each kind; the kind of the leader is the first.
    ends: Vec<usize>,
}

impl Kinds {
    fn each(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start..end])
    }
}

impl<'a> BlockCounter<'a> {
    fn new(
        found: &'a PairJob,
        collection: &'a Collection,
        options: &'a PairOptions,
        asked: &'a [(u32, u32)],
        listed: u64,
    ) -> Self {
        let classes = &found.classes;
        let mut spread = FixedBitSet::with_capacity(collection.len() as usize);
        for ordinal in 0..collection.len() {
            let text = collection.representative(ordinal);
            if classes.leader(ordinal) != classes.leader(text) {
                spread.insert(text as usize);
            }
        }
        let mut homes: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
        for (index, &(a, b)) in asked.iter().enumerate() {
            let (x, y) = (classes.leader(a), classes.leader(b));
            let is_text = x != y && collection.representative(a) == collection.representative(b);
            let home = match is_text {
                true => [TEXT, collection.representative(a).into()],
                false => [CLASSES, u64::from(x.min(y)) << 32 | u64::from(x.max(y))],
            };
            homes.entry(home).or_default().push(index);
        }
        Self {
            found,
            collection,
            options,
            judge: found.judge(collection, options),
            members: classes.members(),
            texts: Classes::of_texts(collection).members(),
            spread,
            kinds: HashMap::new(),
            asked,
            homes,
            listed,
        }
    }

    /// Counts the pairs of one home.
    fn at(
        &mut self,
        home: [u64; 2],
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let (a, b) = ((home[1] >> 32) as u32, home[1] as u32);
        match home[0] {
            TEXT => self.text(home, summary, emit),
            _ if a == b => self.within(home, a, summary, emit),
            _ => self.between(home, [a, b], summary, emit),
        }
    }

    /// Counts the pairs of one text in different classes, which are all near.
    fn text(
        &mut self,
        home: [u64; 2],
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let classes = &self.found.classes;
        let mut equal = self.texts.of(home[1] as u32).to_vec();
        equal.sort_unstable_by_key(|&ordinal| classes.leader(ordinal));
        let mut runs: Vec<&[u32]> = equal.chunk_by(|&a, &b| classes.leader(a) == classes.leader(b)).collect();
        // Documents that are alone in their classes are all near each other; they come last.
        runs.sort_by_key(|run| run.len() == 1);
        let alone = runs.partition_point(|run| run.len() > 1);
        let order: Vec<u32> = runs.concat();
        let index: HashMap<u32, usize> =
            (0..).zip(&runs).map(|(at, run)| (classes.leader(run[0]), at.min(alone))).collect();
        let mut asked: HashMap<usize, Vec<usize>> = HashMap::new();
        for &pair in self.homes.get(&home).into_iter().flatten() {
            let (a, b) = self.asked[pair];
            let first = index[&classes.leader(a)].min(index[&classes.leader(b)]);
            asked.entry(first).or_default().push(pair);
        }
        let mut rest = &order[..];
        for (at, run) in runs[..alone].iter().enumerate() {
            let (here, others) = rest.split_at(run.len());
            if !others.is_empty() {
                summary.candidates += here.len() as u64 * others.len() as u64;
                self.emit(asked.get(&at).map_or(&[], Vec::as_slice), here, others, emit)?;
            }
            rest = others;
        }
        summary.candidates += pairs_of(rest.len());
        self.emit(asked.get(&alone).map_or(&[], Vec::as_slice), rest, &[], emit)
    }

    /// Counts the pairs within one class.
    fn within(
        &mut self,
        home: [u64; 2],
        leader: u32,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let kinds = self.kinds(leader);
        summary.candidates += pairs_of(kinds.members.len());
        if pairs_of(kinds.ends.len() + 1) > DECIDED {
            let near = self.near(&kinds, leader, summary)?;
            return self.emit_near(home, &near, &[], emit);
        }
        for (index, kind) in kinds.each().enumerate() {
            if let [first, second, ..] = *kind
                && self.is_near(first, second, pairs_of(kind.len()), summary)?
            {
                self.emit(&self.asked_in(home, kind, kind), kind, &[], emit)?;
            }
            for other in kinds.each().skip(index + 1) {
                let pairs = kind.len() as u64 * other.len() as u64;
                if self.is_near(kind[0], other[0], pairs, summary)? {
                    self.emit(&self.asked_in(home, kind, other), kind, other, emit)?;
                }
            }
        }
        Ok(())
    }

    /// Counts the pairs between two classes, except pairs of equal texts.
    fn between(
        &mut self,
        home: [u64; 2],
        leaders: [u32; 2],
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let [a, b] = leaders.map(|leader| self.kinds(leader));
        summary.candidates += a.members.len() as u64 * b.members.len() as u64;
        if a.ends.len() as u64 * b.ends.len() as u64 > DECIDED {
            let [near_b, near_a] = [self.near(&b, leaders[0], summary)?, self.near(&a, leaders[1], summary)?];
            let near_a = if near_b.is_empty() { Vec::new() } else { near_a };
            return self.emit_near(home, &near_a, &near_b, emit);
        }
        for kind in a.each() {
            for other in b.each() {
                let pairs = kind.len() as u64 * other.len() as u64;
                if self.collection.representative(kind[0]) == self.collection.representative(other[0]) {
                    summary.candidates -= pairs;
                } else if self.is_near(kind[0], other[0], pairs, summary)? {
                    self.emit(&self.asked_in(home, kind, other), kind, other, emit)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the documents of all kinds that are near a founder, including the founder, ascending.
    fn near(&mut self, kinds: &Kinds, founder: u32, summary: &mut PairSummary) -> Result<Vec<u32>> {
        let mut near = Vec::new();
        for kind in kinds.each() {
            if kind[0] == founder || self.is_near(founder, kind[0], kind.len() as u64, summary)? {
                near.extend_from_slice(kind);
            }
        }
        near.sort_unstable();
        Ok(near)
    }

    /// Returns whether two documents, which represent `pairs` pairs, are near.
    fn is_near(&mut self, a: u32, b: u32, pairs: u64, summary: &mut PairSummary) -> Result<bool> {
        Ok(match self.judge.pair(a, b)? {
            Judged::Near(pair) => {
                summary.unverified += if pair.verified == Some(Verified::Unread) { pairs } else { 0 };
                true
            }
            Judged::Rejected => {
                summary.rejected += pairs;
                false
            }
            Judged::Apart => false,
        })
    }

    /// Returns the kinds of a class. Documents of one kind have the same decisions with every other document.
    fn kinds(&mut self, leader: u32) -> Rc<Kinds> {
        if let Some(kinds) = self.kinds.get(&leader) {
            return kinds.clone();
        }
        let (collection, method) = (self.collection, &self.options.method);
        let compares_texts = method.needs_text() || self.options.verify.is_some();
        let verifies_sites = self.options.verify.as_ref().is_some_and(|verification| verification.same_site);
        let key = |&ordinal: &u32| {
            let text = collection.representative(ordinal);
            let read = if compares_texts { self.found.text_cache.sketch(ordinal) } else { None };
            let (by_site, by_headings) = method.looks_at();
            let site = collection.row(ordinal).site.filter(|_| by_site || verifies_sites);
            let headings = by_headings.then(|| collection.headings(ordinal));
            let headings = headings.map(|Headings { title, heading }| [title, heading]);
            ((compares_texts || self.spread.contains(text as usize)).then_some(text), read, site, headings)
        };
        let mut keyed: Vec<_> = self.members.of(leader).iter().map(|ordinal| (key(ordinal), *ordinal)).collect();
        keyed.sort_unstable();
        let mut runs: Vec<Vec<u32>> =
            keyed.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|(_, ordinal)| *ordinal).collect()).collect();
        runs.sort_unstable();
        let (mut members, mut ends) = (Vec::with_capacity(keyed.len()), Vec::with_capacity(runs.len()));
        for run in runs {
            members.extend(run);
            ends.push(members.len());
        }
        let kinds = Rc::new(Kinds { members, ends });
        self.kinds.insert(leader, kinds.clone());
        kinds
    }

    /// Returns the asked pairs of a home with one document in each of two ascending lists.
    fn asked_in(&self, home: [u64; 2], a: &[u32], b: &[u32]) -> Vec<usize> {
        let is_in = |list: &[u32], ordinal: u32| list.binary_search(&ordinal).is_ok();
        let asked = self.homes.get(&home).into_iter().flatten().copied().filter(|&index| {
            let (x, y) = self.asked[index];
            (is_in(a, x) && is_in(b, y)) || (is_in(a, y) && is_in(b, x))
        });
        asked.collect()
    }

    /// Passes on the documents near founders, with the asked pairs that are near by their own evidence.
    fn emit_near(
        &mut self,
        home: [u64; 2],
        a: &[u32],
        b: &[u32],
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut asked = Vec::new();
        for &index in self.homes.get(&home).into_iter().flatten() {
            let (x, y) = self.asked[index];
            // In the order of ids, as everywhere.
            let (x, y) = if self.collection.row(x).rank < self.collection.row(y).rank { (x, y) } else { (y, x) };
            if matches!(self.judge.pair(x, y)?, Judged::Near(_)) {
                asked.push(index);
            }
        }
        let block = PairBlock { a, b, asked: &asked };
        if block.pairs() > 0 {
            return emit(Counted::PairBlock(block));
        }
        asked.iter().map(|&index| self.asked[index]).try_for_each(|(x, y)| emit(Counted::Pair(x, y)))
    }

    /// Passes on pairs, one by one if they are few.
    fn emit(
        &self,
        asked: &[usize],
        a: &[u32],
        b: &[u32],
        emit: &mut dyn FnMut(Counted<'_>) -> Result<()>,
    ) -> Result<()> {
        let block = PairBlock { a, b, asked };
        if block.pairs() > self.listed {
            return emit(Counted::PairBlock(block));
        }
        for (index, &x) in a.iter().enumerate() {
            let others = if b.is_empty() { &a[index + 1..] } else { b };
            others.iter().try_for_each(|&y| emit(Counted::Pair(x, y)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
