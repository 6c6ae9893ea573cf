//! The trustable region: where a longest common subsequence is dense, central and long (Huang et al. 2008, 3.4).
//!
//! "A TLCS is defined as a continuous portion of LCS which satisfies the following three properties: (1) continuity
//! [..], and (2) centricity [..], and (3) extensity".

use super::parameters::Parameters;
use super::run::Run;
use super::sketch::Piece;

/// d(x): the number of edit operations before each index x of A.
///
/// A character of A without a match counts for all x after it. A character of B without a match counts together with
/// the character of A that follows the match before it, that is, from the next x on. Characters of B before the first
/// match do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curve {
    /// For x = 0 to |A|.
    d: Vec<u32>,
    /// The remaining regions.
    best: Vec<(usize, usize)>,
}

impl Curve {
    /// Computes the curve from matches, ascending and not overlapping, of texts with `a` and `b` characters.
    pub(crate) fn draw(&mut self, runs: &[Run], a: usize, b: usize) {
        self.d.clear();
        self.d.resize(a + 1, 0);
        let mut d = 0;
        let (mut from, mut from_b) = (0, 0);
        for run in runs.iter().copied().chain([Run { a, b, len: 0 }]) {
            let inserted = if from == 0 { 0 } else { run.b - from_b };
            let deleted = run.a - from;
            for (index, value) in self.d[from + 1..=run.a].iter_mut().enumerate() {
                *value = (d + inserted + index + 1) as u32;
            }
            d += inserted + deleted;
            self.d[run.a + 1..=run.a + run.len].fill(d as u32);
            (from, from_b) = (run.a + run.len, run.b + run.len);
        }
    }

    /// Returns the trustable region of A on the curve, as indexes x1 < x2, if there is one.
    ///
    /// "We get total (k^2 + k) / 2 base regions by k blocks"; regions that are too steep are dropped. Of the others,
    /// those with the greatest weight, then with the fewest blocks, remain. Their ends are extended, once beginning on
    /// the left and once on the right, and the longest result is taken.
    pub(crate) fn region(&mut self, parameters: &Parameters) -> Option<(usize, usize)> {
        let len = self.d.len() - 1;
        if len == 0 {
            return None;
        }
        let size = len.div_ceil(parameters.blocks.max(1));
        let blocks = len.div_ceil(size);
        let weight = |block: usize| (block + 1).min(blocks - block);
        let mut best = (0, 0);
        self.best.clear();
        for first in 0..blocks {
            let mut sum = 0;
            for last in first..blocks {
                sum += weight(last);
                let (start, end) = (first * size, ((last + 1) * size).min(len));
                let key = (sum, blocks - (last - first));
                if key >= best && self.holds(start, end, parameters.slope) {
                    if key > best {
                        self.best.clear();
                    }
                    best = key;
                    self.best.push((start, end));
                }
            }
        }
        let mut longest: Option<(usize, usize)> = None;
        for &(start, end) in &self.best {
            let left_first = {
                let from = self.leftwards(start, end, size - 1, parameters.slope);
                (from, self.rightwards(from, end, size - 1, parameters.slope))
            };
            let right_first = {
                let to = self.rightwards(start, end, size - 1, parameters.slope);
                (self.leftwards(start, to, size - 1, parameters.slope), to)
            };
            for (from, to) in [left_first, right_first] {
                if longest
                    .is_none_or(|(start, end)| to - from > end - start || (to - from == end - start && from < start))
                {
                    longest = Some((from, to));
                }
            }
        }
        longest
    }

    fn holds(&self, start: usize, end: usize, slope: f64) -> bool {
        f64::from(self.d[end] - self.d[start]) <= slope * (end - start) as f64
    }

    fn leftwards(&self, start: usize, end: usize, most: usize, slope: f64) -> usize {
        let least = start.saturating_sub(most);
        (least..start).rev().take_while(|&from| self.holds(from, end, slope)).last().unwrap_or(start)
    }

    fn rightwards(&self, start: usize, end: usize, most: usize, slope: f64) -> usize {
        let greatest = (end + most).min(self.d.len() - 1);
        (end + 1..=greatest).take_while(|&to| self.holds(start, to, slope)).last().unwrap_or(end)
    }
}

/// Returns whether the pieces of a sketch prove that a text of `len` characters has no trustable region: too many
/// characters are filtered out of each block, and so out of every region, which consists of blocks.
pub(crate) fn has_no_region(pieces: &[Piece], len: usize, parameters: &Parameters) -> bool {
    let size = len.div_ceil(parameters.blocks.max(1)).max(1);
    let mut pieces = pieces.iter().copied().peekable();
    (0..len).step_by(size).all(|start| {
        let end = len.min(start + size);
        let mut kept = 0;
        while let Some(piece) = pieces.peek()
            && piece.index < end
        {
            let behind = piece.index + piece.len;
            kept += behind.min(end) - piece.index.max(start);
            if behind > end {
                break;
            }
            pieces.next();
        }
        // Slightly more than the slope, so that rounding of sums cannot reject a region.
        (end - start - kept) as f64 > parameters.slope * (end - start) as f64 + 1e-6
    })
}
