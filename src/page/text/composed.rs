//! Composed characters: the normal form C of Unicode (UAX 15).
//!
//! An accented letter, a Korean syllable and a letter of an Indic script with its dot may be one character or several,
//! and look the same. File systems and editors change one into the other.

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use icu_segmenter::GraphemeClusterSegmenter;

use crate::text::steps::Steps;

const FORM_C: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();

/// First byte of U+0300; all characters before U+0300 are in normal form whatever their neighbours.
const FIRST: u8 = 0xcc;

/// A text in normal form C, and its steps to the original text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Composed {
    pub(crate) text: String,
    pub(crate) steps: Steps,
}

impl Composed {
    /// Returns the offset in the composed text of the character at `origin` in the original text. If several characters
    /// were composed into one, those after the first give the offset after the composed character.
    pub(crate) fn place(&self, origin: usize) -> usize {
        self.text.ceil_char_boundary(self.steps.place(origin))
    }
}

/// Returns a text in normal form C; `None` if it is already.
pub(crate) fn composed(text: &str) -> Option<Composed> {
    if !text.as_bytes().iter().fold(false, |any, &byte| any | (byte >= FIRST)) {
        return None;
    }
    let (mut normal, mut rest) = FORM_C.split_normalized(text);
    if rest.is_empty() {
        return None;
    }
    let letters = GraphemeClusterSegmenter::new();
    let mut composed = Composed { text: String::with_capacity(text.len()), steps: Steps::default() };
    while !rest.is_empty() {
        composed.text.push_str(normal);
        // Characters are never composed across the boundaries of grapheme clusters (UAX 29).
        let end = letters.segment_str(rest).nth(1).unwrap_or(rest.len());
        let (cluster, behind) = rest.split_at(end);
        composed.text.push_str(&FORM_C.normalize(cluster));
        composed.steps.note(composed.text.len(), text.len() - behind.len());
        (normal, rest) = FORM_C.split_normalized(behind);
    }
    composed.text.push_str(normal);
    Some(composed)
}

#[cfg(test)]
mod tests {
    use icu_normalizer::DecomposingNormalizer;
    use proptest::prelude::*;

    use super::*;

    const SAMPLES: [&str; 6] = [
        "Căn nhà nhỏ ở cuối đường, người già đọc sách mỗi tối.",
        "강가의 낡은 물레방아가 천천히 돌고",
        "ছোটো নৌকো কোথায় গেলো",
        "Ελληνικά: ἄνθρωπος ᾧ",
        "Ещё йод, їжак",
        "がぎぐげご プログラム",
    ];

    #[test]
    fn what_looks_the_same_becomes_the_same() {
        for text in SAMPLES {
            let apart = DecomposingNormalizer::new_nfd().normalize(text);
            assert_ne!(apart, text);
            let composed = composed(&apart).unwrap_or_default();
            assert_eq!(composed.text, FORM_C.normalize(text), "{text}");
            for (at, c) in composed.text.char_indices() {
                let origin = composed.steps.origin(at);
                assert_eq!(FORM_C.normalize(&apart[origin..]).chars().next(), Some(c), "{text} at {at}");
            }
        }
    }

    #[test]
    fn texts_in_normal_form_stay() {
        for text in ["", "plain", "naïve Straße ſ ʼ", "Привет", "中文 ひらがな", "한국어", "q\u{301}"]
        {
            assert_eq!(composed(text), None, "{text}");
        }
    }

    #[test]
    fn a_place_within_a_character_is_the_one_behind_it() {
        // A letter of one byte and an accent of two bytes become a letter of two bytes; three letters of three bytes
        // become one.
        let composed = composed("e\u{301}x\u{1112}\u{1161}\u{11ab}y").unwrap_or_default();
        assert_eq!(composed.text, "éx한y");
        let places: Vec<usize> = [0, 1, 3, 4, 7, 10, 13, 14].iter().map(|&origin| composed.place(origin)).collect();
        assert_eq!(places, [0, 2, 2, 3, 6, 6, 6, 7]);
    }

    proptest! {
        #[test]
        fn any_text_becomes_its_normal_form(
            text in "([a-zéơАй]|[\u{300}-\u{345}]|[\u{1100}-\u{11ff}]|[\u{915}-\u{95f}]|\\PC){0,40}",
        ) {
            let found = composed(&text).map_or_else(|| text.clone(), |composed| composed.text);
            prop_assert_eq!(found, FORM_C.normalize(&text));
        }
    }
}
