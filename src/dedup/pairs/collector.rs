//! Expansion of candidate pairs of classes to pairs of documents.

use nddb_index::Result;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::{Sorted, Sorter};

use super::verified_classes::FOUNDERS;
use crate::collection::Collection;
use crate::collection::classes::{Classes, Members};

/// The documents to which a class is expanded.
pub(crate) enum Spread {
    /// The leader, which represents the class.
    Leaders,
    /// The founders of the parts of a class, listed under its leader.
    Founders(Members),
    /// All members. If two classes (or one class with itself) give more than `listed` pairs, these pairs are not
    /// listed.
    All { members: Members, listed: u64 },
}

/// Collector of candidate pairs.
///
/// With `Spread::All`, every candidate pair of documents belongs to exactly one home: the common class of the two, else
/// their common text, else the pair of their classes.
pub(crate) struct CandidateCollector<'a> {
    collection: &'a Collection,
    classes: &'a Classes,
    spread: Spread,
    pairs: Sorter<1>,
    unlisted: Sorter<2>,
    apart: u64,
}

/// Collected candidate pairs.
pub(crate) struct Collected {
    /// Pairs of ranks of ids, the lesser first, sorted; a pair may occur more than once.
    pub pairs: Sorted<1>,
    /// Homes with too many pairs to be listed, sorted: [`CLASSES`] with two leaders (the same leader twice for the
    /// pairs within a class), or [`TEXT`] with the representative of the text. A home may occur more than once.
    pub unlisted: Sorted<2>,
    /// Number of pairs that a source compared and rejected by the sketch from which its keys are made.
    pub apart: u64,
}

/// Home kind: pairs between two classes or within one.
pub const CLASSES: u64 = 0;
/// Home kind: pairs of equal texts in different classes.
pub const TEXT: u64 = 1;

/// Returns the number of pairs of `len` documents.
pub fn pairs_of(len: usize) -> u64 {
    let len = len as u64;
    len * len.saturating_sub(1) / 2
}

fn two(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

impl<'a> CandidateCollector<'a> {
    /// Returns an empty collector.
    pub(crate) fn new(collection: &'a Collection, classes: &'a Classes, spread: Spread, resources: &Resources) -> Self {
        let sorter = resources.memory_limit / 4;
        let pairs = Sorter::new(&resources.folder, sorter).on(resources.threads);
        let unlisted = Sorter::new(&resources.folder, sorter);
        Self { collection, classes, spread, pairs, unlisted, apart: 0 }
    }

    /// Collects the pairs that need no candidate source: pairs within a class and pairs of equal texts.
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

    /// Collects the pairs of two classes that a source compared; `near` is whether the source accepts them.
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

    /// Returns the collected pairs, sorted.
    pub(crate) fn finish(self) -> Collected {
        Collected { pairs: self.pairs.finish(), unlisted: self.unlisted.finish(), apart: self.apart }
    }
}

fn push(pairs: &mut Sorter<1>, collection: &Collection, a: u32, b: u32) -> Result<()> {
    let (a, b) = (collection.row(a).rank, collection.row(b).rank);
    pairs.push([two(a.min(b), a.max(b))])
}
