//! Candidates between classes, as pairs of documents.

use super::verified_classes::FOUNDERS;
use crate::Result;
use crate::detect::collection::Collection;
use crate::detect::collection::classes::{Classes, Members};
use crate::spill::resources::Resources;
use crate::spill::sort::{Sorted, Sorter};

/// What a class is multiplied out to.
pub(crate) enum Spread {
    /// Its leader stands for it.
    Leaders,
    /// The founders of its parts do, under its leader.
    Founders(Members),
    /// All its members stand for themselves. Where more pairs than `listed` come of two classes, or of one, these are
    /// not listed.
    All { members: Members, listed: u64 },
}

/// Candidate pairs in the making.
///
/// With all members every pair of documents has one home: their class, if they have one; else their text, if they have
/// one; else the pair of their classes, if that is a candidate.
pub(crate) struct CandidateCollector<'a> {
    collection: &'a Collection,
    classes: &'a Classes,
    spread: Spread,
    pairs: Sorter<1>,
    unlisted: Sorter<2>,
    apart: u64,
}

/// Candidate pairs.
pub(crate) struct Collected {
    /// Pairs of the ranks of ids, the lesser first, in order; a pair may come more than once.
    pub pairs: Sorted<1>,
    /// Indexes where pairs have their home and are too many to be listed: [`CLASSES`] with two leaders (one twice for
    /// the pairs within a class), [`TEXT`] with the representative of the text; in order, a home may come more
    /// than once.
    pub unlisted: Sorted<2>,
    /// Pairs that the sources brought together and took apart by what they brought them together by.
    pub apart: u64,
}

/// Pairs of two classes or of one.
pub const CLASSES: u64 = 0;
/// Pairs of different classes that have one text.
pub const TEXT: u64 = 1;

/// Pairs that `len` documents make.
pub fn pairs_of(len: usize) -> u64 {
    let len = len as u64;
    len * len.saturating_sub(1) / 2
}

fn two(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

impl<'a> CandidateCollector<'a> {
    /// Nothing yet.
    pub(crate) fn new(collection: &'a Collection, classes: &'a Classes, spread: Spread, resources: &Resources) -> Self {
        let sorter = resources.memory_limit / 4;
        let (pairs, unlisted) = (Sorter::new(&resources.folder, sorter), Sorter::new(&resources.folder, sorter));
        Self { collection, classes, spread, pairs, unlisted, apart: 0 }
    }

    /// Takes the pairs that need no source: those within classes, and those of one text.
    pub(crate) fn within(&mut self) -> Result<()> {
        let Self { collection, classes, spread, pairs, unlisted, .. } = self;
        let Spread::All { members, listed } = spread else { return Ok(()) };
        for leader in classes.leaders() {
            let class = members.of(leader);
            if pairs_of(class.len()) > *listed {
                unlisted.push([CLASSES, two(leader, leader)])?;
                continue;
            }
            for (index, &a) in class.iter().enumerate() {
                class[index + 1..].iter().try_for_each(|&b| push(pairs, collection, a, b))?;
            }
        }
        let texts = Classes::of_texts(collection);
        let members = texts.members();
        for text in texts.leaders() {
            let equal = members.of(text);
            if equal.iter().all(|&other| classes.leader(other) == classes.leader(text)) {
                continue;
            }
            if pairs_of(equal.len()) > *listed {
                unlisted.push([TEXT, text.into()])?;
                continue;
            }
            for (index, &a) in equal.iter().enumerate() {
                let others = equal[index + 1..].iter().filter(|&&b| classes.leader(b) != classes.leader(a));
                others.into_iter().try_for_each(|&b| push(pairs, collection, a, b))?;
            }
        }
        Ok(())
    }

    /// Takes two classes that a source brought together, and whether it found them to be near.
    pub(crate) fn take(&mut self, a: u32, b: u32, near: bool) -> Result<()> {
        let Self { collection, spread, pairs, unlisted, apart, .. } = self;
        match spread {
            Spread::Leaders if near => push(pairs, collection, a, b),
            Spread::Leaders => {
                *apart += 1;
                Ok(())
            }
            Spread::Founders(founders) => {
                let (a, b) = (founders.of(a), founders.of(b));
                for (i, &x) in a.iter().enumerate() {
                    for &y in &b[..if i == 0 {
                        b.len()
                    } else if i < FOUNDERS {
                        b.len().min(FOUNDERS)
                    } else {
                        1
                    }] {
                        if near { push(pairs, collection, x, y)? } else { *apart += 1 }
                    }
                }
                Ok(())
            }
            Spread::All { members, listed } => {
                let (of_a, of_b) = (members.of(a), members.of(b));
                let product = of_a.len() as u64 * of_b.len() as u64;
                if !near {
                    *apart += product;
                } else if product > *listed {
                    unlisted.push([CLASSES, two(a.min(b), a.max(b))])?;
                } else {
                    for &x in of_a {
                        let text = collection.representative(x);
                        let others = of_b.iter().filter(|&&y| collection.representative(y) != text);
                        others.into_iter().try_for_each(|&y| push(pairs, collection, x, y))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Sorts what was taken.
    pub(crate) fn finish(self) -> Collected {
        Collected { pairs: self.pairs.finish(), unlisted: self.unlisted.finish(), apart: self.apart }
    }
}

fn push(pairs: &mut Sorter<1>, collection: &Collection, a: u32, b: u32) -> Result<()> {
    let (a, b) = (collection.row(a).rank, collection.row(b).rank);
    pairs.push([two(a.min(b), a.max(b))])
}
