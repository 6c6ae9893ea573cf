//! The definition: the whole verdict in plain loops, as a reference for tests and measurements.
//!
//! Everything is brute force: every window against every window, a table for the longest common subsequence, every
//! region. Time and memory grow with the product of the lengths.

use super::likeness::Likeness;
use super::parameters::{Parameters, Thresholds};

/// A remaining character and its index in the text.
type IndexedChar = (char, usize);

/// Compares two texts as [`Comparer::compare`](super::comparer::Comparer::compare) does.
pub fn compare(a: &str, b: &str, parameters: &Parameters, thresholds: &Thresholds) -> Likeness {
    let (a, b) = (truncated(a), truncated(b));
    let (mut first, mut second): (Vec<IndexedChar>, Vec<IndexedChar>) = (indexed(a), indexed(b));
    let digest = |text: &str| xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    if (second.len(), digest(b), b) < (first.len(), digest(a), a) {
        std::mem::swap(&mut first, &mut second);
    }
    let short = first.iter().map(|&(c, _)| units(c)).sum::<usize>() < parameters.min_text;
    let lens = [first.len(), second.len()];
    if a == b && !a.is_empty() {
        return Likeness::new(parameters, lens, short, lens[0], lens[0]);
    }
    let size = parameters.window.max(1);
    let sketches = [sketch(&first, &second, size), sketch(&second, &first, size)];
    let shorter = sketches[0].len().min(sketches[1].len());
    if !Likeness::new(parameters, lens, short, shorter, shorter).exceeds(thresholds) {
        return Likeness::stopped(short);
    }
    let (mut common, mut trusted) = (0, 0);
    for round in 0..parameters.rounds.max(1) {
        let pairs = matches(&first, &second, size);
        if round == 0 {
            common = pairs.len();
        }
        let Some((start, end)) = region(&pairs, first.len(), second.len(), parameters) else { break };
        let inside: Vec<(usize, usize)> = pairs.into_iter().filter(|&(x, _)| start <= x && x < end).collect();
        trusted += inside.len();
        let gain: usize = inside.iter().map(|&(x, _)| units(first[x].0)).sum();
        if gain < size {
            break;
        }
        first.drain(start..end);
        for &(_, y) in inside.iter().rev() {
            second.remove(y);
        }
    }
    Likeness::new(parameters, lens, short, common, trusted)
}

/// Returns the units of a character (Huang et al. 2008, 4): 1 for ASCII, 2 for others.
fn units(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

/// Returns the longest prefix of at most [`TEXT_UNITS`](super::TEXT_UNITS) units.
fn truncated(text: &str) -> &str {
    let mut units_taken = 0;
    for (at, c) in text.char_indices() {
        units_taken += units(c);
        if units_taken > super::TEXT_UNITS {
            return &text[..at];
        }
    }
    text
}

fn indexed(text: &str) -> Vec<IndexedChar> {
    text.chars().enumerate().map(|(index, c)| (c, index)).collect()
}

/// Returns the window that begins at an index: the fewest contiguous characters of at least `size` units.
fn window(text: &[IndexedChar], start: usize, size: usize) -> Option<&[IndexedChar]> {
    let mut taken = 0;
    for end in start..text.len() {
        if text[end].1 - text[start].1 != end - start {
            return None;
        }
        taken += units(text[end].0);
        if taken >= size {
            return Some(&text[start..=end]);
        }
    }
    None
}

/// Returns the indexes covered by the windows that occur in the other text (Huang et al. 2008, 3.3).
fn sketch(text: &[IndexedChar], other: &[IndexedChar], size: usize) -> Vec<usize> {
    let theirs: Vec<&[IndexedChar]> = (0..other.len()).filter_map(|start| window(other, start, size)).collect();
    let equal = |a: &[IndexedChar], b: &[IndexedChar]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0);
    let mut kept = vec![false; text.len()];
    for start in 0..text.len() {
        if let Some(ours) = window(text, start, size)
            && theirs.iter().any(|theirs| equal(ours, theirs))
        {
            kept[start..start + ours.len()].fill(true);
        }
    }
    (0..text.len()).filter(|&index| kept[index]).collect()
}

/// Returns the matches of the longest common subsequence of the sketches, as indexes of the texts.
fn matches(a: &[IndexedChar], b: &[IndexedChar], size: usize) -> Vec<(usize, usize)> {
    let (of_a, of_b) = (sketch(a, b, size), sketch(b, a, size));
    let chars =
        |text: &[IndexedChar], indexes: &[usize]| indexes.iter().map(|&index| text[index].0).collect::<Vec<char>>();
    let common = longest_common_subsequence(&chars(a, &of_a), &chars(b, &of_b));
    common.into_iter().map(|(x, y)| (of_a[x], of_b[y])).collect()
}

/// Returns the matches of the textbook's longest common subsequence (Cormen et al., LCS-LENGTH and PRINT-LCS), as
/// ascending pairs of indexes. From the ends backwards, equal symbols match; else a symbol of `a` is deleted if the
/// rest has as much in common without it; else a symbol of `b` is inserted.
pub fn longest_common_subsequence<T: Eq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let mut lens = vec![vec![0u16; b.len() + 1]; a.len() + 1];
    for (x, symbol) in a.iter().enumerate() {
        for (y, other) in b.iter().enumerate() {
            lens[x + 1][y + 1] = if symbol == other { lens[x][y] + 1 } else { lens[x][y + 1].max(lens[x + 1][y]) };
        }
    }
    let mut pairs = Vec::new();
    let (mut x, mut y) = (a.len(), b.len());
    while x > 0 && y > 0 {
        if a[x - 1] == b[y - 1] {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        } else if lens[x - 1][y] >= lens[x][y - 1] {
            x -= 1;
        } else {
            y -= 1;
        }
    }
    pairs.reverse();
    pairs
}

/// Returns d(x) of Huang et al. 2008, 3.4 for each index x of A, 0 to its length, as defined by
/// [`Curve`](super::region::Curve).
fn curve(pairs: &[(usize, usize)], a: usize, b: usize) -> Vec<usize> {
    let deleted: Vec<usize> = (0..a).filter(|x| pairs.iter().all(|pair| pair.0 != *x)).collect();
    let inserted = (0..b).filter(|y| pairs.iter().all(|pair| pair.1 != *y));
    let before = |y: usize| pairs.iter().rev().find(|pair| pair.1 < y).map(|pair| pair.0 + 1);
    let inserted: Vec<usize> = inserted.filter_map(before).collect();
    let below = |indexes: &[usize], x: usize| indexes.iter().filter(|&&index| index < x).count();
    (0..=a).map(|x| below(&deleted, x) + below(&inserted, x)).collect()
}

/// Returns the trustable region of A, if there is one.
fn region(pairs: &[(usize, usize)], a: usize, b: usize, parameters: &Parameters) -> Option<(usize, usize)> {
    if a == 0 {
        return None;
    }
    let d = curve(pairs, a, b);
    let holds = |start: usize, end: usize| (d[end] - d[start]) as f64 <= parameters.slope * (end - start) as f64;
    let size = a.div_ceil(parameters.blocks.max(1));
    let blocks = a.div_ceil(size);
    let weight = |block: usize| (block + 1).min(blocks - block);
    let mut regions = Vec::new();
    for first in 0..blocks {
        for last in first..blocks {
            let (start, end) = (first * size, ((last + 1) * size).min(a));
            if holds(start, end) {
                regions.push(((first..=last).map(weight).sum::<usize>(), last - first + 1, start, end));
            }
        }
    }
    let greatest = regions.iter().map(|region| region.0).max()?;
    regions.retain(|region| region.0 == greatest);
    let fewest = regions.iter().map(|region| region.1).min()?;
    regions.retain(|region| region.1 == fewest);
    assert!(regions.len() <= 2, "mirror images");
    let mut longest: Option<(usize, usize)> = None;
    for (_, _, start, end) in regions {
        for left_first in [true, false] {
            let (mut from, mut to) = (start, end);
            for left in [left_first, !left_first] {
                for _ in 1..size {
                    if left && from > 0 && holds(from - 1, to) {
                        from -= 1;
                    } else if !left && to < a && holds(from, to + 1) {
                        to += 1;
                    } else {
                        break;
                    }
                }
            }
            if longest.is_none_or(|(start, end)| (to - from, start) > (end - start, from)) {
                longest = Some((from, to));
            }
        }
    }
    longest
}
