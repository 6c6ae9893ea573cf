//! Parts: runs of [`PART_WORDS`] words of the whole text of a page, by which passages in common are found.
//!
//! The words are the terms of the page in lower case, without those of its images, and without regard to what counts as
//! content; in scripts without spaces they are Unicode words or single characters. The hash of a part is the low 40
//! bits of XXH3 (64 bits, seed 0) of the hashes of its words, 8 bytes each, little-endian.
//!
//! Of a long text only a selection is stored. It is made by winnowing (Schleimer, Wilkerson, Aiken, SIGMOD 2003): of
//! each window of t successive parts the one with the least hash. So a passage of `PART_WORDS + t - 1` words in two
//! texts has a part that both select, and a part that one selects and that is among all parts of the other. Sampling
//! by hash (Broder 1997), the alternative, gives no such guarantee: at one part in eight it misses every passage of 20
//! words with probability .12. Its estimates of containment are unbiased; those of winnowing are nearly so.

use std::ops::Range;

use nddb_format::parts::{HASH_BYTES, PART_WORDS, Part, Parts};
use xxhash_rust::xxh3::xxh3_64;

use crate::text::{Page, PageContent, Tokens, characters_of, page_content};

/// The window of the flag `parts` without a number: passages of 12 words have a part in common. It is the greatest at
/// which questions of 45 words with a word in ten exchanged are found (`benches/parts.py`).
pub const PARTS_WINDOW: u8 = 8;
/// The greatest window.
pub const PARTS_WINDOW_MAX: u8 = 64;
/// All parts of texts of fewer words are selected.
pub const WHOLE_WORDS: usize = 200;
/// Greatest number of places of one part that are selected in a text, the first ones: nothing is gained by more, and a
/// text may repeat one word a million times.
const PLACES_MAX: usize = 16;

/// Returns the parts of a text, given the hashes of its words. Of `window` successive parts at least one is selected,
/// and all are if the text has fewer than [`WHOLE_WORDS`] words.
pub fn parts(words: &[u64], window: u8) -> Parts {
    let window = if words.len() < WHOLE_WORDS { 1 } else { window.max(1) };
    let hashes = hashes(words);
    let mut selected = winnowed(&hashes, usize::from(window));
    drop_repeated(&mut selected);
    Parts { window, words: u32::try_from(words.len()).unwrap_or(u32::MAX), selected }
}

/// Returns the hash of each part.
fn hashes(words: &[u64]) -> Vec<u64> {
    let mut bytes = [0; 8 * PART_WORDS];
    let mut hash = |words: &[u64]| {
        bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        xxh3_64(&bytes) & ((1 << (8 * HASH_BYTES)) - 1)
    };
    words.windows(PART_WORDS).map(&mut hash).collect()
}

/// Selects a least part of each window: the one selected before if it is one, else the last of them. So a text of equal
/// parts has one selected part in each window, and not all (robust winnowing). Fewer parts than a window are one
/// window.
fn winnowed(hashes: &[u64], window: usize) -> Vec<Part> {
    let mut selected: Vec<Part> = Vec::with_capacity(2 * hashes.len() / (window + 1) + 1);
    let mut last: Option<usize> = None;
    for end in window.min(hashes.len())..=hashes.len() {
        let begin = end.saturating_sub(window);
        let newest = end.saturating_sub(1)..end;
        // As long as the last one is in the window, only the newest part can be less.
        let seen = if last.is_some_and(|last| last >= begin) { newest } else { begin..end };
        let least = seen.rev().min_by_key(|&at| hashes[at]);
        let is_less = |at: &usize| last.is_none_or(|last| last < begin || hashes[*at] < hashes[last]);
        if let Some(at) = least.filter(is_less) {
            last = Some(at);
            selected.push(Part { hash: hashes[at], at: at as u32 });
        }
    }
    selected
}

/// Drops what is behind the first [`PLACES_MAX`] places of a part.
fn drop_repeated(selected: &mut Vec<Part>) {
    selected.sort_unstable_by_key(|part| (part.hash, part.at));
    let mut run = (None, 0);
    selected.retain(|part| {
        let places = if run.0 == Some(part.hash) { run.1 + 1 } else { 1 };
        run = (Some(part.hash), places);
        places <= PLACES_MAX
    });
    selected.sort_unstable_by_key(|part| part.at);
}

/// Returns the selection of [`parts`] by its definition.
pub fn plain(words: &[u64], window: u8) -> Parts {
    let window = if words.len() < WHOLE_WORDS { 1 } else { window.max(1) };
    let hashes = hashes(words);
    let mut places: Vec<usize> = Vec::new();
    for from in 0..=hashes.len().saturating_sub(usize::from(window)) {
        let in_window = from..hashes.len().min(from + usize::from(window));
        let Some(least) = in_window.clone().map(|at| hashes[at]).min() else { break };
        let before = places.last().filter(|&&at| in_window.contains(&at) && hashes[at] == least);
        if before.is_none() {
            places.extend(in_window.rev().find(|&at| hashes[at] == least));
        }
    }
    let occurrence = |index: usize| places[..index].iter().filter(|&&at| hashes[at] == hashes[places[index]]).count();
    let kept = (0..places.len()).filter(|&index| occurrence(index) < PLACES_MAX).map(|index| places[index]);
    let selected = kept.map(|at| Part { hash: hashes[at], at: at as u32 }).collect();
    Parts { window, words: words.len() as u32, selected }
}

/// Returns the hashes of the words of a page, of which its parts are made.
pub(super) fn word_hashes(tokens: &Tokens) -> Vec<u64> {
    tokens.words().map(|(_, hash)| hash).collect()
}

/// The words of a page, with their places in its text.
#[derive(Clone, Debug)]
pub struct PageWords {
    tokens: Tokens,
    ranges: Vec<Range<usize>>,
    /// Whether each word stands in the content.
    content: Vec<bool>,
    /// The first character of each word and the one behind it, if they are known.
    characters: Vec<[u64; 2]>,
}

/// Returns the words of a page, of which its parts are made.
pub fn page_words(page: &Page<'_>) -> PageWords {
    words_of(page_content(page), Vec::new())
}

fn words_of(page: PageContent, characters: Vec<[u64; 2]>) -> PageWords {
    let ranges: Vec<Range<usize>> = page.tokens().words().map(|(range, _)| range).collect();
    let content = ranges.iter().map(|range| page.is_content(range.start)).collect();
    PageWords { tokens: page.into_tokens(), ranges, content, characters }
}

/// Like [`page_words`], and finds the places of the words, which takes longer: in plain text as it was read, in markup
/// among the text that is printed of it ([`whole_text`](crate::text::whole_text)).
pub fn placed_words(page: &Page<'_>) -> PageWords {
    let content = page_content(page);
    let ranges: Vec<Range<usize>> = content.tokens().words().map(|(range, _)| range).collect();
    let ends: Vec<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
    let characters = characters_of(page, &ends).unwrap_or_else(|| {
        // The place behind a word is that behind its last letter, because blocks may follow each other without a space.
        let last = |end: usize| content.text().floor_char_boundary(end.saturating_sub(1));
        let letters: Vec<usize> = ranges.iter().flat_map(|range| [range.start, last(range.end)]).collect();
        let places = content.whole_characters(&letters);
        places.into_iter().enumerate().map(|(index, place)| place + (index as u64 & 1)).collect()
    });
    words_of(content, characters.as_chunks().0.to_vec())
}

impl PageWords {
    /// Returns all parts of the page.
    pub fn parts(&self) -> Parts {
        parts(&self.hashes(), 1)
    }

    /// Returns the hash of each word: equal words, apart from case, have equal hashes.
    pub fn hashes(&self) -> Vec<u64> {
        word_hashes(&self.tokens)
    }

    /// Returns whether at least half of some words stand in the content of the page.
    pub fn are_content(&self, words: Range<u32>) -> bool {
        let words = self.content.get(words.start as usize..words.end as usize).unwrap_or(&[]);
        2 * words.iter().filter(|is_content| **is_content).count() >= words.len()
    }

    /// Returns the range of code points in which some words stand: of plain text as it was read, where a byte order mark
    /// is a code point, and of the text that is printed of markup. `None` unless the places were found
    /// ([`placed_words`]).
    pub fn characters(&self, words: Range<u32>) -> Option<Range<u64>> {
        let words = self.characters.get(words.start as usize..words.end as usize)?;
        Some(words.first()?[0]..words.iter().map(|[_, end]| *end).max()?)
    }

    /// Returns the text of some words, given their indexes, in one line.
    pub fn quote(&self, words: Range<u32>) -> String {
        let words = words.start as usize..words.end as usize;
        let ends = self.ranges.get(words).and_then(|ranges| Some((ranges.first()?.start, ranges.last()?.end)));
        let text = ends.and_then(|(from, to)| self.tokens.text().get(from..to)).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts of few different words, long enough not to be stored whole.
    fn text(size: Range<usize>) -> impl Strategy<Value = Vec<u64>> {
        prop_oneof![prop::collection::vec(0u64..3, size.clone()), prop::collection::vec(any::<u64>(), size)]
    }

    fn window() -> impl Strategy<Value = u8> {
        1..=PARTS_WINDOW_MAX
    }

    proptest! {
        #[test]
        fn the_selection_is_that_of_the_definition(words in text(0..400), window in window()) {
            prop_assert_eq!(parts(&words, window), plain(&words, window));
        }

        /// The guarantee: a passage of PART_WORDS + window - 1 words has a part that both texts select, also if only
        /// one of them is stored whole.
        #[test]
        fn texts_with_a_passage_in_common_select_a_part_of_it(
            (before, after) in (prop::collection::vec(any::<u64>(), 200..260), prop::collection::vec(any::<u64>(), 0..60)),
            (other_before, other_after) in (prop::collection::vec(any::<u64>(), 0..300), prop::collection::vec(any::<u64>(), 0..60)),
            (window, seed) in (window(), any::<u64>()),
        ) {
            let size = PART_WORDS + usize::from(window) - 1;
            let passage: Vec<u64> = (0..size as u64).map(|index| xxh3_64(&(seed ^ index).to_le_bytes())).collect();
            let [left, right] = [[before, passage.clone(), after].concat(), [other_before, passage.clone(), other_after].concat()];
            let of_passage = hashes(&passage);
            let selected = |words: &[u64], window: u8| -> Vec<u64> {
                let selected = parts(words, window).selected;
                selected.iter().map(|part| part.hash).filter(|hash| of_passage.contains(hash)).collect()
            };
            let (sparse, all) = (selected(&left, window), selected(&right, 1));
            prop_assert!(sparse.iter().any(|hash| all.contains(hash)), "{sparse:?}");
            let other = selected(&right, window);
            prop_assert!(sparse.iter().any(|hash| other.contains(hash)), "{sparse:?} {other:?}");
        }
    }

    #[test]
    fn short_texts_are_stored_whole_and_long_ones_at_two_in_window_plus_one() {
        let words: Vec<u64> = (0..40_000u64).map(|word| xxh3_64(&word.to_le_bytes())).collect();
        assert_eq!(parts(&words[..4], 8).selected, []);
        assert_eq!(parts(&words[..5], 8).selected.len(), 1);
        assert_eq!(parts(&words[..WHOLE_WORDS - 1], 8).selected.len(), WHOLE_WORDS - PART_WORDS);
        for window in [1, 8, 12, 40] {
            let expected = 2 * words.len() / (usize::from(window) + 1);
            let found = parts(&words, window).selected.len();
            assert!(found.abs_diff(expected) * 20 < expected, "{window}: {found} of {expected}");
        }
    }

    #[test]
    fn a_word_repeated_a_million_times_has_few_parts() {
        let found = parts(&vec![7; 1 << 20], 12);
        assert_eq!((found.selected.len(), found.words), (PLACES_MAX, 1 << 20));
    }

    /// Characters that are taken out, joined or composed before words are found.
    #[test]
    fn places_are_those_of_the_text_as_it_was_read() {
        let text = "\u{feff}Caf\u{65}\u{301} br\u{200b}own, exam-\nple FO\u{8}X and \u{4e2d}\u{6587} example end";
        let letters: Vec<char> = text.chars().collect();
        let words = placed_words(&Page::text(text));
        let place = |word: u32| {
            let Range { start, end } = words.characters(word..word + 1).expect("a place");
            letters[start as usize..end as usize].iter().collect::<String>()
        };
        let count = words.parts().words;
        let found: Vec<String> = (0..count).map(place).collect();
        assert_eq!(found[..3], ["Caf\u{65}\u{301}", "br\u{200b}own", "exam-\nple"], "{found:?}");
        assert_eq!(found[count as usize - 2..], ["example", "end"], "{found:?}");
        assert_eq!(words.characters(0..count), Some(1..letters.len() as u64));
        assert_eq!(words.characters(0..count + 1), None);
        assert_eq!(page_words(&Page::text(text)).characters(0..1), None);
    }

    #[test]
    fn words_of_markup_are_placed_in_the_text_that_is_printed() {
        for body in [
            "<title> The  foxes </title><nav><a href=/>Home</a><a href=/b>Bees</a></nav><p>Brown&nbsp;fo&shy;xes <b>jum</b>ped.\
             <p>Caf\u{65}\u{301} at<br>noon<table><tr><td>1,000<td>two</table><pre>a\n  b</pre>",
            "<p>\u{4e2d}\u{6587}\u{5206}\u{8bcd}<i>\u{6d4b}</i>\u{8bd5}</p><img alt='A picture'><p>\u{e44}\u{e17}\u{e22} end",
            "<h1>\u{1f98a} fox</h1>\n<div>x<div>y</div>z</div>",
        ] {
            let (page, words) = (Page::html(body), placed_words(&Page::html(body)));
            let letters: Vec<char> = crate::text::whole_text(&page).chars().collect();
            let count = words.parts().words;
            for range in (0..count).map(|word| word..word + 1).chain(std::iter::once(0..count)) {
                let Range { start, end } = words.characters(range.clone()).expect("a place");
                let text: String = letters[start as usize..end as usize].iter().collect();
                assert_eq!(text.replace('\n', " "), words.quote(range), "{body}");
            }
            assert!(count > 3, "{body}");
        }
    }

    #[test]
    fn words_are_quoted_from_the_page() {
        let words =
            page_words(&Page::html("<title>Foxes</title><p>The <b>quick</b> brown<img src=a.png>\n fox jumps over"));
        assert_eq!(words.quote(1..4), "The quick brown");
        assert_eq!(words.quote(3..6), "brown fox jumps");
        assert_eq!(words.quote(6..9), "");
        assert_eq!(words.parts().words, 7);
        assert!(words.are_content(0..7), "too little to leave something out");
        let prose = "Foxes jump over dogs, and dogs sleep in the valley, under the trees of the village. ".repeat(15);
        let names = ["Home", "News", "Sport", "Weather", "Travel", "Music", "Books", "Games", "Contact"];
        let links: String = names.iter().map(|name| format!("<a href=/{name}>{name}</a> ")).collect();
        let page = format!("<nav>{links}</nav><article><p>{prose}</p><p>{prose}</p></article>");
        let page = page_words(&Page::html(&page));
        assert!(!page.are_content(0..9) && page.are_content(9..400));
        assert_eq!(words.parts(), page_words(&Page::text("foxes the QUICK brown fox, jumps over.")).parts());
    }
}
