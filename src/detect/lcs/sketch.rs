//! What a comparison knows of each of its two texts: what is left of it, which windows are kept, its sketch.

use std::ops::Range;

use super::prepared::Windows;

/// A text under comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a, T> {
    pub(super) text: &'a [T],
    pub(super) windows: &'a Windows,
}

impl<'a, T> Side<'a, T> {
    /// The characters of a window.
    #[inline]
    pub(super) fn content(self, window: usize) -> &'a [T] {
        &self.text[window..self.windows.end(window)]
    }
}

/// A set of windows, by where they begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// Makes it an empty set of windows below `len`.
    pub(super) fn clear(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64) + 1, 0);
    }

    #[inline]
    pub(super) fn has(&self, window: usize) -> bool {
        self.words[window / 64] >> (window % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn add(&mut self, window: usize) {
        self.words[window / 64] |= 1 << (window % 64);
    }

    /// Adds a range that is not empty.
    #[inline]
    pub(super) fn add_all(&mut self, windows: Range<usize>) {
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
    pub(super) fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
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

/// A stretch of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it begins in what is left of the text.
    pub(super) place: usize,
    pub(super) len: usize,
}

/// One side's windows and sketch, and what is left of its text.
#[derive(Clone, Debug, Default)]
pub(super) struct Sketch<T> {
    /// What is left of the text, ascending; nothing else of it takes part.
    pub(super) left: Vec<Range<usize>>,
    /// Windows that occur in the other text; none reaches over what has been cut out.
    pub(super) marks: Marks,
    /// The stretches that these windows cover.
    pub(super) pieces: Vec<Piece>,
    /// The characters of the pieces.
    pub(super) symbols: Vec<T>,
    scratch: Vec<Range<usize>>,
}

impl<T: Copy> Sketch<T> {
    /// Begins with a whole text.
    pub(super) fn begin(&mut self, side: Side<'_, T>) {
        self.left.clear();
        self.left.push(0..side.text.len());
        self.marks.clear(side.windows.len());
    }

    /// The number of characters that are left.
    pub(super) fn len(&self) -> usize {
        self.left.iter().map(|range| range.len()).sum()
    }

    /// Where a place of what is left stands in the text.
    pub(super) fn text_place(&self, mut place: usize) -> usize {
        for left in &self.left {
            if place < left.len() {
                return left.start + place;
            }
            place -= left.len();
        }
        unreachable!("places are below the number of characters that are left")
    }

    /// Makes the sketch from the marks.
    pub(super) fn make(&mut self, side: Side<'_, T>) {
        self.pieces.clear();
        self.symbols.clear();
        let mut place = 0;
        for left in &self.left {
            let mut kept = left.start..left.start;
            let mut keep = |kept: &Range<usize>| {
                if !kept.is_empty() {
                    self.pieces.push(Piece { place: place + kept.start - left.start, len: kept.len() });
                    self.symbols.extend_from_slice(&side.text[kept.clone()]);
                }
            };
            let windows = left.start..left.end.min(side.windows.len());
            for run in self.marks.runs(windows) {
                let end = side.windows.end(run.end - 1);
                if run.start > kept.end {
                    keep(&kept);
                    kept.start = run.start;
                }
                kept.end = end;
            }
            keep(&kept);
            place += left.len();
        }
    }

    /// Cuts ascending stretches out of what is left.
    pub(super) fn cut(&mut self, stretches: impl Iterator<Item = Piece>) {
        self.scratch.clear();
        let mut left = self.left.iter().cloned();
        let mut now = left.next();
        let mut place = 0;
        for Piece { place: from, mut len } in stretches {
            while len > 0
                && let Some(range) = &mut now
            {
                let skip = from.saturating_sub(place).min(range.len());
                if skip > 0 {
                    self.scratch.push(range.start..range.start + skip);
                }
                let taken = len.min(range.len() - skip);
                range.start += skip + taken;
                (place, len) = (place + skip + taken, len - taken);
                if range.start == range.end {
                    now = left.next();
                }
            }
        }
        self.scratch.extend(now.filter(|range| !range.is_empty()));
        self.scratch.extend(left);
        std::mem::swap(&mut self.left, &mut self.scratch);
    }
}
