//! Characters that are never visible.
//!
//! These characters mark a possible line break, the direction of a text, or the form of a letter; a visitor sees the
//! word around them unbroken. Unicode includes joiners (U+200C, U+200D), but joiners shape the letters of Persian and
//! Indic scripts, so here they belong to words.

use icu_properties::props::DefaultIgnorableCodePoint;
use icu_properties::{CodePointSetData, CodePointSetDataBorrowed};

use crate::text::letters::is_joiner;
use crate::text::steps::Steps;

const IGNORABLE: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<DefaultIgnorableCodePoint>();

/// Returns whether `c` is never visible: Unicode's `Default_Ignorable_Code_Point`, except joiners.
pub(crate) fn is_ignorable(c: char) -> bool {
    !c.is_ascii() && !is_joiner(c) && IGNORABLE.contains(c)
}

/// Bytes examined at once.
const STRIDE: usize = 64;

/// Returns whether a byte may begin an ignorable character. Most other characters that are not ASCII begin with other
/// bytes.
fn may_begin(byte: u8) -> bool {
    (byte == 0xc2) | (byte == 0xcd) | (byte == 0xd8) | (byte.wrapping_sub(0xe1) < 3) | (byte >= 0xef)
}

/// Returns a text without its ignorable characters; `None` if it has none.
pub(crate) fn removed(text: &str) -> Option<(String, Steps)> {
    let (mut out, mut steps, mut done) = (String::new(), Steps::default(), 0);
    for (stride, bytes) in text.as_bytes().chunks(STRIDE).enumerate() {
        // No branch per byte, so that the loop is vectorised.
        if !bytes.iter().fold(false, |any, &byte| any | may_begin(byte)) {
            continue;
        }
        let begins = bytes.iter().enumerate().filter(|&(_, &byte)| may_begin(byte));
        for at in begins.map(|(index, _)| stride * STRIDE + index) {
            if let Some(c) = text[at..].chars().next().filter(|&c| is_ignorable(c)) {
                out.push_str(&text[done..at]);
                done = at + c.len_utf8();
                steps.note(out.len(), done);
            }
        }
    }
    (done > 0).then(|| {
        out.push_str(&text[done..]);
        (out, steps)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ignorable_character_goes_and_nothing_else() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let found = removed(&text);
            assert_eq!(found.is_some(), is_ignorable(c), "{c:?}");
            if let Some((left, steps)) = found {
                assert_eq!((left.as_str(), steps.origin(1)), ("ab", 1 + c.len_utf8()), "{c:?}");
            }
        }
        for c in "\u{ad}\u{34f}\u{61c}\u{180b}\u{200b}\u{200e}\u{202e}\u{2060}\u{fe0f}\u{feff}\u{e0100}".chars() {
            assert!(is_ignorable(c), "{c:?}");
        }
        assert!(!"a \n\u{a0}é\u{301}\u{200c}\u{200d}\u{fffd}中ｆ".chars().any(is_ignorable));
    }

    #[test]
    fn offsets_follow_their_characters() {
        let text = format!("\u{feff}a\u{200b}\u{2060}bé—c\u{200d}d\u{200e}{}x\u{ad}\u{ad}y", "z".repeat(100));
        let (left, steps) = removed(&text).unwrap_or_default();
        assert_eq!(left, format!("abé—c\u{200d}d{}xy", "z".repeat(100)));
        for (at, c) in left.char_indices() {
            assert!(text[steps.origin(at)..].starts_with(c), "{c} at {at}");
        }
    }
}
