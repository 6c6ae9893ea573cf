//! Characters that have no width and join or shape no letters.
//!
//! Zero-width spaces mark where a line may break, other characters the direction of a text: a visitor sees the word
//! around them whole. Joiners (U+200C, U+200D) are of the words that they shape, and not among these.

use memchr::memchr2_iter;

/// Returns whether `c` is invisible: U+200B, U+200E, U+200F, U+202A to U+202E, U+2060 to U+206F and U+FEFF. Each has
/// three bytes.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Bytes of an invisible character.
const SIZE: usize = 3;

/// The offsets of the invisible characters that were in a text, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed(Vec<usize>);

impl Removed {
    /// Returns the offset in the text that is left of a character that was at `offset`.
    pub(crate) fn moved(&self, offset: usize) -> usize {
        offset - SIZE * self.0.partition_point(|removed| *removed < offset)
    }
}

/// Removes the invisible characters of a text.
pub(crate) fn remove(text: &mut String) -> Removed {
    // All of them begin with one of two bytes, which begin no byte sequence inside of a character.
    let is_start = |at: &usize| text[*at..].chars().next().is_some_and(is_invisible);
    let removed: Vec<usize> = memchr2_iter(0xe2, 0xef, text.as_bytes()).filter(is_start).collect();
    if !removed.is_empty() {
        text.retain(|c| !is_invisible(c));
    }
    Removed(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_follow_their_characters() {
        let mut text = "\u{feff}a\u{200b}\u{2060}bé—c\u{200d}d\u{200e}".to_owned();
        let letters = ["a", "b", "é", "—", "c", "d"];
        let offsets: Vec<usize> = letters.iter().map(|letter| text.find(letter).unwrap_or_default()).collect();
        let size = text.len();
        let removed = remove(&mut text);
        assert_eq!(text, "abé—c\u{200d}d");
        for (letter, offset) in letters.iter().zip(&offsets) {
            assert!(text[removed.moved(*offset)..].starts_with(letter), "{letter} {offset}");
        }
        assert_eq!((removed.moved(0), removed.moved(size)), (0, text.len()));
    }

    #[test]
    fn texts_without_them_stay() {
        for text in ["", "plain", "“é” 中文 ﬁ\u{200c}n"] {
            let mut same = text.to_owned();
            assert_eq!((remove(&mut same), same.as_str()), (Removed::default(), text));
        }
    }
}
