//! From common parts to passages: seed and extend. Parts that follow each other in both texts at nearly equal distances
//! are a chain; a few changed words interrupt it, but do not end it.

use std::ops::Range;

use nddb_format::parts::{PART_WORDS, Parts};

use super::{Passage, PassageLimits};

/// Greatest number of chains that may still be extended; the shortest of more are given up.
const OPEN_MAX: usize = 32;

const WORDS: u32 = PART_WORDS as u32;
/// Number of words that must be known to be in common where the rest of a passage can only be supposed.
const KNOWN_MIN: u32 = 2 * WORDS;

/// The text asked for.
pub(super) struct Asked<'a> {
    parts: &'a Parts,
    /// The hash, the place and the index of each part, sorted.
    places: Vec<(u64, u32, u32)>,
    /// The hashes of the parts that begin no passage, sorted.
    frequent: Vec<u64>,
}

/// A part in both texts.
#[derive(Clone, Copy)]
struct Common {
    /// Its places.
    asked: u32,
    stored: u32,
    /// Its indexes among the selected parts.
    asked_index: u32,
    stored_index: u32,
}

/// Common parts in order.
#[derive(Clone)]
struct Chain {
    first: Common,
    last: Common,
    words: u32,
    /// Greatest number of words that may be in common between the first and the last.
    possible: u32,
    /// Number of successive words up to the last.
    run: u32,
    longest: u32,
    /// Whether one of its parts is not frequent.
    begins: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn new(parts: &'a Parts, mut frequent: Vec<u64>) -> Self {
        let places = (0..).zip(&parts.selected).map(|(index, part)| (part.hash, part.at, index));
        let mut places: Vec<(u64, u32, u32)> = places.collect();
        places.sort_unstable();
        frequent.sort_unstable();
        Self { parts, places, frequent }
    }

    /// Returns the passages in common with a stored text, in the order of the text asked for. They do not overlap by
    /// more than half.
    pub(super) fn passages(&self, stored: &Parts, limits: &PassageLimits) -> Vec<Passage> {
        let needed = limits.min_words.min(self.parts.words).min(stored.words).max(WORDS);
        let mut chains = self.chains(stored, limits);
        chains.retain(|chain| {
            let known = chain.words >= needed.min(KNOWN_MIN);
            chain.begins && known && chain.possible + self.around(chain, stored) >= needed
        });
        chains.sort_unstable_by_key(|chain| (u32::MAX - chain.words, chain.first.asked, chain.first.stored));
        let mut passages: Vec<Passage> = Vec::new();
        for Chain { first, last, words, longest, .. } in chains {
            let (asked, stored) = (first.asked..last.asked + WORDS, first.stored..last.stored + WORDS);
            let is_new = |before: &Passage| !overlaps(&before.asked, &asked) && !overlaps(&before.stored, &stored);
            if passages.iter().all(is_new) {
                passages.push(Passage { asked, stored, words, longest });
            }
        }
        passages.sort_unstable_by_key(|passage| passage.asked.start);
        passages
    }

    /// Returns all chains of common parts.
    fn chains(&self, stored: &Parts, limits: &PassageLimits) -> Vec<Chain> {
        let reach = WORDS + limits.gap + 2 * u32::from(stored.window.max(self.parts.window));
        let (mut open, mut ended): (Vec<Chain>, Vec<Chain>) = (Vec::new(), Vec::new());
        let mut ways = Vec::new();
        for (stored_index, part) in (0..).zip(&stored.selected) {
            let places = self.places_of(part.hash);
            if places.is_empty() {
                continue;
            }
            ended.extend(open.extract_if(.., |chain| part.at - chain.last.stored > reach));
            let begins = self.frequent.binary_search(&part.hash).is_err();
            let common = |&(_, asked, asked_index)| Common { asked, stored: part.at, asked_index, stored_index };
            ways.clear();
            for (place, next) in places.iter().map(common).enumerate() {
                for (index, chain) in open.iter().enumerate() {
                    let (asked, stored) =
                        (i64::from(next.asked) - i64::from(chain.last.asked), next.stored - chain.last.stored);
                    let shift = asked.abs_diff(stored.into());
                    if (1..=i64::from(reach)).contains(&asked) && shift <= u64::from(limits.gap) {
                        ways.push((shift, stored, index, place));
                    }
                }
            }
            // Each place continues at most one chain, the one at the most equal distance, and each chain at one place.
            ways.sort_unstable();
            let (mut continued, mut used) = (0u64, vec![false; places.len()]);
            for &(_, _, index, place) in &ways {
                if continued >> index & 1 == 0 && !used[place] {
                    continued |= 1 << index;
                    used[place] = true;
                    self.extend(&mut open[index], common(&places[place]), stored, begins);
                }
            }
            for (_, place) in used.iter().zip(places).filter(|(used, _)| !**used) {
                let first = common(place);
                open.push(Chain {
                    first,
                    last: first,
                    words: WORDS,
                    possible: WORDS,
                    run: WORDS,
                    longest: WORDS,
                    begins,
                });
            }
            if open.len() > OPEN_MAX {
                open.sort_by_key(|chain| u32::MAX - chain.words);
                ended.extend(open.drain(OPEN_MAX..));
            }
        }
        ended.append(&mut open);
        ended
    }

    fn places_of(&self, hash: u64) -> &[(u64, u32, u32)] {
        let start = self.places.partition_point(|place| place.0 < hash);
        let places = &self.places[start..];
        &places[..places.iter().take_while(|place| place.0 == hash).count()]
    }

    /// Returns whether one of the texts does not have all its parts.
    fn is_selection(&self, stored: &Parts) -> bool {
        self.parts.window.max(stored.window) > 1
    }

    /// Returns the greatest number of words before and after a chain that may be in common: up to the next selected
    /// parts of either text, which are not. If both texts have all their parts, none is.
    fn around(&self, chain: &Chain, stored: &Parts) -> u32 {
        if !self.is_selection(stored) {
            return 0;
        }
        let free = |parts: &Parts, first: (u32, u32), last: (u32, u32)| {
            let place = |index: Option<usize>| Some(parts.selected.get(index?)?.at);
            let is_selection = parts.window > 1;
            let before = place((first.1 as usize).checked_sub(1))
                .filter(|_| is_selection)
                .map_or(first.0, |at| first.0 - at - 1);
            let behind = parts.words - (last.0 + WORDS);
            let after = place(Some(last.1 as usize + 1)).filter(|_| is_selection).map_or(behind, |at| at - last.0 - 1);
            (before, after)
        };
        let (first, last) = (chain.first, chain.last);
        let of_asked = free(self.parts, (first.asked, first.asked_index), (last.asked, last.asked_index));
        let of_stored = free(stored, (first.stored, first.stored_index), (last.stored, last.stored_index));
        of_asked.0.min(of_stored.0) + of_asked.1.min(of_stored.1)
    }

    /// Adds a common part to a chain.
    fn extend(&self, chain: &mut Chain, next: Common, stored: &Parts, begins: bool) {
        let last = chain.last;
        let (of_asked, of_stored) = (next.asked - last.asked, next.stored - last.stored);
        // If no text has all its parts, two neighbours among the selected ones have only equal words between them.
        let are_neighbours = self.is_selection(stored)
            && (self.parts.window == 1 || next.asked_index == last.asked_index + 1)
            && (stored.window == 1 || next.stored_index == last.stored_index + 1);
        let is_unbroken = of_asked == of_stored && (of_asked <= WORDS || are_neighbours);
        let more = if is_unbroken { of_asked } else { of_asked.min(of_stored).min(WORDS) };
        chain.words += more;
        // At least one word is another.
        chain.possible += if is_unbroken || !self.is_selection(stored) { more } else { of_asked.min(of_stored) - 1 };
        chain.run = if is_unbroken { chain.run + more } else { WORDS };
        chain.longest = chain.longest.max(chain.run);
        chain.last = next;
        chain.begins |= begins;
    }
}

/// Returns whether two ranges have more than half of the shorter one in common.
fn overlaps(a: &Range<u32>, b: &Range<u32>) -> bool {
    let common = a.end.min(b.end).saturating_sub(a.start.max(b.start));
    2 * common > a.len().min(b.len()) as u32
}
