//! The way back: from an offset in a page's text to the bytes of the page it comes from.
//!
//! A [`TextMap`] is sparse: it has a step only where the text does not go on as the page does (a tag, a
//! character reference, a run of white space). It leads to the page's decoded text; from there to
//! its bytes the page is decoded once more, up to the offsets asked for, so that character sets
//! cost nothing until somebody asks.

use encoding_rs::Decoder;
use memchr::memmem;

use crate::text::charset::{Charset, sniff, utf_32_unit};
use crate::text::entities::SOFT_HYPHEN;
use crate::text::page::Page;

/// Where the text of a page stands in the page.
///
/// It belongs to the text it came with; of other texts and other pages it says nonsense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMap {
    /// Offsets in the text, ascending, each with its offset in the decoded page without soft hyphens.
    /// From one step to the next both go on alike.
    steps: Vec<(usize, usize)>,
}

impl TextMap {
    /// Notes that the text goes on at `at` with what stands at `origin`.
    pub(crate) fn note(&mut self, at: usize, origin: usize) {
        while self.steps.last().is_some_and(|&(last, _)| last >= at) {
            self.steps.pop();
        }
        let (last, from) = self.steps.last().copied().unwrap_or_default();
        if origin.wrapping_sub(from) != at - last {
            self.steps.push((at, origin));
        }
    }

    /// Returns where in the decoded page without soft hyphens the text at `at` stands.
    fn origin(&self, at: usize) -> usize {
        let step = self.steps.partition_point(|&(from, _)| from <= at);
        let (from, origin) = step.checked_sub(1).map(|step| self.steps[step]).unwrap_or_default();
        origin + (at - from)
    }

    /// Returns, for offsets of the text (bytes, beginnings of characters, in any order), where in
    /// `page.body` the character there begins: its own bytes, its character reference, or the white
    /// space or tag that stands for the space or the line's end. What lies behind the end of the
    /// page is its end. Takes time linear in the page, however many offsets there are.
    pub fn page_positions(&self, page: &Page<'_>, positions: &[usize]) -> Vec<usize> {
        let mut origins: Vec<(usize, usize)> =
            positions.iter().enumerate().map(|(index, &at)| (self.origin(at), index)).collect();
        origins.sort_unstable();
        let mut positions = vec![page.body.len(); positions.len()];
        let mut way = Way::new(page);
        for (origin, index) in origins {
            positions[index] = way.go_to(origin);
        }
        positions
    }
}

/// The most bytes of a page decoded in one step.
const STEP_MAX: usize = 4096;

/// So near to the offset sought, in bytes of text, the page is decoded byte by byte.
const NEAR: usize = 32;

/// A page that is being decoded from its beginning.
struct Way<'a> {
    body: &'a [u8],
    source: Source,
    /// The size of the text that has been decoded, soft hyphens left out.
    shown: usize,
    /// The bytes that have been taken.
    taken: usize,
    /// Where the last character decoded begins, when bytes were taken one by one.
    last: usize,
    /// Where the next one does.
    next: usize,
}

enum Source {
    Utf32(fn([u8; 4]) -> u32),
    Web(Box<Decoder>, Vec<u8>),
}

impl<'a> Way<'a> {
    fn new(page: &Page<'a>) -> Self {
        let (charset, size) = sniff(page);
        let source = match charset {
            Charset::Utf32(read) => Source::Utf32(read),
            Charset::Web(encoding) => {
                Source::Web(Box::new(encoding.new_decoder_without_bom_handling()), vec![0; 4 * STEP_MAX])
            }
        };
        Way { body: page.body, source, shown: 0, taken: size, last: size, next: size }
    }

    /// Returns where the character begins that has `target` bytes of text before it; targets ascend.
    fn go_to(&mut self, target: usize) -> usize {
        while target >= self.shown {
            let left = self.body.len() - self.taken;
            if left == 0 {
                return if target == self.shown { self.next } else { self.body.len() };
            }
            // No byte gives more than four of text, besides the few that a decoder holds back.
            let far = (target - self.shown).saturating_sub(NEAR) / 4;
            self.step(far.clamp(1, STEP_MAX).min(left));
        }
        self.last
    }

    /// Takes `size` more bytes, or one more character of UTF-32.
    fn step(&mut self, size: usize) {
        let rest = &self.body[self.taken..];
        let mut unit = [0; 4];
        let (taken, text) = match &mut self.source {
            Source::Utf32(read) => {
                let whole = rest.first_chunk::<4>();
                let c = whole.map_or(char::REPLACEMENT_CHARACTER, |&unit| utf_32_unit(unit, *read));
                (rest.len().min(4), c.encode_utf8(&mut unit).as_bytes())
            }
            Source::Web(decoder, buffer) => {
                let (_, taken, written, _) = decoder.decode_to_utf8(&rest[..size], buffer, false);
                (taken, &buffer[..written])
            }
        };
        self.taken += taken;
        if text.is_empty() {
            return;
        }
        let mut hyphen = [0; 2];
        let hyphen = SOFT_HYPHEN.encode_utf8(&mut hyphen).as_bytes();
        let shown = text.len() - hyphen.len() * memmem::find_iter(text, hyphen).count();
        if shown > 0 {
            self.last = self.next;
            self.shown += shown;
        }
        self.next = self.taken;
    }
}

#[cfg(test)]
mod tests;
