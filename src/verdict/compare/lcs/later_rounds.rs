//! Filtered sketches in later rounds: the windows of each remaining text that occur in the other.
//!
//! No window spans a cut, so only windows that were kept before can be kept now. The stretches that the first round
//! found map each window of A to a window of B with the same content, so nothing is looked up or compared again.

use std::ops::Range;

use super::filter::MatchingWindows;
use super::sketch::{Side, Sketch};
use super::window_set::WindowSet;
use super::windows::Windows;

/// Scratch memory of later rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaterRounds {
    /// Windows that no cut touches.
    whole: [WindowSet; 2],
    /// Windows of B with the content of a window of B that no cut touches.
    alive: WindowSet,
    /// Windows of B with the content of a kept window of A.
    met: WindowSet,
}

impl LaterRounds {
    /// Reduces the sets of windows to those that still occur in the other text.
    pub(crate) fn filter_windows<T>(
        &mut self,
        stretches: &[MatchingWindows],
        [a, b]: [Side<'_, T>; 2],
        of_a: &mut Sketch<T>,
        of_b: &mut Sketch<T>,
    ) {
        whole(a.windows, &of_a.left, &mut self.whole[0]);
        whole(b.windows, &of_b.left, &mut self.whole[1]);
        self.alive.clone_from(&self.whole[1]);
        b.windows.complete(&mut self.alive);
        self.met.clear(b.windows.len());
        of_a.window_set.clear(a.windows.len());
        for stretch in stretches {
            for run in self.alive.runs(stretch.b..stretch.b + stretch.len) {
                let (start, end) = (run.start - stretch.b + stretch.a, run.end - stretch.b + stretch.a);
                for run in self.whole[0].runs(start..end) {
                    self.met.add_all(run.start - stretch.a + stretch.b..run.end - stretch.a + stretch.b);
                    of_a.window_set.add_all(run);
                }
            }
        }
        b.windows.complete(&mut self.met);
        of_b.window_set.clone_from(&self.met);
        of_b.window_set.keep(&self.whole[1]);
    }
}

/// Collects the windows that no cut touches.
fn whole(windows: &Windows, left: &[Range<usize>], window_set: &mut WindowSet) {
    window_set.clear(windows.len());
    for left in left {
        let first = left.start.min(windows.len());
        let behind = windows.behind(first, left.end).min(windows.len());
        if first < behind {
            window_set.add_all(first..behind);
        }
    }
}
