//! Longest common subsequence and shortest edit script, exactly: Myers' O(ND) algorithm.
//!
//! The greedy algorithm finds, for each number of edits d, the furthest reaching point on each diagonal k (Myers 1986,
//! 3; Huang et al. 2008, 3.4 use this algorithm). Row d of the triangle below holds, for the diagonals k = -d, -d+2 ..
//! d, the greatest x such that the first x symbols of `a` become the first x - k of `b` by at most d deletions and
//! insertions.
//!
//! **The choice of a longest common subsequence.** There are many of equal length, and the trusted parts depend on the
//! choice. This module makes the choice of the textbook (Cormen et al., LCS-LENGTH and PRINT-LCS). The edit script is
//! built from the ends backwards. Equal last symbols are a match. Otherwise the last symbol of `a` is deleted if the
//! rest has as much in common without it, and else the last symbol of `b` is inserted. The rows of the triangle suffice
//! for this choice, instead of a table of all prefixes. Prefixes (x, y) cost at most d edits exactly if x does not
//! exceed the furthest reach of d on their diagonal, because dropping the last symbol of both never raises their cost.
//! So Myers' algorithm and the table of bits ([`BitTable`]) give the same matches, and the cheaper one is used.

use super::bit_table::BitTable;
use super::run::Run;
use super::symbols::Symbol;

/// Greatest size of the rows of bits, in bytes.
const BITS_SIZE_MAX: usize = 64 << 20;

/// Compares sequences, one pair after the other, and reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct Myers {
    /// Rows 0 to d, row r at r(r+1)/2.
    triangle: Vec<u32>,
    bits: BitTable,
}

impl Myers {
    /// Returns a comparer without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of deletions and insertions of the shortest edit script from `a` to `b`; `None` if it
    /// exceeds `limit`. The longest common subsequence has (|a| + |b| - edits) / 2 symbols.
    pub fn distance<T: Symbol>(&mut self, a: &[T], b: &[T], limit: usize) -> Option<usize> {
        let prefix = T::common_prefix(a, b);
        let (a, b) = (&a[prefix..], &b[prefix..]);
        let suffix = T::common_suffix(a, b);
        let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
        self.triangle.clear();
        let turn = turn(a.len(), b.len());
        let (mut last, mut next) = (Vec::new(), Vec::new());
        for edits in 0..=limit.min(a.len() + b.len()) {
            if edits > turn {
                let common = self.bits.len(a, b);
                return Some(a.len() + b.len() - 2 * common).filter(|&edits| edits <= limit);
            }
            next.clear();
            next.resize(edits + 1, 0);
            if advance(a, b, &last, &mut next) {
                return Some(edits);
            }
            std::mem::swap(&mut last, &mut next);
        }
        None
    }

    /// Writes the matches of the longest common subsequence described above into `runs`: maximal runs, ascending.
    /// Returns the number of deletions and insertions; `None` (and no runs) if it exceeds `limit`. Memory grows
    /// with the square of the edits, at most to |a| * |b| / 8 bytes.
    pub fn runs<T: Symbol>(&mut self, a: &[T], b: &[T], limit: usize, runs: &mut Vec<Run>) -> Option<usize> {
        runs.clear();
        let suffix = T::common_suffix(a, b);
        let (n, m) = (a.len() - suffix, b.len() - suffix);
        let edits = self.matches(&a[..n], &b[..m], limit, runs)?;
        if suffix > 0 {
            runs.push(Run { a: n, b: m, len: suffix });
        }
        Some(edits)
    }

    fn matches<T: Symbol>(&mut self, a: &[T], b: &[T], limit: usize, runs: &mut Vec<Run>) -> Option<usize> {
        self.triangle.clear();
        // No script has fewer edits than the difference of the lengths.
        let turn = turn(a.len(), b.len());
        let turn = if a.len().abs_diff(b.len()) > turn { 0 } else { turn };
        let mut start = 0;
        for edits in 0..=limit.min(a.len() + b.len()) {
            if edits > turn {
                let edits = self.bits.matches(a, b, runs);
                if edits > limit {
                    runs.clear();
                    return None;
                }
                return Some(edits);
            }
            let at = self.triangle.len();
            self.triangle.resize(at + edits + 1, 0);
            let (last, next) = self.triangle.split_at_mut(at);
            if advance(a, b, &last[start..], next) {
                self.read_back(a, b, edits, runs);
                return Some(edits);
            }
            start = at;
        }
        None
    }

    /// Reads the edits back from the ends.
    fn read_back<T: Symbol>(&self, a: &[T], b: &[T], edits: usize, runs: &mut Vec<Run>) {
        let (mut x, mut y) = (a.len(), b.len());
        let mut left = edits;
        loop {
            let len = T::common_suffix(&a[..x], &b[..y]);
            (x, y) = (x - len, y - len);
            if len > 0 {
                runs.push(Run { a: x, b: y, len });
            }
            if left == 0 {
                break;
            }
            left -= 1;
            // The index in row `left` of the diagonal of (x - 1, y), which is k = x - 1 - y.
            let index = (x + left).checked_sub(y + 1).map(|twice| twice / 2).filter(|&index| index <= left);
            let row = &self.triangle[left * (left + 1) / 2..];
            if x > 0 && index.is_some_and(|index| row[index] as usize >= x - 1) {
                x -= 1;
            } else {
                y -= 1;
            }
        }
        runs.reverse();
    }
}

/// Returns the number of edits d from which rows of bits are cheaper than the triangle. The triangle costs d^2 / 2
/// steps, the rows of bits one step per word.
fn turn(a: usize, b: usize) -> usize {
    let words = a.div_ceil(64) * b;
    if words * 8 > BITS_SIZE_MAX { usize::MAX } else { (words / 2).isqrt().max(64) }
}

/// Computes row d, of d + 1 zeros, from row d - 1. Returns whether it reaches both ends.
fn advance<T: Symbol>(a: &[T], b: &[T], last: &[u32], next: &mut [u32]) -> bool {
    let (n, m) = (a.len(), b.len());
    let d = next.len() - 1;
    // Extends the diagonal k = 2 * index - d from its point x. A step beyond an end is clamped to the end, where the
    // point costs no more.
    let reach = |index: usize, x: usize| {
        let x = x.min(n).min(m + 2 * index - d);
        let y = x + d - 2 * index;
        (x + T::common_prefix(&a[x..], &b[y..])) as u32
    };
    // Only diagonals that have points: -m <= k <= n.
    let first = d.saturating_sub(m).div_ceil(2);
    let end = (n + d) / 2;
    if d == 0 {
        next[0] = reach(0, 0);
    } else {
        if first == 0 {
            next[0] = reach(0, last[0] as usize);
        }
        let inner = first.max(1)..d.min(end + 1);
        if !inner.is_empty() {
            let pairs = last[inner.start - 1..inner.end].windows(2);
            for ((index, next), pair) in inner.clone().zip(&mut next[inner.clone()]).zip(pairs) {
                *next = reach(index, (pair[0] + 1).max(pair[1]) as usize);
            }
        }
        if d <= end {
            next[d] = reach(d, last[d - 1] as usize + 1);
        }
    }
    let twice = n + d;
    twice >= m && (twice - m).is_multiple_of(2) && (twice - m) / 2 <= d && next[(twice - m) / 2] as usize == n
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare::lcs::plain;

    fn check(a: &[u8], b: &[u8]) -> Result<(), TestCaseError> {
        let expected = plain::longest_common_subsequence(a, b);
        let edits = a.len() + b.len() - 2 * expected.len();
        let mut myers = Myers::new();
        let mut runs = Vec::new();
        let pairs = |runs: &[Run]| -> Vec<(usize, usize)> {
            runs.iter().flat_map(|run| (0..run.len).map(|index| (run.a + index, run.b + index))).collect()
        };
        prop_assert_eq!(myers.runs(a, b, usize::MAX, &mut runs), Some(edits));
        prop_assert_eq!(&pairs(&runs), &expected);
        prop_assert!(runs.windows(2).all(|two| (two[0].a + two[0].len, two[0].b + two[0].len) != (two[1].a, two[1].b)));
        runs.clear();
        prop_assert_eq!(myers.bits.matches(a, b, &mut runs), edits);
        prop_assert_eq!(&pairs(&runs), &expected, "by bits");
        let wide = |symbols: &[u8]| symbols.iter().map(|&symbol| u64::from(symbol) << 40).collect::<Vec<_>>();
        prop_assert_eq!(myers.runs(&wide(a), &wide(b), usize::MAX, &mut runs), Some(edits));
        prop_assert_eq!(&pairs(&runs), &expected, "wide symbols");
        prop_assert_eq!(myers.distance(a, b, usize::MAX), Some(edits));
        prop_assert_eq!(myers.distance(a, b, edits), Some(edits));
        prop_assert_eq!(myers.bits.len(a, b), expected.len());
        if edits > 0 {
            prop_assert_eq!(myers.distance(a, b, edits - 1), None);
            prop_assert_eq!(myers.runs(a, b, edits - 1, &mut runs), None);
            prop_assert!(runs.is_empty());
        }
        Ok(())
    }

    /// The example of Myers 1986, figure 1, which Huang et al. 2008 repeat.
    #[test]
    fn the_paper_s_example_has_four_in_common() {
        let (a, b) = (b"abcabba", b"cbabac");
        assert_eq!(Myers::new().distance(a, b, 100), Some(5));
        assert_eq!(plain::longest_common_subsequence(a, b).len(), 4);
    }

    proptest! {
        #[test]
        fn random_sequences_agree_with_the_table(
            a in prop::collection::vec(0u8..4, 0..200),
            b in prop::collection::vec(0u8..4, 0..200),
        ) {
            check(&a, &b)?;
        }

        #[test]
        fn short_against_long_agrees_with_the_table(
            a in prop::collection::vec(0u8..3, 0..6),
            b in prop::collection::vec(0u8..3, 0..90),
        ) {
            check(&a, &b)?;
            check(&b, &a)?;
        }

        #[test]
        fn edited_sequences_agree_with_the_table(
            a in prop::collection::vec(0u8..20, 0..400),
            edits in prop::collection::vec((0usize..400, 0u8..20, 0u8..3), 0..30),
        ) {
            let mut b = a.clone();
            for (index, symbol, kind) in edits {
                let index = index.min(b.len());
                match kind {
                    0 => b.insert(index, symbol),
                    _ if index == b.len() => (),
                    1 => b[index] = symbol,
                    _ => drop(b.remove(index)),
                }
            }
            check(&a, &b)?;
        }
    }
}
