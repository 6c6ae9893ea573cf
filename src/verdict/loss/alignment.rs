//! Which words of two texts have no counterpart in the other.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};

use super::hashed::ByHash;

/// Least number of words of a passage that counts as moved. Fewer words in another order may say another thing.
pub(super) const MOVED_LEAST: usize = 5;

/// Number of places of a passage that are tried.
const PLACES: usize = 16;

/// If the words of a text have more places than this on average, it is aligned in parts.
const REPEATS: usize = 1000;
/// Number of words of such a part.
const PART: usize = 4096;

/// Product of the words of two stretches and of those of them without a counterpart, from which on it pays to divide
/// them by words that occur once. A subsequence is found in a time proportional to it (Myers 1986).
const DIVIDED: usize = 200_000;

/// For each word of the two texts, whether it has no counterpart in the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    pub removed: Vec<bool>,
    pub kept: Vec<bool>,
}

/// Two texts that are compared, given the hashes of their words.
pub(super) struct Texts<'a> {
    removed: &'a [u64],
    kept: &'a [u64],
    /// What is left of each without the equal words at their beginnings and ends.
    rest: [Range<usize>; 2],
    /// The words of these rests, unless they are short.
    slots: Option<Slots>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(removed: &'a [u64], kept: &'a [u64]) -> Self {
        let rest = trimmed(removed, 0..removed.len(), kept, 0..kept.len());
        let words = rest[0].len() + rest[1].len();
        let slots = (words * words >= DIVIDED).then(|| Slots::of(removed, rest[0].clone(), kept, rest[1].clone()));
        Self { removed, kept, rest, slots }
    }

    /// Returns whether the two have the same words in the same order.
    pub(super) fn are_equal(&self) -> bool {
        self.rest.iter().all(Range::is_empty)
    }

    /// Returns a lower bound of the number of words that are lost if the first text is removed: those that the kept
    /// text has less often, outside of the equal beginnings and ends. 0 if the rest is short.
    pub(super) fn least_lost(&self) -> usize {
        let slots = self.slots.as_ref().map_or(&[][..], |slots| &slots.slots);
        slots.iter().map(|slot| slot.count.saturating_sub(slot.others) as usize).sum()
    }

    /// Like [`Texts::least_lost`], of the words of the content.
    pub(super) fn least_lost_of(&self, is_content: impl Fn(usize) -> bool) -> usize {
        let Some(slots) = &self.slots else { return 0 };
        let mut others: Vec<u32> = slots.slots.iter().map(|slot| slot.others).collect();
        let is_lost = |&at: &usize| {
            let others = &mut others[slots.at(self.removed[at])];
            let is_lost = *others == 0;
            *others = others.saturating_sub(1);
            is_lost
        };
        self.rest[0].clone().filter(|&at| is_content(at)).filter(is_lost).count()
    }

    /// Aligns the two. Words of a common subsequence are counterparts of each other, and so are the words of moved
    /// passages: at least [`MOVED_LEAST`] words in a row that stand elsewhere in the kept text. The time is nearly linear
    /// in the lengths: words that occur once in each text divide them into short parts (the patience diff of Bram
    /// Cohen), and for parts that differ much, the subsequence may not be the longest.
    pub(super) fn align(&self) -> Alignment {
        let Self { removed, kept, rest: [from, to], .. } = self;
        let mut alignment = Alignment { removed: vec![false; removed.len()], kept: vec![false; kept.len()] };
        let mut begin = [from.start, to.start];
        for [a, b] in self.anchors().into_iter().chain([[from.end, to.end]]) {
            alignment.match_common(removed, begin[0]..a, kept, begin[1]..b);
            begin = [a + 1, b + 1];
        }
        alignment.match_moved(removed, kept);
        alignment
    }

    /// Returns places of equal words, ascending in both texts: of words that occur once in each of the two rests, the
    /// longest sequence that has the same order in both; none if the rests are short or differ little.
    fn anchors(&self) -> Vec<[usize; 2]> {
        let Some(slots) = &self.slots else { return Vec::new() };
        let words = self.rest[0].len() + self.rest[1].len();
        let common = slots.slots.iter().map(|slot| slot.count.min(slot.others) as usize).sum::<usize>();
        if (words - 2 * common) * words < DIVIDED {
            return Vec::new();
        }
        let once = self.rest[0].clone().filter_map(|at| {
            let slot = slots.slots[slots.at(self.removed[at])];
            (slot.count == 1 && slot.others == 1).then_some([at, slot.place])
        });
        ascending(&once.collect::<Vec<_>>())
    }
}

/// Returns what is left of two stretches without the equal words at their beginnings and ends.
fn trimmed(removed: &[u64], from: Range<usize>, kept: &[u64], to: Range<usize>) -> [Range<usize>; 2] {
    let [a, b] = [&removed[from.clone()], &kept[to.clone()]];
    let first = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - first;
    let last = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    [from, to].map(|range| range.start + first..range.end - last)
}

/// The words of a stretch of the removed text. Open addressing: they are hashes already.
struct Slots {
    slots: Vec<Slot>,
}

impl Slots {
    fn of(removed: &[u64], from: Range<usize>, kept: &[u64], to: Range<usize>) -> Self {
        let mut slots = Self { slots: vec![Slot::default(); (2 * from.len()).next_power_of_two()] };
        for at in from {
            let slot = slots.at(removed[at]);
            slots.slots[slot].word = removed[at];
            slots.slots[slot].count += 1;
        }
        for at in to {
            let slot = slots.at(kept[at]);
            let slot = &mut slots.slots[slot];
            if slot.count > 0 {
                slot.others += 1;
                slot.place = at;
            }
        }
        slots
    }

    /// Returns the slot of a word, or a free one.
    fn at(&self, word: u64) -> usize {
        let mut at = word as usize % self.slots.len();
        while self.slots[at].count > 0 && self.slots[at].word != word {
            at = (at + 1) % self.slots.len();
        }
        at
    }
}

/// A word of the removed text: how often it occurs there and in the kept one, and its last place in the latter.
#[derive(Clone, Copy, Default)]
struct Slot {
    word: u64,
    count: u32,
    others: u32,
    place: usize,
}

/// Returns the longest part of a list, sorted by the first place, in which the second places ascend (Fredman 1975).
fn ascending(pairs: &[[usize; 2]]) -> Vec<[usize; 2]> {
    // For each length, the index of the least last pair of a sequence of that length; for each pair, the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(pairs.len()));
    for (index, [_, place]) in pairs.iter().enumerate() {
        let len = ends.partition_point(|&end: &usize| pairs[end][1] < *place);
        before.push(len.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(len) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut sequence: Vec<[usize; 2]> =
        std::iter::successors(ends.last().copied(), |&index| before[index]).map(|index| pairs[index]).collect();
    sequence.reverse();
    sequence
}

impl Alignment {
    /// Leaves open the words of two stretches that are not in a common subsequence.
    fn match_common(&mut self, removed: &[u64], from: Range<usize>, kept: &[u64], to: Range<usize>) {
        let [from, to] = trimmed(removed, from, kept, to);
        if from.is_empty() || to.is_empty() {
            self.removed[from].fill(true);
            self.kept[to].fill(true);
            return;
        }
        if from.len() == 1 || to.len() == 1 {
            let mut pairs = from.clone().flat_map(|a| to.clone().map(move |b| [a, b]));
            let common = pairs.find(|&[a, b]| removed[a] == kept[b]);
            self.removed[from].fill(true);
            self.kept[to].fill(true);
            if let Some([a, b]) = common {
                (self.removed[a], self.kept[b]) = (false, false);
            }
            return;
        }
        let input = InternedInput::new(Hashes(&removed[from.clone()]), Hashes(&kept[to.clone()]));
        let longest = from.len().max(to.len());
        let kinds = input.interner.num_tokens().max(1) as usize;
        // In a long text of few words each word has very many places.
        let parts = if longest / kinds > REPEATS { longest.div_ceil(PART) } else { 1 };
        if parts == 1 {
            return self.match_input(&input, from.start, to.start);
        }
        let part = |range: &Range<usize>, part: usize| range.start + range.len() * part / parts;
        for number in 0..parts {
            let [from, to] = [&from, &to].map(|range| part(range, number)..part(range, number + 1));
            let input = InternedInput::new(Hashes(&removed[from.clone()]), Hashes(&kept[to.clone()]));
            self.match_input(&input, from.start, to.start);
        }
    }

    fn match_input(&mut self, input: &InternedInput<u64>, removed: usize, kept: usize) {
        for hunk in Diff::compute(Algorithm::Myers, input).hunks() {
            let at = |start: usize, at: u32| start + at as usize;
            self.removed[at(removed, hunk.before.start)..at(removed, hunk.before.end)].fill(true);
            self.kept[at(kept, hunk.after.start)..at(kept, hunk.after.end)].fill(true);
        }
    }

    /// Marks moved passages as counterparts: from the beginning of the removed text, the longest passage at each place.
    fn match_moved(&mut self, removed: &[u64], kept: &[u64]) {
        // Places by the first words of a passage; passages of other words with equal hashes are of length 0 below.
        let first_words =
            |words: &[u64]| words[..MOVED_LEAST].iter().fold(0u64, |all, &word| all.rotate_left(11).wrapping_add(word));
        let mut places: ByHash<Vec<usize>> = ByHash::default();
        if self.removed.contains(&true) {
            for at in 0..(kept.len() + 1).saturating_sub(MOVED_LEAST) {
                if self.kept[at..at + MOVED_LEAST].iter().all(|&is_open| is_open) {
                    places.entry(first_words(&kept[at..])).or_default().push(at);
                }
            }
        }
        if places.is_empty() {
            return;
        }
        let mut at = 0;
        while at + MOVED_LEAST <= removed.len() {
            let open = |open: &[bool], at: usize, len: usize| open[at..].iter().take(len).take_while(|&&is| is).count();
            let here = open(&self.removed, at, MOVED_LEAST);
            if here < MOVED_LEAST {
                at += here + 1;
                continue;
            }
            let found = places.get(&first_words(&removed[at..])).map_or(&[][..], Vec::as_slice);
            let reach = |&place: &usize| {
                let words = removed[at..].iter().zip(&self.removed[at..]);
                let others = kept[place..].iter().zip(&self.kept[place..]);
                words.zip(others).take_while(|(a, b)| a.0 == b.0 && *a.1 && *b.1).count()
            };
            let is_open = |place: &&usize| open(&self.kept, **place, MOVED_LEAST) == MOVED_LEAST;
            let longest = found.iter().filter(is_open).take(PLACES).map(|place| (reach(place), *place));
            match longest.max_by_key(|&(len, place)| (len, std::cmp::Reverse(place))) {
                Some((len, place)) if len >= MOVED_LEAST => {
                    self.removed[at..at + len].fill(false);
                    self.kept[place..place + len].fill(false);
                    at += len;
                }
                _ => at += 1,
            }
        }
    }
}

/// The words of a text as the source of a comparison.
struct Hashes<'a>(&'a [u64]);

impl<'a> TokenSource for Hashes<'a> {
    type Token = u64;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, u64>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use nddb_test_support::{Random, say};

    use super::*;
    use crate::compare::lcs::plain::longest_common_subsequence;

    fn align(removed: &[u64], kept: &[u64]) -> Alignment {
        Texts::new(removed, kept).align()
    }

    fn open(words: &[bool]) -> usize {
        words.iter().filter(|&&is_open| is_open).count()
    }

    /// Other words, at least a few words apart from each other, cost what the longest common subsequence says.
    #[test]
    fn the_alignment_of_similar_texts_is_that_of_the_definition() {
        for seed in 0..300 {
            let mut random = Random(seed);
            let text: Vec<u64> = (0..40 + random.index(200)).map(|_| random.below(120)).collect();
            let mut other = text.clone();
            let mut at = random.index(12);
            while at < other.len() {
                match random.below(3) {
                    0 => drop(other.remove(at)),
                    1 => other.insert(at, 1000 + random.below(50)),
                    _ => other[at] = 1000 + random.below(50),
                }
                at += 8 + random.index(30);
            }
            let common = longest_common_subsequence(&text, &other).len();
            let found = align(&text, &other);
            assert_eq!(open(&found.removed), text.len() - common, "seed {seed}");
            assert_eq!(open(&found.kept), other.len() - common, "seed {seed}");
        }
    }

    /// Whatever the texts: counterparts are equal words, one to one, and no alignment loses fewer words than a
    /// comparison of bags of words.
    #[test]
    fn counterparts_are_equal_words() {
        for seed in 0..500 {
            let mut random = Random(seed);
            let kinds = 2 + random.below(40);
            let mut text = || (0..random.index(300)).map(|_| random.below(kinds)).collect::<Vec<u64>>();
            let (a, b) = (text(), text());
            let found = align(&a, &b);
            let bag = |words: &[u64], open: &[bool]| {
                let matched = words.iter().zip(open).filter(|(_, is_open)| !**is_open).map(|(word, _)| *word);
                let mut matched: Vec<u64> = matched.collect();
                matched.sort_unstable();
                matched
            };
            assert_eq!(bag(&a, &found.removed), bag(&b, &found.kept), "seed {seed}");
        }
    }

    /// The bounds of what is lost are those of bags of words.
    #[test]
    fn the_least_loss_is_that_of_bags_of_words() {
        for seed in 0..200 {
            let mut random = Random(seed);
            let kinds = 100 + random.below(400);
            let text: Vec<u64> = (0..300 + random.index(300)).map(|_| random.below(kinds)).collect();
            let mut other = text.clone();
            for _ in 0..random.index(200) {
                let at = random.index(other.len());
                other[at] = random.below(2 * kinds);
            }
            let texts = Texts::new(&text, &other);
            let [from, to] = texts.rest.clone();
            let lost = |is_content: &dyn Fn(usize) -> bool| {
                let mut bag = other[to.clone()].to_vec();
                let words = from.clone().filter(|&at| is_content(at)).map(|at| text[at]);
                let is_lost =
                    |word: &u64| bag.iter().position(|other| other == word).map(|at| bag.swap_remove(at)).is_none();
                words.filter(is_lost).count()
            };
            if texts.slots.is_some() {
                assert_eq!(texts.least_lost(), lost(&|_| true), "seed {seed}");
                assert_eq!(texts.least_lost_of(|at| at % 3 > 0), lost(&|at| at % 3 > 0), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_moved_passage_is_not_lost() {
        let text: Vec<u64> = (0..100).collect();
        let mut moved = text.clone();
        moved.rotate_left(30);
        let mut halves = text.clone();
        halves.swap(10, 90);
        assert_eq!(open(&align(&text, &moved).removed), 0);
        assert_eq!(open(&align(&moved, &text).kept), 0);
        // Two words that change places are no passage.
        assert!(open(&align(&text, &halves).removed) >= 2);
        // Each passage has one counterpart.
        let twice: Vec<u64> = (0..20).chain(0..20).collect();
        assert_eq!(open(&align(&twice, &text).removed), 20);
        assert_eq!(open(&align(&text, &twice).removed), 80);
        let none: &[u64] = &[];
        assert_eq!(align(none, &text), Alignment { removed: Vec::new(), kept: vec![true; 100] });
    }

    /// Long texts without a common word, and long texts of few words, take no quadratic time.
    #[test]
    fn long_texts_are_aligned_quickly() {
        let mut random = Random(7);
        let mut text = |from: u64, kinds: u64| (0..200_000).map(|_| from + random.below(kinds)).collect::<Vec<u64>>();
        for (a, b) in [(text(0, 1000), text(500, 1000)), (text(0, 30), text(0, 30)), (text(0, 9), text(100, 9))] {
            let started = std::time::Instant::now();
            align(&a, &b);
            let took = started.elapsed();
            say(&format!("200,000 words: {took:?}"));
            assert!(took.as_secs() < 60, "{took:?}");
        }
    }
}
