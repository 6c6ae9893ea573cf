//! Filtered sketches, the first round: which windows of each text occur in the other (Huang et al. 2008, 3.3).
//!
//! "A sliding window of size S is used to compute the fingerprint for each overlapping S characters of each document;
//! if it finds a match, the corresponding sequence is reserved." Each window of A is looked up in the table of B. Where
//! one is found, both texts are followed as far as they agree: all windows of that stretch occur in both, and need no
//! look. Windows of B are kept because a stretch covers them, or because one of the same content is.

use super::sketch::{Marks, Side};
use super::symbols::Symbol;

/// Windows whose bits are asked for together.
const TOGETHER: usize = 32;

/// Marks the windows of each text that occur in the other. Stops, returning false, once the windows of A can no
/// longer cover `needed` of its characters.
pub(super) fn strain<T: Symbol>(
    a: Side<'_, T>,
    b: Side<'_, T>,
    needed: usize,
    of_a: &mut Marks,
    of_b: &mut Marks,
) -> bool {
    let Some(spare) = a.text.len().checked_sub(needed) else { return false };
    let hashes = &a.windows.hashes[..];
    let (mut covered, mut covered_to) = (0, 0);
    let mut start = 0;
    while start < hashes.len() {
        // All windows before `start` are decided: of the characters before it, no more are covered.
        if start > covered + spare {
            return false;
        }
        let base = start;
        start = hashes.len().min(base + TOGETHER);
        let mut maybe = b.windows.may_have(&hashes[base..start]);
        while maybe != 0 {
            let window = base + maybe.trailing_zeros() as usize;
            maybe &= maybe - 1;
            let same = |first: usize| {
                let len = T::common_prefix(&a.text[window..], &b.text[first..]);
                (len >= a.windows.end(window) - window).then_some(len)
            };
            let Some((first, len)) = b.windows.find(hashes[window], same) else { continue };
            let behind = a.windows.behind(window, window + len);
            of_a.add_all(window..behind);
            of_b.add_all(first..first + (behind - window));
            let end = a.windows.end(behind - 1);
            covered += end - window.max(covered_to);
            covered_to = end;
            if behind >= start {
                start = behind;
                break;
            }
            maybe &= u64::MAX << (behind - base);
        }
    }
    if covered < needed {
        return false;
    }
    for &(window, first) in &b.windows.repeated {
        if of_b.has(window.into()) {
            of_b.add(first.into());
        }
    }
    for &(window, first) in &b.windows.repeated {
        if of_b.has(first.into()) {
            of_b.add(window.into());
        }
    }
    true
}
