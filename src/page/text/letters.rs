//! Properties of characters: which belong to terms, and which scripts have no spaces. The tables are those of ICU and
//! of the standard library.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, LineBreak, Script};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

const CATEGORIES: CodePointMapDataBorrowed<'static, GeneralCategory> = CodePointMapData::new();
const LINE_BREAKS: CodePointMapDataBorrowed<'static, LineBreak> = CodePointMapData::new();
const SCRIPTS: CodePointMapDataBorrowed<'static, Script> = CodePointMapData::new();

/// Returns whether `c` is a combining mark: an accent, a vowel sign, a virama.
pub(crate) fn is_mark(c: char) -> bool {
    c >= '\u{300}' && GeneralCategoryGroup::Mark.contains(CATEGORIES.get(c))
}

/// Returns whether `c` is punctuation.
pub fn is_punctuation(c: char) -> bool {
    GeneralCategoryGroup::Punctuation.contains(CATEGORIES.get(c))
}

/// Returns whether `c` is a zero-width joiner. Joiners shape the letters around them (Persian, Indic scripts) and occur
/// inside a word, never at its end.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Returns whether `c` can begin a term: a letter or a digit of any script.
///
/// This is `char::is_alphanumeric` with fast paths for the most common scripts.
#[inline]
pub(crate) fn is_alphanumeric(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        '\u{c0}'..='\u{24f}' => c != '×' && c != '÷',
        '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => true,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => true,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        _ => c.is_alphanumeric(),
    }
}

/// Returns whether `c` continues a term that has begun: a combining mark belongs to its letter,
/// although it is not alphanumeric itself (viramas, nuktas, tone marks, decomposed accents).
#[inline]
pub(crate) fn continues(c: char) -> bool {
    is_alphanumeric(c) || is_joiner(c) || is_mark(c)
}

/// The way in which a script separates words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// By spaces, or in an unknown way.
    Spaced,
    /// Not at all; a dictionary finds words.
    Dictionary,
    /// Not at all, and there is no dictionary.
    Unsegmented,
}

/// Returns how the script of a letter separates words.
///
/// Scripts without spaces are those whose lines may break between letters: by a dictionary (line breaking class SA),
/// between ideographs and syllables (ID, CJ, NS) or between aksaras (AK, AP, AS). Some scripts of class AL, whose lines
/// break at other marks or not at all, have no spaces either.
#[inline]
pub(crate) fn writing(c: char) -> Writing {
    match c {
        '\0'..'\u{e00}' | '\u{ac00}'..='\u{d7a3}' => Writing::Spaced,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' => Writing::Dictionary,
        _ => looked_up(c),
    }
}

fn looked_up(c: char) -> Writing {
    let script = SCRIPTS.get(c);
    let is_unspaced = match LINE_BREAKS.get(c) {
        LineBreak::ComplexContext | LineBreak::Aksara | LineBreak::AksaraPrebase | LineBreak::AksaraStart => true,
        // Wide letters of Latin and single letters of Korean are of these classes, too.
        LineBreak::Ideographic | LineBreak::ConditionalJapaneseStarter | LineBreak::Nonstarter => {
            is_alphanumeric(c) && script != Script::Latin && script != Script::Hangul
        }
        LineBreak::Alphabetic => matches!(
            script,
            Script::Vai
                | Script::Buginese
                | Script::KhitanSmallScript
                | Script::Cuneiform
                | Script::EgyptianHieroglyphs
                | Script::AnatolianHieroglyphs
        ),
        _ => false,
    };
    match script {
        _ if !is_unspaced => Writing::Spaced,
        Script::Han | Script::Hiragana | Script::Katakana | Script::Common => Writing::Dictionary,
        Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar => Writing::Dictionary,
        _ => Writing::Unsegmented,
    }
}

/// Returns whether `c` is of a script that puts no spaces between words.
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    writing(c) != Writing::Spaced
}

/// Returns whether `c` is `\w` in the regular expressions of Python 3: a letter, digit or number of any script, or
/// `_`. The recipes `1e0ng` and `text-dedup` split at all other characters.
pub fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number).contains(CATEGORIES.get(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_cuts_agree_with_the_tables() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(is_mark(c), GeneralCategoryGroup::Mark.contains(CATEGORIES.get(c)), "{c:?}");
            if is_alphanumeric(c) {
                assert_eq!(writing(c), looked_up(c), "{c:?}");
            }
        }
    }

    #[test]
    fn marks_are_no_letters() {
        for c in ['\u{301}', '\u{94d}', '\u{e48}', '\u{fe0f}', '\u{1e5ef}'] {
            assert!(is_mark(c), "{c:?}");
        }
        for c in ['a', '\u{2ff}', '\u{370}', 'ก', '中', '\u{10ffff}', '\0'] {
            assert!(!is_mark(c), "{c:?}");
        }
    }

    #[test]
    fn symbols_are_no_punctuation() {
        assert!("!\"#%&'()*,-./:;?@[]_{}、。«»…".chars().all(is_punctuation));
        assert!(!"$+<=>^`|~aé中 €".chars().any(is_punctuation));
    }

    #[test]
    fn scripts_without_spaces_have_a_dictionary_or_none() {
        for c in "aéЖαא한हمა0አᚠཀꓐꡀｆㅏ𐌰😀".chars() {
            assert_eq!(writing(c), Writing::Spaced, "{c:?}");
        }
        for c in "中ひカｶーﾞ々〻〆𠀀ทລខမꧡꩠ".chars() {
            assert_eq!(writing(c), Writing::Dictionary, "{c:?}");
        }
        // Javanese, Balinese, Tai Le, New Tai Lue, Tai Tham, Tai Viet, Yi, Vai, Cham, Batak, Buginese, Bopomofo;
        // Tangut, Nushu, Khitan, Ahom, Brahmi, Grantha, Kawi, hieroglyphs, cuneiform.
        for c in "ꦗᬩᥖᦀᨠꪀꀀꔀꨀᯀᨀㄅ𗀀𛅰𘬀𑜀𑀓𑌕𑼒𓀀𒀀".chars() {
            assert_eq!(writing(c), Writing::Unsegmented, "{c:?}");
        }
    }

    #[test]
    fn word_characters_are_those_of_python() {
        for c in "aZ0_éß中ひ한½²Ⅳ๓".chars() {
            assert!(is_word_character(c), "{c:?}");
        }
        for c in " -'.\u{301}\u{93f}ⓐ™€\u{a0}".chars() {
            assert!(!is_word_character(c), "{c:?}");
        }
    }
}
