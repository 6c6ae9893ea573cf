//! The main content of a page (Huang, Wang, Li 3.1), as version 2 of `main` finds it.
//!
//! The text around the content of a page, its navigation above all, is the same on all pages of a site, and often
//! longer than the content. Huang et al. name removing that off-topic noise first as the way to distinguish such
//! pages, and leave open how. On labelled pages every method does better without it.
//!
//! As specified here:
//!
//! * A block is text between two tags that are no formatting instructions. Lengths are in *units* of the
//!   letters and digits of its terms: one for an ASCII character, two for any other.
//! * A block of markup is content unless it is in `nav`, `header`, `footer`, `aside`, `menu`, `select`
//!   or `button`, or in an element whose role is `navigation`, `banner`, `contentinfo`, `search`,
//!   `complementary` or `dialog`; or is a *link block*: half of its length or more is in links (`a` with an
//!   `href`). The title of the page and the addresses of its images are no content.
//! * Plain text has no tags. Its blocks are its lines, and a line is content if it is longer than [`LINE_UNITS`]
//!   (Huang et al. keep the sentences longer than 16).
//! * Terms are in lower case (Unicode's, of no language), and terms of digits alone are dropped: pages that differ
//!   in dates, counts and version numbers only are the same to a reader (D), and pages are not similar because both
//!   number their lines.
//! * Where fewer than [`TERMS_MIN`] terms are left, all terms of the page are its content, numbers too.
//! * A term is hashed with XXH3 (64 bits, seed 0) of its UTF-8 bytes.

use std::ops::Range;

use crate::text::headings::{HeadingTerms, Headings};
use crate::text::lower::LowerHashes;
use crate::text::numbers::numbers_masked;
use crate::text::outline::OutlinePart;
use crate::text::page::{Page, PageKind};
use crate::text::sentences::units;
use crate::text::tokens::{Tokenizer, Tokens};

/// A line of plain text is content if it has more units.
pub(crate) const LINE_UNITS: usize = 25;

/// With fewer terms of content, all of the page is its content.
pub(crate) const TERMS_MIN: usize = 20;

/// The terms of a page, and which of them are its main content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MainContent {
    tokens: Tokens,
    /// Indexes of the terms of the main content, ascending.
    indexes: Vec<u32>,
    headings: HeadingTerms,
}

impl MainContent {
    /// Returns all terms of the page, without the information which are its content.
    pub(crate) fn into_tokens(self) -> Tokens {
        self.tokens
    }

    /// Returns the terms of the main content in lower case.
    pub(crate) fn terms(&self) -> impl Iterator<Item = String> + '_ {
        self.indexes.iter().map(|&index| self.tokens.term(index as usize).to_lowercase())
    }

    /// Returns the hashes of [`MainContent::terms`]: XXH3 (64 bits, seed 0).
    pub(crate) fn hashes(&self) -> Vec<u64> {
        LowerHashes::at(&self.tokens, &self.indexes).collect()
    }

    /// Returns the title and the first heading of the page.
    pub(crate) fn headings(&self) -> Headings {
        self.headings.hashes(|index| self.tokens.term(index as usize))
    }
}

/// Returns the main content of a page.
pub(crate) fn main_content(page: &Page<'_>) -> MainContent {
    content_and_parts(page).0
}

/// Returns the main content of a page, and the parts of its text (none of plain text).
fn content_and_parts(page: &Page<'_>) -> (MainContent, Vec<OutlinePart>) {
    let mut tokens = Tokens::default();
    let parts = Tokenizer::new().tokens_and_parts(page, &mut tokens);
    let (mut indexes, headings) = match page.kind {
        PageKind::Html => of_markup(&tokens, &parts),
        PageKind::Text => (of_lines(&tokens), HeadingTerms::default()),
    };
    if indexes.len() < TERMS_MIN {
        indexes = (0..tokens.len() as u32).collect();
    }
    (MainContent { tokens, indexes, headings }, parts)
}

/// Returns the main content of a page as a text in lower case: its terms with the text between them, each number as
/// `0`, one line per block and single spaces in it, as in a [`folded_text`](crate::text::folded_text).
pub fn main_text(page: &Page<'_>) -> String {
    let (content, parts) = content_and_parts(page);
    text_of(&content.tokens, &content.indexes, block_begins(&parts), page.kind)
}

/// Returns some terms of a page in lower case with the text between them, each number as `0`: one line per block
/// and single spaces in it. Blocks begin at the offsets `begins` of the text, ascending.
pub(crate) fn text_of(tokens: &Tokens, indexes: &[u32], begins: impl Iterator<Item = usize>, kind: PageKind) -> String {
    let text = tokens.text();
    let mut begins = begins.peekable();
    let (mut out, mut last): (String, Option<(u32, Range<usize>)>) = Default::default();
    let mut indexes = indexes.iter().copied().peekable();
    for (index, range) in (0u32..).zip(tokens.ranges()) {
        // The terms of images are behind all text.
        if indexes.next_if_eq(&index).is_none() || range.start >= tokens.text_size() {
            continue;
        }
        let mut begins_block = false;
        while begins.next_if(|&begin| begin <= range.start).is_some() {
            begins_block = true;
        }
        if let Some((before, known)) = last {
            // Terms may overlap: a word of a script without spaces, and its parts.
            let between = text.get(known.end..range.start).unwrap_or("");
            let is_line = kind == PageKind::Text && between.contains(['\n', '\r']);
            let is_next = (before + 1..index).all(|index| is_number(tokens.term(index as usize)));
            if begins_block || is_line || !is_next {
                // A punctuation mark that ends a block belongs to the block.
                let end = between.find(char::is_whitespace).unwrap_or(0);
                out.push_str(&between[..end]);
                out.push('\n');
            } else {
                push_folded(&mut out, between);
            }
        }
        out.push_str(&text[range.clone()].to_lowercase());
        last = Some((index, range));
    }
    out
}

/// Returns the offsets in the text where blocks begin, ascending.
fn block_begins(parts: &[OutlinePart]) -> impl Iterator<Item = usize> + '_ {
    let starts = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    starts.zip(parts).filter(|(_, part)| part.begins_block).map(|(start, _)| start)
}

/// Appends the text between two terms, which may contain numbers: each run of white space as one space, each run of
/// digits as one `0`.
fn push_folded(out: &mut String, between: &str) {
    for c in numbers_masked(between.chars()) {
        match c {
            _ if !c.is_whitespace() => out.push(c),
            _ if out.ends_with(' ') => (),
            _ => out.push(' '),
        }
    }
}

/// Returns the indexes of the terms in blocks of content of a page of markup, and those of its headings.
fn of_markup(tokens: &Tokens, parts: &[OutlinePart]) -> (Vec<u32>, HeadingTerms) {
    let mut indexes: Vec<u32> = Vec::with_capacity(tokens.len());
    let (mut headings, mut block) = (HeadingTerms::default(), 0);
    let (mut parts, mut part) = (parts.iter(), None::<&OutlinePart>);
    // Of the current block: where in `indexes` its terms begin, the units of its terms, and of those in links.
    let (mut begin, mut all, mut links) = (0, 0, 0);
    for (index, term) in (0u32..).zip(tokens.ranges()) {
        if term.start >= tokens.text_size() {
            // The term is of an image.
            continue;
        }
        while part.is_none_or(|part| part.end <= term.start) {
            let Some(next) = parts.next() else { break };
            if next.begins_block {
                if 2 * links >= all {
                    indexes.truncate(begin);
                }
                (begin, all, links) = (indexes.len(), 0, 0);
                block += 1;
            }
            part = Some(next);
        }
        let Some(part) = part else { continue };
        headings.push(part, block, index);
        if part.is_around {
            continue;
        }
        let size = units(tokens.term(index as usize));
        all += size;
        links += if part.is_link { size } else { 0 };
        if !is_number(tokens.term(index as usize)) {
            indexes.push(index);
        }
    }
    if 2 * links >= all {
        indexes.truncate(begin);
    }
    headings.settle();
    (indexes, headings)
}

/// Returns the indexes of the terms in long lines of plain text.
fn of_lines(tokens: &Tokens) -> Vec<u32> {
    let mut indexes: Vec<u32> = Vec::with_capacity(tokens.len());
    let bytes = tokens.text().as_bytes();
    let (mut begin, mut all, mut end) = (0, 0, 0);
    for (index, term) in (0u32..).zip(tokens.ranges()) {
        if bytes[end..term.start].iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            if all <= LINE_UNITS {
                indexes.truncate(begin);
            }
            (begin, all) = (indexes.len(), 0);
        }
        end = term.end;
        all += units(tokens.term(index as usize));
        if !is_number(tokens.term(index as usize)) {
            indexes.push(index);
        }
    }
    if all <= LINE_UNITS {
        indexes.truncate(begin);
    }
    indexes
}

/// Returns whether a term consists of digits.
pub(crate) fn is_number(term: &str) -> bool {
    term.starts_with(char::is_numeric) && term.chars().all(char::is_numeric)
}

#[cfg(test)]
mod tests;
