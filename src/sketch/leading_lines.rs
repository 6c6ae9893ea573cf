//! The leading lines of a plain text, which name it where neither headings nor an address do: the lines that stand
//! alone before its first prose. The frequent words of another text tell whether it has the words of these lines.
//!
//! As specified here:
//!
//! * A word is a term in lower case that is no number: the low 22 bits of its XXH3 (64 bits, seed 0).
//! * *words*: those of the last such line, then, with bit 22, those of the line before it; the first 15 different
//!   ones. Bit 23 marks a word that the text has twice or more, if it is one of its frequent words.
//! * *frequent*: the words that the text has at least c times, for the least c of which there are at most 64, and the
//!   words of the lines, as a Bloom filter of 360 bits with four for each word: of other words one in 15 is taken for
//!   one of 64 (Bloom 1970). They are the bits (360 p) >> 16 of each 16-bit part p of the product of the word and
//!   0x9e3779b97f4a7c15 (its low 64 bits), counted from the lowest bit of the first byte.

use super::leading_words::{HASH, LeadingWords, NUMBER, OWN, WORDS_KEPT};
use crate::text::PageContent;

/// Bit of a word of the line before the last one, which is no number.
const OF_OTHER: u32 = NUMBER;

/// Most frequent words.
const FREQUENT_MAX: usize = 64;

/// The lines that stand alone before the first prose of a plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadingLines {
    /// The words of the last two lines.
    pub words: LeadingWords,
    /// A Bloom filter of the frequent words of the text.
    pub frequent: [u8; WORDS_KEPT],
}

impl LeadingLines {
    /// Returns those of a page; `None` if no line stands alone before prose, as in all pages of markup.
    pub(super) fn of(content: &PageContent) -> Option<Self> {
        let lines = content.leading_lines();
        if lines.is_empty() {
            return None;
        }
        let mut all = content.word_hashes();
        all.sort_unstable();
        let counts: Vec<(u64, usize)> = all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        let least = least_count(counts.iter().map(|(_, count)| *count).collect());
        let is_own = |hash| {
            let index = counts.binary_search_by_key(&hash, |(other, _)| *other);
            index.is_ok_and(|index| counts[index].1 >= least.max(2))
        };
        let mut frequent = [0; WORDS_KEPT];
        let of_text = counts.iter().filter(|(_, count)| *count >= least).map(|(hash, _)| hash);
        for hash in of_text.chain(lines.iter().flatten()) {
            bits(*hash as u32 & HASH).for_each(|bit| frequent[bit / 8] |= 1 << (bit % 8));
        }
        let words = [0, OF_OTHER].into_iter().zip(&lines).flat_map(|(bit, line)| {
            let word = move |&hash: &u64| hash as u32 & HASH | bit | if is_own(hash) { OWN } else { 0 };
            line.iter().map(word)
        });
        Some(Self { words: LeadingWords::of(words), frequent })
    }

    /// Returns whether each of two texts has a word in its lines that it repeats, or a line of two words or more, that
    /// the other lacks.
    pub(crate) fn are_other_than(&self, other: &Self) -> bool {
        let repeats = |a: &Self, b: &Self| a.words.kept().iter().any(|word| word & OWN != 0 && !b.may_have(*word));
        let has_line = |a: &Self, b: &Self| {
            [0, OF_OTHER].into_iter().any(|bit| {
                let line = || a.words.kept().iter().filter(|word| *word & OF_OTHER == bit);
                line().nth(1).is_some() && line().all(|word| !b.may_have(*word))
            })
        };
        (repeats(self, other) && repeats(other, self)) || (has_line(self, other) && has_line(other, self))
    }

    /// Returns whether a word is frequent or one of the lines, or is taken for one.
    fn may_have(&self, word: u32) -> bool {
        bits(word & HASH).all(|bit| self.frequent[bit / 8] >> (bit % 8) & 1 == 1)
    }
}

/// Returns the least count that at most [`FREQUENT_MAX`] of some words reach.
fn least_count(mut counts: Vec<usize>) -> usize {
    if counts.len() <= FREQUENT_MAX {
        return 1;
    }
    let (_, count, _) = counts.select_nth_unstable_by(FREQUENT_MAX, |a, b| b.cmp(a));
    *count + 1
}

/// Returns the bits of a word in a filter.
fn bits(word: u32) -> impl Iterator<Item = usize> {
    let product = u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..4).map(move |part| ((product >> (16 * part) & 0xffff) as usize * 8 * WORDS_KEPT) >> 16)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::text::{Page, page_content};

    fn lines(text: &str) -> Option<LeadingLines> {
        LeadingLines::of(&page_content(&Page::text(text)))
    }

    fn word(term: &str) -> u32 {
        xxh3_64(term.as_bytes()) as u32 & HASH
    }

    const PROSE: &str = "The quick brown fox jumps over the lazy dog, and the dog does not care.";

    #[test]
    fn the_last_two_lines_that_stand_alone_before_prose_are_kept() {
        let found =
            lines(&format!("Home\n\nOf 3 Foxes\n\nMenu\nContact\n\nThe Dog\n\n{PROSE}\n\nBehind it\n\n{PROSE}"));
        let own = |term| word(term) | OWN;
        let expected = [own("the"), own("dog"), word("of") | OF_OTHER, word("foxes") | OF_OTHER];
        assert_eq!(found.expect("lines").words.kept(), expected);
        for none in [PROSE, "The Dog", "", "The Dog\nA line of a menu\n", &format!("Menu\nThe Dog\n{PROSE}")] {
            assert_eq!(lines(none), None, "{none}");
        }
        assert_eq!(LeadingLines::of(&page_content(&Page::html(&format!("<h1>The dog</h1><p>{PROSE}")))), None);
    }

    /// By counting, for texts of few and of many words; what the filter takes for frequent besides is little.
    #[test]
    fn the_filter_has_the_frequent_words_and_those_of_the_lines() {
        for words in [10, 40, 64, 90, 400] {
            // Word n stands n times, up to nine.
            let all = (0..words).flat_map(|n| vec![format!("word{n}"); 1 + n % 9]).collect::<Vec<_>>();
            let text = format!("Title line\n\n{}.", all.join(" "));
            let mut counts = BTreeMap::from([("title".to_owned(), 1), ("line".to_owned(), 1)]);
            all.iter().for_each(|term| *counts.entry(term.clone()).or_insert(0) += 1);
            let frequent = |least: usize| counts.iter().filter(move |(_, count)| **count >= least);
            let least = (1..).find(|&least| frequent(least).count() <= 64).expect("a count that no word has");
            let found = lines(&text).expect("lines");
            assert!(frequent(least).all(|(term, _)| found.may_have(word(term))), "{words} words");
            assert!(["title", "line"].iter().all(|term| found.may_have(word(term))));
            let taken = (0..1000).filter(|n| found.may_have(word(&format!("other{n}")))).count();
            assert!(taken < 140, "{words} words: {taken} of 1000 others");
        }
    }

    #[test]
    fn texts_are_told_apart_by_what_they_repeat_and_by_whole_lines() {
        let text = |first: &str, last: &str, more: &str| {
            lines(&format!("{first}\n\n{last}\n\n{PROSE} {more}.\n")).expect("lines")
        };
        for (a, b, expected) in [
            // A word that each repeats; one that only one of them does.
            (text("In h3", "Function parse", "see h3"), text("In quic", "Function parse", "see quic"), true),
            (text("In h3", "Function parse", "see h3"), text("In quic", "Function parse", ""), false),
            // A line as a whole; of one word, or in part.
            (text("Our shop", "Red shoes", ""), text("Our shop", "Blue hats", ""), true),
            (text("Our shop", "Shoes", ""), text("Our shop", "Hats", ""), false),
            (text("Our shop", "Red shoes", ""), text("Our shop", "Red hats", ""), false),
            // The other has its words further down.
            (text("Our shop", "Red shoes", ""), text("Our shop", "Blue hats", "and red shoes"), false),
            (text("Our shop", "Red shoes", ""), text("Our shop", "Red shoes", "in blue"), false),
            (text("Issue 12", "Red shoes", ""), text("Issue 13", "Red shoes", ""), false),
        ] {
            assert_eq!((a.are_other_than(&b), b.are_other_than(&a)), (expected, expected), "{a:?} {b:?}");
        }
    }
}
