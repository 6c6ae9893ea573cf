//! The map from offsets in a page's text to offsets in the bytes of the page.
//!
//! A [`TextMap`] is sparse: it has a step only where text and page advance differently (a tag, a character reference, a
//! run of white space, an accent that was composed with its letter). Its target is the page's decoded text; the offsets
//! in the bytes are found by decoding the page once more, up to the offsets requested, so that character sets cost
//! nothing until then.

use encoding_rs::Decoder;

use crate::text::Page;
use crate::text::charset::{Charset, sniff, utf_32_unit};
use crate::text::steps::Steps;

/// The places in a page from which its text comes.
///
/// A map may be used only with the text and the page for which it was made; with others, the results are meaningless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMap {
    /// The steps between the text and the decoded page.
    steps: Steps,
}

impl From<Steps> for TextMap {
    fn from(steps: Steps) -> Self {
        TextMap { steps }
    }
}

impl TextMap {
    /// Records that the text at `at` continues with the page at `origin`.
    pub(crate) fn note(&mut self, at: usize, origin: usize) {
        self.steps.note(at, origin);
    }

    /// Returns the map of a text that was made from the mapped text, given the steps between them.
    pub(crate) fn after(self, steps: Steps) -> Self {
        steps.through(&self.steps).into()
    }

    /// Returns the map to the page from which the mapped page was made, given the steps between them.
    pub(crate) fn before(self, steps: &Steps) -> Self {
        self.steps.through(steps).into()
    }

    /// Maps offsets of characters in the text (in bytes, in any order) to offsets in `page.body`: the beginning of the
    /// source of each character. The source is the character's own bytes, its character reference, or the white space
    /// or tag that became a space or line end. An offset after the end of the text maps to the end of the page. The
    /// time is linear in the size of the page, however many offsets there are.
    pub fn page_offsets(&self, page: &Page<'_>, offsets: &[usize]) -> Vec<usize> {
        let mut origins: Vec<(usize, usize)> =
            offsets.iter().enumerate().map(|(index, &at)| (self.steps.origin(at), index)).collect();
        origins.sort_unstable();
        let mut offsets = vec![page.body.len(); offsets.len()];
        let mut way = Way::new(page);
        for (origin, index) in origins {
            offsets[index] = way.go_to(origin);
        }
        offsets
    }
}

/// Maximum size in bytes of a page decoded in one step.
const STEP_MAX: usize = 4096;

/// Within this distance before the target, in bytes of text, the page is decoded byte by byte.
const NEAR: usize = 32;

/// A page being decoded from its beginning.
struct Way<'a> {
    body: &'a [u8],
    source: PageDecoder,
    /// Size of the text decoded so far.
    decoded: usize,
    /// Number of bytes read.
    taken: usize,
    /// Offset of the last character decoded, when bytes were read one by one.
    last: usize,
    /// Offset of the next character.
    next: usize,
}

enum PageDecoder {
    Utf32(fn([u8; 4]) -> u32),
    Web(Box<Decoder>, Vec<u8>),
}

impl<'a> Way<'a> {
    fn new(page: &Page<'a>) -> Self {
        let (charset, size) = sniff(page);
        let source = match charset {
            Charset::Utf32(read) => PageDecoder::Utf32(read),
            Charset::Web(encoding) => {
                PageDecoder::Web(Box::new(encoding.new_decoder_without_bom_handling()), vec![0; 4 * STEP_MAX])
            }
        };
        Way { body: page.body, source, decoded: 0, taken: size, last: size, next: size }
    }

    /// Returns the offset of the character that has `target` bytes of text before it; targets ascend.
    fn go_to(&mut self, target: usize) -> usize {
        while target >= self.decoded {
            let left = self.body.len() - self.taken;
            if left == 0 {
                return if target == self.decoded { self.next } else { self.body.len() };
            }
            // No byte gives more than four bytes of text, apart from the few bytes that a decoder holds back.
            let far = (target - self.decoded).saturating_sub(NEAR) / 4;
            self.step(far.clamp(1, STEP_MAX).min(left));
        }
        self.last
    }

    /// Decodes `size` more bytes, or one more character of UTF-32.
    fn step(&mut self, size: usize) {
        let rest = &self.body[self.taken..];
        let mut unit = [0; 4];
        let (taken, text) = match &mut self.source {
            PageDecoder::Utf32(read) => {
                let whole = rest.first_chunk::<4>();
                let c = whole.map_or(char::REPLACEMENT_CHARACTER, |&unit| utf_32_unit(unit, *read));
                (rest.len().min(4), c.encode_utf8(&mut unit).as_bytes())
            }
            PageDecoder::Web(decoder, buffer) => {
                let (_, taken, written, _) = decoder.decode_to_utf8(&rest[..size], buffer, false);
                (taken, &buffer[..written])
            }
        };
        self.taken += taken;
        if !text.is_empty() {
            self.decoded += text.len();
            self.last = self.next;
            self.next = self.taken;
        }
    }
}

#[cfg(test)]
mod tests;
