//! Longest common subsequence by a table of bits, for sequences with many differences.
//!
//! Row j of the table has a bit for each prefix of `a`. The bit is 0 if the last symbol of the prefix makes the longest
//! common subsequence with the first j symbols of `b` longer, else 1. Each row is computed from the row before by
//! additions of 64 bits (Crochemore et al. 2001; Hyyrö 2004), so the time does not depend on the contents of the
//! sequences.

use super::run::Run;
use super::symbols::Symbol;

/// Marks a symbol that only `b` has, in `masks_at`.
const NOT_IN_A: u32 = u32::MAX - 1;

/// Marks a symbol that `b` lacks, in `masks_at`.
const NOT_IN_B: u32 = u32::MAX;

/// Rows and their scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitTable {
    numbers: [Vec<u32>; 2],
    /// For each symbol that both sequences have, the index of its masks.
    masks_at: Vec<u32>,
    /// For each symbol that both sequences have, a bit for each index of `a`: whether the symbol is there.
    masks: Vec<u64>,
    /// The rows, one after the other.
    rows: Vec<u64>,
}

impl BitTable {
    /// Returns the length of the longest common subsequence.
    pub(crate) fn len<T: Symbol>(&mut self, a: &[T], b: &[T]) -> usize {
        let words = a.len().div_ceil(64);
        self.prepare(a, b);
        self.rows.clear();
        self.rows.resize(words, u64::MAX);
        for &symbol in &self.numbers[1] {
            let at = self.masks_at[symbol as usize] as usize;
            if at >= NOT_IN_A as usize {
                continue;
            }
            let mut carry = false;
            for (row, &mask) in self.rows.iter_mut().zip(&self.masks[at..at + words]) {
                (*row, carry) = step(*row, mask, carry);
            }
        }
        // Bits after the last prefix are in no mask, so they stay 1.
        self.rows.iter().map(|row| row.count_zeros() as usize).sum()
    }

    /// Appends the matches of the longest common subsequence that [`Myers`](super::Myers) defines to `runs`;
    /// returns the number of edits.
    ///
    /// The table begins after the common prefix, which has `prefix` symbols; from there on it equals the table of the
    /// whole sequences. When one sequence has been read back to the prefix, the shorter remainder is a prefix of the
    /// longer one.
    pub(crate) fn matches<T: Symbol>(&mut self, a: &[T], b: &[T], runs: &mut Vec<Run>) -> usize {
        let prefix = T::common_prefix(a, b);
        self.fill(&a[prefix..], &b[prefix..]);
        let words = (a.len() - prefix).div_ceil(64);
        let start = runs.len();
        let mut common = 0;
        let (mut x, mut y) = (a.len(), b.len());
        while x > 0 && y > 0 {
            let len = T::common_suffix(&a[..x], &b[..y]);
            (x, y) = (x - len, y - len);
            if len > 0 {
                runs.push(Run { a: x, b: y, len });
                common += len;
                continue;
            }
            let delete = if x > prefix && y > prefix {
                let bit = x - prefix - 1;
                self.rows[(y - prefix) * words + bit / 64] >> (bit % 64) & 1 == 1
            } else {
                x > y
            };
            if delete { x -= 1 } else { y -= 1 }
        }
        runs[start..].reverse();
        a.len() + b.len() - 2 * common
    }

    /// Computes all rows.
    fn fill<T: Symbol>(&mut self, a: &[T], b: &[T]) {
        let words = a.len().div_ceil(64);
        self.prepare(a, b);
        self.rows.clear();
        self.rows.reserve(words * (b.len() + 1));
        self.rows.resize(words, u64::MAX);
        for (j, &symbol) in self.numbers[1].iter().enumerate() {
            let last = j * words;
            let at = self.masks_at[symbol as usize] as usize;
            if at >= NOT_IN_A as usize {
                self.rows.extend_from_within(last..last + words);
                continue;
            }
            self.rows.resize(last + 2 * words, 0);
            let (last, next) = self.rows[last..].split_at_mut(words);
            let mut carry = false;
            for ((next, &last), &mask) in next.iter_mut().zip(&*last).zip(&self.masks[at..at + words]) {
                (*next, carry) = step(last, mask, carry);
            }
        }
    }

    fn prepare<T: Symbol>(&mut self, a: &[T], b: &[T]) {
        let words = a.len().div_ceil(64);
        let [of_a, of_b] = &mut self.numbers;
        let symbols = T::number(a, b, [of_a, of_b]);
        self.masks_at.clear();
        self.masks_at.resize(symbols, NOT_IN_B);
        for &symbol in &*of_b {
            self.masks_at[symbol as usize] = NOT_IN_A;
        }
        self.masks.clear();
        for (index, &symbol) in of_a.iter().enumerate() {
            let at = &mut self.masks_at[symbol as usize];
            if *at == NOT_IN_B {
                continue;
            }
            if *at == NOT_IN_A {
                *at = self.masks.len() as u32;
                self.masks.resize(self.masks.len() + words, 0);
            }
            self.masks[*at as usize + index / 64] |= 1 << (index % 64);
        }
    }
}

/// Returns a word of the next row: V' = (V + (V & M)) | (V & !M).
#[inline(always)]
fn step(row: u64, mask: u64, carry: bool) -> (u64, bool) {
    let (sum, carry) = row.carrying_add(row & mask, carry);
    (sum | (row & !mask), carry)
}
