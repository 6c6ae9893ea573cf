//! Sets of windows.

use std::ops::Range;

use fixedbitset::FixedBitSet;

/// A set of windows, each given by its index.
#[derive(Debug, Default)]
pub(crate) struct WindowSet {
    windows: FixedBitSet,
}

impl Clone for WindowSet {
    fn clone(&self) -> Self {
        Self { windows: self.windows.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.windows.clone_from(&other.windows);
    }
}

impl WindowSet {
    /// Makes the set empty, for windows below `len`.
    pub(crate) fn clear(&mut self, len: usize) {
        self.windows.clear();
        // One window more, so that a range may begin after the last window.
        self.windows.grow(len + 1);
    }

    #[inline]
    pub(crate) fn has(&self, window: usize) -> bool {
        self.windows.contains(window)
    }

    #[inline]
    pub(crate) fn add(&mut self, window: usize) {
        self.windows.insert(window);
    }

    /// Adds a range that is not empty.
    #[inline]
    pub(crate) fn add_all(&mut self, windows: Range<usize>) {
        self.windows.insert_range(windows);
    }

    /// Keeps the windows that are in another set too.
    pub(crate) fn keep(&mut self, other: &Self) {
        self.windows.intersect_with(&other.windows);
    }

    /// Returns the first window of the range that is in the set (if `wanted`) or not in it, or the end of the
    /// range.
    #[inline]
    fn next(&self, range: Range<usize>, wanted: bool) -> usize {
        const BITS: usize = usize::BITS as usize;
        let words = self.windows.as_slice();
        let flip = if wanted { 0 } else { usize::MAX };
        let mut word = range.start / BITS;
        let mut bits = (words[word] ^ flip) & usize::MAX << (range.start % BITS);
        while bits == 0 {
            word += 1;
            if word * BITS >= range.end {
                return range.end;
            }
            bits = words[word] ^ flip;
        }
        (word * BITS + bits.trailing_zeros() as usize).min(range.end)
    }

    /// Returns the maximal runs of windows of the range that are in the set.
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
