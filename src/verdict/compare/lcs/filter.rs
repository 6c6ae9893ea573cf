//! Filtered sketches in the first round: the windows of each text that occur in the other (Huang et al. 2008, 3.3).
//!
//! "A sliding window of size S is used to compute the fingerprint for each overlapping S characters of each document";
//! what the other document has, too, "is reserved". Each window of A is looked up in the table of B. If a window is
//! found, both texts are followed as far as they agree: all windows of this stretch occur in both texts, so they need
//! no look-up. Windows that contain a gram that B lacks need no look-up either. A window of B is kept if a stretch
//! covers it, or if a window with the same content is kept.

use super::sketch::Side;
use super::symbols::Symbol;
use super::window_set::WindowSet;

/// Offsets from the expected continuation of the last stretch; these places are tried before the table is read.
const NEAR: [isize; 5] = [0, -1, 1, -2, 2];

/// Consecutive windows of A, and windows of B with the same contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchingWindows {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) len: usize,
}

/// Collects the windows of each text that occur in the other text, and lists each window of A once. Returns `false` as
/// soon as the windows of A can no longer cover `needed` of its characters.
pub(crate) fn filter_windows<T: Symbol>(
    [a, b]: [Side<'_, T>; 2],
    needed: usize,
    [of_a, of_b]: [&mut WindowSet; 2],
    stretches: &mut Vec<MatchingWindows>,
) -> bool {
    stretches.clear();
    let Some(spare) = a.text.len().checked_sub(needed) else { return false };
    b.windows.warm();
    let (mut covered, mut covered_to) = (0, 0);
    let mut start = 0;
    let mut shift = 0;
    for &anchor in a.windows.anchors() {
        let behind = usize::from(anchor.behind);
        // All windows before `start` are decided, so no further character before `start` can be covered.
        if start > covered + spare {
            return false;
        }
        if start >= behind {
            continue;
        }
        let from = std::mem::replace(&mut start, behind);
        if !b.windows.may_have_gram(anchor) {
            continue;
        }
        let mut maybe = b.windows.may_have(a.windows, from..behind);
        while maybe != 0 {
            let window = from + maybe.trailing_zeros() as usize;
            maybe &= maybe - 1;
            let needed = a.windows.end(window) - window;
            let same = |first: usize| {
                let len = T::common_prefix(&a.text[window..], &b.text[first..]);
                (len >= needed).then_some(len)
            };
            // Near-duplicates usually continue a few characters away. Looking there is fast: the text is in the cache,
            // the table is not.
            let near = |off: isize| {
                let first =
                    usize::try_from(window as isize + shift + off).ok().filter(|&first| first < b.text.len())?;
                same(first).map(|len| (first, len))
            };
            let here = NEAR.into_iter().find_map(near);
            let Some((first, len)) = here.or_else(|| b.windows.find(a.windows, window, same)) else { continue };
            shift = first as isize - window as isize;
            let next = a.windows.behind(window, window + len);
            of_a.add_all(window..next);
            of_b.add_all(first..first + (next - window));
            stretches.push(MatchingWindows { a: window, b: first, len: next - window });
            let end = a.windows.end(next - 1);
            covered += end - window.max(covered_to);
            covered_to = end;
            if next >= behind {
                start = next;
                break;
            }
            maybe &= u64::MAX << (next - from);
        }
    }
    if covered < needed {
        return false;
    }
    b.windows.complete(of_b);
    true
}
