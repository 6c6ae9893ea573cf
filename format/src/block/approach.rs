//! The fast search in a block: the restart point is guessed, and the entries after it are decoded for several blocks,
//! interleaved. [`Block::probe`] and [`Block::position`] are the definitions.

use super::decode::{Block, Cursor};
use crate::cpu::{self, Compute};

/// Guesses of the place of a value in a block are fractions with this denominator.
pub const PARTS: usize = 1024;

/// A search in a block for its first value that is not below `low`.
#[derive(Clone, Copy, Debug)]
pub struct Approach<'a> {
    block: Block<'a>,
    low: u64,
    cursor: Cursor,
    /// Index of the last entry decoded.
    entry: usize,
    /// Number of entries between this one and the next restart point, or the end.
    left: usize,
    /// Number of restart points passed.
    passed: usize,
    /// Number of entries decoded.
    decoded: usize,
}

impl<'a> Block<'a> {
    /// Finds the restart point to begin at when looking for `low`, or the first entry. `part` of [`PARTS`] is the
    /// likely location of the value in the block; a bad guess costs time only.
    ///
    /// Restart points are 180 bytes apart: reading only the two around the target touches two cache lines instead of
    /// six.
    #[inline]
    pub fn approach(&self, low: u64, part: usize) -> Approach<'a> {
        let guess = if self.restart == 0 { 0 } else { (part * self.count / PARTS) as u32 / self.restart as u32 };
        let mut passed = (guess as usize).min(self.restarts);
        let mut cursor = self.passed(passed);
        if passed > 0 && cursor.value >= low {
            while passed > 0 && cursor.value >= low {
                passed -= 1;
                cursor = self.passed(passed);
            }
        } else {
            while passed < self.restarts {
                let next = self.passed(passed + 1);
                if next.value >= low {
                    break;
                }
                (cursor, passed) = (next, passed + 1);
            }
        }
        let entry = passed * self.restart;
        Approach { block: *self, low, cursor, entry, left: self.left(passed), passed, decoded: 1 }
    }

    /// Returns the cursor after the last of `passed` restart points, or after the first entry.
    #[inline]
    fn passed(&self, passed: usize) -> Cursor {
        match passed {
            0 => Cursor { position: self.stream(), value: self.first },
            _ => self.restart_at(passed - 1).1,
        }
    }

    /// Returns the number of entries between the last of `passed` restart points and the next one, or the end.
    #[inline]
    fn left(&self, passed: usize) -> usize {
        if passed < self.restarts { self.restart - 1 } else { self.count - 1 - passed * self.restart }
    }
}

/// Maximum number of entries after a restart point that are decoded interleaved with those of other blocks.
const STRETCH: usize = 64;
/// Number of entries between two checks whether all lanes have arrived.
const STRIDE: usize = 8;

/// The entries after the restart points of several approaches.
#[derive(Debug)]
pub struct Stretches<const N: usize> {
    values: [[u64; STRETCH]; N],
    /// Number of entries decoded of each lane.
    len: usize,
    /// Bit position of the entry after them, of each lane.
    positions: [usize; N],
}

impl<const N: usize> Default for Stretches<N> {
    fn default() -> Self {
        Self { values: [[0; STRETCH]; N], len: 0, positions: [0; N] }
    }
}

impl<const N: usize> Stretches<N> {
    /// Decodes the entries after the restart points of `lanes`, interleaved, until each lane has reached its `low`.
    /// Within a block each entry depends on the one before (16 cycles); entries of different blocks are independent.
    /// Entries that a lane decodes after its goal, or after its restart interval, are wasted, but cost less than the
    /// branches that would avoid them (measured: four blocks take as long as 1.6).
    #[inline]
    pub fn decode(&mut self, lanes: &[Approach<'_>; N]) {
        cpu::run(Decode { stretches: self, lanes });
    }

    #[inline(always)]
    fn fill(&mut self, lanes: &[Approach<'_>; N]) {
        let mut position: [usize; N] = std::array::from_fn(|lane| lanes[lane].cursor.position);
        let mut value: [u64; N] = std::array::from_fn(|lane| lanes[lane].cursor.value);
        let most = lanes.iter().map(|lane| lane.left).max().unwrap_or(0).min(STRETCH);
        self.len = 0;
        while self.len < most {
            for step in self.len..self.len + STRIDE {
                for lane in 0..N {
                    let difference;
                    (difference, position[lane]) = lanes[lane].block.difference(position[lane]);
                    value[lane] ^= difference;
                    self.values[lane][step % STRETCH] = value[lane];
                }
            }
            self.len += STRIDE;
            if (0..N).all(|lane| value[lane] > lanes[lane].low) {
                break;
            }
        }
        self.positions = position;
    }

    /// Returns the entries decoded for a lane; the approach knows how many of them it can use.
    #[inline]
    pub fn lane(&self, lane: usize) -> Stretch<'_> {
        Stretch { values: &self.values[lane][..self.len], position: self.positions[lane] }
    }
}

/// The decoding of [`Stretches::decode`].
struct Decode<'s, 'l, 'a, const N: usize> {
    stretches: &'s mut Stretches<N>,
    lanes: &'l [Approach<'a>; N],
}

impl<const N: usize> Compute for Decode<'_, '_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        self.stretches.fill(self.lanes);
    }
}

/// The entries after a restart point, as far as they have been decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch<'a> {
    values: &'a [u64],
    position: usize,
}

impl Approach<'_> {
    /// Returns whether the value looked for is above `high`.
    #[cfg(test)]
    pub(super) fn is_above(&self, high: u64) -> bool {
        self.low > high
    }

    /// Moves to the next entry; `false` if there is none.
    #[inline]
    fn next(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            self.cursor = self.block.advance(self.cursor, false);
        } else if self.passed < self.block.restarts {
            self.passed += 1;
            self.cursor = self.block.passed(self.passed);
            self.left = self.block.left(self.passed);
        } else {
            return false;
        }
        self.entry += 1;
        self.decoded += 1;
        true
    }

    /// Returns the number of entries below `low`, from the current one (included) on, and the number of entries of the
    /// stretch before the next restart point.
    #[inline]
    fn below<'s>(&self, stretch: Stretch<'s>) -> (usize, &'s [u64]) {
        let values = &stretch.values[..stretch.values.len().min(self.left)];
        if self.cursor.value >= self.low {
            return (0, values);
        }
        // Counted without a branch.
        (1 + values.iter().filter(|&&value| value < self.low).count(), values)
    }

    /// Moves after the stretch, to the last entry of `values`.
    #[inline]
    fn leave(&mut self, values: &[u64], position: usize) {
        let Some(&value) = values.last() else { return };
        // If not all of them could be used, the next entry is a restart point, and the bit position is not needed.
        self.cursor = Cursor { position, value };
        self.entry += values.len();
        self.decoded += values.len();
        self.left -= values.len();
    }

    /// Calls `found` as [`Block::probe`] does, and returns the same, except that entries are counted from the restart
    /// point where the approach began. `stretch` has the entries that [`Stretches`] decoded for this approach, or is
    /// empty.
    #[inline]
    pub fn probe(
        mut self,
        stretch: Stretch<'_>,
        high: u64,
        query: u64,
        k: u32,
        mut found: impl FnMut(usize, u64),
    ) -> (usize, bool) {
        let (mut index, values) = self.below(stretch);
        while index <= values.len() {
            let value = if index == 0 { self.cursor.value } else { values[index - 1] };
            if value <= high && (value ^ query).count_ones() <= k {
                found(self.entry + index, value);
            }
            if value >= high {
                return (self.decoded + index, false);
            }
            index += 1;
        }
        self.leave(values, stretch.position);
        while self.next() {
            let value = self.cursor.value;
            if value >= self.low && value <= high && (value ^ query).count_ones() <= k {
                found(self.entry, value);
            }
            if value >= high {
                return (self.decoded, false);
            }
        }
        (self.decoded, true)
    }

    /// Returns the index of the entry that holds `low`, as [`Block::position`] does.
    #[inline]
    pub fn position(mut self, stretch: Stretch<'_>) -> Option<usize> {
        let (index, values) = self.below(stretch);
        if index <= values.len() {
            let value = if index == 0 { self.cursor.value } else { values[index - 1] };
            return (value == self.low).then_some(self.entry + index);
        }
        self.leave(values, stretch.position);
        while self.next() {
            if self.cursor.value >= self.low {
                return (self.cursor.value == self.low).then_some(self.entry);
            }
        }
        None
    }
}
