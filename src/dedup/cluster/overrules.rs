//! Documents about which a list decides, whatever clustering would decide.

use std::cmp::Ordering;

use fixedbitset::FixedBitSet;

/// Documents that are never removed, and documents that are always removed, by the ranks of their ids in a collection
/// ([`Collection::row`](crate::Collection::row)).
///
/// A document that is never removed is preferred as the kept document of its cluster; near-duplicates of it are
/// removed. One that is always removed is kept for no other document, and is removed even if it has no near-duplicate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrules {
    never: FixedBitSet,
    always: FixedBitSet,
}

impl Overrules {
    /// Lists the document with this rank as one that is never removed. It counts more than the other list.
    pub fn never_remove(&mut self, rank: u32) {
        self.never.grow_and_insert(rank as usize);
    }

    /// Lists the document with this rank as one that is always removed.
    pub fn always_remove(&mut self, rank: u32) {
        self.always.grow_and_insert(rank as usize);
    }

    /// Returns whether a document is never removed.
    pub fn is_safe(&self, rank: u32) -> bool {
        self.never.contains(rank as usize)
    }

    /// Returns the ranks of the documents that are always removed.
    pub(super) fn removed(&self) -> impl Iterator<Item = u32> + '_ {
        self.always.ones().map(|rank| rank as u32).filter(|&rank| !self.is_safe(rank))
    }

    /// Returns the order of two documents by the lists; the lesser is kept.
    pub(super) fn compare(&self, a: u32, b: u32) -> Ordering {
        let place = |rank: u32| match (self.is_safe(rank), self.always.contains(rank as usize)) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        place(a).cmp(&place(b))
    }
}
