//! Filtered sketches, further rounds: which windows of what is left of each text occur in what is left of the other.
//!
//! No window reaches over a cut, so only windows that were kept before can be kept now, and the stretches that the first
//! round found say of each window of A which one of B has its content: nothing is looked up or compared again.

use std::ops::Range;

use super::sketch::{Side, Sketch};
use super::strain::Stretch;
use super::window_set::WindowSet;
use super::windows::Windows;

/// Scratch memory of further rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaterRounds {
    /// Windows that have not been cut into.
    whole: [WindowSet; 2],
    /// Windows of B whose content a whole window of B has.
    alive: WindowSet,
    /// Windows of B whose content a kept window of A has.
    met: WindowSet,
}

impl LaterRounds {
    /// Leaves those marks that still hold.
    pub(crate) fn strain<T>(
        &mut self,
        stretches: &[Stretch],
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

/// Marks the windows that have not been cut into.
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
