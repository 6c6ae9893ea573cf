//! The sentences of a document (Huang, Wang, Li 3.1).
//!
//! "Visible text blocks are extracted from web documents by removing all HTML markups and
//! formatting directives. Then the visible text blocks are partitioned by punctuations to produce
//! sentences"; "we only choose the sentences whose length exceed some threshold (> 16 bytes) to
//! compute fingerprints", and only the first 10 KB of a document count.
//!
//! As specified here:
//!
//! * The paper's bytes are those of GBK. A length is in *units*: one for an ASCII character, two for
//!   any other; no limit splits a character.
//! * A block is a line of [`folded_text`](crate::text::folded_text): formatting instructions end no block, other
//!   elements do.
//! * Punctuation is a mark that ends a sentence or a clause: `.` `,` `;` `:` `!` `?`, their full-width, small and
//!   vertical forms, the ellipsis, and the marks of that kind of Arabic, Armenian, Devanagari, Ethiopic, Greek,
//!   Khmer, Myanmar, Tibetan and Mongolian. Quotation marks, brackets, hyphens and apostrophes are part of the
//!   sentence. A `.`, `,` or `:` between two ASCII letters or digits is part of a number, a time or an address, and
//!   ends nothing.
//! * A sentence includes neither the mark that ends it nor white space at its ends. Where the 10 KB end, the
//!   current sentence ends.

/// The length of a document that is read, in units: 10 KB (Huang et al. 3.1).
pub const DOCUMENT_UNITS: usize = 10 * 1024;

/// A sentence counts if it has more units (Huang et al. 3.1).
pub(crate) const SENTENCE_UNITS: usize = 16;

/// A sentence of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The text of the sentence.
    pub text: &'a str,
    /// Offset of the sentence in the text, in bytes.
    pub at: usize,
    /// Length in units, more than `SENTENCE_UNITS`.
    pub units: usize,
}

/// Returns the length of a text in units: one for each ASCII character, two for each other.
pub fn units(text: &str) -> usize {
    // In a character that is not ASCII, only the first byte is 192 or more.
    text.bytes().map(|byte| usize::from(byte < 0x80) + 2 * usize::from(byte >= 0xc0)).sum()
}

/// Returns the longest prefix of a text with at most `limit` units. With [`DOCUMENT_UNITS`], this is the part of a
/// document that Huang et al. read.
pub fn first_units(text: &str, limit: usize) -> &str {
    let (mut end, mut left) = (0usize, limit);
    loop {
        // A text has at most as many units as bytes, so this many bytes always fit.
        let more = text.floor_char_boundary(end.saturating_add(left));
        if end < more {
            left -= units(&text[end..more]);
            end = more;
            continue;
        }
        // A character of three or four bytes has two units.
        match text[end..].chars().next() {
            Some(c) if left >= 2 => (end, left) = (end + c.len_utf8(), left - 2),
            _ => return &text[..end],
        }
    }
}

/// Returns the sentences of more than 16 units in the first 10 KB of a text, best a
/// [`folded_text`](crate::text::folded_text), in their order (Huang et al. 3.1).
pub fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let text = first_units(text, DOCUMENT_UNITS);
    let mut rest = 0;
    let parts = std::iter::from_fn(move || {
        if rest > text.len() {
            return None;
        }
        let from = rest;
        let (to, next) = end_of_sentence(text, from);
        rest = next;
        let part = &text[from..to];
        let begun = part.trim_start();
        Some((to - begun.len(), begun.trim_end()))
    });
    parts.filter_map(|(at, text)| {
        let units = units(text);
        (units > SENTENCE_UNITS).then_some(Sentence { text, at, units })
    })
}

/// Returns the offset of the end of the sentence that begins at `from`, and of the next sentence, which is past the
/// text if there is none.
fn end_of_sentence(text: &str, from: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_term = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|&byte| MAY_END[usize::from(byte)]).unwrap_or(bytes.len() - at);
        match bytes.get(at) {
            None => return (text.len(), text.len() + 1),
            Some(b'.' | b',' | b':') if is_term(at.checked_sub(1)) && is_term(Some(at + 1)) => at += 1,
            Some(0..=0x7f) => return (at, at + 1),
            Some(_) => {
                let size = text[at..].chars().next().map_or(1, char::len_utf8);
                if text[at..].starts_with(ends_clause) {
                    return (at, at + size);
                }
                at += size;
            }
        }
    }
}

/// Whether a byte may begin a character that ends a sentence: the marks of ASCII, the end of a line, and the first
/// bytes of the characters in [`ends_clause`].
const MAY_END: [bool; 256] = {
    let mut may = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        may[byte] = matches!(byte as u8, b'\n' | b'!' | b'?' | b';' | b'.' | b',' | b':')
            || matches!(byte, 0xcd | 0xce | 0xd6 | 0xd8 | 0xdb | 0xe0..=0xe3 | 0xef);
        byte += 1;
    }
    may
};

/// Returns whether a character that is not ASCII ends a sentence or a clause.
fn ends_clause(c: char) -> bool {
    matches!(c,
        // Greek, Armenian, Arabic.
        '\u{37e}' | '\u{387}' | '\u{589}' | '\u{60c}' | '\u{61b}' | '\u{61d}'..='\u{61f}' | '\u{6d4}'
        // Devanagari and its kin, Tibetan, Myanmar, Ethiopic, Khmer, Mongolian.
        | '\u{964}' | '\u{965}' | '\u{f0d}'..='\u{f11}' | '\u{104a}' | '\u{104b}' | '\u{1362}'..='\u{1368}'
        | '\u{17d4}' | '\u{17d5}' | '\u{1802}'..='\u{1805}' | '\u{1808}' | '\u{1809}'
        // The ellipsis and the double marks.
        | '\u{2026}' | '\u{203c}' | '\u{203d}' | '\u{2047}'..='\u{2049}'
        // CJK: marks, vertical, small, full-width and half-width forms.
        | '\u{3001}' | '\u{3002}' | '\u{fe10}'..='\u{fe16}' | '\u{fe19}' | '\u{fe50}'..='\u{fe57}'
        | '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff61}' | '\u{ff64}')
}

#[cfg(test)]
mod tests;
