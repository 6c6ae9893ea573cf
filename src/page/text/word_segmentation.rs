//! Segmentation of scripts without spaces into words, or into pieces if no dictionary covers the script.

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use xxhash_rust::xxh3::xxh3_64;

use crate::text::letters::{Writing, is_joiner, is_mark, writing};

/// Maximum number of bytes given to the segmenter at once, which bounds its memory; hardly any sentence is longer.
const SEGMENT_MAX: usize = 3000;

/// Segments text into Unicode words (UAX 29) with the dictionaries of ICU, but not with its neural models, which use
/// floating point. Letters of scripts without spaces and without a dictionary are cut into pieces.
#[derive(Clone, Copy)]
pub(crate) struct Segmenter(WordSegmenterBorrowed<'static>);

impl Default for Segmenter {
    fn default() -> Self {
        Segmenter(WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()))
    }
}

nddb_format::debug_fields!(Segmenter);

impl Segmenter {
    /// Calls `each` with the beginning and end of each segment of a text: words and pieces, and the text between
    /// them.
    pub(crate) fn segments(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        let mut done = 0;
        while done < text.len() {
            let rest = &text[done..];
            let is_cut = |c| writing(c) == Writing::Unsegmented;
            let begins = rest.starts_with(is_cut);
            let part = &rest[..rest.find(|c| is_cut(c) != begins && !goes_with_letter(c)).unwrap_or(rest.len())];
            let each = |from, to| each(done + from, done + to);
            if begins {
                pieces(part, each);
            } else {
                self.words(part, each);
            }
            done += part.len();
        }
    }

    fn words(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        let mut done = 0;
        while done < text.len() {
            let part = &text[done..text.floor_char_boundary(text.len().min(done + SEGMENT_MAX))];
            let mut begin = 0;
            for end in self.0.segment_str(part) {
                if begin < end {
                    each(done + begin, done + end);
                }
                begin = end;
            }
            done += part.len();
        }
    }
}

/// Returns whether `c` is displayed together with the letter before it.
fn goes_with_letter(c: char) -> bool {
    is_mark(c) || is_joiner(c)
}

/// Cuts letters into pieces, two letters long on average: a letter, with the marks after it, begins a piece if its
/// hash is less than that of the letter before it.
///
/// So each cut depends only on the letters around it, and an edit changes only the pieces next to it. With pieces of a
/// fixed length, one inserted letter would change all pieces after it. Pieces of a single letter would be nearly the
/// same in all texts of an alphabet.
pub(crate) fn pieces(text: &str, mut each: impl FnMut(usize, usize)) {
    let (mut begin, mut last) = (0, 0);
    let mut from = 0;
    while from < text.len() {
        let marks = text[from..].char_indices().skip(1).find(|&(_, c)| !goes_with_letter(c));
        let to = marks.map_or(text.len(), |(size, _)| from + size);
        let hash = xxh3_64(&text.as_bytes()[from..to]);
        if begin < from && hash < last {
            each(begin, from);
            begin = from;
        }
        (from, last) = (to, hash);
    }
    each(begin, text.len());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        Segmenter::default().segments(text, |from, to| found.push(&text[from..to]));
        found
    }

    /// One or two letters of each of six scripts that have neither spaces nor a dictionary.
    const LETTERS: [&str; 6] = [
        "ꦲꦤꦕꦫꦏꦢꦠꦱꦮꦭꦥꦝꦗꦪꦚꦩꦒꦧꦛꦔ",
        "ᬓᬔᬕᬖᬗᬘᬙᬚᬛᬜᬝᬞᬟᬠᬡᬢᬣᬤᬥᬦ",
        "ᥐᥑᥒᥓᥔᥕᥖᥗᥘᥙᥚᥛᥜᥝᥞᥟᥠᥡᥢᥣᥤᥥᥦᥧᥨᥩᥪᥫᥬᥭ",
        "ꀀꀁꀂꀃꀄꀅꀆꀇꀈꀉꀊꀋꀌꀍꀎꀏꀐꀑꀒꀓ",
        "ꔀꔁꔂꔃꔄꔅꔆꔇꔈꔉꔊꔋꔌꔍꔎꔏꔐꔑꔒꔓ",
        "ꪀꪁꪂꪃꪄꪅꪆꪇꪈꪉꪊꪋꪌꪍꪎꪏꪐꪑꪒꪓ",
    ];

    /// Returns a synthetic text of this many letters.
    fn made(letters: &str, len: usize, seed: u64) -> Vec<char> {
        let letters: Vec<char> = letters.chars().collect();
        let mut random = nddb_test_support::Random(seed);
        (0..len).map(|_| letters[random.index(letters.len())]).collect()
    }

    #[test]
    fn an_edit_changes_the_pieces_next_to_it_and_no_others() {
        for (seed, letters) in (1..).zip(LETTERS) {
            let text = made(letters, 400, seed);
            let mut edited = text.clone();
            edited.insert(50, text[0]);
            edited.remove(150);
            edited[250] = text[1];
            let (text, edited) = (String::from_iter(text), String::from_iter(edited));
            let (before, after) = (segments(&text), segments(&edited));
            assert!((130..270).contains(&before.len()), "{} pieces of 400 letters", before.len());
            let ahead = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
            let behind = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
            assert!(ahead > 15 && behind > 50, "{ahead} and {behind} of {} pieces", before.len());
            let lost = before.iter().filter(|piece| !after.contains(piece)).count();
            assert!(lost <= 9, "{lost} pieces are not there any more");
        }
    }

    #[test]
    fn marks_stay_with_their_letters() {
        let text = "ꦲꦏ꧀ꦱꦫꦗꦮ".repeat(30);
        assert!(segments(&text).iter().all(|piece| !piece.starts_with(is_mark)));
    }

    #[test]
    fn scripts_in_one_text_are_segmented_each_in_its_way() {
        assert_eq!(segments("我爱北京"), ["我", "爱", "北京"]);
        let found = segments("北京2024ꀀꀀꀀ, สวัสดีชาวโลก");
        assert_eq!(found, ["北京", "2024", "ꀀꀀꀀ", ",", " ", "สวัสดี", "ชาว", "โลก"]);
    }

    proptest! {
        #[test]
        fn segments_follow_each_other(text in "([ꦲꦏꦱꀀꀁ中国ไทยa \u{a9c0}\u{301}\u{200d}]|\\PC){0,60}") {
            prop_assert_eq!(segments(&text).concat(), text.as_str());
            prop_assert!(segments(&text).iter().all(|segment| !segment.is_empty()));
        }
    }
}
