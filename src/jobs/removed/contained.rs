//! Documents whose texts stand within those of others. Texts that share enough parts are compared by their words
//! ([`Surrounding`]).

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use nddb_dedup::{ClusterOptions, Clusters, Collection, MemberDecision, Resources, Surrounding, in_order};
use nddb_format::record::Record;
use nddb_index::spill::sort::{Sorted, Sorter};
use nddb_index::{Error, Progress, Result, Stored, View};
use nddb_page::sketch::{PARTS_WINDOW, WHOLE_WORDS, parts};
use nddb_verdict::{Level, Words};

use super::Removed;
use super::clusters::each_removed;
use super::origins::Origin;

/// A part in more documents says nothing of any two of them.
pub const CONTAINED_TEXTS: usize = 20;
/// Greatest number of documents whose words are compared with those of one: those with the most parts in common.
const COMPARED_MAX: usize = 4;
/// Documents that a thread looks at together, and such pieces that are held.
const PIECE: usize = 64;
const PIECES_HELD: usize = 16;

/// What becomes of a document whose text stands within that of another one that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contained {
    /// It is reported, and stays.
    Keep,
    /// It is removed if the level allows what is lost.
    Remove,
}

/// A search for documents that stand within others: of those that a clustering keeps.
pub(super) struct Within<'a> {
    view: View<'a>,
    /// The numbers of the documents that the clustering removes.
    gone: HashSet<u64>,
    /// The numbers of documents that are not removed in any case: a list says so, or they are kept for a document of
    /// other words, of which more would be lost.
    stay: HashSet<u64>,
    contained: Contained,
    level: Level,
    resources: Resources,
}

/// A document that is looked at, and how many parts of its text are in few documents.
struct Looked {
    number: u64,
    words: u32,
    parts: u32,
}

/// A document that stands within others.
pub(super) struct Inner {
    pub(super) id: String,
    /// Its index, and those of the others are theirs.
    index: u32,
    origin: Origin,
    /// Documents in which it stands, those with the most parts in common first.
    others: Vec<Outer>,
    /// Which of these it names: one that stays itself.
    at: usize,
    pub(super) stays: bool,
}

struct Outer {
    id: String,
    index: u32,
    /// How many of the others have more parts in common.
    rank: u64,
    decided: MemberDecision,
}

impl Inner {
    /// Returns the row of the document.
    pub(super) fn removed(&self) -> Removed<'_> {
        let Outer { id, decided, .. } = &self.others[self.at];
        Removed { stays: self.stays, ..Removed::within(&self.id, id, decided) }.at(self.origin)
    }
}

impl<'a> Within<'a> {
    pub(super) fn new(
        view: View<'a>,
        collection: &Collection,
        made: &Clusters,
        contained: Contained,
        options: &ClusterOptions,
    ) -> Result<Self> {
        if !view.settings().keeps_words {
            let why = "it needs a database that keeps words (create --keep-words)".into();
            return Err(Error::Method { method: "contained", why });
        }
        let (mut gone, mut stay) = (HashSet::new(), HashSet::new());
        for row in (0..collection.len()).map(|ordinal| collection.row(ordinal)) {
            if !row.is_deleted && made.is_removed(row.rank) {
                gone.insert(row.number);
            }
            if options.overrules.is_safe(row.rank) {
                stay.insert(row.number);
            }
        }
        each_removed(collection, made, &mut |member, kept| {
            let kept = kept.filter(|_| made.least_level(member) != Some(Level::Same));
            stay.extend(kept.map(|kept| collection.row(kept).number));
            Ok(())
        })?;
        Ok(Self { view, gone, stay, contained, level: options.level, resources: options.pairs.resources.clone() })
    }

    /// Returns the documents that stand within others, in bytewise order of their ids. Memory: 16 bytes for each
    /// document, and some 600 for each of these.
    pub(super) fn find(&self, watch: &mut (dyn FnMut(&Progress) -> bool + Send)) -> Result<Vec<Inner>> {
        let (mut looked, places) = self.look(watch)?;
        let pairs = self.pairs(&places, &mut looked)?;
        let candidates = self.candidates(&looked, &pairs)?;
        Ok(self.decide(&looked, self.compare(&looked, &candidates, watch)?))
    }

    fn sorter<const N: usize>(&self) -> Sorter<N> {
        Sorter::new(&self.resources.folder, self.resources.memory_limit / 4)
    }

    /// Looks at all documents that stay; returns the parts of their texts, each with the index of its document.
    fn look(&self, watch: &mut (dyn FnMut(&Progress) -> bool + Send)) -> Result<(Vec<Looked>, Sorted<2>)> {
        let total = Some(self.view.stats()?.documents);
        let (mut looked, mut places, mut done) = (Vec::new(), self.sorter::<2>(), 0);
        let mut held = Vec::with_capacity(PIECES_HELD * PIECE);
        let mut pass = |held: &mut Vec<Stored>| -> Result<()> {
            let mut pieces = held.chunks(PIECE);
            let parts = |stored: &Stored| {
                let text = stored.record.words.as_deref().filter(|_| !self.gone.contains(&stored.number))?;
                Some((stored.number, parts(Words::of(text).hashes(), PARTS_WINDOW)))
            };
            let look = |piece: &[Stored]| piece.iter().filter_map(parts).collect::<Vec<_>>();
            in_order(
                self.resources.threads,
                || pieces.next(),
                look,
                |found| -> Result<()> {
                    for (number, mut parts) in found {
                        let index = looked.len() as u64;
                        looked.push(Looked { number, words: parts.words, parts: 0 });
                        parts.selected.sort_unstable_by_key(|part| part.hash);
                        parts.selected.dedup_by_key(|part| part.hash);
                        parts.selected.iter().try_for_each(|part| places.push([part.hash, index]))?;
                    }
                    Ok(())
                },
            )?;
            done += held.len() as u64;
            held.clear();
            tell(watch, done, total)
        };
        self.view.each(&mut |stored| {
            held.push(stored);
            if held.len() == PIECES_HELD * PIECE {
                pass(&mut held)?;
            }
            Ok(true)
        })?;
        pass(&mut held)?;
        Ok((looked, places.finish()))
    }

    /// Returns the pairs of a document and a longer one that have a part in common, once for each such part.
    fn pairs(&self, places: &Sorted<2>, looked: &mut [Looked]) -> Result<Sorted<1>> {
        let (mut pairs, mut rows) = (self.sorter::<1>(), places.rows()?);
        let (mut of, mut group) = (None, Vec::<usize>::new());
        loop {
            let row = rows.pop()?;
            if row.map(|[hash, _]| hash) != of {
                for &inner in group.iter().filter(|_| group.len() <= CONTAINED_TEXTS) {
                    looked[inner].parts += 1;
                    for &outer in group.iter().filter(|&&outer| looked[outer].words > looked[inner].words) {
                        pairs.push([(inner as u64) << 32 | outer as u64])?;
                    }
                }
                group.clear();
            }
            let Some([hash, index]) = row else { return Ok(pairs.finish()) };
            of = Some(hash);
            // One more than the limit tells that there are too many.
            if group.len() <= CONTAINED_TEXTS {
                group.push(index as usize);
            }
        }
    }

    /// Returns, for each document, the longer ones with the most parts in common that it may stand within: the index of
    /// the longer one, its own, and the rank of the longer one among its others. Sorted: one longer one after the other.
    fn candidates(&self, looked: &[Looked], pairs: &Sorted<1>) -> Result<Sorted<3>> {
        let (mut rows, mut next, mut candidates) = (pairs.rows()?, None, self.sorter::<3>());
        let mut found: Vec<(Reverse<u32>, u32)> = Vec::new();
        loop {
            let row = rows.pop()?;
            let [inner, outer] = row.map_or([None; 2], |[pair]| [Some(pair >> 32), Some(pair & u64::from(u32::MAX))]);
            if let Some(done) = next.filter(|_| next != inner) {
                for (rank, outer) in (0..).zip(most_alike(looked, done as usize, &mut found)) {
                    candidates.push([outer.into(), done, rank])?;
                }
                found.clear();
            }
            let Some(outer) = outer.map(|outer| outer as u32) else { return Ok(candidates.finish()) };
            next = inner;
            match found.last_mut().filter(|(_, last)| *last == outer) {
                Some((Reverse(count), _)) => *count += 1,
                None => found.push((Reverse(1), outer)),
            }
        }
    }

    /// Compares the words of documents with those of longer ones. The text of each longer one is read once for
    /// [`PIECE`] of these.
    fn compare(
        &self,
        looked: &[Looked],
        candidates: &Sorted<3>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Vec<Inner>> {
        let (mut rows, mut failed) = (candidates.rows()?, None);
        let mut next = rows.pop()?;
        let mut produce = || {
            let [outer, ..] = next?;
            let mut inner: Vec<[u64; 2]> = Vec::new();
            while let Some([_, index, rank]) = next.filter(|row| row[0] == outer && inner.len() < PIECE) {
                inner.push([index, rank]);
                next = rows.pop().unwrap_or_else(|error| {
                    failed = Some(error);
                    None
                });
            }
            Some((outer as u32, inner))
        };
        let (mut all, mut done) = (HashMap::<u32, Inner>::new(), 0);
        in_order(
            self.resources.threads,
            &mut produce,
            |(outer, inner)| self.within(looked, outer, &inner),
            |found: Result<Vec<Inner>>| {
                for inner in found? {
                    match all.get_mut(&inner.index) {
                        Some(known) => known.others.extend(inner.others),
                        None => drop(all.insert(inner.index, inner)),
                    }
                }
                done += 1;
                if done % 64 == 0 { tell(watch, done, None) } else { Ok(()) }
            },
        )?;
        let mut all: Vec<Inner> = all.into_values().collect();
        all.sort_unstable_by_key(|inner| inner.index);
        all.iter_mut().for_each(|inner| inner.others.sort_unstable_by_key(|other| other.rank));
        failed.map_or(Ok(all), Err)
    }

    /// Returns those of some documents, given by index and rank, that stand within a longer one.
    fn within(&self, looked: &[Looked], outer: u32, inner: &[[u64; 2]]) -> Result<Vec<Inner>> {
        let Some(kept) = self.record(looked[outer as usize].number)? else { return Ok(Vec::new()) };
        let Some(surrounding) = kept.words.as_deref().map(Surrounding::of) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for &[index, rank] in inner {
            let Some(record) = self.record(looked[index as usize].number)? else { continue };
            let Some(text) = &record.words else { continue };
            let decided = surrounding.decide(self.level, text);
            if decided.least.is_some() {
                let others = vec![Outer { id: kept.id.clone(), index: outer, rank, decided }];
                let origin = Origin::of(&record);
                found.push(Inner { id: record.id, index: index as u32, origin, others, at: 0, stays: true });
            }
        }
        Ok(found)
    }

    fn record(&self, number: u64) -> Result<Option<Record>> {
        let mut found = None;
        self.view.records(&[number], &mut |_, record| {
            found = Some(record);
            Ok(())
        })?;
        Ok(found)
    }

    /// Decides which of the documents go. Each comes after the longer ones, so it is known which of these stay.
    fn decide(&self, looked: &[Looked], mut found: Vec<Inner>) -> Vec<Inner> {
        found.sort_by_key(|inner| Reverse(looked[inner.index as usize].words));
        let mut gone: HashSet<u32> = HashSet::new();
        found.retain_mut(|inner| {
            let stays = |other: &Outer| !gone.contains(&other.index);
            let allows = |other: &Outer| other.decided.least.is_some_and(|least| least <= self.level);
            let number = looked[inner.index as usize].number;
            let may_go = self.contained == Contained::Remove && !self.stay.contains(&number);
            let goes_for = inner.others.iter().position(|other| may_go && stays(other) && allows(other));
            let Some(at) = goes_for.or_else(|| inner.others.iter().position(stays)) else { return false };
            (inner.at, inner.stays) = (at, goes_for.is_none());
            if goes_for.is_some() {
                gone.insert(inner.index);
            }
            true
        });
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    }
}

/// Returns the longer documents that a document may stand within, those with the most parts in common first, given the
/// number of common parts of each.
fn most_alike(looked: &[Looked], index: usize, found: &mut Vec<(Reverse<u32>, u32)>) -> impl Iterator<Item = u32> {
    let of = &looked[index];
    // Of a short text all parts are known, and of a longer one that has it at least one in a window.
    let share = if (of.words as usize) < WHOLE_WORDS { 2 * u32::from(PARTS_WINDOW) } else { 2 };
    found.retain(|(Reverse(count), _)| count * share >= of.parts);
    // Of equal ones the longest come first: they stay.
    found.sort_unstable_by_key(|&(count, outer)| (count, Reverse(looked[outer as usize].words), outer));
    found.iter().take(COMPARED_MAX).map(|(_, outer)| *outer)
}

fn tell(watch: &mut (dyn FnMut(&Progress) -> bool + Send), done: u64, total: Option<u64>) -> Result<()> {
    let progress = Progress { phase: "look within other documents", done, total, unit: "documents" };
    if watch(&progress) { Ok(()) } else { Err(Error::Cancelled) }
}
