//! Filtered sketches, further rounds: which windows of what is left of each text occur in what is left of the other.
//!
//! Only windows that were kept before are looked at: no window reaches over a cut, so all others have been compared with
//! more than is left now. They are few, and the prepared tables do not know what has been cut out, so a small table
//! is made of them.

use super::prepared::Windows;
use super::sketch::{Marks, Side, Sketch};
use super::symbols::Symbol;

/// A table of windows of B.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    /// Windows of each side that are whole, ascending.
    whole: [Vec<u32>; 2],
    /// The first window of each content, plus 1, open-addressed; 0 is free.
    slots: Vec<u32>,
    /// For each whole window of B, the first of its content.
    first: Vec<u32>,
    found: Marks,
}

impl Again {
    /// Leaves those marks that still hold.
    pub(super) fn strain<T: Symbol>(
        &mut self,
        a: Side<'_, T>,
        b: Side<'_, T>,
        of_a: &mut Sketch<T>,
        of_b: &mut Sketch<T>,
    ) {
        whole(a.windows, of_a, &mut self.whole[0]);
        whole(b.windows, of_b, &mut self.whole[1]);
        let slots_log = (self.whole[1].len() * 2).max(2).next_power_of_two().ilog2();
        self.slots.clear();
        self.slots.resize(1 << slots_log, 0);
        self.first.clear();
        self.found.clear(b.windows.len());
        for place in 0..self.whole[1].len() {
            let window = self.whole[1][place];
            let ours = (b, window as usize);
            self.first.push(match self.slot(slots_log, ours, b) {
                Ok(first) => first,
                Err(slot) => {
                    self.slots[slot] = window + 1;
                    window
                }
            });
        }
        of_a.marks.clear(a.windows.len());
        of_b.marks.clear(b.windows.len());
        for &window in &self.whole[0] {
            if let Ok(first) = self.slot(slots_log, (a, window as usize), b) {
                of_a.marks.add(window as usize);
                self.found.add(first as usize);
            }
        }
        for (&window, &first) in self.whole[1].iter().zip(&self.first) {
            if self.found.has(first as usize) {
                of_b.marks.add(window as usize);
            }
        }
    }

    /// The first window of B that has the content of a window, or the free slot where it would stand.
    fn slot<T: Symbol>(
        &self,
        slots_log: u32,
        (side, window): (Side<'_, T>, usize),
        b: Side<'_, T>,
    ) -> Result<u32, usize> {
        let hash = side.windows.hashes[window];
        let mut slot = (hash >> (32 - slots_log)) as usize;
        while let Some(first) = self.slots[slot].checked_sub(1) {
            if b.windows.hashes[first as usize] == hash && side.content(window) == b.content(first as usize) {
                return Ok(first);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        Err(slot)
    }
}

/// The marked windows that have not been cut into.
fn whole<T>(windows: &Windows, sketch: &Sketch<T>, out: &mut Vec<u32>) {
    out.clear();
    for left in &sketch.left {
        let inside = left.start..left.end.min(windows.len());
        for run in sketch.marks.runs(inside) {
            let run = run.start..run.end.min(windows.behind(run.start, left.end));
            out.extend(run.map(|window| window as u32));
        }
    }
}
