//! Documents whose texts stand within those of others. Texts that share enough parts are compared by their words
//! ([`decide_within`]).

use std::cmp::Reverse;
use std::collections::HashSet;

use nddb_dedup::{ClusterOptions, Clusters, Collection, MemberDecision, Resources, decide_within, in_order};
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
        Ok(self.decide(&looked, self.compare(&looked, &pairs, watch)?))
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

    /// Compares the words of documents with those of the ones with the most parts in common.
    fn compare(
        &self,
        looked: &[Looked],
        pairs: &Sorted<1>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Vec<Inner>> {
        let (mut rows, mut failed) = (pairs.rows()?, None);
        let mut next = rows.pop()?;
        // The longer documents of the next one, each with the number of parts in common.
        let mut produce = || {
            let inner = next?[0] >> 32;
            let mut found: Vec<(Reverse<u32>, u32)> = Vec::new();
            while let Some([pair]) = next.filter(|[pair]| pair >> 32 == inner) {
                match found.last_mut().filter(|(_, outer)| *outer == pair as u32) {
                    Some((Reverse(count), _)) => *count += 1,
                    None => found.push((Reverse(1), pair as u32)),
                }
                next = rows.pop().unwrap_or_else(|error| {
                    failed = Some(error);
                    None
                });
            }
            Some((inner as u32, found))
        };
        let (mut all, mut done) = (Vec::new(), 0);
        let total = Some(looked.len() as u64);
        in_order(
            self.resources.threads,
            &mut produce,
            |(inner, found)| Ok((inner, self.inner(looked, inner, found)?)),
            |inner: Result<(u32, Option<Inner>)>| {
                let (index, inner) = inner?;
                all.extend(inner);
                done += 1;
                if u64::from(done % 256_u32) == 0 { tell(watch, index.into(), total) } else { Ok(()) }
            },
        )?;
        failed.map_or(Ok(all), Err)
    }

    /// Returns the document if it stands within others.
    fn inner(&self, looked: &[Looked], index: u32, mut found: Vec<(Reverse<u32>, u32)>) -> Result<Option<Inner>> {
        let of = &looked[index as usize];
        // Of a short text all parts are known, and of a longer one that has it at least one in a window.
        let share = if (of.words as usize) < WHOLE_WORDS { 2 * u32::from(PARTS_WINDOW) } else { 2 };
        found.retain(|(Reverse(count), _)| count * share >= of.parts);
        // Of equal ones the longest come first: they stay.
        found.sort_unstable_by_key(|&(count, outer)| (count, Reverse(looked[outer as usize].words), outer));
        found.truncate(COMPARED_MAX);
        let Some(record) = (!found.is_empty()).then(|| self.record(of.number)).transpose()?.flatten() else {
            return Ok(None);
        };
        let mut others = Vec::new();
        for (_, outer) in found {
            let Some(kept) = self.record(looked[outer as usize].number)? else { continue };
            let (Some(text), Some(other)) = (&record.words, &kept.words) else { continue };
            let decided = decide_within(self.level, text, other);
            others.extend(decided.least.is_some().then_some(Outer { id: kept.id, index: outer, decided }));
        }
        let origin = Origin::of(&record);
        Ok((!others.is_empty()).then_some(Inner { id: record.id, index, origin, others, at: 0, stays: true }))
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

fn tell(watch: &mut (dyn FnMut(&Progress) -> bool + Send), done: u64, total: Option<u64>) -> Result<()> {
    let progress = Progress { phase: "look within other documents", done, total, unit: "documents" };
    if watch(&progress) { Ok(()) } else { Err(Error::Cancelled) }
}
