//! The content of a page without its boilerplate (Huang, Wang, Li 3.1).
//!
//! The region of the page that contains a block decides first, and its links only then (Kohlschuetter, Fankhauser,
//! Nejdl, WSDM 2010, and Pomikalek 2011 look at blocks and their neighbours in the same way).
//!
//! As specified here:
//!
//! * A block is text between two tags that are no formatting instructions, or a line of plain text; lengths are in
//!   *units* of the letters and digits of its terms: one for an ASCII character, two for any other. A *text* is a
//!   block of more than 25 units and at least five words, less than half of it in links; a *link block* has half of its length or more in links.
//! * Frame is the text in `nav`, `footer`, `aside`, `menu`, `select`, `button`, `dialog` or `search`; in a
//!   `header` (or role `banner`) that is of no main part and no article; in an element with the role `navigation`,
//!   `contentinfo`, `search`, `complementary`, `dialog` or `alertdialog`; in what is `hidden` (attribute, class, or
//!   `display: none`); and in an element whose class or identifier has the word of a frame (`regions`), unless it
//!   holds an `h1` or the main part or fewer than 100 units stand outside of all of them.
//! * Of what is left, the main part is the page's: the text in `main` or in the role `main`; else in an element
//!   with the identifier `main`, `content`, `main-content` or `maincontent`, if that is an eighth of it, or has half of
//!   what stands in no link, as a page of a few lines has beside a long table of contents; else in articles, if they
//!   are or have as much, or an `h1`. Where there is none of these, all of it.
//! * What comes before the first text or heading is frame: links only where the page declares its main part, else all
//!   of it; a heading that is all link begins nothing there.
//! * Where texts are longer than link blocks, links are not what the page is about: runs of three link blocks or
//!   more are frame with the headings before them, those behind the last text with all that follows. Where the page
//!   declares its main part only those behind the last text are; so are, everywhere, blocks at the end of which
//!   four fifths are links. Elsewhere the links are content: indexes and lists.
//! * Of plain text, the first line with a copyright sign behind which less than a quarter of the text stands is frame
//!   with all that follows, unless nothing stands before it (Pomikalek 2011 drops blocks with that sign).
//! * Of what is left, lines of *prose* tell the content: texts of 50 units, or with a mark that ends a sentence.
//!   Before the first but two lines, after the last, and in runs of 24 lines that are none but the last two of
//!   them, lines are frame; so are the runs of lines left between these with less than a quarter of the prose of the
//!   greatest. Where less than one part in 16 is prose, all lines are content.
//! * With fewer than 20 terms (five, where the page declares its main part) all of the page is its content, of plain
//!   text all before that notice. Before that, a page with fewer than 20 is read again with the markup that it keeps
//!   for its scripts: `template`, and `script` of a type of `text/html` or with `template`, `handlebars` or `mustache`
//!   in it.
//! * Characters without width that shape no letters are not there, such as zero-width spaces. Terms are looked at in
//!   lower case; those of digits alone are *numbers* and kept apart.
//! * The title is the first `title` that has a term and is of no drawing. Headings are the `h1` to `h3` of the
//!   content with all their blocks; where no `h1` is among them, also those of the page's header. In plain text a
//!   heading is a line marked as in Markdown, AsciiDoc or reStructuredText: `#` or `=` once to thrice before it, or
//!   a line of `=` (first rank), `-` (second), or `~`, `^`, `"` or `+` (third) below it.

use std::ops::Range;

use crate::text::html::Templates;
use crate::text::lower::LowerHashes;
use crate::text::page::{Page, PageKind};
use crate::text::terms_text::{is_number, text_of};
use crate::text::tokenizer::{Tokenizer, Tokens};

mod blocks;
mod classify;

use classify::LEAD_LINES;

pub(crate) use blocks::ContentBlock;

/// A heading of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    /// Its rank, 1 to 3.
    pub rank: u8,
    /// The indexes of its terms among all terms of the page.
    pub indexes: &'a [u32],
}

/// The end of a heading in `heading_terms`, and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeadingEnd {
    rank: u8,
    end: usize,
}

/// The terms of a page, and which of them are its content, its title and its headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageContent {
    tokens: Tokens,
    blocks: Vec<ContentBlock>,
    /// Indexes of the terms of the content that are no numbers, ascending; and of those that are.
    terms: Vec<u32>,
    numbers: Vec<u32>,
    title: Vec<u32>,
    /// Indexes of the terms of all headings, and the end of each heading.
    heading_terms: Vec<u32>,
    headings: Vec<HeadingEnd>,
    units: u64,
    is_whole: bool,
    is_text: bool,
}

impl PageContent {
    /// Returns all terms of the page, those around its content included.
    #[cfg(test)]
    pub(crate) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Returns all terms of the page, without the information which are its content.
    pub(crate) fn into_tokens(self) -> Tokens {
        self.tokens
    }

    /// Returns the blocks of the page, in their order.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> &[ContentBlock] {
        &self.blocks
    }

    /// Returns the indexes of the terms of the content among all terms, ascending; numbers are left out.
    #[cfg(test)]
    pub(crate) fn indexes(&self) -> &[u32] {
        &self.terms
    }

    /// Returns the terms of the content in lower case, in their order; numbers are left out.
    pub(crate) fn terms(&self) -> impl Iterator<Item = String> + '_ {
        self.lower(&self.terms)
    }

    /// Returns the hashes of [`PageContent::terms`]: XXH3 (64 bits, seed 0).
    pub(crate) fn hashes(&self) -> Vec<u64> {
        self.hashes_at(&self.terms)
    }

    /// Returns the hashes of all terms of the page in lower case, those around its content included.
    pub(crate) fn page_hashes(&self) -> Vec<u64> {
        LowerHashes::new(&self.tokens).collect()
    }

    /// Returns the hashes of all terms of the page in lower case that are no numbers, those around its content
    /// included.
    pub(crate) fn word_hashes(&self) -> Vec<u64> {
        self.words_of(0..self.tokens.len() as u32)
    }

    /// Returns the hashes of the terms in lower case of the last two lines of at most 100 units that stand between
    /// empty ones before the first prose of a plain text, the last line first, without numbers and lines of nothing
    /// else; none if it has no prose.
    pub(crate) fn leading_lines(&self) -> Vec<Vec<u64>> {
        let first = self.blocks.iter().position(ContentBlock::is_prose).unwrap_or(0);
        let lines = self.blocks[..first].iter().rev().filter(|block| block.stands_alone());
        lines
            .map(|line| self.words_of(line.indexes.clone()))
            .filter(|words| !words.is_empty())
            .take(LEAD_LINES)
            .collect()
    }

    fn words_of(&self, indexes: Range<u32>) -> Vec<u64> {
        let words: Vec<u32> = indexes.filter(|&index| !is_number(self.tokens.term(index as usize))).collect();
        self.hashes_at(&words)
    }

    /// Returns the terms of the content that are of digits alone, in their order.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.at(&self.numbers)
    }

    /// Returns the hashes of [`PageContent::numbers`].
    pub(crate) fn number_hashes(&self) -> Vec<u64> {
        self.hashes_at(&self.numbers)
    }

    /// Returns the terms of the title in lower case, numbers included; none where the page has no title.
    pub(crate) fn title(&self) -> impl Iterator<Item = String> + '_ {
        self.lower(&self.title)
    }

    /// Returns the headings of the content, in their order; none is empty.
    pub(crate) fn headings(&self) -> impl ExactSizeIterator<Item = Heading<'_>> + '_ {
        let mut start = 0;
        self.headings.iter().map(move |&HeadingEnd { rank, end }| {
            let indexes = &self.heading_terms[std::mem::replace(&mut start, end)..end];
            Heading { rank, indexes }
        })
    }

    /// Returns terms of the page in lower case, by their indexes.
    pub(crate) fn lower<'a>(&'a self, indexes: &'a [u32]) -> impl Iterator<Item = String> + 'a {
        self.at(indexes).map(str::to_lowercase)
    }

    /// Returns the hashes of terms in lower case, by their indexes: XXH3 (64 bits, seed 0).
    pub(crate) fn hashes_at(&self, indexes: &[u32]) -> Vec<u64> {
        LowerHashes::at(&self.tokens, indexes).collect()
    }

    /// Returns the length of the content in units, numbers included.
    #[cfg(test)]
    pub(crate) fn units(&self) -> u64 {
        self.units
    }

    /// Returns whether all of the page counts as its content, because too little is left without its frame.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns whether the page is plain text.
    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }

    fn at<'a>(&'a self, indexes: &'a [u32]) -> impl ExactSizeIterator<Item = &'a str> + 'a {
        indexes.iter().map(|&index| self.tokens.term(index as usize))
    }

    /// Collects the terms of the blocks that are content.
    fn gather(&mut self) {
        let (tokens, text_size) = (&self.tokens, self.tokens.text_size());
        let spans = tokens.spans();
        for block in self.blocks.iter().filter(|block| block.is_content) {
            self.units += u64::from(block.units);
            for index in block.indexes.clone() {
                // The terms of images are behind all text.
                if spans[index as usize].0 >= text_size {
                    continue;
                }
                let of_kind = if is_number(tokens.term(index as usize)) { &mut self.numbers } else { &mut self.terms };
                of_kind.push(index);
            }
        }
    }

    /// Collects the title and the headings of the content.
    fn gather_headings(&mut self) {
        let text_size = self.tokens.text_size();
        let is_first =
            |block: &&ContentBlock| block.heading.is_some_and(|heading| heading.rank == 1) && !block.is_title;
        // The header of a page may contain its first heading.
        let in_header = !self.blocks.iter().filter(is_first).any(|block| block.is_content);
        let mut last = None;
        for block in &self.blocks {
            let spans = self.tokens.spans();
            let indexes = || block.indexes.clone().filter(|&index| spans[index as usize].0 < text_size);
            if block.is_title {
                if self.title.is_empty() {
                    self.title.extend(indexes());
                }
            } else if let Some(heading) = block.heading
                && (block.is_content || in_header && heading.rank == 1 && block.region.is_header && !block.is_link())
            {
                if last.replace(heading.number) != Some(heading.number) {
                    self.headings.push(HeadingEnd { rank: heading.rank, end: self.heading_terms.len() });
                }
                self.heading_terms.extend(indexes());
                if let Some(end) = self.headings.last_mut() {
                    end.end = self.heading_terms.len();
                }
            }
        }
        let mut start = 0;
        self.headings.retain(|heading| std::mem::replace(&mut start, heading.end) < heading.end);
    }
}

/// Returns the content of a page.
pub(crate) fn page_content(page: &Page<'_>) -> PageContent {
    let (content, has_templates) = extracted(page, Templates::Dropped);
    if has_templates && content.terms.len() < TERMS_MIN {
        let (shown, _) = extracted(page, Templates::Shown);
        if shown.terms.len() > content.terms.len() {
            return shown;
        }
    }
    content
}

/// Returns the content of a page as a text in lower case: its terms with the text between them, each number as `0`,
/// one line per block and single spaces in it, as in a [`folded_text`](crate::text::folded_text).
pub fn content_text(page: &Page<'_>) -> String {
    let content = page_content(page);
    let spans = content.tokens.spans();
    let begins = content.blocks.iter().map(|block| spans[block.indexes.start as usize].0);
    text_of(&content.tokens, &content.terms, begins, page.kind)
}

/// Returns the content of a page, and whether the page has markup that scripts may show.
fn extracted(page: &Page<'_>, templates: Templates) -> (PageContent, bool) {
    let mut content = PageContent { is_text: page.kind == PageKind::Text, ..PageContent::default() };
    let (parts, has_templates) = Tokenizer::new().tokens_and_regions(page, templates, &mut content.tokens);
    let terms_min = match page.kind {
        PageKind::Html => {
            content.blocks = blocks::of_markup(&content.tokens, &parts);
            if classify::markup(&mut content.blocks) { DECLARED_MIN } else { TERMS_MIN }
        }
        PageKind::Text => {
            content.blocks = blocks::of_lines(&content.tokens);
            classify::drop_notice(&mut content.blocks);
            classify::lines(&mut content.blocks);
            TERMS_MIN
        }
    };
    content.gather();
    if content.terms.len() < terms_min {
        content.is_whole = true;
        (content.units, content.terms, content.numbers) = Default::default();
        content.blocks.iter_mut().for_each(|block| block.is_content = true);
        content.gather();
    }
    content.gather_headings();
    (content, has_templates)
}

/// With fewer terms of content, all of the page is its content.
const TERMS_MIN: usize = 20;
/// With fewer terms in the main part that a page declares, all of the page is its content.
const DECLARED_MIN: usize = 5;

#[cfg(test)]
mod tests;
