//! The terms of a page (Henzinger 2).
//!
//! "Every maximal alphanumeric sequence is considered a term", without case folding. There are two exceptions: an
//! address in the text of the page "is broken at slashes and dots" and nowhere else, and the address of an image "is
//! considered to be a term in the page".
//!
//! Departures, because the rule of the paper was made for English:
//!
//! * Some scripts put no spaces between words, and a maximal sequence would be a sentence. A sequence with letters of
//!   such a script is segmented (`word_segmentation`) into Unicode words (UAX 29) if ICU has a dictionary for the
//!   script, else into pieces. ICU's neural models are not used, because they calculate in floating point.
//! * A combining mark or a joiner belongs to the letter before it (Devanagari viramas, Thai tone marks, decomposed
//!   accents); letters and marks are composed, and invisible characters are dropped.
//!
//! Where the paper is silent: an address in the text begins with `http://`, `https://`, `ftp://` or `www.` and ends
//! at white space, a quotation mark, a bracket, or a letter of a script without spaces; the pieces between slashes
//! and dots lose characters that are not alphanumeric at either end (`http:` is `http`, `a-b?id=5` stays whole). A
//! token is the hash of a term: XXH3 (64 bits, seed 0) of its UTF-8 bytes.

mod runs;
mod signs;

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::text::containers::Container;
use crate::text::folded::FoldedHasher;
use crate::text::html::{Scan, scan, scan_with_containers, scan_with_map};
use crate::text::images::Addresses;
use crate::text::letters::{continues, is_alphanumeric, is_joiner, is_unspaced};
use crate::text::map::TextMap;
use crate::text::outline::OutlinePart;
use crate::text::sheet::Layout;
use crate::text::visible::{Shown, shown};
use crate::text::word_segmentation::Segmenter;
use crate::text::{Page, PageKind};

use self::runs::Runs;
pub use self::signs::is_bullet;

/// The terms of a page in their order, and the hash of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The text of the page, followed by the terms of its images.
    text: String,
    /// Size of the text of the page, in bytes.
    text_size: usize,
    /// Beginning and end of each term in `text`.
    spans: Vec<(usize, usize)>,
    /// The hash of each term, or of each term as it is compared.
    hashes: Vec<u64>,
}

impl Tokens {
    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the tokens: the 64-bit hash of each term (Henzinger 2), XXH3 with seed 0.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the terms.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = &str> {
        self.spans.iter().map(|&(from, to)| &self.text[from..to])
    }

    /// Returns the byte range of each term in the text that [`Tokenizer::tokens_with_map`] maps.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.spans.iter().map(|&(from, to)| from..to)
    }

    /// Returns a term by its index.
    pub(crate) fn term(&self, index: usize) -> &str {
        let (from, to) = self.spans[index];
        &self.text[from..to]
    }

    /// Returns the beginning and end of each term in [`Tokens::text`].
    pub(crate) fn spans(&self) -> &[(usize, usize)] {
        &self.spans
    }

    /// Returns the text of the page, followed by the terms of its images.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the beginning and end of each term of the text of the page in [`Tokens::text`], and its hash; the terms
    /// of images are left out.
    pub(crate) fn words(&self) -> impl Iterator<Item = (Range<usize>, u64)> {
        let words = self.spans.iter().zip(&self.hashes).filter(|(span, _)| span.0 < self.text_size);
        words.map(|(&(from, to), &hash)| (from..to, hash))
    }

    /// Returns the size of the text of the page in bytes; the terms of images follow it.
    pub(crate) fn text_size(&self) -> usize {
        self.text_size
    }

    fn clear(&mut self) {
        self.text.clear();
        self.text_size = 0;
        self.spans.clear();
        self.hashes.clear();
    }

    /// Adds the signs that say something, and cuts what is too long for a word into pieces ([`signs`]).
    fn add_signs(&mut self) {
        if let Some(spans) = signs::with_signs(&self.text, self.text_size, &self.spans) {
            self.spans = spans;
        }
    }

    fn hash(&mut self) {
        let bytes = self.text.as_bytes();
        self.hashes.extend(self.spans.iter().map(|&(from, to)| xxh3_64(&bytes[from..to])));
    }

    fn hash_folded(&mut self) {
        let mut hasher = FoldedHasher::default();
        self.hashes.extend(self.spans.iter().map(|&(from, to)| hasher.hash(&self.text, from, to)));
    }
}

/// Most texts have fewer than one term per this many bytes.
const BYTES_OF_TERM: usize = 6;

/// Splits pages into terms. Cheap to make; may be reused for many pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokenizer {
    segmenter: Segmenter,
}

impl Tokenizer {
    /// Returns a tokenizer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the terms of a page (Henzinger 2).
    pub fn tokens(&self, page: &Page<'_>) -> Tokens {
        let mut tokens = Tokens::default();
        self.tokens_into(page, &mut tokens);
        tokens
    }

    /// Replaces the content of `tokens` by the terms of a page, and reuses its memory.
    pub fn tokens_into(&self, page: &Page<'_>, tokens: &mut Tokens) {
        let text = shown(page).text;
        match page.kind {
            PageKind::Html => {
                self.scanned(page, scan(&text, Layout::Raw), tokens);
            }
            PageKind::Text => self.taken(&text, tokens),
        }
        tokens.hash();
    }

    /// Returns the terms of a page, and the map of their [ranges](Tokens::ranges) back to the page; an image maps
    /// to its tag. Slower than without the map.
    pub fn tokens_with_map(&self, page: &Page<'_>) -> (Tokens, TextMap) {
        let mut tokens = Tokens::default();
        let Shown { text, steps } = shown(page);
        let map = match page.kind {
            PageKind::Html => self.scanned(page, scan_with_map(&text, Layout::Raw), &mut tokens),
            PageKind::Text => {
                self.taken(&text, &mut tokens);
                TextMap::default()
            }
        };
        tokens.hash();
        (tokens, map.before(&steps))
    }

    /// Replaces the content of `tokens` by the terms of a page and its [`signs`], with their hashes as they are compared. Returns the parts of its text and their containers (none for plain text).
    pub(crate) fn tokens_and_containers(
        &self,
        page: &Page<'_>,
        tokens: &mut Tokens,
    ) -> (Vec<OutlinePart>, Vec<Container>) {
        let text = shown(page).text;
        let found = match page.kind {
            PageKind::Html => {
                let mut scan = scan_with_containers(&text, Layout::Raw);
                let (parts, containers) = (std::mem::take(&mut scan.parts), std::mem::take(&mut scan.containers));
                self.scanned(page, scan, tokens);
                (parts, containers)
            }
            PageKind::Text => {
                tokens.clear();
                tokens.text = text.into_owned();
                self.split_text(tokens);
                (Vec::new(), Vec::new())
            }
        };
        tokens.add_signs();
        tokens.hash_folded();
        found
    }

    /// Splits a page of markup into terms, without hashing them. Returns the map of its text and image terms, which is
    /// valid only if the scan kept one.
    fn scanned(&self, page: &Page<'_>, scan: Scan, tokens: &mut Tokens) -> TextMap {
        tokens.clear();
        let Scan { text, images, base, mut map, .. } = scan;
        let end = text.len();
        tokens.spans.reserve(end / BYTES_OF_TERM);
        (tokens.text, tokens.text_size) = (text, end);
        let addresses = Addresses::new(page.url, base.as_deref());
        let mut done = 0;
        for image in &images {
            self.split(&tokens.text, done, image.at, &mut tokens.spans);
            done = image.at;
            let from = tokens.text.len();
            addresses.append_term(&mut tokens.text, &image.source);
            let to = tokens.text.len();
            if from < to {
                map.note(from, image.origin);
                tokens.spans.push((from, to));
            }
        }
        self.split(&tokens.text, done, end, &mut tokens.spans);
        map
    }

    /// Splits plain text into terms, without their hashes.
    fn taken(&self, text: &str, tokens: &mut Tokens) {
        tokens.clear();
        tokens.text.push_str(text);
        self.split_text(tokens);
    }

    /// Splits the text of `tokens`, which has no terms yet.
    fn split_text(&self, tokens: &mut Tokens) {
        tokens.text_size = tokens.text.len();
        tokens.spans.reserve(tokens.text_size / BYTES_OF_TERM);
        self.split(&tokens.text, 0, tokens.text.len(), &mut tokens.spans);
    }

    /// Appends the beginning and end of each term of `text[from..to]`.
    fn split(&self, text: &str, from: usize, to: usize, spans: &mut Vec<(usize, usize)>) {
        let bytes = &text.as_bytes()[..to];
        let mut runs = Runs::new(bytes);
        let mut at = runs.end_of_others(from);
        while at < to {
            let start = at;
            at = runs.end_of_term(start);
            if bytes.get(at).is_some_and(|byte| !byte.is_ascii()) {
                at = self.wide(text, start, at, to, spans);
            } else if begins_address(bytes, start, at) {
                let end = end_of_address(text, at, to);
                split_address(text, start, end, spans);
                at = end;
            } else {
                spans.push((start, at));
            }
            at = runs.end_of_others(at);
        }
    }

    /// Continues a sequence that began at `start` with a character that is not ASCII at `at`. Returns the offset of its
    /// end, or the offset after a character that belongs to no term.
    fn wide(&self, text: &str, start: usize, at: usize, to: usize, spans: &mut Vec<(usize, usize)>) -> usize {
        let mut end = at;
        let mut unspaced = false;
        for c in text[at..to].chars() {
            let goes_on = if end == start { is_alphanumeric(c) } else { continues(c) };
            if !goes_on {
                if end == start {
                    return end + c.len_utf8();
                }
                break;
            }
            unspaced |= is_unspaced(c);
            end += c.len_utf8();
        }
        let term = text[start..end].trim_end_matches(is_joiner);
        if unspaced {
            self.segmenter.segments(term, |from, to| {
                if term[from..to].contains(is_alphanumeric) {
                    spans.push((start + from, start + to));
                }
            });
        } else {
            spans.push((start, start + term.len()));
        }
        end
    }
}

/// Returns the terms of a page: [`Tokenizer::tokens`] with a new tokenizer.
pub fn tokens(page: &Page<'_>) -> Tokens {
    Tokenizer::new().tokens(page)
}

/// Returns whether the sequence `bytes[start..at]` is the beginning of an address.
fn begins_address(bytes: &[u8], start: usize, at: usize) -> bool {
    let word = &bytes[start..at];
    match bytes.get(at) {
        Some(b':') => {
            [&b"http"[..], b"https", b"ftp"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
                && bytes[at..].starts_with(b"://")
        }
        Some(b'.') => word.eq_ignore_ascii_case(b"www") && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    }
}

/// Returns the offset of the end of an address.
fn end_of_address(text: &str, at: usize, to: usize) -> usize {
    let ends = |c: char| match c {
        '<' | '>' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' => true,
        '!'..='~' => false,
        _ => !continues(c) || is_unspaced(c),
    };
    at + text[at..to].find(ends).unwrap_or(to - at)
}

/// Breaks an address at slashes and dots.
fn split_address(text: &str, from: usize, to: usize, spans: &mut Vec<(usize, usize)>) {
    let mut begin = from;
    for piece in text[from..to].split(['/', '.']) {
        let end = begin + piece.len();
        let after = piece.trim_start_matches(|c| !is_alphanumeric(c));
        let term = after.trim_end_matches(|c| !is_alphanumeric(c) && !continues(c));
        if !term.is_empty() {
            let start = end - after.len();
            spans.push((start, start + term.len()));
        }
        begin = end + 1;
    }
}

#[cfg(test)]
mod tests;
