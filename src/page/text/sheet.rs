//! The text of a page while it is being written: its layout of white space, and the map back to the page.

use memchr::memchr;

use crate::text::entities::{decode_into, reference_size};
use crate::text::map::TextMap;

/// Layout of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As in the page; this is sufficient for splitting into terms, and fastest.
    Raw,
    /// One line per block of text, single spaces in it.
    Lines,
    /// Single spaces everywhere.
    Words,
}

/// The kind of a piece of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Characters without references.
    Literal,
    /// Characters and character references.
    Escaped,
}

/// Builder of a text.
pub(crate) struct Sheet {
    text: String,
    layout: Layout,
    map: Option<TextMap>,
}

impl Sheet {
    /// Returns an empty text; the map back to the page is kept only on request.
    pub(crate) fn new(layout: Layout, mapped: bool) -> Self {
        Sheet { text: String::new(), layout, map: mapped.then(TextMap::default) }
    }

    /// Returns the text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the size of the text.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
    }

    /// Returns whether appending this text has no effect because it is white space after white space, as between most
    /// tags.
    pub(crate) fn is_blank(&self, text: &[u8]) -> bool {
        text.iter().all(u8::is_ascii_whitespace) && self.text.as_bytes().last().is_none_or(u8::is_ascii_whitespace)
    }

    /// Appends `page[from..to]`.
    pub(crate) fn push(&mut self, page: &str, from: usize, to: usize, piece: Piece) {
        if self.map.is_none() {
            let text = &page[from..to];
            match (self.layout, piece) {
                (Layout::Raw, Piece::Literal) => self.text.push_str(text),
                (Layout::Raw, Piece::Escaped) => decode_into(&mut self.text, text),
                (_, Piece::Escaped) if memchr(b'&', text.as_bytes()).is_some() => {
                    let mut decoded = String::with_capacity(text.len());
                    decode_into(&mut decoded, text);
                    fold(&mut self.text, &decoded);
                }
                _ => fold(&mut self.text, text),
            }
            return;
        }
        let mut at = from;
        while at < to {
            let rest = &page[at..to];
            let reference = match piece {
                Piece::Literal => None,
                Piece::Escaped => memchr(b'&', rest.as_bytes()),
            };
            if reference == Some(0) {
                let size = reference_size(rest.as_bytes());
                let mut decoded = String::new();
                decode_into(&mut decoded, &rest[..size]);
                self.append(&decoded, at);
                at += size;
            } else {
                let size = reference.unwrap_or(rest.len());
                self.append(&rest[..size], at);
                at += size;
            }
        }
    }

    /// Appends text that begins at `origin` in the page, and records the origin.
    fn append(&mut self, text: &str, origin: usize) {
        if self.layout == Layout::Raw {
            self.note(origin);
            self.text.push_str(text);
            return;
        }
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let word = word_size(rest);
            let size = if word > 0 { word } else { rest.len() - rest.trim_start().len() };
            self.note(origin + at);
            fold(&mut self.text, &rest[..size]);
            at += size;
        }
    }

    /// Records that the next text begins at `origin` in the page.
    fn note(&mut self, origin: usize) {
        let at = self.text.len();
        if let Some(map) = &mut self.map {
            map.note(at, origin);
        }
    }

    /// Ends a block of text, and with it a word.
    pub(crate) fn push_break(&mut self) {
        if self.layout != Layout::Raw && self.text.ends_with(' ') {
            self.text.pop();
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(if self.layout == Layout::Words { ' ' } else { '\n' });
        }
    }

    /// Returns the text (without white space at its end, if white space is folded) and the map back, which is empty if
    /// it was not requested.
    pub(crate) fn finish(mut self) -> (String, TextMap) {
        if self.layout != Layout::Raw {
            self.text.truncate(self.text.trim_end().len());
        }
        (self.text, self.map.unwrap_or_default())
    }
}

/// Appends text with each run of white space as one space, none at the beginning of a line.
fn fold(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let run = folded_size(rest);
        out.push_str(&rest[..run]);
        rest = &rest[run..];
        if rest.is_empty() {
            return;
        }
        if !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
        rest = rest.trim_start();
    }
}

/// Returns the size of a prefix of `text` that is folded already and ends at white space, at the end, or after a
/// whole word: most text is folded already.
fn folded_size(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b' ') {
        return 0;
    }
    // No branch per byte, so that the loop is vectorised.
    let other = |byte: u8| (byte.wrapping_sub(9) < 5) | (byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3);
    let mut at = 0;
    while let Some(part) = bytes.get(at..at + STRIDE + 1) {
        let stops = part.iter().zip(&part[1..]).fold(false, |stops, (&byte, &next)| {
            stops | other(byte) | ((byte == b' ') & ((next == b' ') | other(next)))
        });
        if stops {
            break;
        }
        at += STRIDE;
    }
    word_end(text, at)
}

/// Bytes examined at once.
const STRIDE: usize = 32;

/// Returns the offset of the first white space (`char::is_whitespace`), or the size of the text.
fn word_size(text: &str) -> usize {
    word_end(text, 0)
}

/// Returns the offset of the first white space from byte `at` on; `at` is not within a white space character.
fn word_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match KINDS[usize::from(bytes[at])] {
            ByteClass::Word => at += 1,
            ByteClass::Space => return at,
            ByteClass::Begins => match text[at..].chars().next() {
                Some(c) if !c.is_whitespace() => at += c.len_utf8(),
                _ => return at,
            },
        }
    }
    at
}

/// The class of a byte in the search for white space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Word,
    /// White space of ASCII.
    Space,
    /// The first byte of characters, some of which are white space.
    Begins,
}

const KINDS: [ByteClass; 256] = {
    let mut kinds = [ByteClass::Word; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte {
            0x09..=0x0d | 0x20 => ByteClass::Space,
            // U+0085 and U+00A0; U+1680; U+2000 to U+205F; U+3000.
            0xc2 | 0xe1 | 0xe2 | 0xe3 => ByteClass::Begins,
            _ => ByteClass::Word,
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_is_that_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            let text = format!("é{c}a");
            let expected = text.find(char::is_whitespace).unwrap_or(text.len());
            assert_eq!(word_size(&text), expected, "{c:?}");
        }
    }

    #[test]
    fn runs_of_white_space_fold_to_one() {
        let mut out = String::new();
        for text in ["  a", " b \t", "\n\u{a0}", "c", "", "d\u{3000}\u{2003} "] {
            fold(&mut out, text);
        }
        assert_eq!(out, "a b cd ");
    }

    proptest! {
        #[test]
        fn long_texts_fold_word_by_word(
            text in "([a-zé中 ]{0,50}|[a-z]{1,9} |  |[\\n\\t\u{a0}\u{2003}\u{3000}あ]){0,30}",
            before in "[a \\n]?",
        ) {
            let mut out = before.clone();
            fold(&mut out, &text);
            let mut plain = before;
            for c in text.chars() {
                if !c.is_whitespace() {
                    plain.push(c);
                } else if !plain.is_empty() && !plain.ends_with([' ', '\n']) {
                    plain.push(' ');
                }
            }
            prop_assert_eq!(out, plain);
        }
    }
}
