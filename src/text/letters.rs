//! Characters of terms, and scripts without spaces.

use crate::text::combining_marks::is_mark;

/// Returns whether `c` is a zero-width joiner: these shape the letters around them (Persian, Indic scripts) and
/// occur inside a word, never at its end.
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

/// Returns whether `c` is of a script that puts no spaces between words: Han, Hiragana, Katakana,
/// Thai, Lao, Khmer, Myanmar.
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    c >= '\u{e00}'
        && matches!(c,
            '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{19e0}'..='\u{19ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3038}'..='\u{303c}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a9e0}'..='\u{a9ff}'
            | '\u{aa60}'..='\u{aa7f}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{1b000}'..='\u{1b16f}'
            | '\u{20000}'..='\u{323af}')
}

/// Returns whether `c` is `\w` in the regular expressions of Python 3: a letter, digit or number of any script, or
/// `_`. The recipes `1e0ng` and `text-dedup` split at all other characters.
pub(crate) fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    // Rust counts vowel signs and circled letters as alphabetic as well; Python does not.
    let circled = matches!(c,
        '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}'
        | '\u{1f170}'..='\u{1f189}');
    c.is_alphanumeric() && !circled && !is_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_cuts_agree_with_the_standard_library() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
        }
    }

    #[test]
    fn spaced_scripts_are_not_segmented() {
        for c in "aéЖαא한हمა0".chars() {
            assert!(!is_unspaced(c), "{c:?}");
        }
        for c in "中ひカทລខမー々".chars() {
            assert!(is_unspaced(c), "{c:?}");
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
