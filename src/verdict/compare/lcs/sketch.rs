//! The state of one text of a comparison: its remaining parts, the windows kept, its sketch.

use std::ops::Range;

use super::window_set::WindowSet;
use super::windows::Windows;

/// A text under comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a, T> {
    pub(crate) text: &'a [T],
    pub(crate) windows: &'a Windows,
}

/// A contiguous piece of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Index of its beginning in the remaining text.
    pub(crate) index: usize,
    pub(crate) len: usize,
}

/// The windows, sketch and remaining text of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch<T> {
    /// The remaining parts of the text, ascending; the rest is cut out.
    pub(crate) left: Vec<Range<usize>>,
    /// Windows that occur in the other text and span no cut.
    pub(crate) window_set: WindowSet,
    /// The contiguous pieces that these windows cover.
    pub(crate) pieces: Vec<Piece>,
    /// The characters of the pieces.
    pub(crate) symbols: Vec<T>,
    scratch: Vec<Range<usize>>,
}

impl<T: Copy> Sketch<T> {
    /// Begins with the whole text.
    pub(crate) fn begin(&mut self, side: Side<'_, T>) {
        self.left.clear();
        self.left.push(0..side.text.len());
        self.window_set.clear(side.windows.len());
    }

    /// Returns the number of characters that remain.
    pub(crate) fn len(&self) -> usize {
        self.left.iter().map(|range| range.len()).sum()
    }

    /// Returns the index in the text of an index of the remaining text.
    pub(crate) fn text_index(&self, mut index: usize) -> usize {
        for left in &self.left {
            if index < left.len() {
                return left.start + index;
            }
            index -= left.len();
        }
        unreachable!("indexes are below the number of characters that are left")
    }

    /// Builds the sketch from the set of windows.
    pub(crate) fn make(&mut self, side: Side<'_, T>) {
        self.pieces.clear();
        self.symbols.clear();
        let mut index = 0;
        for left in &self.left {
            let mut kept = left.start..left.start;
            let mut keep = |kept: &Range<usize>| {
                if !kept.is_empty() {
                    self.pieces.push(Piece { index: index + kept.start - left.start, len: kept.len() });
                    self.symbols.extend_from_slice(&side.text[kept.clone()]);
                }
            };
            let windows = left.start..left.end.min(side.windows.len());
            for run in self.window_set.runs(windows) {
                let end = side.windows.end(run.end - 1);
                if run.start > kept.end {
                    keep(&kept);
                    kept.start = run.start;
                }
                kept.end = end;
            }
            keep(&kept);
            index += left.len();
        }
    }

    /// Cuts ascending pieces out of the remaining text.
    pub(crate) fn cut(&mut self, stretches: impl Iterator<Item = Piece>) {
        self.scratch.clear();
        let mut left = self.left.iter().cloned();
        let mut now = left.next();
        let mut index = 0;
        for Piece { index: from, mut len } in stretches {
            while len > 0
                && let Some(range) = &mut now
            {
                let skip = from.saturating_sub(index).min(range.len());
                if skip > 0 {
                    self.scratch.push(range.start..range.start + skip);
                }
                let taken = len.min(range.len() - skip);
                range.start += skip + taken;
                (index, len) = (index + skip + taken, len - taken);
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
