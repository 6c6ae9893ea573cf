//! Sets of the words of titles and headings.

use nddb_page::sketch::WORDS;

/// Greatest number of words of a set: the words of a title and of headings.
const MOST: usize = 2 * WORDS;
/// Words compared at once.
const STRIDE: usize = 8;
/// Slots of a set, a multiple of [`STRIDE`].
const SLOTS: usize = MOST.next_multiple_of(STRIDE);
/// Padding after the last word. It equals no word, since words have 22 bits.
const NONE: u32 = u32::MAX;

/// A set of words, with room for those of a title and of headings. It allocates no memory, because thousands of pairs
/// are compared.
#[derive(Clone, PartialEq)]
pub(super) struct WordSet {
    words: [u32; SLOTS],
    len: usize,
}

impl WordSet {
    /// Returns the set of at most [`MOST`] words, all different.
    pub(super) fn of(words: impl Iterator<Item = u32>) -> Self {
        let mut set = Self { words: [NONE; SLOTS], len: 0 };
        words.for_each(|word| set.push(word));
        set
    }

    fn push(&mut self, word: u32) {
        self.words[self.len] = word;
        self.len += 1;
    }

    pub(super) fn words(&self) -> &[u32] {
        &self.words[..self.len]
    }

    /// Compares a stride at a time without branches, so that each stride compiles to one vector comparison.
    pub(super) fn has(&self, word: u32) -> bool {
        let (strides, _) = self.words[..self.len.next_multiple_of(STRIDE)].as_chunks::<STRIDE>();
        strides.iter().any(|stride| stride.iter().fold(false, |found, &kept| found | (kept == word)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns this set with the words of another one behind its own.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for &word in other.words() {
            if !self.has(word) {
                self.push(word);
            }
        }
        self
    }

    /// Returns whether both sets have the same words and are not empty.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        !self.is_empty() && self.len == other.len && self.common(other) == self.len
    }

    fn common(&self, other: &Self) -> usize {
        self.words().iter().filter(|&&word| other.has(word)).count()
    }

    /// Returns the share of the smaller set that is absent from the larger one; 0 if either set is empty.
    pub(super) fn lacking(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return 0.0;
        }
        1.0 - self.common(other) as f64 / self.len.min(other.len) as f64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_of_words_is_a_set(
            a in prop::collection::btree_set(0u32..40, 0..=WORDS),
            b in prop::collection::btree_set(0u32..40, 0..=WORDS),
        ) {
            let [left, right] = [&a, &b].map(|words| WordSet::of(words.iter().copied()));
            for word in 0..40 {
                prop_assert_eq!((left.has(word), right.has(word)), (a.contains(&word), b.contains(&word)));
            }
            prop_assert_eq!((left.words().len(), left.is_empty()), (a.len(), a.is_empty()));
            prop_assert_eq!(left.common(&right), a.intersection(&b).count());
            let both = left.clone().and(&right);
            prop_assert_eq!(both.words().iter().copied().collect::<BTreeSet<u32>>(), &a | &b);
            prop_assert_eq!(both.words().len(), a.union(&b).count());
        }
    }
}
