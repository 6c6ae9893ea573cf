//! Sets of the words of titles and headings.

use nddb_page::sketch::WORDS;

/// Words compared at once.
const STRIDE: usize = 8;
/// Slots of a set, a multiple of [`STRIDE`].
const SLOTS: usize = WORDS.next_multiple_of(STRIDE);
/// Padding after the last word. It equals no word, since words have 22 bits.
const NONE: u32 = u32::MAX;

/// A set of words, with room for those of a title or of headings. It allocates no memory, because thousands of pairs are
/// compared.
#[derive(Clone, PartialEq)]
pub(super) struct WordSet {
    words: [u32; SLOTS],
    len: usize,
}

impl WordSet {
    /// Returns the set of at most [`WORDS`] words, all different.
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

    /// Returns whether both sets have the same words and are not empty.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        !self.is_empty() && self.len == other.len && self.common(other) == self.len
    }

    fn common(&self, other: &Self) -> usize {
        self.words().iter().filter(|&&word| other.has(word)).count()
    }

    /// Returns the share of the smaller set that is absent from the larger one; 0 if either set is empty.
    pub(super) fn lacking(&self, other: &Self) -> f64 {
        let nothing = Self::of(std::iter::empty());
        Union(self, &nothing).lacking(Union(other, &nothing))
    }
}

/// The words of two sets together, which are not put into one.
#[derive(Clone, Copy)]
pub(super) struct Union<'a>(pub(super) &'a WordSet, pub(super) &'a WordSet);

impl Union<'_> {
    fn len(self) -> usize {
        self.0.len + self.1.len - self.0.common(self.1)
    }

    fn has(self, word: u32) -> bool {
        self.0.has(word) || self.1.has(word)
    }

    /// Returns the share of the smaller union that is absent from the larger one; 0 if either is empty.
    pub(super) fn lacking(self, other: Self) -> f64 {
        let least = self.len().min(other.len());
        let others = self.1.words().iter().filter(|&&word| !self.0.has(word));
        let common = self.0.words().iter().chain(others).filter(|&&word| other.has(word)).count();
        if least == 0 { 0.0 } else { 1.0 - common as f64 / least as f64 }
    }
}

#[cfg(test)]
mod tests {
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
        }

        #[test]
        fn unions_lack_what_their_definition_says(
            sets in prop::array::uniform4(prop::collection::btree_set(0u32..40, 0..=WORDS)),
        ) {
            let [a, b, c, d] = sets.each_ref().map(|words| WordSet::of(words.iter().copied()));
            let [x, y] = [&sets[0] | &sets[1], &sets[2] | &sets[3]];
            let least = x.len().min(y.len());
            let share = 1.0 - x.intersection(&y).count() as f64 / least.max(1) as f64;
            prop_assert_eq!(Union(&a, &b).lacking(Union(&c, &d)), if least == 0 { 0.0 } else { share });
        }
    }
}
