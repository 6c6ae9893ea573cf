//! Sets of windows.

use std::ops::Range;

/// A set of windows, by where they begin.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Clone for Marks {
    fn clone(&self) -> Self {
        Self { words: self.words.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

impl Marks {
    /// Makes it an empty set of windows below `len`.
    pub(crate) fn clear(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64) + 1, 0);
    }

    #[inline]
    pub(crate) fn has(&self, window: usize) -> bool {
        self.words[window / 64] >> (window % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn add(&mut self, window: usize) {
        self.words[window / 64] |= 1 << (window % 64);
    }

    /// Adds a range that is not empty.
    #[inline]
    pub(crate) fn add_all(&mut self, windows: Range<usize>) {
        let (first, last) = (windows.start / 64, (windows.end - 1) / 64);
        let (from, to) = (u64::MAX << (windows.start % 64), u64::MAX >> (63 - (windows.end - 1) % 64));
        if first == last {
            self.words[first] |= from & to;
            return;
        }
        self.words[first] |= from;
        self.words[first + 1..last].fill(u64::MAX);
        self.words[last] |= to;
    }

    /// Keeps those that another set has too.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// The first window of the range that is in the set (`wanted`) or is not, or else the end of the range.
    #[inline]
    fn next(&self, range: Range<usize>, wanted: bool) -> usize {
        let flip = if wanted { 0 } else { u64::MAX };
        let mut word = range.start / 64;
        let mut bits = (self.words[word] ^ flip) & u64::MAX << (range.start % 64);
        while bits == 0 {
            word += 1;
            if word * 64 >= range.end {
                return range.end;
            }
            bits = self.words[word] ^ flip;
        }
        (word * 64 + bits.trailing_zeros() as usize).min(range.end)
    }

    /// The maximal runs of windows of the range that are in the set.
    pub(crate) fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let Range { mut start, end } = range;
        std::iter::from_fn(move || {
            if start >= end {
                return None;
            }
            let first = self.next(start..end, true);
            if first == end {
                return None;
            }
            start = self.next(first..end, false);
            Some(first..start)
        })
    }
}
